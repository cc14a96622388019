//===- PlaceScopes.cpp - Scopes and values around a place -------------------------------------===//
#include "frontend/names/Offers.h"
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;

/// The index of the first word of a kind outside of brackets; the size if there is none.
std::size_t Offers::outside(Words words, llvm::ArrayRef<TokenKind> kinds) {
  unsigned depth = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (depth == 0 && llvm::is_contained(kinds, words[i].kind))
      return i;
    if (words[i].isOpening())
      ++depth;
    else if (words[i].isOneOf(TokenKind::RightBracket, TokenKind::RightParen) && depth > 0)
      --depth;
  }
  return words.size();
}

const NameScope& Offers::objectOf(const NameScope& scope) {
  const NameScope* s = &scope;
  while (s->outer && s->kind != NameScope::ScopeKind::Object)
    s = s->outer;
  return *s;
}

bool Offers::isVary(const Shape& shape) {
  return shape.type && shape.type->kind == Type::TypeKind::Vary;
}

const Type* Offers::valueType(const Shape& set) {
  return set.type && set.type->kind == Type::TypeKind::Map ? set.type->element : set.type;
}

SourceRange Offers::rangeOf(const Token& token) const {
  return {module->ast->id, token.begin, token.end};
}

const Type& Offers::listOf(const Type* element) {
  Type& list = types.emplace_back();
  list.kind = Type::TypeKind::List, list.element = element;
  return list;
}

NameScope& Offers::enter(const Shape& object, const NameScope& outer) {
  NameScope& inner = scopes.emplace_back();
  inner.kind = NameScope::ScopeKind::Object;
  inner.outer = &outer, inner.module = module;
  inner.shape = object;
  return inner;
}

Shape Offers::rootOf(Words head) {
  if (!head.empty() && head.front().is(TokenKind::Search))
    head = head.drop_front();
  if (head.size() < 2)
    return {};
  if (const ast::Decl* decl = lookup.modules.find(*module, textOf(head[1])))
    return lookup.shapeOf(Declared{module, decl});
  Shape ofKind;
  ofKind.schema = lookup.schemas.find(*module, textOf(head[0]));
  return ofKind;
}

Shape Offers::pathOf(Words words, const Shape& object, const NameScope& scope,
                     std::size_t& length) {
  Shape at = object;
  std::size_t i = 0;
  if (isVary(object) && !words.empty()) {
    const std::optional<Meaning> root = lookup.find(textOf(words[0]), scope);
    at = root ? root->shape : Shape();
    i = 1;
  }
  while (i < words.size()) {
    if (words[i].is(TokenKind::Dot)) {
      ++i;
      continue;
    }
    if (words[i].is(TokenKind::LeftBracket)) {
      const std::size_t close = i + 1 + outside(words.drop_front(i + 1), TokenKind::RightBracket);
      if (close >= words.size())
        break;
      Shape element = NameWalk::elementOf(at);
      element.root = at.root;
      at = element;
      i = close + 1;
      continue;
    }
    const bool name = words[i].is(TokenKind::Identifier) ||
                      (i > 0 && words[i - 1].is(TokenKind::Dot) && words[i].isKeyword());
    if (!name)
      break;
    const std::optional<Meaning> found = lookup.member(textOf(words[i]), at);
    field = found && found->field ? found->field : nullptr;
    at = found ? found->shape : Shape();
    ++i;
  }
  length = i;
  return at;
}

