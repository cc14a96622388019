#pragma once
//===- Collectives.h - NCCL's choice of algorithm and protocol, by size -----------------------===//
#include "cost/step/CollectiveChoice.h"
#include "support/Json.h"

namespace dpl::report {

/// A table for each collective, with one row per size, and the sizes at which NCCL's choice
/// changes. Of the sizes that the layout does not send, only some are shown.
std::string collectivesText(llvm::ArrayRef<cost::CollectiveChoices> all, const ir::Cluster& cluster,
                            unsigned width);
/// All points as JSON; docs/reference/json.md describes the fields.
Json collectivesJson(llvm::ArrayRef<cost::CollectiveChoices> all, const ir::Cluster& cluster);
/// A plot of the bus bandwidth by size, with two logarithmic axes, as an SVG file.
std::string collectivesSvg(llvm::ArrayRef<cost::CollectiveChoices> all, const std::string& title);

} // namespace dpl::report
