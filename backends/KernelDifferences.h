#pragma once
//===- KernelDifferences.h - Kernels that a layout asks for and a target does not choose ------===//
#include "ir/Plan.h"

namespace dpl {

/// One sentence for each field of `kernels` that is neither left at its default nor what the target
/// runs. `runs` has the plan's own values where the target has a setting for them.
std::vector<std::string> kernelDifferences(const ir::Plan& plan, const ir::Kernels& runs,
                                           bool groupedExperts);

} // namespace dpl
