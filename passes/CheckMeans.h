#pragma once
//===- CheckMeans.h - Warnings about variation that predictions ignore ------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl {

/// Text on the commands that simulate a field of which a prediction uses only the mean.
inline constexpr const char* simulatedAsStated =
    "`dplc simulate`, and `step_time.mean` of a study, simulate the field as written";

bool variesByAction(const ir::Plan& plan);

/// Reports quantities that vary but are predicted by their mean, and hashed flows that are
/// predicted as if they were even. Relies on: collectives.
void warnOfMeans(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
