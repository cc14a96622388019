#pragma once
//===- OpenTables.h - Tables of measured runs with the mappings that read them ----------------===//
#include "driver/score/Scores.h"

namespace dpl::score {

/// Opens every table with its mapping and hands both over; fails after the first that cannot.
LogicalResult forEachTable(llvm::ArrayRef<std::string> paths, const ScoreOptions& options,
                           SourceManager& sources, DiagnosticEngine& diags,
                           llvm::function_ref<void(CsvTable&, const Mapping&)> visit);

} // namespace dpl::score
