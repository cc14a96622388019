//===- Evaluate.cpp - Evaluates expressions ---------------------------------------------------===//
#include "frontend/sema/ExpressionEvaluator.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/Support/SaveAndRestore.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// Limit on nested evaluations. With sanitizers each of them takes up to 6 KB of the stack, so all
/// fit into 8 MB.
constexpr unsigned depthLimit = 1200;

/// Whether a range is empty, but not reversed, as a computed range may be: `1..0`, `3..<3`.
bool endsJustBefore(const Value& first, const Value& last) {
  const auto next = Rational::add(last.number.value, 1);
  return next && *next == first.number.value;
}
} // namespace

Value ExpressionEvaluator::evaluate(const ast::Expr& expr, const Environment& scope,
                                    const Type* expected) {
  if (depth >= depthLimit) {
    reportTooDeep(expr.range, depthLimit);
    return {};
  }
  if (!shared.budget.spend(1, expr.range))
    return {};
  const llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  if (expected && expected->kind == Type::TypeKind::Field)
    return fieldPath(expr, scope);
  if (expected && expected->kind == Type::TypeKind::Column)
    return column(expr, scope);
  switch (expr.kind) {
  case ast::Expr::ExprKind::Error:
    return {};
  case ast::Expr::ExprKind::Number:
    return Value::of(llvm::cast<ast::NumberExpr>(expr).number).at(expr.range);
  case ast::Expr::ExprKind::String:
    return Value::string(llvm::cast<ast::StringExpr>(expr).value).at(expr.range);
  case ast::Expr::ExprKind::Bool:
    return Value::of(llvm::cast<ast::BoolExpr>(expr).value).at(expr.range);
  case ast::Expr::ExprKind::Name:
    return name(llvm::cast<ast::NameExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::Member:
    return member(llvm::cast<ast::MemberExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::Index:
    return index(llvm::cast<ast::IndexExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::Call:
    return call(llvm::cast<ast::CallExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::Scoped:
    return scoped(llvm::cast<ast::ScopedExpr>(expr), scope);
  case ast::Expr::ExprKind::Unary:
    return unary(llvm::cast<ast::UnaryExpr>(expr), scope);
  case ast::Expr::ExprKind::Binary: {
    const auto& binaryExpr = llvm::cast<ast::BinaryExpr>(expr);
    if (binaryExpr.op == ast::BinaryOp::Range || binaryExpr.op == ast::BinaryOp::RangeExclusive)
      return makeRange(binaryExpr, scope, expected).at(expr.range);
    return binary(binaryExpr, scope).at(expr.range);
  }
  case ast::Expr::ExprKind::List:
    return list(llvm::cast<ast::ListExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::Comprehension:
    return comprehension(llvm::cast<ast::ComprehensionExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::If:
    return conditional(llvm::cast<ast::IfExpr>(expr), scope, expected);
  case ast::Expr::ExprKind::Group:
    return evaluate(llvm::cast<ast::GroupExpr>(expr).inner, scope, expected).at(expr.range);
  case ast::Expr::ExprKind::Amend:
    return amend(llvm::cast<ast::AmendExpr>(expr), scope, expected);
  }
  return {};
}

/// Reports a chain that is too deep. It does so only once, because the chain is too deep from each
/// of its ends.
void ExpressionEvaluator::reportTooDeep(SourceRange at, std::size_t limit) {
  if (reported.insert(&depth).second)
    shared.diags.report<diag::TooDeep>(at, limit);
}

Value ExpressionEvaluator::list(const ast::ListExpr& expr, const Environment& scope,
                                const Type* expected) {
  const Type* element = expected;
  if (expected && expected->kind == Type::TypeKind::List)
    element = expected->element;
  else if (const FieldDecl* held = expected ? heldList(*expected) : nullptr)
    element = typeOf(*held).element;
  llvm::SmallVector<Value> values;
  for (const ast::Expr* e : expr.values) {
    values.push_back(evaluate(*e, scope, element));
    if (values.back().unknown())
      return values.back();
  }
  return Value::listed(Value::ValueKind::List, shared.arena.copy(llvm::makeArrayRef(values)))
      .at(expr.range);
}

Value ExpressionEvaluator::comprehension(const ast::ComprehensionExpr& expr,
                                         const Environment& scope, const Type* expected) {
  const Type* element =
      expected && expected->kind == Type::TypeKind::List ? expected->element : nullptr;
  const Value over = evaluate(expr.over, scope, nullptr);
  std::vector<Value> all;
  if (!roundsOf(over, expr.over.range, all))
    return {};
  const LoopScope running(*this);
  llvm::SmallVector<Value> values;
  for (const Value& item : all) {
    const Environment& inner = variable(expr.variable.text, item, scope);
    if (expr.condition) {
      const auto c = condition(*expr.condition, inner);
      if (!c)
        return {};
      if (!*c)
        continue;
    }
    values.push_back(evaluate(expr.value, inner, element));
    if (values.back().unknown())
      return values.back();
  }
  return Value::listed(Value::ValueKind::List, shared.arena.copy(llvm::makeArrayRef(values)))
      .at(expr.range);
}

std::optional<bool> ExpressionEvaluator::condition(const ast::Expr& expr,
                                                   const Environment& scope) {
  const Value v = evaluate(expr, scope, nullptr);
  if (v.is(Value::ValueKind::Bool))
    return v.truth;
  if (!v.unknown() && !v.is(Value::ValueKind::Result))
    shared.diags.report<diag::ConditionNotBool>(expr.range, describe(v));
  return std::nullopt;
}

Value ExpressionEvaluator::conditional(const ast::IfExpr& expr, const Environment& scope,
                                       const Type* expected) {
  const Value c = evaluate(expr.condition, scope, nullptr);
  if (c.unknown())
    return c;
  if (c.is(Value::ValueKind::Result) && c.truth) {
    const Value then = evaluate(expr.then, scope, expected);
    const Value otherwise = evaluate(expr.otherwise, scope, expected);
    if (then.unknown() || otherwise.unknown())
      return Value{};
    Value v = Value::result({"", then.dimension()});
    v.truth = then.is(Value::ValueKind::Bool) || (then.is(Value::ValueKind::Result) && then.truth);
    return v.at(expr.range);
  }
  if (!c.is(Value::ValueKind::Bool)) {
    shared.diags.report<diag::ConditionNotBool>(expr.condition.range, describe(c));
    return {};
  }
  return evaluate(c.truth ? expr.then : expr.otherwise, scope, expected).at(expr.range);
}

/// Evaluates `base { … }`: the value of `base` with the block as a further level.
Value ExpressionEvaluator::amend(const ast::AmendExpr& expr, const Environment& scope,
                                 const Type* expected) {
  const ast::Expr* base = &shared.arena.make<ast::NameExpr>(expr.base[0].range, expr.base[0].text);
  for (const ast::Name& part : expr.base.drop_front())
    base = &shared.arena.make<ast::MemberExpr>(
        SourceRange{part.range.file, expr.base[0].range.begin, part.range.end}, *base, part);
  const Value v = evaluate(*base, scope, expected);
  if (v.unknown())
    return v;
  // Only blocks and choices have a schema.
  const Schema* schema = v.object                         ? v.object->schema
                         : v.is(Value::ValueKind::Absent) ? nullptr
                                                          : v.schema;
  if (!schema) {
    const std::string what = !v.is(Value::ValueKind::Absent) ? describe(v)
                             : v.text.empty()                ? "nothing"
                                                             : "not set";
    shared.diags.report<diag::NoFields>(base->range, shared.sources.text(base->range), what);
    return {};
  }
  Object* owner = nullptr;
  for (const Environment* s = &scope; s && !owner; s = s->outer)
    owner = s->kind == Environment::EnvironmentKind::Object ? s->object : nullptr;
  Setting block;
  block.level =
      currentLevel ? currentLevel : &level(SettingLevel::SettingLevelKind::Block, "", nullptr);
  block.scope = &scope;
  block.block = &expr.block;
  Type type;
  type.kind = Type::TypeKind::Schema;
  type.schema = schema;
  return amended(v, block, type, owner, expr.base.back().text).at(expr.range);
}

Value ExpressionEvaluator::scoped(const ast::ScopedExpr& expr, const Environment& scope) {
  Value v = evaluate(expr.value, scope, nullptr);
  if (v.unknown())
    return v;
  const auto s = scopeNamed(expr.scope.text);
  if (!s) {
    shared.diags.report<diag::UnknownScope>(expr.scope.range, expr.scope.text)
        .help("the scopes are gpu, nic, node, domain, leaf, pod and site");
    return {};
  }
  if (!v.is(Value::ValueKind::Number)) {
    shared.diags.report<diag::WrongOperand>(expr.value.range, "per", "a number", describe(v));
    return {};
  }
  if (v.number.scope != dpl::Scope::None) {
    shared.diags.report<diag::AlreadyScoped>(expr.range, v.number.str(), dpl::name(v.number.scope));
    return {};
  }
  v.number.scope = *s;
  return v.at(expr.range);
}

Value ExpressionEvaluator::makeRange(const ast::BinaryExpr& expr, const Environment& scope,
                                     const Type* expected) {
  const Type* element =
      expected && expected->kind == Type::TypeKind::List ? expected->element : expected;
  const Value first = evaluate(expr.left, scope, element),
              last = evaluate(expr.right, scope, element);
  if (first.unknown())
    return first;
  if (last.unknown())
    return last;
  for (const auto& [v, e] : {std::pair(&first, &expr.left), std::pair(&last, &expr.right)})
    if (!v->is(Value::ValueKind::Number)) {
      shared.diags.report<diag::WrongOperand>(e->range, ast::spelling(expr.op), "two numbers",
                                              describe(*v));
      return {};
    }
  if (first.number.dimension != last.number.dimension) {
    shared.diags.report<diag::UnlikeDimensions>(expr.opRange, ast::spelling(expr.op),
                                                describe(first), describe(last));
    return {};
  }
  Value end = last;
  if (expr.op == ast::BinaryOp::RangeExclusive)
    if (const auto less = Rational::subtract(end.number.value, 1))
      end.number.value = *less;
  const int order = Rational::compare(first.number.value, last.number.value);
  const bool exclusive = expr.op == ast::BinaryOp::RangeExclusive;
  if (order > 0 && !endsJustBefore(first, end)) {
    shared.diags.report<diag::EmptyRange>(expr.range, shared.sources.text(expr.range),
                                          first.number.str(), exclusive ? "to below" : "to",
                                          last.number.str());
    return {};
  }
  // The last range is kept, because assertions of the library evaluate the same range for each
  // block.
  llvm::ArrayRef<Value>& ends = lastRange[&expr];
  if (ends.empty() || !ends.front().sameAs(first) || !ends.back().sameAs(end))
    ends = shared.arena.copy(llvm::makeArrayRef({first, end}));
  Value v = Value::listed(Value::ValueKind::Range, ends);
  v.truth = expr.op == ast::BinaryOp::RangeExclusive;
  return v;
}

void ExpressionEvaluator::checkLoop(const Value& value, SourceRange at) {
  if (!value.unknown() && !value.is(Value::ValueKind::List) && !value.is(Value::ValueKind::Range) &&
      !value.is(Value::ValueKind::Family))
    shared.diags.report<diag::NotIterable>(at, describe(value));
}

bool ExpressionEvaluator::roundsOf(const Value& value, SourceRange at, std::vector<Value>& out) {
  constexpr auto limit = static_cast<std::uint64_t>(itemLimit);
  if (loops == 0)
    rounds = 0;
  // After an error about the limit, loops stop, also when they are evaluated again.
  if (reported.count(&rounds) || !items(value, at, out))
    return false;
  rounds += out.size();
  if (!shared.budget.spend(3 * out.size(), at)) // an item, its variable, and the scope of the
                                                // variable
    return false;
  if (rounds > limit) {
    reported.insert(&rounds);
    shared.diags.report<diag::TooManyItems>(at, fmt::format("with the enclosing loops, {}", rounds),
                                            itemLimit);
  }
  return rounds <= limit;
}
