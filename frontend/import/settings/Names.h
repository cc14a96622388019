#pragma once
//===- Names.h - The meaning of names of settings ---------------------------------------------===//
#include "frontend/import/settings/SettingValue.h"

namespace dpl::imports::settings {

/// "seq_len" of "training.seq_len".
llvm::StringRef lastWord(llvm::StringRef path);
/// Whether two settings are of one table: "training.seq_len" and "training.steps".
bool sameTable(llvm::StringRef a, llvm::StringRef b);
/// A value as messages print it: at most 60 characters, in one line. A text that reads as a number
/// or as a truth has its quotes.
std::string shown(const SettingValue& value);
/// Whether the row `"a.b"`, or `"*.name"`, stands for the setting at `path`.
bool stands(llvm::StringRef row, llvm::StringRef path);
/// Whether the setting is named as a degree, a batch or a length, which every plan needs.
bool isSize(llvm::StringRef path);

} // namespace dpl::imports::settings
