//===- Assertion.cpp - Evaluation of an assert with the results -------------------------------===//
#include "ir/Assertion.h"
#include "ir/Diagram.h"
#include "ir/DimensionText.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {

/// The value of one node. Constants stay exact until they meet a figure, which is a double.
struct NodeValue {
  enum class NodeValueKind : std::uint8_t { Unevaluated, Number, Truth, Text };
  NodeValueKind kind = NodeValueKind::Unevaluated;
  Number number; ///< an inexact number uses all fields except `value`
  bool exact = true;
  double approximate = 0; ///< value in base units
  bool truth = false;
  std::string text;
};

std::optional<Rational> parseExact(llvm::StringRef text) {
  const bool negative = text.consume_front("-");
  const auto [over, under] = text.split('/');
  std::optional<Rational> value = Rational::parse(over);
  if (value && !under.empty()) {
    const std::optional<Rational> divisor = Rational::parse(under);
    value = divisor ? Rational::divide(*value, *divisor) : std::nullopt;
  }
  return value && negative ? Rational::subtract(Rational(0), *value) : value;
}

/// The value as text with `digits` significant digits.
std::string show(const NodeValue& v, int digits) {
  if (v.kind == NodeValue::NodeValueKind::Truth)
    return v.truth ? "true" : "false";
  if (v.kind == NodeValue::NodeValueKind::Text)
    return v.text;
  if (v.exact)
    return v.number.str();
  if (v.number.unit)
    return fmt::format("{:.{}g}{}", v.approximate / v.number.unit->factor.toDouble(), digits,
                       v.number.unit->text);
  if (v.number.dimension.none())
    return fmt::format("{:.{}g}", v.approximate, digits);
  return human(v.approximate, v.number.dimension);
}

class Evaluation {
public:
  Evaluation(const Assertion& a, FindResult results)
      : a(a), results(results), values(a.nodes.size()), digits(a.nodes.size(), 4) {}

  Verdict run() {
    Verdict verdict;
    if (a.nodes.empty())
      return verdict;
    const bool worked = value(a.nodes.size() - 1);
    if (!missing.empty()) {
      verdict.known = false;
      verdict.missing = missing;
      return verdict;
    }
    if (!worked) {
      verdict.holds = false;
      verdict.error = error;
    } else if (values.back().kind != NodeValue::NodeValueKind::Truth) {
      verdict.holds = false;
      verdict.error = "the expression is not true or false";
    } else {
      verdict.holds = values.back().truth;
    }
    if (!verdict.holds)
      verdict.diagram = diagram();
    return verdict;
  }

  std::optional<ResultValue> number() {
    if (a.nodes.empty() || !value(a.nodes.size() - 1) ||
        values.back().kind != NodeValue::NodeValueKind::Number)
      return std::nullopt;
    return ResultValue{values.back().approximate, values.back().number.dimension};
  }

private:
  /// Evaluates a node; false when it could not, with `missing` or `error` set.
  bool value(std::size_t i) {
    const AssertionNode& node = a.nodes[i];
    NodeValue& v = values[i];
    if (v.kind != NodeValue::NodeValueKind::Unevaluated)
      return true;
    switch (node.operation) {
    case Operation::Constant:
      return constant(node, v);
    case Operation::Result:
      return result(node, v);
    case Operation::And:
    case Operation::Or:
      // The right side is evaluated and drawn only if the left side does not decide.
      if (!truthOf(node, 0, v))
        return false;
      return v.truth == (node.operation == Operation::Or) || truthOf(node, 1, v);
    case Operation::Not:
      if (!truthOf(node, 0, v))
        return false;
      v.truth = !v.truth;
      return true;
    case Operation::If: {
      NodeValue condition;
      if (!truthOf(node, 0, condition))
        return false;
      const std::size_t chosen = node.operands[condition.truth ? 1 : 2];
      if (!value(chosen))
        return false;
      v = values[chosen];
      return true;
    }
    case Operation::In:
      return contained(node, v);
    case Operation::Negate:
      if (!value(node.operands[0]))
        return false;
      return arithmetic(Operation::Subtract, zeroLike(values[node.operands[0]]),
                        values[node.operands[0]], v);
    default:
      break;
    }
    if (!value(node.operands[0]) || !value(node.operands[1]))
      return false;
    NodeValue& left = values[node.operands[0]];
    NodeValue& right = values[node.operands[1]];
    if (node.operation >= Operation::Multiply && node.operation <= Operation::Subtract)
      return arithmetic(node.operation, left, right, v);
    return comparison(node, left, right, v);
  }

