#pragma once
//===- KernelDifferences.h - Kernels that a layout requests and a target does not run ---------===//
#include "ir/Plan.h"

namespace dpl {

/// Returns a sentence for each field of `kernels` that is neither its default nor what the target
/// runs. `runs` has the plan's own values where the target has a setting for them.
std::vector<std::string> kernelDifferences(const ir::Plan& plan, const ir::Kernels& runs,
                                           bool groupedExperts);

} // namespace dpl
