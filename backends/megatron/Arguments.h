#pragma once
//===- Arguments.h - A plan as options of pretrain_gpt.py -------------------------------------===//
#include "backends/megatron/Shape.h"

namespace dpl::megatron {

/// Options that say one thing about the plan, each token by itself, under a heading.
struct ArgumentGroup {
  const char* heading;
  std::vector<std::string> tokens;
};

/// All options of a plan that passed `check`. What the plan does not say (data, tokenizer, length
/// of the run, checkpoints) is left to launch.sh's caller.
std::vector<ArgumentGroup> argumentsOf(const Shape& shape);

/// What the launch script does with CUDA_DEVICE_MAX_CONNECTIONS. Tensor and context parallelism
/// need 1 before Blackwell; fully sharded data parallelism refuses 1; expert overlap wants more.
enum class Connections : std::uint8_t { One, Many, Unset };
Connections connectionsOf(const Shape& shape);

/// Where Megatron-LM, run with these options, does something else than the plan says, one sentence
/// each.
std::vector<std::string> differencesOf(const Shape& shape);

} // namespace dpl::megatron
