#pragma once
//===- CheckHostMemory.h - What is offloaded against the memory of the nodes ------------------===//
#include "passes/Pass.h"

namespace dpl {

/// Whether every node holds what its devices offload. Relies on: the memory of the ranks.
LogicalResult checkHostMemory(const ir::Plan& plan, const PipelineOptions& options,
                              DiagnosticEngine& diags);

// Words that messages about memory share.
/// "79.6 GiB".
std::string gib(std::uint64_t bytes);
/// " with 0.4 % free" where that is less than `lint.headroom` asks for, else empty.
std::string freeWords(const ir::Plan& plan, double free);
/// "33 % more time": of a step that took `before`, seconds.
std::string timeOverStep(double step, double before);
/// "1.5 GiB parameters + 0.2 GiB gradients", the largest first; what is 0 is left out.
std::string breakdownOf(std::vector<std::pair<std::uint64_t, const char*>> parts);

} // namespace dpl
