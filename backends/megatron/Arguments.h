#pragma once
//===- Arguments.h - A plan as options of pretrain_gpt.py -------------------------------------===//
#include "backends/megatron/MegatronLayout.h"

namespace dpl::megatron {

/// Options for one aspect of the plan, one token per entry, under a heading.
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

/// The options of the model without experts, and of the experts; ModelArguments.cpp.
ArgumentGroup modelArguments(const MegatronLayout& layout);
ArgumentGroup expertArguments(const MegatronLayout& layout);

/// All options of a plan that passed `check`. The caller of launch.sh adds what is not in the plan:
/// data, tokenizer, length of the run, checkpoints.
std::vector<ArgumentGroup> argumentsOf(const MegatronLayout& layout);

/// The value of CUDA_DEVICE_MAX_CONNECTIONS in the launch script. Tensor and context parallelism
/// need 1 before Blackwell; fully sharded data parallelism refuses 1; expert overlap needs more.
enum class Connections : std::uint8_t { One, Many, Unset };
Connections connectionsOf(const MegatronLayout& layout);

/// The differences that concern kernels; a part of differencesOf.
std::vector<std::string> kernelDifferencesOf(const MegatronLayout& layout);
/// The differences between the plan and Megatron-LM with these options, one sentence each.
std::vector<std::string> differencesOf(const MegatronLayout& layout);

} // namespace dpl::megatron
