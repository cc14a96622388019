//===- Operators.cpp - Evaluates arithmetic, comparison and logic -----------------------------===//
#include "frontend/sema/ExpressionEvaluator.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Parse.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;
using ast::BinaryOp;

namespace {
bool isNumeric(const Value& v) {
  return v.is(Value::ValueKind::Number) || (v.is(Value::ValueKind::Result) && !v.truth);
}
bool isTruth(const Value& v) {
  return v.is(Value::ValueKind::Bool) || (v.is(Value::ValueKind::Result) && v.truth);
}
/// A value of this dimension that compiler passes will compute.
Value later(const Dimension& d, bool truth) {
  Value v = Value::result({"", d});
  v.truth = truth;
  return v;
}
const ast::NameExpr* bareName(const ast::Expr& expr) {
  if (const auto* group = llvm::dyn_cast<ast::GroupExpr>(&expr))
    return bareName(group->inner);
  return llvm::dyn_cast<ast::NameExpr>(&expr);
}
} // namespace

Value ExpressionEvaluator::binary(const ast::BinaryExpr& expr, const Environment& scope) {
  if (expr.op == BinaryOp::And || expr.op == BinaryOp::Or)
    return logic(expr, scope);
  if (isComparison(expr.op))
    return compare(expr, scope);
  const Value left = evaluate(expr.left, scope, nullptr);
  const Value right = evaluate(expr.right, scope, nullptr);
  if (left.poison() || right.poison())
    return {};
  if (expr.op == BinaryOp::Add && left.is(Value::ValueKind::List) &&
      right.is(Value::ValueKind::List)) {
    if (!shared.budget.spend(left.list.size() + right.list.size(), expr.range))
      return {};
    llvm::SmallVector<Value> joined(left.list.begin(), left.list.end());
    joined.append(right.list.begin(), right.list.end());
    return Value::listed(Value::ValueKind::List, shared.arena.copy(llvm::makeArrayRef(joined)));
  }
  // If one side is missing, it is still reported that the other side is not a number.
  for (const auto& [v, e] : {std::pair(&left, &expr.left), std::pair(&right, &expr.right)})
    if (!v->unknown() && !isNumeric(*v)) {
      shared.diags.report<diag::WrongOperand>(e->range, ast::spelling(expr.op), "two numbers",
                                              describe(*v));
      return {};
    }
  if (left.unknown())
    return left;
  if (right.unknown())
    return right;
  return arithmetic(expr, left, right, scope);
}

/// Reports a division by zero in the library, at the setting in the file that makes the divisor
/// zero.
bool ExpressionEvaluator::zeroField(const ast::Expr& divisor, const Environment& scope) {
  const auto* name = llvm::dyn_cast<ast::NameExpr>(&divisor);
  if (!name || shared.library.moduleOf(divisor.range.file).empty())
    return false;
  const FoundName found = lookup(name->name, scope);
  if (found.kind != FoundName::FoundKind::Field)
    return false;
  const Winner* set = winner(*found.object, *found.field);
  if (!set)
    return false;
  shared.diags.report<diag::FieldIsZero>(set->range(), name->name);
  return true;
}

const Winner* ExpressionEvaluator::setElsewhere(const ast::Expr& expr, const Environment& scope) {
  if (const auto* group = llvm::dyn_cast<ast::GroupExpr>(&expr))
    return setElsewhere(group->inner, scope);
  if (const auto* both = llvm::dyn_cast<ast::BinaryExpr>(&expr)) {
    const Winner* left = setElsewhere(both->left, scope);
    const Winner* right = setElsewhere(both->right, scope);
    return left && right ? (right->level->kind > left->level->kind ? right : left)
           : left        ? left
                         : right;
  }
  const auto* name = llvm::dyn_cast<ast::NameExpr>(&expr);
  const FoundName found = name ? lookup(name->name, scope) : FoundName();
  if (found.kind != FoundName::FoundKind::Field)
    return nullptr;
  const Winner* set = winner(*found.object, *found.field);
  return set && shared.library.moduleOf(set->range().file).empty() ? set : nullptr;
}

void ExpressionEvaluator::divisorIsZero(const ast::BinaryExpr& expr, const Value& divisor,
                                        const Environment& scope) {
  if (!zeroField(expr.right, scope))
    shared.diags.report<diag::DivisionByZero>(expr.right.range, ast::spelling(expr.op))
        .label(fmt::format("this is {}", describe(divisor)));
}

