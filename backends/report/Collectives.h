#pragma once
//===- Collectives.h - NCCL's choice of algorithm and protocol, by size -----------------------===//
#include "cost/step/CollectiveChoice.h"
#include "support/Json.h"

namespace dpl::report {

/// A table for each collective: one row per size, and the sizes at which NCCL's choice changes. Of
/// `points`, only some of those that the layout does not send are shown.
std::string collectivesText(llvm::ArrayRef<cost::CollectiveChoices> all, const ir::Cluster& cluster,
                            unsigned width);
/// All points as JSON; docs/reference/json.md describes the fields.
Json collectivesJson(llvm::ArrayRef<cost::CollectiveChoices> all, const ir::Cluster& cluster);
/// Bus bandwidth by size, with two logarithmic axes.
std::string collectivesSvg(llvm::ArrayRef<cost::CollectiveChoices> all, const std::string& title);

} // namespace dpl::report
