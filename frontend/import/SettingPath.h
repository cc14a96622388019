#pragma once
//===- SettingPath.h - Paths of settings, such as "training.seq_len" --------------------------===//
#include "llvm/ADT/StringRef.h"

namespace dpl::imports {

/// The last word of a path: "seq_len" for "training.seq_len".
llvm::StringRef lastWord(llvm::StringRef path);
/// Whether two settings are in the same table, as "training.seq_len" and "training.steps" are.
bool sameTable(llvm::StringRef a, llvm::StringRef b);

} // namespace dpl::imports
