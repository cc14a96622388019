#pragma once
//===- Value.h - What a file of settings says, whichever way it is written --------------------===//
#include "support/Diagnostics.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl::imports::settings {

struct Entry;

/// A value of a TOML, YAML, JSON or Python file.
struct Value {
  enum class Kind {
    Null,
    Truth,  ///< text is "true" or "false"
    Number, ///< text without the `_` between its digits
    Text,   ///< text is what it holds
    List,   ///< entries without keys
    Table,  ///< entries in the order of the file
    Call,   ///< of Python: text is what is called, arguments without a name come first
    Spread, ///< of Python: `*x`, whose one entry is x
    Unread, ///< what is no data: text is as the file has it
  };
  Kind kind = Kind::Null;
  std::string text;
  std::vector<Entry> entries;
  SourceRange at;

  /// The entry of that key; null where there is none.
  const Value* find(llvm::StringRef key) const;
  /// The same to change; added where there is none.
  Value& place(llvm::StringRef key);
  bool isFalse() const { return kind == Kind::Truth && text == "false"; }
};

struct Entry {
  std::string key; ///< "" where it has none
  Value value;
};

/// The values in it, itself among them.
std::size_t sizeOf(const Value& value);

/// Counts the values that are made of a file, so that none can ask for all memory.
class Budget {
public:
  bool spend(std::size_t values) { return (left = left > values ? left - values : 0) > 0; }

  static constexpr std::size_t most = 100'000;

private:
  std::size_t left = most;
};

constexpr unsigned deepestValue = 64;
constexpr std::size_t mostEntries = 4'096;   ///< of a table: each is compared with all before it
constexpr std::size_t longestFile = 1 << 20; ///< bytes

/// Each reports the first thing that is wrong, where it is.
FailureOr<Value> readToml(const SourceManager& sources, std::uint32_t file,
                          DiagnosticEngine& diags);
FailureOr<Value> readYaml(const SourceManager& sources, std::uint32_t file,
                          DiagnosticEngine& diags);
FailureOr<Value> readJson(const SourceManager& sources, std::uint32_t file,
                          DiagnosticEngine& diags);

/// Reports a file that is no `what`, or too long to be one.
LogicalResult notA(const char* what, const std::string& why, SourceRange at,
                   DiagnosticEngine& diags);
bool tooLong(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags);
/// Reports a key that stands twice.
LogicalResult addEntry(Value& table, std::string key, Value value, SourceRange at,
                       DiagnosticEngine& diags);

} // namespace dpl::imports::settings
