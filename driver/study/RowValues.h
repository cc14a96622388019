#pragma once
//===- RowValues.h - Outputs and assertions that read several rows of a study -----------------===//
#include "driver/study/Study.h"

namespace dpl::study {

/// The figures that expressions over several rows read. Each point records them, so that the
/// expressions can be evaluated when all points have run.
std::vector<std::string> figuresOverRows(const ir::Space& space);

/// Evaluates the outputs and assertions that read several rows (ir/RowFunctions.h). Relies on: the
/// results have all points of the study, in order.
void evaluateRows(Results& results);

/// The value of a `let` that is an output; 1 or 0 if it is a truth value.
std::optional<double> valueOf(const ir::DerivedOutput& derived, ir::FindResult found);

} // namespace dpl::study
