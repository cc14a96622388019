#pragma once
//===- KernelDifferences.h - Kernels that a layout requests and a target does not run ---------===//
#include "ir/Plan.h"

namespace dpl {

/// Returns a sentence for each field of `kernels` that differs both from its default and from
/// `runs`, the kernels that the target runs. Where the target has an option for a kernel, `runs`
/// has the value of the plan.
std::vector<std::string> kernelDifferences(const ir::Plan& plan, const ir::Kernels& runs,
                                           bool groupedExperts);

} // namespace dpl
