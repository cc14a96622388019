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
    Number,  ///< text has no `_` between digits
    Text,    ///< text is the string
    List,    ///< entries have no keys
    Table,   ///< entries are in file order, in TOML sorted by key
    Call,    ///< Python call: text is the callee; arguments without a name come first
    Spread,  ///< Python's `*x`, whose entry is x
    NotData, ///< an expression that is not data; text is its source
  };
  SettingKind kind = SettingKind::Null;
  std::string text;
  std::vector<SettingEntry> entries;
  SourceRange at;

  /// The entry with that key; null if there is none.
  const SettingValue* find(llvm::StringRef key) const;
  /// The entry with that key, which is added if there is none.
  SettingValue& place(llvm::StringRef key);
  bool isFalse() const { return kind == SettingKind::Truth && text == "false"; }
};

struct SettingEntry {
  std::string key; ///< "" if it has no key
  SettingValue value;
};

/// The number of values in it, including itself.
std::size_t sizeOf(const SettingValue& value);

/// Limits the values that a file creates, so that none exhausts memory.
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
constexpr std::size_t mostEntries = 4'096;   ///< per table: a new key is compared with all
constexpr std::size_t longestFile = 1 << 20; ///< bytes

/// Each function reports the first syntax error.
FailureOr<SettingValue> readToml(const SourceManager& sources, std::uint32_t file,
                                 DiagnosticEngine& diags);
FailureOr<SettingValue> readYaml(const SourceManager& sources, std::uint32_t file,
                                 DiagnosticEngine& diags);
FailureOr<SettingValue> readJson(const SourceManager& sources, std::uint32_t file,
                                 DiagnosticEngine& diags);

/// Reports that the file is not a `what`, or too long to be one.
LogicalResult notA(const char* what, const std::string& why, SourceRange at,
                   DiagnosticEngine& diags);
bool tooLong(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags);
/// Adds an entry, or reports a key that occurs twice.
LogicalResult addEntry(SettingValue& table, std::string key, SettingValue value, SourceRange at,
                       DiagnosticEngine& diags);

} // namespace dpl::imports::settings
