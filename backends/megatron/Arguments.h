#pragma once
//===- Arguments.h - A plan as options of pretrain_gpt.py -------------------------------------===//
#include "backends/megatron/Shape.h"

namespace dpl::megatron {

/// Options that say one thing about the plan, each token by itself, under a heading.
struct ArgumentGroup {
  const char* heading;
  std::vector<std::string> tokens;
};

/// Collects the options of one heading.
class Group {
public:
  explicit Group(const char* heading) : group{heading, {}} {}
  void flag(std::string option) { group.tokens.push_back(std::move(option)); }
  void set(std::string option, std::string value) {
    flag(std::move(option));
    flag(std::move(value));
  }
  void set(std::string option, const char* value) { set(std::move(option), std::string(value)); }
  void set(std::string option, std::uint64_t value) {
    set(std::move(option), std::to_string(value));
  }
  void set(std::string option, double value);
  operator ArgumentGroup() && { return std::move(group); }

private:
  ArgumentGroup group;
};

/// The model without its experts, and those; ModelArguments.cpp.
ArgumentGroup modelArguments(const Shape& shape);
ArgumentGroup expertArguments(const Shape& shape);

/// All options of a plan that passed `check`. What the plan does not say (data, tokenizer, length
/// of the run, checkpoints) is left to launch.sh's caller.
std::vector<ArgumentGroup> argumentsOf(const Shape& shape);

/// What the launch script does with CUDA_DEVICE_MAX_CONNECTIONS. Tensor and context parallelism
/// need 1 before Blackwell; fully sharded data parallelism refuses 1; expert overlap wants more.
enum class Connections : std::uint8_t { One, Many, Unset };
Connections connectionsOf(const Shape& shape);

/// Of those below what concerns kernels.
std::vector<std::string> kernelDifferencesOf(const Shape& shape);
/// Where Megatron-LM, run with these options, does something else than the plan says, one sentence
/// each.
std::vector<std::string> differencesOf(const Shape& shape);

} // namespace dpl::megatron
