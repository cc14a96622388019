#pragma once
//===- OtherReleases.h - Options of other releases of Megatron-LM and of its forks -----------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::imports::megatron {

/// What an option that Megatron-LM 0.19 does not have is to a plan.
enum class OptionEffect {
  Without,     ///< changes neither cost, memory, legality nor the model
  Performance, ///< how the trainer does what a plan says: `--lenient` goes without it
  Alias        ///< another name, or several, of options that Megatron-LM 0.19 has
};

struct OtherOption {
  const char* name;
  const char* value; ///< the row holds for this value alone; "" for every one
  OptionEffect effect;
  const char* meaning; ///< of `Is`: the options that it stands for; `*` is its value
  const char* release; ///< that has it
};

/// Of this option with these values, the row that says what it is; nothing where none does.
const OtherOption* otherRelease(llvm::StringRef option, llvm::StringRef value);

} // namespace dpl::imports::megatron