  bool constant(const AssertionNode& node, NodeValue& v) {
    if (node.number.empty()) {
      v.kind = node.text == "true" || node.text == "false" ? NodeValue::NodeValueKind::Truth
                                                           : NodeValue::NodeValueKind::Text;
      v.truth = node.text == "true";
      v.text = node.text;
      return true;
    }
    const std::optional<Rational> exact = parseExact(node.number);
    const std::optional<Dimension> dimension = readDimension(node.dimension);
    if (!exact || !dimension)
      return fail(fmt::format("`{}` is not a number of the plan", node.number));
    v.kind = NodeValue::NodeValueKind::Number;
    v.number.value = *exact;
    v.number.dimension = *dimension;
    v.number.scope = scopeNamed(node.scope).value_or(Scope::None);
    v.number.unit = node.unit.empty() ? nullptr : findUnit(node.unit);
    v.approximate = exact->toDouble();
    return true;
  }

  bool result(const AssertionNode& node, NodeValue& v) {
    const std::optional<ResultValue> found = results(node.path);
    if (!found) {
      missing = node.path;
      return false;
    }
    if (!found->name.empty()) {
      v.kind = found->name == "true" || found->name == "false" ? NodeValue::NodeValueKind::Truth
                                                               : NodeValue::NodeValueKind::Text;
      v.truth = found->name == "true";
      v.text = found->name;
      return true;
    }
    v.kind = NodeValue::NodeValueKind::Number;
    v.exact = false;
    v.approximate = found->value;
    v.number.dimension = found->dimension;
    return true;
  }

  bool truthOf(const AssertionNode& node, std::size_t operand, NodeValue& v) {
    const std::size_t i = node.operands[operand];
    if (!value(i))
      return false;
    if (values[i].kind != NodeValue::NodeValueKind::Truth)
      return fail(fmt::format("`{}` is not true or false", sourceOf(i)));
    v.kind = NodeValue::NodeValueKind::Truth;
    v.truth = values[i].truth;
    return true;
  }

  static NodeValue zeroLike(const NodeValue& v) {
    NodeValue zero = v;
    zero.number.value = Rational(0);
    zero.approximate = 0;
    return zero;
  }

  bool arithmetic(Operation operation, const NodeValue& left, const NodeValue& right,
                  NodeValue& v) {
    if (left.kind != NodeValue::NodeValueKind::Number ||
        right.kind != NodeValue::NodeValueKind::Number)
      return fail("arithmetic needs numbers on both sides");
    v.kind = NodeValue::NodeValueKind::Number;
    v.exact = left.exact && right.exact;
    if (v.exact) {
      const Arithmetic made = operation == Operation::Multiply ? multiply(left.number, right.number)
                              : operation == Operation::Divide ? divide(left.number, right.number)
                              : operation == Operation::Remainder
                                  ? remainder(left.number, right.number)
                              : operation == Operation::Add ? add(left.number, right.number)
                                                            : subtract(left.number, right.number);
      if (!made.value)
        return fail(reasonOf(made.error, left, right));
      v.number = *made.value;
      v.approximate = v.number.toDouble();
      return true;
    }
    const double x = left.approximate, y = right.approximate;
    if (operation == Operation::Multiply || operation == Operation::Divide) {
      const bool product = operation == Operation::Multiply;
      if (!product && y == 0)
        return fail("division by zero");
      v.approximate = apply(operation, x, y);
      v.number.dimension = product ? left.number.dimension.times(right.number.dimension)
                                   : left.number.dimension.over(right.number.dimension);
      // A multiple of a quantity keeps its unit.
      if (right.number.dimension.none())
        v.number.unit = left.number.unit;
      else if (product && left.number.dimension.none())
        v.number.unit = right.number.unit;
      return true;
    }
    if (!(left.number.dimension == right.number.dimension))
      return fail(reasonOf(ArithmeticError::Dimensions, left, right));
    if (operation == Operation::Remainder && y == 0)
      return fail("division by zero");
    v.approximate = apply(operation, x, y);
    v.number.dimension = left.number.dimension;
    v.number.unit = left.number.unit ? left.number.unit : right.number.unit;
    return true;
  }

