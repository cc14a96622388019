#pragma once
//===- PlanText.h - A table row as a .dpl file ------------------------------------------------===//
#include "driver/score/Mapping.h"

namespace dpl::score {

/// The text of a .dpl file with one model, one cluster and a layout named `run`, as a user would
/// write it. For a measured collective, the layout has only the ranks.
std::string planText(const RowSettings& settings);

/// A hash that is equal for runs between which a user could have chosen, because they have the same
/// model, cluster, batch in sequences, precision and source.
std::uint64_t choiceOf(const RowSettings& settings, std::uint64_t batch);

} // namespace dpl::score
