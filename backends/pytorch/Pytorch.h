#pragma once
//===- Pytorch.h - A Python module that runs a plan with torch.distributed --------------------===//
#include "backends/Target.h"

namespace dpl::pytorch {

/// Reports all that the module has no counterpart for or PyTorch refuses.
void check(const TargetRequest& request, Findings& findings);
/// `train.py` and `launch.sh`.
std::vector<EmittedFile> render(const TargetRequest& request);

/// The module behind its constants, in two parts. Lines begin with letters and `|`: a capital
/// letter keeps the line in a plan that has what it stands for, a small one in a plan that has not.
/// P pipeline, A any other axis, T tensor, C context, B several ranks that share gradients, E
/// experts, X experts on several ranks, S shared experts, D dense layers, I a list of chunks, V
/// chunks there and back, R the order is read from a table.
extern const char* const modelSource;
extern const char* const trainingSource;

} // namespace dpl::pytorch