Shape Offers::chainOf(Words words, const NameScope& scope, std::size_t& begin, std::string& path) {
  std::size_t i = words.size();
  llvm::SmallVector<std::pair<std::size_t, std::size_t>, 4> steps; // words of names and of indices
  while (i > 0 && steps.size() <= longestChain) {
    const Token& last = words[i - 1];
    if (last.is(TokenKind::RightBracket)) {
      unsigned depth = 0;
      std::size_t open = i;
      while (open > 0) {
        --open;
        depth += words[open].is(TokenKind::RightBracket);
        if (words[open].is(TokenKind::LeftBracket) && --depth == 0)
          break;
      }
      steps.push_back({open, i});
      i = open;
      continue;
    }
    if (!last.is(TokenKind::Identifier) && !last.isKeyword())
      break;
    steps.push_back({i - 1, i});
    --i;
    if (i == 0 || !words[i - 1].is(TokenKind::Dot))
      break;
    --i;
  }
  begin = i;
  if (steps.empty() || steps.size() > longestChain ||
      !words[steps.back().first].is(TokenKind::Identifier))
    return {};
  Arena& arena = lookup.evaluator.shared.arena;
  const Token& root = words[steps.back().first];
  const ast::Expr* expr = &arena.make<ast::NameExpr>(rangeOf(root), textOf(root));
  for (const auto& [from, to] : llvm::drop_begin(llvm::reverse(steps))) {
    const SourceRange range{module->ast->id, root.begin, words[to - 1].end};
    if (!words[from].is(TokenKind::LeftBracket)) {
      expr = &arena.make<ast::MemberExpr>(range, *expr,
                                          ast::Name{textOf(words[from]), rangeOf(words[from])});
      continue;
    }
    if (to - from < 3)
      return {};
    const SourceRange inside{module->ast->id, words[from + 1].begin, words[to - 2].end};
    const ast::Expr* index = &arena.make<ast::ErrorExpr>(inside);
    if (to - from == 3 && words[from + 1].is(TokenKind::Identifier))
      index = &arena.make<ast::NameExpr>(inside, textOf(words[from + 1]));
    expr = &arena.make<ast::IndexExpr>(range, *expr, *index);
  }
  path = shapes.figurePath(*expr, scope);
  return shapes.value(*expr, scope, nullptr);
}

Shape Offers::blockOf(Words head, const NameScope& scope) {
  std::size_t length = 0;
  const Shape set = pathOf(head, objectOf(scope).shape, scope, length);
  if (length >= head.size()) {
    if (const Type* element = valueType(set); element && element != set.type)
      return StaticLookup::shapeOf(*element, set.root, set.path);
    return set;
  }
  // `field = base {` or `field in [a, base {`
  const Token& last = head.back();
  const Type* expected = valueType(set);
  if (expected && expected->kind == Type::TypeKind::List)
    expected = expected->element;
  if (last.is(TokenKind::Identifier) && expected && expected->schema) {
    if (const ChoiceSchema* choice = expected->schema->member(textOf(last))) {
      Shape chosen;
      chosen.schema = expected->schema, chosen.choice = choice;
      return chosen;
    }
    if (textOf(last) == expected->schema->name)
      return StaticLookup::shapeOf(*expected);
  }
  std::size_t begin = 0;
  std::string path;
  Shape base = chainOf(head, scope, begin, path);
  base.root = {}, base.path.clear();
  return base;
}

const NameScope& Offers::scopeOf(const Place& place) {
  NameScope& file = scopes.emplace_back();
  file.module = module;
  const NameScope* scope = &file;
  for (std::size_t i = 0; i < place.heads.size(); ++i) {
    const Words head = place.heads[i];
    const TokenKind first = head.empty() ? TokenKind::None : head.front().kind;
    if (i == 0) {
      NameScope& object = enter(rootOf(head), *scope);
      if (const auto* decl = llvm::dyn_cast_or_null<ast::BlockDecl>(object.shape.root.decl))
        object.block = decl->block;
      scope = &object;
    } else if (first == TokenKind::For) {
      for (std::size_t v = 1; v < head.size() && !head[v].is(TokenKind::In); ++v)
        if (head[v].is(TokenKind::Identifier)) {
          NameScope& variable = scopes.emplace_back();
          variable.kind = NameScope::ScopeKind::Variable;
          variable.outer = scope, variable.module = module;
          variable.variable = {textOf(head[v]), rangeOf(head[v])};
          scope = &variable;
        }
    } else if (first == TokenKind::Choice) {
      Shape shape = objectOf(*scope).shape;
      shape.choice = shape.schema ? shape.schema->member(textOf(head.back())) : nullptr;
      scope = &enter(shape, *scope);
    } else if (first != TokenKind::If && first != TokenKind::Else &&
               first != TokenKind::RightBrace) {
      scope = &enter(blockOf(head, *scope), *scope);
    }
  }
  return *scope;
}
