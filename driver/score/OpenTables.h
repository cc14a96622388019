#pragma once
//===- OpenTables.h - Tables of measured runs and their mappings ------------------------------===//
#include "driver/score/Scores.h"

namespace dpl::score {

/// Opens each table and calls `visit` with it and its mapping. Fails at the first error.
LogicalResult forEachTable(llvm::ArrayRef<std::string> paths, const ScoreOptions& options,
                           SourceManager& sources, DiagnosticEngine& diags,
                           llvm::function_ref<void(CsvTable&, const Mapping&)> visit);

} // namespace dpl::score
