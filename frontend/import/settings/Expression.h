#pragma once
//===- Expression.h - An expression of Python or a value of JSON ------------------------------===//
#include "frontend/import/settings/Value.h"
#include <functional>

namespace dpl::imports::settings {

/// Reads one expression of a text. What stands for something else than data becomes `Unread`; a
/// text that no Python would read is reported.
class Expression {
public:
  /// `known` says what a name or a call of it without arguments stands for, or nothing.
  using Known = std::function<FailureOr<std::optional<Value>>(const Value& named)>;
  Expression(llvm::StringRef text, std::uint32_t file, std::size_t begin, std::size_t end,
             const char* language, Budget& budget, DiagnosticEngine& diags, Known known)
      : text(text.take_front(end)), file(file), at(begin), language(language), budget(budget),
        diags(diags), known(std::move(known)) {}

  FailureOr<Value> run() { return element(0); }
  /// Behind what was read.
  std::size_t position() const { return at; }
  void skipBlanks();

  /// Behind the string that begins there; npos where it does not end.
  static std::size_t behindString(llvm::StringRef text, std::size_t at);

private:
  FailureOr<Value> element(unsigned depth);
  FailureOr<Value> term(unsigned depth);
  FailureOr<Value> primary(unsigned depth);
  FailureOr<Value> behind(Value value, unsigned depth);
  LogicalResult items(Value& into, char close, unsigned depth);
  LogicalResult table(Value& into, unsigned depth);
  FailureOr<Value> name();
  FailureOr<Value> number();
  FailureOr<Value> string();
  FailureOr<Value> unread(std::size_t begin);
  LogicalResult broken(const std::string& why, std::size_t place);
  char next() const { return at < text.size() ? text[at] : '\0'; }
  Value made(Value::Kind kind, std::size_t begin) const;

  llvm::StringRef text;
  std::uint32_t file;
  std::size_t at;
  bool ofKey = false; ///< `:` ends the element
  const char* language;
  Budget& budget;
  DiagnosticEngine& diags;
  Known known;
};

} // namespace dpl::imports::settings
