#pragma once
//===- Words.h - Phrases that messages of several passes share --------------------------------===//
#include "cost/legality/Legality.h"
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include "support/Text.h"
#include <optional>

namespace dpl {
using cost::product;

/// A product as a text: "4 × 8 × 8 = 256"; a single factor is shown alone.
std::string showProduct(llvm::ArrayRef<std::uint64_t> factors);
/// A quotient as a text: "80 / 32 = 2.5".
std::string showQuotient(std::uint64_t over, std::uint64_t under);
/// The plural of the unit of the batch: "sequences" or "samples".
llvm::StringRef batchNoun(const ir::Layout& layout);

/// The path of an axis in a layout: "mesh.tensor", "mesh.experts.expert".
std::string pathOf(ir::Axis axis);
/// The name of an axis as the file writes it: "tensor", and "experts.tensor" for the expert grid.
std::string spelling(ir::Axis axis);
/// The place in the file where the size of an axis is set; if it is not set, that of the mesh.
SourceRange rangeOf(const ir::Layout& layout, ir::Axis axis);
/// The place of a field's value in the file, for an edit; invalid if the file does not set it.
SourceRange valueRange(const ir::Layout& layout, const std::string& path);

/// Adds a note with the place of the cluster in the file and its number of devices.
DiagnosticEngine::InFlight withCluster(DiagnosticEngine::InFlight d, const ir::Plan& plan);

} // namespace dpl