Value ExpressionEvaluator::arithmetic(const ast::BinaryExpr& expr, const Value& left,
                                      const Value& right, const Environment& scope) {
  const llvm::StringRef op = ast::spelling(expr.op);
  const bool sum =
      expr.op == BinaryOp::Add || expr.op == BinaryOp::Subtract || expr.op == BinaryOp::Remainder;
  if (left.is(Value::ValueKind::Result) || right.is(Value::ValueKind::Result)) {
    const bool divides = expr.op == BinaryOp::Divide || expr.op == BinaryOp::Remainder;
    if (divides && right.is(Value::ValueKind::Number) && right.number.value.isZero()) {
      divisorIsZero(expr, right, scope);
      return {};
    }
    const Dimension &a = left.dimension(), &b = right.dimension();
    if (sum && a != b) {
      shared.diags.report<diag::UnlikeDimensions>(expr.opRange, op, describe(left),
                                                  describe(right));
      return {};
    }
    return later(sum ? a : expr.op == BinaryOp::Multiply ? a.times(b) : a.over(b), false);
  }
  Arithmetic out;
  switch (expr.op) {
  case BinaryOp::Multiply:
    out = multiply(left.number, right.number);
    break;
  case BinaryOp::Divide:
    out = divide(left.number, right.number);
    break;
  case BinaryOp::Remainder:
    out = remainder(left.number, right.number);
    break;
  case BinaryOp::Add:
    out = add(left.number, right.number);
    break;
  case BinaryOp::Subtract:
    out = subtract(left.number, right.number);
    break;
  default:
    return {};
  }
  if (out.value)
    return Value::of(*out.value);
  switch (out.error) {
  case ArithmeticError::Overflow:
    shared.diags.report<diag::NumberOverflow>(expr.range,
                                              fmt::format("`{}`", shared.sources.text(expr.range)));
    break;
  case ArithmeticError::DivideByZero:
    divisorIsZero(expr, right, scope);
    break;
  case ArithmeticError::Dimensions:
    shared.diags.report<diag::UnlikeDimensions>(expr.opRange, op, describe(left), describe(right));
    break;
  case ArithmeticError::Scopes:
    shared.diags.report<diag::UnlikeScopes>(expr.opRange, op, describe(left), describe(right));
    break;
  }
  return {};
}

Value ExpressionEvaluator::unary(const ast::UnaryExpr& expr, const Environment& scope) {
  const Value v = evaluate(expr.operand, scope, nullptr);
  if (v.unknown())
    return v;
  if (expr.op == ast::UnaryOp::Not) {
    if (isTruth(v))
      return (v.is(Value::ValueKind::Bool) ? Value::of(!v.truth) : v).at(expr.range);
    shared.diags.report<diag::WrongOperand>(expr.operand.range, "not", "`true` or `false`",
                                            describe(v));
    return {};
  }
  if (!isNumeric(v)) {
    shared.diags.report<diag::WrongOperand>(expr.operand.range, "-", "a number", describe(v));
    return {};
  }
  if (v.is(Value::ValueKind::Result))
    return v.at(expr.range);
  Value out = v;
  const auto negative = Rational::subtract(0, v.number.value);
  if (!negative) {
    shared.diags.report<diag::NumberOverflow>(expr.range,
                                              fmt::format("`{}`", shared.sources.text(expr.range)));
    return {};
  }
  out.number.value = *negative;
  return out.at(expr.range);
}

Value ExpressionEvaluator::logic(const ast::BinaryExpr& expr, const Environment& scope) {
  const Value left = evaluate(expr.left, scope, nullptr);
  if (left.unknown())
    return left;
  const bool isAnd = expr.op == BinaryOp::And;
  auto wrong = [&](const Value& v, const ast::Expr& e) {
    shared.diags.report<diag::WrongOperand>(e.range, ast::spelling(expr.op), "`true` or `false`",
                                            describe(v));
    return Value{};
  };
  if (!isTruth(left))
    return wrong(left, expr.left);
  if (left.is(Value::ValueKind::Bool) && left.truth != isAnd)
    return left; // the right side may be valid only if the left side decides nothing: `n > 0 and 8
                 // % n == 0`
  const Value right = evaluate(expr.right, scope, nullptr);
  if (right.unknown())
    return right;
  if (!isTruth(right))
    return wrong(right, expr.right);
  if (left.is(Value::ValueKind::Result) || right.is(Value::ValueKind::Result))
    return later({}, true);
  return right;
}

Value ExpressionEvaluator::evaluateBeside(const ast::Expr& expr, const Environment& scope,
                                          const Value& other) {
  Type type;
  type.optional = true; // allows the comparison `window == none`
  if (other.schema && (other.is(Value::ValueKind::Choice) || other.is(Value::ValueKind::Absent))) {
    type.kind = Type::TypeKind::Schema;
    type.schema = other.schema;
    type.text = other.schema->name;
  }
  return evaluate(expr, scope, &type);
}

