#pragma once
//===- CheckMeans.h - What a prediction takes as if it did not vary ---------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Of what a prediction leaves out.
inline constexpr const char* simulatedAsStated =
    "`dplc simulate`, and `step_time.mean` of a study, take it as it is";

bool variesByAction(const ir::Plan& plan);

/// Says where something varies that is predicted by its mean, or hashed and predicted as if it were
/// even. Relies on: collectives.
void warnOfMeans(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
