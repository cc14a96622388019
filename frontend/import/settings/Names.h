#pragma once
//===- Names.h - Names and values of settings -------------------------------------------------===//
#include "frontend/import/settings/SettingValue.h"

namespace dpl::imports::settings {

/// The value as messages print it: on one line, with at most 60 characters. A string that looks
/// like a number or a truth value is quoted.
std::string shown(const SettingValue& value);
/// Whether a row `"a.b"` or `"*.name"` includes the setting `path`.
bool stands(llvm::StringRef row, llvm::StringRef path);
/// Whether a setting is a degree, a batch size or a length, which every plan needs.
bool isSize(llvm::StringRef path);

} // namespace dpl::imports::settings
