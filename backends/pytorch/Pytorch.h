#pragma once
//===- Pytorch.h - A Python module that runs a plan with torch.distributed --------------------===//
#include "backends/Target.h"

namespace dpl::pytorch {

/// Reports every field for which the module has no counterpart, or which PyTorch refuses.
void check(const TargetRequest& request, Findings& findings);
/// Writes `train.py` and `launch.sh`.
std::vector<EmittedFile> render(const TargetRequest& request);

/// The text of the module after its constants, in two parts. Letters before a `|` select lines: a
/// capital keeps the line in plans with a feature, a small letter in plans without it. The letters:
/// P pipeline, A any other axis, T tensor, C context, B several ranks share gradients, E experts, X
/// experts on several ranks, S shared experts, D dense layers, I list of chunks, V V-shaped chunks,
/// R order from a table.
extern const char* const modelSource;
extern const char* const trainingSource;

} // namespace dpl::pytorch
