#pragma once
//===- PlanText.h - A table row as a .dpl file ------------------------------------------------===//
#include "driver/score/Mapping.h"

namespace dpl::score {

/// A file with one model, one cluster and one layout `run`, as a user would write it. For a
/// measured collective the layout only contains its ranks.
std::string planText(const RowSettings& settings);

/// Equal for runs between which a user could have chosen: the same model, cluster, batch in
/// sequences, precision and source.
std::uint64_t choiceOf(const RowSettings& settings, std::uint64_t batch);

} // namespace dpl::score
