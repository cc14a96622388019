#pragma once
//===- Offers.h - What an editor may offer at a place -----------------------------------------===//
#include "frontend/names/NameWalk.h"
#include "frontend/names/Place.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace dpl::names {

/// Finds what is expected at a place, and what may be written there, best first.
class Offers {
public:
  explicit Offers(StaticLookup& lookup) : lookup(lookup), shapes(lookup, nullptr) {}

  Expected at(sema::SourceModule& module, std::uint32_t byte);

private:
  using Words = llvm::ArrayRef<Token>;

  // The place: PlaceScopes.cpp
  static std::size_t outside(Words words, llvm::ArrayRef<TokenKind> kinds);
  static const NameScope& objectOf(const NameScope& scope);
  static bool isVary(const Shape& shape);
  /// The type of a field's value: a setting without an index sets all elements.
  static const sema::Type* valueType(const Shape& set);
  const NameScope& scopeOf(const Place& place);
  NameScope& enter(const Shape& object, const NameScope& outer);
  Shape rootOf(Words head);
  Shape blockOf(Words head, const NameScope& scope);
  /// The value of a path at the start of a statement, and the number of its words.
  Shape pathOf(Words words, const Shape& object, const NameScope& scope, std::size_t& length);
  /// Limit on the names and indices of a chain whose value is looked for. No path of a field or a
  /// figure has as many.
  static constexpr std::size_t longestChain = 32;
  /// The value of the longest chain `a.b[0]` at the end of the words; `begin` is set to its first
  /// word.
  Shape chainOf(Words words, const NameScope& scope, std::size_t& begin, std::string& path);

  // The expected value: PlaceOffers.cpp
  void declaration(Words words);
  void header(Words words);
  void schemaStatement(Words words, const NameScope& scope);
  void statement(Words words, const NameScope& scope);
  void fieldStatement(Words words, const NameScope& scope);
  /// The value after the words, of which the first `from` words are not part of the value.
  void value(Words words, std::size_t from, const NameScope& scope, const sema::Type* expected);

  // The offers: Offers.cpp
  void fieldNames(const Shape& object);
  void statementWords(const Shape& object);
  void members(const Shape& of, const std::string& figure, const sema::Type* expected);
  void values(const NameScope& scope, const sema::Type* expected, bool figures);
  void choices(const sema::Schema& schema);
  void blocksOf(llvm::ArrayRef<llvm::StringRef> kinds, bool schemas);
  void namesInScope(const NameScope& scope, const sema::Type* expected);
  void figureNames(llvm::StringRef prefix);
  // ValueOffers.cpp
  void commonValues(const NameScope& scope, const sema::Type* expected);
  struct Setting {
    const sema::FieldDecl* field;
    const ast::Expr* value;
  };
  void relatedValues(const std::vector<Setting>& set);
  void figuresRead(const NameScope& scope);
  /// Whether each name of a value that another file writes means something here.
  bool isKnownHere(llvm::StringRef written, const NameScope& scope, const sema::Type* expected);
  void functionNames();
  void typeNames();
  void levels();
  void words(llvm::ArrayRef<llvm::StringRef> all);
  void offer(std::string text, NamedThing thing, std::string detail = {}, llvm::StringRef doc = {},
             bool block = false);
  void offer(const Meaning& meaning, llvm::StringRef text);
  bool fits(const Meaning& meaning, const sema::Type* expected) const;

  llvm::StringRef textOf(const Token& token) const { return text.slice(token.begin, token.end); }
  SourceRange rangeOf(const Token& token) const;
  const sema::Type& listOf(const sema::Type* element);

  StaticLookup& lookup;
  NameWalk shapes; ///< finds values of expressions without telling names
  sema::SourceModule* module = nullptr;
  llvm::StringRef text;
  std::deque<NameScope> scopes;
  std::deque<sema::Type> types;
  const sema::FieldDecl* field = nullptr; ///< field whose value is expected
  llvm::StringSet<> offered;
  Expected out;
};

} // namespace dpl::names