Value ExpressionEvaluator::compare(const ast::BinaryExpr& expr, const Environment& scope) {
  Value left, right;
  const ast::NameExpr* bare = bareName(expr.left);
  if (bare && !lookup(bare->name, scope)) {
    right = evaluate(expr.right, scope, nullptr);
    if (right.unknown())
      return right;
    left = evaluateBeside(expr.left, scope, right);
  } else {
    left = evaluate(expr.left, scope, nullptr);
    if (left.unknown())
      return left;
    // A default of a framework is evaluated as if the field had its usual value. It is evaluated
    // again when `auto` has been resolved (ir/FilledFields.h).
    if (left.is(Value::ValueKind::Auto) && currentLevel &&
        currentLevel->kind == SettingLevel::SettingLevelKind::Framework)
      return Value::of(expr.op == BinaryOp::Equal);
    if (left.is(Value::ValueKind::Auto))
      return reportAuto(expr.left, left);
    right = evaluateBeside(expr.right, scope, left);
  }
  if (left.unknown())
    return left;
  if (right.unknown())
    return right;
  if (expr.op == BinaryOp::In)
    return contains(expr, left, right);

  const llvm::StringRef op = ast::spelling(expr.op);
  const bool equality = expr.op == BinaryOp::Equal || expr.op == BinaryOp::NotEqual;
  if (isNumeric(left) && isNumeric(right))
    return compareNumbers(expr, left, right);
  if (!equality) {
    const bool leftWrong = !isNumeric(left);
    shared.diags.report<diag::WrongOperand>((leftWrong ? expr.left : expr.right).range, op,
                                            "two numbers", describe(leftWrong ? left : right));
    return {};
  }
  if (left.is(Value::ValueKind::Result) || right.is(Value::ValueKind::Result))
    if (isTruth(left) && isTruth(right))
      return later({}, true);
  const bool absent = left.is(Value::ValueKind::Absent) || right.is(Value::ValueKind::Absent);
  const bool alike = left.kind == right.kind &&
                     (!left.is(Value::ValueKind::Choice) || left.schema == right.schema);
  if (!absent && !alike) {
    shared.diags.report<diag::WrongOperand>(
        expr.opRange, op, fmt::format("a value like the other side, {}", describe(left)),
        describe(right));
    return {};
  }
  return Value::of(equal(left, right) == (expr.op == BinaryOp::Equal));
}

Value ExpressionEvaluator::reportAuto(const ast::Expr& expr, const Value& value) {
  const llvm::StringRef reader = frames.empty() ? llvm::StringRef() : frames.back().name;
  shared.diags
      .report<diag::ResultInField>(expr.range, value.schema ? value.schema->name : "auto",
                                   reader.empty() ? "the condition" : fmt::format("`{}`", reader))
      .help(fmt::format("the value of `auto` is chosen after all fields are known; {}",
                        reader.empty()
                            ? "give it a value"
                            : fmt::format("give it a value, or `{}` in the layout", reader)));
  return {};
}

Value ExpressionEvaluator::compareNumbers(const ast::BinaryExpr& expr, const Value& left,
                                          const Value& right) {
  const llvm::StringRef op = ast::spelling(expr.op);
  if (left.dimension() != right.dimension()) {
    shared.diags.report<diag::UnlikeDimensions>(expr.opRange, op, describe(left), describe(right));
    return {};
  }
  if (left.is(Value::ValueKind::Result) || right.is(Value::ValueKind::Result))
    return later({}, true);
  if (left.number.scope != right.number.scope) {
    shared.diags.report<diag::UnlikeScopes>(expr.opRange, op, describe(left), describe(right));
    return {};
  }
  const int order = Rational::compare(left.number.value, right.number.value);
  switch (expr.op) {
  case BinaryOp::Equal:
    return Value::of(order == 0);
  case BinaryOp::NotEqual:
    return Value::of(order != 0);
  case BinaryOp::LessEqual:
    return Value::of(order <= 0);
  case BinaryOp::GreaterEqual:
    return Value::of(order >= 0);
  case BinaryOp::Less:
    return Value::of(order < 0);
  case BinaryOp::Greater:
    return Value::of(order > 0);
  default:
    return {};
  }
}

Value ExpressionEvaluator::contains(const ast::BinaryExpr& expr, const Value& item,
                                    const Value& in) {
  if (in.is(Value::ValueKind::Range)) {
    const Value &first = in.list[0], &last = in.list[1];
    if (!isNumeric(item) || item.dimension() != first.number.dimension) {
      shared.diags.report<diag::UnlikeDimensions>(expr.opRange, "in", describe(item),
                                                  describe(first));
      return {};
    }
    if (item.is(Value::ValueKind::Result))
      return later({}, true);
    const auto end = in.truth ? Rational::add(last.number.value, 1) : last.number.value;
    const int below = end ? Rational::compare(item.number.value, *end) : -1;
    return Value::of(Rational::compare(first.number.value, item.number.value) <= 0 &&
                     (in.truth ? below < 0 : below <= 0));
  }
  if (!in.is(Value::ValueKind::List)) {
    shared.diags.report<diag::WrongOperand>(expr.right.range, "in", "a list or a range",
                                            describe(in));
    return {};
  }
  if (item.is(Value::ValueKind::Result))
    return later({}, true);
  for (const Value& v : in.list) {
    if (v.is(Value::ValueKind::Number) && item.is(Value::ValueKind::Number) &&
        v.number.dimension != item.number.dimension) {
      shared.diags.report<diag::UnlikeDimensions>(expr.opRange, "in", describe(item), describe(v));
      return {};
    }
    if (equal(item, v))
      return Value::of(true);
  }
  return Value::of(false);
}
