#pragma once
//===- LiteralReader.h - Reads a Python expression or a JSON value ----------------------------===//
#include "frontend/import/settings/SettingValue.h"
#include <functional>

namespace dpl::imports::settings {

/// Reads one expression of a text. An expression that is not data becomes `NotData`. A syntax error
/// is reported.
class LiteralReader {
public:
  /// Returns the value of a name, or of a call without arguments, if it is known.
  using Known = std::function<FailureOr<std::optional<SettingValue>>(const SettingValue& named)>;
  LiteralReader(llvm::StringRef text, std::uint32_t file, std::size_t begin, std::size_t end,
                const char* language, ValueBudget& budget, DiagnosticEngine& diags, Known known)
      : text(text.take_front(end)), file(file), at(begin), language(language), budget(budget),
        diags(diags), known(std::move(known)) {}

  FailureOr<SettingValue> run() { return element(0); }
  /// The position after the value that was read.
  std::size_t position() const { return at; }
  void skipBlanks();

  /// The position after the string that begins at `at`; npos if it does not end.
  static std::size_t endOfString(llvm::StringRef text, std::size_t at);

private:
  FailureOr<SettingValue> element(unsigned depth);
  FailureOr<SettingValue> term(unsigned depth);
  FailureOr<SettingValue> primary(unsigned depth);
  FailureOr<SettingValue> suffix(SettingValue value, unsigned depth);
  LogicalResult items(SettingValue& into, char close, unsigned depth);
  LogicalResult table(SettingValue& into, unsigned depth);
  FailureOr<SettingValue> name();
  FailureOr<SettingValue> number();
  FailureOr<SettingValue> string();
  FailureOr<SettingValue> notData(std::size_t begin);
  LogicalResult broken(const std::string& why, std::size_t place);
  char next() const { return at < text.size() ? text[at] : '\0'; }
  SettingValue made(SettingValue::SettingKind kind, std::size_t begin) const;

  llvm::StringRef text;
  std::uint32_t file;
  std::size_t at;
  bool ofKey = false; ///< whether the element is a key, so that `:` ends it
  const char* language;
  ValueBudget& budget;
  DiagnosticEngine& diags;
  Known known;
};

} // namespace dpl::imports::settings
