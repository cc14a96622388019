//===- PlaceOffers.cpp - What is expected at a place ------------------------------------------===//
#include "frontend/names/Offers.h"
#include "frontend/parse/LineRules.h"
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;
using Kind = Expected::ExpectedKind;

void Offers::header(Words words) {
  const bool search = words.front().is(TokenKind::Search);
  const Words rest = search ? words.drop_front() : words;
  out.kind = Kind::BlockName;
  const Schema* kind = rest.empty() ? nullptr : lookup.schemas.find(*module, textOf(rest[0]));
  const Token& last = words.back();
  llvm::SmallVector<llvm::StringRef, 2> kinds;
  // The word that names the role of the block: `from`, `with`, `for` or `on`.
  std::size_t role = words.size();
  while (role > 0 &&
         !words[role - 1].isOneOf(TokenKind::From, TokenKind::With, TokenKind::For, TokenKind::On))
    --role;
  if (role == 0) {
    out.kind = rest.size() < 2 ? Kind::Nothing : Kind::Statement;
    if (rest.size() >= 2)
      this->words({"from", "with", "for", "on"});
    return;
  }
  const TokenKind word = words[role - 1].kind;
  if (word == TokenKind::From || word == TokenKind::With)
    kinds.push_back(rest.empty() ? "" : textOf(rest[0]));
  else if (word == TokenKind::For && kind)
    kinds = kind->forKinds();
  else if (kind)
    kinds.push_back(kind->onKind());
  if (last.is(TokenKind::Dot) && words.size() >= 2) {
    if (SourceModule* of = lookup.moduleOf(*module, textOf(words[words.size() - 2]))) {
      SourceModule* const own = std::exchange(module, of);
      blocksOf(kinds, word == TokenKind::From);
      module = own;
    }
    return;
  }
  if (&last == &words[role - 1] || last.is(TokenKind::Comma)) {
    blocksOf(kinds, word == TokenKind::From);
    for (const Import& import : module->imports)
      offer(lookup.meaningOf(import), import.alias);
    return;
  }
  out.kind = Kind::Statement;
  this->words({"with", "for", "on"});
}

void Offers::declaration(Words words) {
  NameScope& file = scopes.emplace_back();
  file.module = module;
  if (words.empty()) {
    out.kind = Kind::Declaration;
    for (llvm::StringRef kind : lookup.schemas.kinds(*module))
      if (const Schema* schema = lookup.schemas.find(*module, kind))
        offer(kind.str(), NamedThing::Schema, "kind of block", schema->ast->doc, true);
    this->words({"import", "let", "param", "search", "schema", "assert"});
    return;
  }
  const std::size_t assign = outside(words, TokenKind::Assign);
  switch (words.front().kind) {
  case TokenKind::Import:
    out.kind = Kind::Module;
    if (words.size() == 1)
      offer("std", NamedThing::Module, "the library");
    else if (words.size() == 3 && textOf(words[1]) == "std")
      for (llvm::StringRef name : lookup.evaluator.shared.library.modules())
        if (name != "prelude")
          offer(name.str(), NamedThing::Module, "module of the library");
    return;
  case TokenKind::Let:
    if (assign < words.size())
      value(words, assign + 1, file, nullptr);
    return;
  case TokenKind::Assert:
    return value(words, 1, file, nullptr);
  case TokenKind::Param: {
    const ast::Decl* decl =
        words.size() > 1 ? lookup.modules.find(*module, textOf(words[1])) : nullptr;
    const auto* param = llvm::dyn_cast_or_null<ast::ParamDecl>(decl);
    const std::size_t start = outside(words, {TokenKind::Assign, TokenKind::In});
    if (start >= words.size()) {
      out.kind = Kind::Type;
      return words.size() >= 3 ? typeNames() : void();
    }
    const Type* type = param ? &lookup.schemas.resolve(param->type, *module) : nullptr;
    const bool list = assign >= words.size();
    return value(words, list ? start + 1 : assign + 1, file, list && type ? &listOf(type) : type);
  }
  case TokenKind::Schema:
    if (words.back().is(TokenKind::From)) {
      out.kind = Kind::BlockName;
      for (llvm::StringRef kind : lookup.schemas.kinds(*module))
        offer(kind.str(), NamedThing::Schema, "schema");
    }
    return;
  default:
    return header(words);
  }
}

void Offers::schemaStatement(Words words, const NameScope& scope) {
  if (words.empty()) {
    out.kind = Kind::Statement;
    fieldNames(objectOf(scope).shape);
    return this->words({"let", "assert", "choice"});
  }
  const std::size_t assign = outside(words, TokenKind::Assign);
  if (words.front().isOneOf(TokenKind::Let, TokenKind::Assert))
    return statement(words, scope);
  if (assign < words.size()) {
    const std::optional<Meaning> found =
        lookup.member(textOf(words.front()), objectOf(scope).shape);
    field = found ? found->field : nullptr;
    return value(words, assign + 1, scope, found ? valueType(found->shape) : nullptr);
  }
  if (words.size() >= 2 && words[1].is(TokenKind::Colon)) {
    out.kind = Kind::Type;
    words.back().is(TokenKind::Per) ? levels() : typeNames();
  }
}

