#pragma once
//===- PlanText.h - What a row sets, as a file of the language --------------------------------===//
#include "driver/score/Mapping.h"

namespace dpl::score {

/// A file with one model, one cluster and one layout `run`, as a user would write it. A row that
/// measures one collective has a layout that holds its ranks.
std::string planText(const RowSettings& settings);

/// Equal for runs that could have been chosen for one another: of the same model, cluster, batch in
/// sequences and precision, and of the same source.
std::uint64_t choiceOf(const RowSettings& settings, std::uint64_t batch);

} // namespace dpl::score
