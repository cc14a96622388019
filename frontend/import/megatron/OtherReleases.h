#pragma once
//===- OtherReleases.h - Options of other releases and forks of Megatron-LM -------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::imports::megatron {

/// The effect on a plan of an option that Megatron-LM 0.19 does not have.
enum class OptionEffect {
  Without,     ///< affects neither cost, memory, legality nor the model
  Performance, ///< affects only how the program executes a plan; `--lenient` leaves it out
  Alias        ///< stands for one or several options of Megatron-LM 0.19
};

struct OtherOption {
  const char* name;
  const char* value; ///< the only value for which the row holds; "" for all values
  OptionEffect effect;
  const char* meaning; ///< for `Alias`, the current options, in which `*` is the value
  const char* release; ///< releases or fork that have the option
};

/// The row of the option with this value; null if there is none.
const OtherOption* otherRelease(llvm::StringRef option, llvm::StringRef value);

} // namespace dpl::imports::megatron
