#pragma once
//===- Options.h - Options of pretrain_gpt.py that only some releases have --------------------===//
#include "support/Release.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::megatron {

/// The releases that have an option. An option that is not listed exists in all releases.
ReleaseRange releasesOfOption(llvm::StringRef option);
inline bool hasOption(const Release& release, llvm::StringRef option) {
  return releasesOfOption(option).holds(release);
}

} // namespace dpl::megatron
