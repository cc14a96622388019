#pragma once
//===- DefaultTable.h - Default values of a program's settings --------------------------------===//
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <initializer_list>
#include <optional>

namespace dpl::imports::settings {

/// The values that settings have if a file does not set them. A default is the text of its
/// `SettingValue` if it is a scalar, otherwise "null" or "[a, b]".
class DefaultTable {
public:
  /// A value, and the settings that have it as default, separated by blanks.
  struct SettingsOfValue {
    llvm::StringLiteral value, settings;
  };
  DefaultTable(std::initializer_list<SettingsOfValue> rows) {
    for (const SettingsOfValue& row : rows) {
      llvm::SmallVector<llvm::StringRef, 32> names;
      llvm::SplitString(row.settings, names);
      for (const llvm::StringRef name : names)
        values.try_emplace(name, row.value);
    }
  }
  /// The default of a setting; none if it is not known.
  std::optional<llvm::StringRef> of(llvm::StringRef setting) const {
    const auto row = values.find(setting);
    return row == values.end() ? std::nullopt : std::optional(row->second);
  }
  auto settings() const { return values.keys(); }

private:
  llvm::StringMap<llvm::StringRef> values;
};

} // namespace dpl::imports::settings
