#pragma once
//===- Arguments.h - A plan as options of pretrain_gpt.py -------------------------------------===//
#include "backends/megatron/MegatronLayout.h"

namespace dpl::megatron {

/// Options for one aspect of the plan, under a heading. Each entry is one word of the command line.
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

/// The options of the model (without experts), and of its experts. ModelArguments.cpp makes both.
ArgumentGroup modelArguments(const MegatronLayout& layout);
ArgumentGroup expertArguments(const MegatronLayout& layout);

/// All options of a plan that `check` has accepted. The user of launch.sh adds what a plan does not
/// contain: data, tokenizer, length of the run, checkpoints.
std::vector<ArgumentGroup> argumentsOf(const MegatronLayout& layout);

/// The value of CUDA_DEVICE_MAX_CONNECTIONS in launch.sh. Tensor and context parallelism need 1
/// before Blackwell. Fully sharded data parallelism refuses 1. Overlap of experts needs more.
enum class Connections : std::uint8_t { One, Many, Unset };
Connections connectionsOf(const MegatronLayout& layout);

/// The part of `differencesOf` that concerns kernels.
std::vector<std::string> kernelDifferencesOf(const MegatronLayout& layout);
/// The differences between the plan and what Megatron-LM does with these options, one sentence
/// each.
std::vector<std::string> differencesOf(const MegatronLayout& layout);

} // namespace dpl::megatron
