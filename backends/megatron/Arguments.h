#pragma once
//===- Arguments.h - A plan as options of pretrain_gpt.py -------------------------------------===//
#include "backends/megatron/MegatronLayout.h"

namespace dpl::megatron {

/// Options that say one thing about the plan, each token by itself, under a heading.
struct ArgumentGroup {
  const char* heading;
  std::vector<std::string> tokens;
};

/// Collects the options of one heading.
class ArgumentWriter {
public:
  explicit ArgumentWriter(const char* heading) : group{heading, {}} {}
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
ArgumentGroup modelArguments(const MegatronLayout& layout);
ArgumentGroup expertArguments(const MegatronLayout& layout);

/// All options of a plan that passed `check`. What the plan does not say (data, tokenizer, length
/// of the run, checkpoints) is left to launch.sh's caller.
std::vector<ArgumentGroup> argumentsOf(const MegatronLayout& layout);

/// What the launch script does with CUDA_DEVICE_MAX_CONNECTIONS. Tensor and context parallelism
/// need 1 before Blackwell; fully sharded data parallelism refuses 1; expert overlap wants more.
enum class Connections : std::uint8_t { One, Many, Unset };
Connections connectionsOf(const MegatronLayout& layout);

/// Of those below what concerns kernels.
std::vector<std::string> kernelDifferencesOf(const MegatronLayout& layout);
/// Where Megatron-LM, run with these options, does something else than the plan says, one sentence
/// each.
std::vector<std::string> differencesOf(const MegatronLayout& layout);

} // namespace dpl::megatron
