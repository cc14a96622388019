#pragma once
//===- Collectives.h - The choice of algorithm and protocol by size ---------------------------===//
#include "cost/step/CollectiveChoice.h"
#include "support/Json.h"

namespace dpl::report {

/// A block for each collective: where another choice begins, and a row a size. `points` beyond
/// those that a layout sends are thinned out.
std::string collectivesText(llvm::ArrayRef<cost::CollectiveChoices> all, const ir::Cluster& cluster,
                            unsigned width);
/// The same with every point; docs/reference/json.md describes the fields.
Json collectivesJson(llvm::ArrayRef<cost::CollectiveChoices> all, const ir::Cluster& cluster);
/// Bus bandwidth over size, both logarithmic.
std::string collectivesSvg(llvm::ArrayRef<cost::CollectiveChoices> all, const std::string& title);

} // namespace dpl::report
