#pragma once
//===- SettingValue.h - What a file of settings says, whichever way it is written
//--------------===//
#include "support/Diagnostics.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl::imports::settings {

struct SettingEntry;

/// A value of a TOML, YAML, JSON or Python file.
struct SettingValue {
  enum class SettingKind {
    Null,
    Truth,   ///< text is "true" or "false"
    Number,  ///< text without the `_` between its digits
    Text,    ///< text is what it holds
    List,    ///< entries without keys
    Table,   ///< entries in the order of the file
    Call,    ///< of Python: text is what is called, arguments without a name come first
    Spread,  ///< of Python: `*x`, whose one entry is x
    NotData, ///< what is no data: text is as the file has it
  };
  SettingKind kind = SettingKind::Null;
  std::string text;
  std::vector<SettingEntry> entries;
  SourceRange at;

  /// The entry of that key; null where there is none.
  const SettingValue* find(llvm::StringRef key) const;
  /// The same to change; added where there is none.
  SettingValue& place(llvm::StringRef key);
  bool isFalse() const { return kind == SettingKind::Truth && text == "false"; }
};

struct SettingEntry {
  std::string key; ///< "" where it has none
  SettingValue value;
};

/// The values in it, itself among them.
std::size_t sizeOf(const SettingValue& value);

/// Counts the values that are made of a file, so that none can ask for all memory.
class ValueBudget {
public:
  bool spend(std::size_t values) {
    return (remaining = remaining > values ? remaining - values : 0) > 0;
  }

  static constexpr std::size_t most = 100'000;

private:
  std::size_t remaining = most;
};

constexpr unsigned deepestValue = 64;
constexpr std::size_t mostEntries = 4'096;   ///< of a table: each is compared with all before it
constexpr std::size_t longestFile = 1 << 20; ///< bytes

/// Each reports the first thing that is wrong, where it is.
FailureOr<SettingValue> readToml(const SourceManager& sources, std::uint32_t file,
                                 DiagnosticEngine& diags);
FailureOr<SettingValue> readYaml(const SourceManager& sources, std::uint32_t file,
                                 DiagnosticEngine& diags);
FailureOr<SettingValue> readJson(const SourceManager& sources, std::uint32_t file,
                                 DiagnosticEngine& diags);

/// Reports a file that is no `what`, or too long to be one.
LogicalResult notA(const char* what, const std::string& why, SourceRange at,
                   DiagnosticEngine& diags);
bool tooLong(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags);
/// Reports a key that stands twice.
LogicalResult addEntry(SettingValue& table, std::string key, SettingValue value, SourceRange at,
                       DiagnosticEngine& diags);

} // namespace dpl::imports::settings
