//===- NameWalkValues.cpp - Visits the names of values ----------------------------------------===//
#include "frontend/names/NameWalk.h"
#include "frontend/sema/Functions.h"
#include "frontend/sema/ResultNames.h"
#include "ir/DrawnFigures.h"
#include "ir/RowFunctions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;

namespace {
/// Limit on nested values; deeper ones are errors that the parser reports.
constexpr unsigned deepest = 1000;

const ast::NameExpr* rootOf(const ast::Expr& expr) {
  const ast::Expr* e = &expr;
  while (true) {
    if (const auto* member = llvm::dyn_cast<ast::MemberExpr>(e))
      e = &member->base;
    else if (const auto* index = llvm::dyn_cast<ast::IndexExpr>(e))
      e = &index->base;
    else
      return llvm::dyn_cast<ast::NameExpr>(e);
  }
}
/// The first name after the first name of a path: `parameters` in `model.parameters`.
llvm::StringRef secondOf(const ast::Expr& expr) {
  llvm::StringRef second;
  const ast::Expr* e = &expr;
  while (true) {
    if (const auto* member = llvm::dyn_cast<ast::MemberExpr>(e))
      second = member->name.text, e = &member->base;
    else if (const auto* index = llvm::dyn_cast<ast::IndexExpr>(e))
      e = &index->base;
    else
      return second;
  }
}
bool isStatistic(llvm::StringRef name) {
  return name == "above" ||
         llvm::any_of(ir::statistics(), [&](const ir::Statistic& one) { return name == one.name; });
}
} // namespace

