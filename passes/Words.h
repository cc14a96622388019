#pragma once
//===- Words.h - Phrases that messages of several passes share --------------------------------===//
#include "cost/legality/Legality.h"
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include "support/Text.h"
#include <optional>

namespace dpl {
using cost::product;

/// "4 × 8 × 8 = 256"; one factor is shown alone.
std::string showProduct(llvm::ArrayRef<std::uint64_t> factors);
/// "80 / 32 = 2.5".
std::string showQuotient(std::uint64_t over, std::uint64_t under);
/// "sequences" or "samples": the unit of the batch.
llvm::StringRef batchNoun(const ir::Layout& layout);

/// The path of an axis in a layout: "mesh.tensor", "mesh.experts.expert".
std::string pathOf(ir::Axis axis);
/// The axis as in a file: "tensor", and "experts.tensor" for the expert grid.
std::string spelling(ir::Axis axis);
/// The place where the size of an axis is set, or the mesh.
SourceRange rangeOf(const ir::Layout& layout, ir::Axis axis);
/// The place of a field's value, for an edit; invalid if the file does not set it.
SourceRange valueRange(const ir::Layout& layout, const std::string& path);

/// Adds a note with the cluster's place and number of devices.
DiagnosticEngine::InFlight withCluster(DiagnosticEngine::InFlight d, const ir::Plan& plan);

} // namespace dpl
