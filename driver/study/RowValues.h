#pragma once
//===- RowValues.h - Outputs and assertions that read several rows of a study -----------------===//
#include "driver/study/Study.h"

namespace dpl::study {

/// The figures that expressions over rows read. Each point records them, so that the expressions
/// can be evaluated when all points have run.
std::vector<std::string> figuresOverRows(const ir::Space& space);

/// Evaluates outputs and assertions that read several rows (ir/RowFunctions.h). Relies on: all
/// points of the study are there, in order.
void evaluateRows(Results& results);

/// The value of a `let` among the outputs; 1 or 0 for a truth value.
std::optional<double> valueOf(const ir::DerivedOutput& derived, ir::FindResult found);

} // namespace dpl::study