  /// -1, 0 or 1; doubles within rounding error are equal.
  static int compare(const NodeValue& left, const NodeValue& right) {
    if (left.exact && right.exact)
      return Rational::compare(left.number.value, right.number.value);
    const double x = left.approximate, y = right.approximate;
    if (std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y)))
      return 0;
    return x < y ? -1 : 1;
  }

  bool same(const NodeValue& left, const NodeValue& right, bool& equal) {
    equal = false;
    if (left.kind != right.kind && (left.text == "none" || right.text == "none"))
      return true; // a set value is not absent
    if (left.kind != right.kind)
      return fail("two values of different kinds are compared");
    if (left.kind == NodeValue::NodeValueKind::Number) {
      if (!(left.number.dimension == right.number.dimension))
        return fail(reasonOf(ArithmeticError::Dimensions, left, right));
      equal = compare(left, right) == 0;
    } else {
      equal = left.kind == NodeValue::NodeValueKind::Truth ? left.truth == right.truth
                                                           : left.text == right.text;
    }
    return true;
  }

  bool comparison(const AssertionNode& node, NodeValue& left, NodeValue& right, NodeValue& v) {
    bool equal = false;
    if (!same(left, right, equal))
      return false;
    v.kind = NodeValue::NodeValueKind::Truth;
    if (node.operation == Operation::Equal || node.operation == Operation::NotEqual) {
      v.truth = equal == (node.operation == Operation::Equal);
    } else {
      if (left.kind != NodeValue::NodeValueKind::Number)
        return fail("only numbers have an order");
      const int order = compare(left, right);
      v.truth = node.operation == Operation::LessEqual      ? order <= 0
                : node.operation == Operation::GreaterEqual ? order >= 0
                : node.operation == Operation::Less         ? order < 0
                                                            : order > 0;
    }
    if (left.kind == NodeValue::NodeValueKind::Number) {
      // A figure gets the unit of the other side, so that both can be compared.
      if (!left.number.unit)
        left.number.unit = right.number.unit;
      if (!right.number.unit)
        right.number.unit = left.number.unit;
      for (int more = 5; more <= 17 && !equal; ++more) {
        const std::size_t l = node.operands[0], r = node.operands[1];
        if (show(left, digits[l]) != show(right, digits[r]))
          break;
        digits[l] = digits[r] = more;
      }
    }
    return true;
  }

  /// `x in [a, b]`: compares the first operand with the others. With ".." in `text` the others are
  /// the inclusive ends of a range.
  bool contained(const AssertionNode& node, NodeValue& v) {
    for (const std::uint64_t operand : node.operands)
      if (!value(operand))
        return false;
    v.kind = NodeValue::NodeValueKind::Truth;
    const NodeValue& x = values[node.operands[0]];
    if (node.text == "..") {
      bool equal = false;
      for (std::size_t i = 1; i <= 2; ++i)
        if (!same(x, values[node.operands[i]], equal))
          return false;
      v.truth =
          compare(x, values[node.operands[1]]) >= 0 && compare(x, values[node.operands[2]]) <= 0;
      return true;
    }
    for (std::size_t i = 1; i < node.operands.size() && !v.truth; ++i)
      if (!same(x, values[node.operands[i]], v.truth))
        return false;
    return true;
  }

  std::string reasonOf(ArithmeticError e, const NodeValue& left, const NodeValue& right) const {
    switch (e) {
    case ArithmeticError::Overflow:
      return "a number is too large to hold exactly";
    case ArithmeticError::DivideByZero:
      return "division by zero";
    case ArithmeticError::Dimensions:
      return fmt::format("{} and {} cannot be combined", describe(left.number.dimension),
                         describe(right.number.dimension));
    case ArithmeticError::Scopes:
      return fmt::format("`per {}` and `per {}` cannot be combined", dpl::name(left.number.scope),
                         dpl::name(right.number.scope));
    }
    return {};
  }

  llvm::StringRef sourceOf(std::size_t i) const {
    return llvm::StringRef(a.source).slice(a.nodes[i].begin, a.nodes[i].end);
  }

  std::string diagram() const {
    std::vector<DiagramPart> parts;
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
      if (values[i].kind == NodeValue::NodeValueKind::Unevaluated)
        continue;
      std::string text = show(values[i], digits[i]);
      const llvm::StringRef written = sourceOf(i);
      // Values that equal their source text are not repeated below it.
      const bool literal = a.nodes[i].operation == Operation::Constant && !written.empty() &&
                           (llvm::isDigit(written.front()) || written.front() == '"');
      if (literal || written == text)
        continue;
      parts.push_back({a.nodes[i].begin, a.nodes[i].end, a.nodes[i].anchor, std::move(text)});
    }
    return drawDiagram(a.source, std::move(parts));
  }

  bool fail(std::string reason) {
    error = std::move(reason);
    return false;
  }

  const Assertion& a;
  FindResult results;
  std::vector<NodeValue> values;
  std::vector<int> digits; ///< significant digits of each inexact value
  std::string missing, error;
};

} // namespace

Verdict ir::evaluate(const Assertion& a, FindResult results) {
  return Evaluation(a, results).run();
}

std::optional<ResultValue> ir::quantity(const Assertion& a, FindResult results) {
  return Evaluation(a, results).number();
}
