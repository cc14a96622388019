#pragma once
//===- Names.h - Names and values of settings -------------------------------------------------===//
#include "frontend/import/settings/SettingValue.h"

namespace dpl::imports::settings {

/// The last word of a path: "seq_len" of "training.seq_len".
llvm::StringRef lastWord(llvm::StringRef path);
/// Whether two settings are in the same table: "training.seq_len" and "training.steps".
bool sameTable(llvm::StringRef a, llvm::StringRef b);
/// The value as messages print it: at most 60 characters in one line. A text that looks like a
/// number or truth value is quoted.
std::string shown(const SettingValue& value);
/// Whether the row `"a.b"` or `"*.name"` includes the setting at `path`.
bool stands(llvm::StringRef row, llvm::StringRef path);
/// Whether the setting is a degree, a batch size or a length, which every plan needs.
bool isSize(llvm::StringRef path);

} // namespace dpl::imports::settings
