#pragma once
//===- SettingValue.h - Values of TOML, YAML, JSON and Python files ---------------------------===//
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
    Number,  ///< text is the number without `_` between digits
    Text,    ///< text is the string
    List,    ///< entries have no keys
    Table,   ///< entries have keys, in the order of the file; TOML sorts them
    Call,    ///< call in Python: text is the function; arguments without a name come first
    Spread,  ///< `*x` in Python; the entry is x
    NotData, ///< an expression that is not data; text is its source
  };
  SettingKind kind = SettingKind::Null;
  std::string text;
  std::vector<SettingEntry> entries;
  SourceRange at;

  /// The entry with a key; null if there is none.
  const SettingValue* find(llvm::StringRef key) const;
  /// The entry with a key. It is added if there is none.
  SettingValue& place(llvm::StringRef key);
  bool isFalse() const { return kind == SettingKind::Truth && text == "false"; }
};

struct SettingEntry {
  std::string key; ///< key in the table around it; empty if it has none
  SettingValue value;
};

/// The number of values in a value, including the value itself.
std::size_t sizeOf(const SettingValue& value);

/// Limits the number of values that a file creates, and so the memory.
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
constexpr std::size_t mostEntries = 4'096;   ///< limit per table, because a new key is compared
                                             ///< with all others
constexpr std::size_t longestFile = 1 << 20; ///< limit in bytes

/// These functions read a file, and report the first syntax error.
FailureOr<SettingValue> readToml(const SourceManager& sources, std::uint32_t file,
                                 DiagnosticEngine& diags);
FailureOr<SettingValue> readYaml(const SourceManager& sources, std::uint32_t file,
                                 DiagnosticEngine& diags);
FailureOr<SettingValue> readJson(const SourceManager& sources, std::uint32_t file,
                                 DiagnosticEngine& diags);

/// Reports that the file is not a `what`, for a reason such as its size.
LogicalResult notA(const char* what, const std::string& why, SourceRange at,
                   DiagnosticEngine& diags);
bool tooLong(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags);
/// Adds an entry to a table. Reports a key that occurs twice.
LogicalResult addEntry(SettingValue& table, std::string key, SettingValue value, SourceRange at,
                       DiagnosticEngine& diags);

} // namespace dpl::imports::settings