void Offers::statement(Words words, const NameScope& scope) {
  const Shape& object = objectOf(scope).shape;
  if (words.empty()) {
    out.kind = Kind::Statement;
    if (isVary(object))
      return namesInScope(scope, nullptr);
    fieldNames(object);
    return statementWords(object);
  }
  const std::size_t start = outside(words, {TokenKind::Assign, TokenKind::In});
  switch (words.front().kind) {
  case TokenKind::Let:
  case TokenKind::For:
    if (start < words.size())
      value(words, start + 1, scope, nullptr);
    return;
  case TokenKind::Assert:
  case TokenKind::Require:
  case TokenKind::Minimize:
  case TokenKind::Maximize:
  case TokenKind::If:
    return value(words, 1, scope, nullptr);
  case TokenKind::Else:
    return this->words({"if"});
  default:
    return fieldStatement(words, scope);
  }
}

void Offers::fieldStatement(Words words, const NameScope& scope) {
  std::size_t length = 0;
  const Shape set = pathOf(words, objectOf(scope).shape, scope, length);
  if (length >= words.size()) {
    if (!words.empty() && words.back().is(TokenKind::Dot)) {
      out.kind = Kind::Member;
      members(set, "", nullptr);
    }
    return;
  }
  const Type* expected = valueType(set);
  const std::string path = std::string(text.slice(words.front().begin, words[length - 1].end));
  switch (words[length].kind) {
  case TokenKind::LeftBracket:
    field = nullptr;
    return value(words, length + 1, scope, set.type ? set.type->key : nullptr);
  case TokenKind::Assign:
    out.field = path;
    return value(words, length + 1, scope, expected);
  case TokenKind::In:
    out.field = path;
    return value(words, length + 1, scope, expected ? &listOf(expected) : nullptr);
  default:
    return;
  }
}

void Offers::value(Words words, std::size_t from, const NameScope& scope, const Type* expected) {
  struct Level {
    const Type* type;
    std::size_t steps; ///< names and indices after the first name of the last chain
  };
  llvm::SmallVector<Level, 4> inside{{expected, 0}};
  const Type* now = expected;
  bool operand = false; // whether an operand is before the place
  const FieldDecl* const whole = field;
  for (std::size_t i = from; i < words.size(); ++i) {
    const Token& t = words[i];
    std::size_t begin = 0;
    std::string path;
    if (t.isOneOf(TokenKind::LeftBracket, TokenKind::LeftParen)) {
      const bool list = t.is(TokenKind::LeftBracket);
      const Type* next = now;
      std::size_t& steps = inside.back().steps;
      steps = operand ? steps + 1 : 0;
      if (operand)
        next = list && steps < longestChain ? chainOf(words.take_front(i), scope, begin, path).type
                                            : nullptr;
      if (list)
        next = operand ? (next ? next->key : nullptr) : NameWalk::elementOf(now);
      inside.push_back({next, 0});
      now = next, operand = false;
    } else if (t.isClosing()) {
      if (inside.size() > 1 && !t.is(TokenKind::RightBrace))
        inside.pop_back();
      operand = true;
    } else if (t.isOneOf(TokenKind::Comma, TokenKind::Then, TokenKind::Else, TokenKind::Colon)) {
      now = inside.back().type, operand = false;
    } else if (t.isOneOf(TokenKind::If, TokenKind::For, TokenKind::Where, TokenKind::And,
                         TokenKind::Or, TokenKind::Not)) {
      now = nullptr, operand = false;
    } else if (isBinary(t.kind)) {
      const bool range = t.isOneOf(TokenKind::Range, TokenKind::RangeExclusive);
      const bool compares =
          (t.kind >= TokenKind::Equal && t.kind <= TokenKind::Greater) || t.is(TokenKind::In);
      if (compares) {
        const Type* left = chainOf(words.take_front(i), scope, begin, path).type;
        now = left && t.is(TokenKind::In) ? &listOf(left) : left;
      } else if (!range) {
        now = nullptr;
      }
      operand = false;
    } else if (!t.isOneOf(TokenKind::Dot, TokenKind::Per, TokenKind::Within, TokenKind::Across)) {
      std::size_t& steps = inside.back().steps;
      steps = i > from && words[i - 1].is(TokenKind::Dot) ? steps + 1 : 0;
      operand = true;
    }
  }
  const Token& last = words.back();
  if (last.isOneOf(TokenKind::Per, TokenKind::Within, TokenKind::Across)) {
    out.kind = Kind::Value;
    return levels();
  }
  if (last.is(TokenKind::Dot) && words.size() > from) {
    std::size_t begin = 0;
    std::string path;
    const Shape of = chainOf(words.drop_back(), scope, begin, path);
    out.kind = Kind::Member;
    return members(of, path, now);
  }
  if (operand)
    return;
  field = now == expected || (!whole || now == NameWalk::elementOf(expected)) ? whole : nullptr;
  out.kind = Kind::Value;
  values(scope, now, expected == nullptr);
}

Expected Offers::at(SourceModule& of, std::uint32_t byte) {
  module = &of;
  scopes.clear(), types.clear(), offered.clear();
  field = nullptr;
  out = {};
  text = lookup.evaluator.shared.sources.text(of.ast->id);
  const Place place = placeAt(text, std::min<std::size_t>(byte, text.size()));
  if (place.inText)
    return out;
  out.word = {of.ast->id, place.wordBegin, place.wordEnd};
  if (place.heads.empty()) {
    declaration(place.statement);
    return out;
  }
  const NameScope& scope = scopeOf(place);
  const Words head = place.heads.front();
  field = nullptr;
  if (!head.empty() && head.front().is(TokenKind::Schema))
    schemaStatement(place.statement, scope);
  else
    statement(place.statement, scope);
  if (field && out.kind == Kind::Value)
    out.doc = field->ast->doc.str();
  return out;
}