Shape NameWalk::value(const ast::Expr& expr, const NameScope& scope, const Type* expected) {
  if (depth >= deepest)
    return {};
  const llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  switch (expr.kind) {
  case ast::Expr::ExprKind::Error:
    for (const ast::Expr* part : llvm::cast<ast::ErrorExpr>(expr).parts)
      (void)value(*part, scope, expected);
    return {};
  case ast::Expr::ExprKind::Number:
    unit(llvm::cast<ast::NumberExpr>(expr));
    return {};
  case ast::Expr::ExprKind::String:
    return {};
  case ast::Expr::ExprKind::Bool:
    word(expr.range, NamedThing::Word, textOf(expr.range));
    return {};
  case ast::Expr::ExprKind::Name:
    return name(llvm::cast<ast::NameExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::Member:
    return member(llvm::cast<ast::MemberExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::Index:
    return index(llvm::cast<ast::IndexExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::Call:
    return call(llvm::cast<ast::CallExpr>(expr), scope);
  case ast::Expr::ExprKind::Scoped: {
    const auto& scoped = llvm::cast<ast::ScopedExpr>(expr);
    tell(scoped.scope.range, levelNamed(scoped.scope.text));
    return value(scoped.value, scope, expected);
  }
  case ast::Expr::ExprKind::Unary:
    return value(llvm::cast<ast::UnaryExpr>(expr).operand, scope, nullptr);
  case ast::Expr::ExprKind::Binary:
    return binary(llvm::cast<ast::BinaryExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::List: {
    const Type* element = elementOf(expected);
    if (expected && expected->kind == Type::TypeKind::Schema && expected->schema->isSum())
      for (const ChoiceSchema* choice : expected->schema->members) // `split = [20, 20]`
        if (choice->fields.size() == 1)
          if (const Type& held = lookup.schemas.typeOf(choice->fields[0]);
              held.kind == Type::TypeKind::List && !element)
            element = held.element;
    for (const ast::Expr* one : llvm::cast<ast::ListExpr>(expr).values)
      (void)value(*one, scope, element);
    return {};
  }
  case ast::Expr::ExprKind::Comprehension: {
    const auto& all = llvm::cast<ast::ComprehensionExpr>(expr);
    NameScope inner;
    inner.kind = NameScope::ScopeKind::Variable;
    inner.outer = &scope, inner.module = scope.module;
    inner.variable = all.variable;
    inner.shape = elementOf(value(all.over, scope, nullptr));
    if (std::optional<Meaning> variable = lookup.find(all.variable.text, inner))
      tell(all.variable.range, std::move(*variable), true);
    if (all.condition)
      (void)value(*all.condition, inner, nullptr);
    (void)value(all.value, inner, elementOf(expected));
    return {};
  }
  case ast::Expr::ExprKind::If: {
    const auto& either = llvm::cast<ast::IfExpr>(expr);
    (void)value(either.condition, scope, nullptr);
    const Shape then = value(either.then, scope, expected);
    (void)value(either.otherwise, scope, expected);
    return then;
  }
  case ast::Expr::ExprKind::Group:
    return value(llvm::cast<ast::GroupExpr>(expr).inner, scope, expected);
  case ast::Expr::ExprKind::Amend:
    return amend(llvm::cast<ast::AmendExpr>(expr), scope, expected);
  }
  return {};
}

/// The unit of a quantity is the letters at its end, with a denominator.
void NameWalk::unit(const ast::NumberExpr& expr) {
  const llvm::StringRef text = textOf(expr.range);
  const auto letters = [](llvm::StringRef t) {
    return t.drop_while([](char c) { return !llvm::isAlpha(c); });
  };
  std::size_t at = text.size();
  while (at > 0 && llvm::isAlpha(text[at - 1]))
    --at;
  if (at > 1 && at < text.size() && text[at - 1] == '/')
    for (--at; at > 0 && llvm::isAlpha(text[at - 1]);)
      --at;
  if (at == 0 || at >= text.size() || letters(text.substr(at)).empty())
    return;
  word({expr.range.file, expr.range.begin + static_cast<std::uint32_t>(at), expr.range.end},
       NamedThing::Unit, text.substr(at));
}

/// The meaning that a name has because of the type that is expected.
std::optional<Meaning> NameWalk::expectedWord(llvm::StringRef name, const Type* expected) {
  if (!expected)
    return std::nullopt;
  Meaning out;
  out.thing = NamedThing::Word;
  out.figure = name.str();
  const bool automatic = expected->automatic || (expected->schema && expected->schema->takesAuto());
  if ((name == "auto" && automatic) ||
      (name == "none" && expected->optional &&
       !(expected->schema && expected->schema->member(name))) ||
      (name == "rest" && expected->kind == Type::TypeKind::Axis))
    return out;
  if (expected->kind != Type::TypeKind::Schema)
    return std::nullopt;
  if (const ChoiceSchema* choice = expected->schema->member(name))
    return lookup.meaningOf(*choice, *expected->schema);
  if (expected->schema->isSum() || name != expected->schema->name)
    return std::nullopt;
  return lookup.meaningOf(Declared{expected->schema->module, expected->schema->ast});
}

Shape NameWalk::name(const ast::NameExpr& expr, const NameScope& scope, const Type* expected) {
  if (std::optional<Meaning> found = expectedWord(expr.name, expected)) {
    const Shape shape = found->shape;
    tell(expr.range, std::move(*found));
    return shape;
  }
  if (figure(expr, scope, expected))
    return {};
  if (std::optional<Meaning> found = lookup.find(expr.name, scope)) {
    const Shape shape = found->shape;
    tell(expr.range, std::move(*found));
    return shape;
  }
  if (expr.name == "rest" || expr.name == "auto" || expr.name == "none")
    word(expr.range, NamedThing::Word, expr.name);
  return {};
}

std::string NameWalk::figurePath(const ast::Expr& expr, const NameScope& scope) {
  if (const auto* name = llvm::dyn_cast<ast::NameExpr>(&expr))
    return name->name.str();
  if (const auto* member = llvm::dyn_cast<ast::MemberExpr>(&expr)) {
    const std::string base = figurePath(member->base, scope);
    return base.empty() ? base : base + "." + member->name.text.str();
  }
  const auto* index = llvm::dyn_cast<ast::IndexExpr>(&expr);
  const std::string base = index ? figurePath(index->base, scope) : "";
  if (base.empty())
    return {};
  if (const auto* text = llvm::dyn_cast<ast::StringExpr>(&index->index))
    return fmt::format("{}[{}]", base, text->value);
  if (const auto* name = llvm::dyn_cast<ast::NameExpr>(&index->index))
    if (const std::optional<Meaning> found = lookup.find(name->name, scope);
        found && found->thing == NamedThing::Variable)
      return base + "[0]";
  std::string written = textOf(index->index.range).str();
  llvm::erase_if(written, [](char c) { return c == ' '; });
  return fmt::format("{}[{}]", base, written);
}

bool NameWalk::figure(const ast::Expr& expr, const NameScope& scope, const Type* expected) {
  const ast::NameExpr* root = rootOf(expr);
  if (!root || !isResultRoot(root->name))
    return false;
  const std::string path = figurePath(expr, scope);
  const bool known = resultNamed(path).has_value();
  if (known && expected && expected->kind == Type::TypeKind::Name) {
    figureParts(expr, path, scope);
    return true;
  }
  const std::optional<Meaning> found = lookup.find(root->name, scope);
  const bool free =
      !found || (found->thing == NamedThing::Schema &&
                 !lookup.evaluator.shared.library.moduleOf(found->declaration.file).empty());
  // `model.parameters` is a figure although `model` is a block, because no field has that name.
  const llvm::StringRef second = secondOf(expr);
  const bool shadowed = found && found->shape.schema && !second.empty() &&
                        !StaticLookup::fieldOf(found->shape, second);
  if (!(free || (shadowed && known)))
    return false;
  figureParts(expr, path, scope);
  return true;
}

void NameWalk::figureParts(const ast::Expr& expr, const std::string& whole,
                           const NameScope& scope) {
  Meaning meaning;
  meaning.thing = NamedThing::Figure;
  meaning.figure = whole;
  if (const auto* name = llvm::dyn_cast<ast::NameExpr>(&expr))
    return tell(name->range, std::move(meaning));
  if (const auto* member = llvm::dyn_cast<ast::MemberExpr>(&expr)) {
    const std::string base = figurePath(member->base, scope);
    const bool statistic = isStatistic(member->name.text) && resultNamed(base);
    figureParts(member->base, statistic ? base : whole, scope);
    meaning.thing = statistic ? NamedThing::Statistic : NamedThing::Figure;
    return tell(member->name.range, std::move(meaning));
  }
  const auto* index = llvm::dyn_cast<ast::IndexExpr>(&expr);
  if (!index)
    return;
  figureParts(index->base, whole, scope);
  const auto* key = llvm::dyn_cast<ast::NameExpr>(&index->index);
  if (!key) {
    (void)value(index->index, scope, nullptr);
    return;
  }
  std::optional<Meaning> found = lookup.find(key->name, scope);
  const bool named =
      found && (found->thing == NamedThing::Variable || found->thing == NamedThing::Let ||
                (found->thing == NamedThing::Block && found->shape.isRoot()));
  meaning.thing = NamedThing::Key;
  tell(key->range, named ? std::move(*found) : std::move(meaning));
}

Shape NameWalk::member(const ast::MemberExpr& expr, const NameScope& scope, const Type* expected) {
  const auto* base = llvm::dyn_cast<ast::NameExpr>(&expr.base);
  if (base && base->name == "param") {
    const ast::Decl* decl = lookup.modules.find(*scope.module, expr.name.text);
    if (!llvm::isa_and_nonnull<ast::ParamDecl>(decl))
      return {};
    const Meaning meaning = lookup.meaningOf(Declared{scope.module, decl});
    tell(expr.name.range, meaning);
    return meaning.shape;
  }
  // `recompute.none` is a choice of the schema `recompute`.
  if (const Schema* schema = base ? lookup.schemas.find(*scope.module, base->name) : nullptr)
    if (const ChoiceSchema* choice = schema->member(expr.name.text)) {
      tell(base->range, lookup.meaningOf(Declared{schema->module, schema->ast}));
      const Meaning meaning = lookup.meaningOf(*choice, *schema);
      tell(expr.name.range, meaning);
      return meaning.shape;
    }
  if (figure(expr, scope, expected))
    return {};
  const Shape of = value(expr.base, scope, nullptr);
  if (std::optional<Meaning> found = lookup.member(expr.name.text, of)) {
    const Shape shape = found->shape;
    tell(expr.name.range, std::move(*found));
    return shape;
  }
  return {};
}

Shape NameWalk::index(const ast::IndexExpr& expr, const NameScope& scope, const Type* expected) {
  if (figure(expr, scope, expected))
    return {};
  const Shape of = value(expr.base, scope, nullptr);
  (void)value(expr.index, scope, of.type ? of.type->key : nullptr);
  Shape element = elementOf(of);
  element.root = of.root;
  if (of.root)
    element.path = fmt::format("{}[{}]", of.path, textOf(expr.index.range));
  return element;
}

Shape NameWalk::binary(const ast::BinaryExpr& expr, const NameScope& scope, const Type* expected) {
  if (expr.op == ast::BinaryOp::Range || expr.op == ast::BinaryOp::RangeExclusive) {
    const Type* end = elementOf(expected) ? elementOf(expected) : expected;
    (void)value(expr.left, scope, end);
    (void)value(expr.right, scope, end);
    return {};
  }
  if (!ast::isComparison(expr.op)) {
    const Shape left = value(expr.left, scope, nullptr);
    (void)value(expr.right, scope, nullptr);
    return left.type ? left : Shape();
  }
  // A bare choice has the type of the other side.
  const auto beside = [&](const ast::Expr& one, const Shape& other) {
    Type type;
    type.optional = true;
    type.schema = other.schema;
    if (other.schema)
      type.kind = Type::TypeKind::Schema;
    Type list;
    list.kind = Type::TypeKind::List, list.element = &type;
    (void)value(one, scope, expr.op == ast::BinaryOp::In ? &list : &type);
  };
  const auto* bare = llvm::dyn_cast<ast::NameExpr>(&expr.left);
  if (bare && !lookup.find(bare->name, scope) && !isResultRoot(bare->name))
    beside(expr.left, value(expr.right, scope, nullptr));
  else
    beside(expr.right, value(expr.left, scope, nullptr));
  return {};
}

Shape NameWalk::call(const ast::CallExpr& expr, const NameScope& scope) {
  if (const auto* callee = llvm::dyn_cast<ast::NameExpr>(&expr.function))
    word(callee->range, NamedThing::Function, callee->name);
  else
    (void)value(expr.function, scope, nullptr);
  for (const ast::Argument& argument : expr.arguments) {
    (void)value(*argument.value, scope, nullptr);
    if (argument.where)
      (void)value(*argument.where, scope, nullptr);
  }
  return {};
}

Shape NameWalk::amend(const ast::AmendExpr& expr, const NameScope& scope, const Type* expected,
                      const Shape& set) {
  Shape of;
  if (expr.base.size() == 1) {
    const ast::NameExpr base(expr.base[0].range, expr.base[0].text);
    of = name(base, scope, expected);
  } else if (expr.base.size() > 1) {
    const ast::Expr* base =
        &lookup.evaluator.shared.arena.make<ast::NameExpr>(expr.base[0].range, expr.base[0].text);
    for (const ast::Name& part : expr.base.drop_front())
      base = &lookup.evaluator.shared.arena.make<ast::MemberExpr>(
          SourceRange{part.range.file, expr.base[0].range.begin, part.range.end}, *base, part);
    of = value(*base, scope, expected);
  }
  of.root = set.root; // the fields are those of a new value
  of.path = set.path;
  nested(expr.block, of, scope);
  return of;
}
