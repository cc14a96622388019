#pragma once
//===- Verify.h - Parts of the verifier -------------------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::ir {

/// The broken rules of the schedule: every micro-batch and chunk forward and backward exactly once
/// a rank with its input there, each send received in the order of sending, no cycle of waiting.
void verifySchedule(const Plan& plan, std::vector<std::string>& broken);

} // namespace dpl::ir
