#pragma once
//===- CheckHostMemory.h - Host memory of offloaded tensors and of the nodes ------------------===//
#include "passes/Pass.h"

namespace dpl {

/// Checks that every node has host memory for the tensors that its devices offload. Relies on: the
/// memory of the ranks.
LogicalResult checkHostMemory(const ir::Plan& plan, const PipelineOptions& options,
                              DiagnosticEngine& diags);

// The following texts are shared by messages about memory.
/// Bytes as a text in GiB: "79.6 GiB".
std::string gib(std::uint64_t bytes);
/// The text " with 0.4 % free" if the free share is less than `lint.headroom`; otherwise empty.
std::string freeWords(const ir::Plan& plan, double free);
/// The text for the change from a step time `before` to `step`, in seconds: "33 % more time".
std::string timeOverStep(double step, double before);
/// Components of memory in decreasing order, without zeros: "1.5 GiB parameters + 0.2 GiB
/// gradients".
std::string breakdownOf(std::vector<std::pair<std::uint64_t, const char*>> parts);

} // namespace dpl
