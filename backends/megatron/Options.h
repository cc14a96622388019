#pragma once
//===- Options.h - Options of pretrain_gpt.py that come and go between releases ---------------===//
#include "support/Release.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::megatron {

/// Since and until which release an option exists; every release that is not listed has it.
ReleaseRange releasesOfOption(llvm::StringRef option);
inline bool hasOption(const Release& release, llvm::StringRef option) {
  return releasesOfOption(option).holds(release);
}

} // namespace dpl::megatron
