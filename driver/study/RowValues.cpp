//===- RowValues.cpp - Outputs and assertions that read several rows of a study ---------------===//
#include "driver/study/RowValues.h"
#include "driver/study/Candidate.h"
#include "driver/study/RowLines.h"
#include "ir/DimensionText.h"
#include "ir/RowFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>
using namespace dpl;
using namespace dpl::study;

namespace {
/// The value of a function over rows, in one row.
struct RowValue {
  std::optional<ir::ResultValue> value;
  std::string why; ///< reason if there is no value; empty for `marginal` in a first row
};

/// Calls `use` for each output and assertion of the study that reads several rows.
template <class Use> void eachOverRows(const ir::Space& space, Use use) {
  for (const std::string& output : space.outputs)
    if (const ir::DerivedOutput* derived = space.derivedNamed(output);
        derived && ir::readsRows(derived->value))
      use(derived->value);
  for (const ir::Assertion& constraint : space.constraints)
    if (ir::readsRows(constraint))
      use(constraint);
}

/// The rows of the table, with the figures that their points have recorded.
class Rows {
public:
  explicit Rows(const Results& results)
      : results(results), points(results.space), figures(figuresOverRows(results.space)) {
    for (const std::string& figure : figures)
      dimensions.push_back(dimensionOfOutput(results.space, figure));
  }

  std::size_t size() const { return results.points.size(); }
  const StudyPoint& point(std::size_t row) const { return results.points[row]; }
  std::optional<ir::ResultValue> value(const std::string& path, std::size_t row) const {
    const std::vector<ir::OpenField>& open = results.space.open;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i].path == path)
        return valueOfCandidate(open[i], points.at(row)[i]);
    for (std::size_t i = 0; i < figures.size(); ++i)
      if (const std::vector<double>& known = point(row).figures;
          figures[i] == path && i < known.size() && !std::isnan(known[i]))
        return ir::ResultValue{known[i], dimensions[i]};
    return std::nullopt;
  }

  template <class Use> void eachLine(llvm::StringRef field, Use use) const {
    study::eachLine(results.space, size(), field, use);
  }

private:
  const Results& results;
  const StudyPoints points;
  const std::vector<std::string> figures;
  std::vector<Dimension> dimensions;
};

/// An output or assertion that reads several rows. It is evaluated in each row.
class Expression {
public:
  Expression(const Rows& rows, const ir::Assertion& whole) : rows(rows), whole(whole) {
    // Nodes of operands come first, so the values of a function inside another function are known
    // before it.
    for (const ir::AssertionNode& node : whole.nodes)
      if (const ir::RowFunction* function = ir::rowFunctionOf(node))
        values[node.path] = valuesOf(*function, node);
  }

  template <class Evaluate> auto at(std::size_t row, Evaluate evaluate) const {
    return evaluate([&](const std::string& path) -> std::optional<ir::ResultValue> {
      const auto found = values.find(path);
      return found == values.end() ? rows.value(path, row) : found->second[row].value;
    });
  }
  ir::Verdict verdict(const ir::Assertion& part, std::size_t row) const {
    return at(row, [&](ir::FindResult found) { return ir::evaluate(part, found); });
  }
  /// Why an expression has no value in a row. Empty if the reason is that it is the first row of a
  /// line.
  std::string whyUnknown(const ir::Assertion& part, std::size_t row) const {
    const ir::Verdict found = verdict(part, row);
    if (!found.error.empty())
      return found.error;
    if (const auto function = values.find(found.missing); function != values.end())
      return function->second[row].why;
    const auto reason = rows.point(row).unknown.find(found.missing);
    return reason == rows.point(row).unknown.end() ? fmt::format("there is no `{}`", found.missing)
                                                   : reason->second;
  }

private:
  std::vector<RowValue> valuesOf(const ir::RowFunction& function, const ir::AssertionNode& node) {
    std::vector<ir::Assertion> operands;
    for (std::size_t i = 0; i < node.operands.size(); ++i)
      operands.push_back(ir::operandOf(whole, node, i));
    if (function.kind == ir::RowFunctionKind::Pareto)
      return pareto(operands);
    std::vector<RowValue> out(rows.size());
    rows.eachLine(node.text, [&](llvm::ArrayRef<std::size_t> line) {
      function.kind == ir::RowFunctionKind::First ? first(operands, line, out)
                                                  : marginal(operands, line, out);
    });
    return out;
  }
  std::optional<ir::ResultValue> quantity(const ir::Assertion& part, std::size_t row) const {
    if (!rows.point(row).ran())
      return std::nullopt;
    return at(row, [&](ir::FindResult found) { return ir::quantity(part, found); });
  }

  /// Computes `marginal`: the change of the first operand divided by the change of the second,
  /// since the last earlier row in which both have a value.
  void marginal(llvm::ArrayRef<ir::Assertion> operands, llvm::ArrayRef<std::size_t> line,
                std::vector<RowValue>& out) const {
    std::optional<ir::ResultValue> above, below; // values in that earlier row
    for (const std::size_t row : line) {
      const auto y = quantity(operands[0], row), x = quantity(operands[1], row);
      if (!y || !x) {
        out[row].why = rows.point(row).ran() ? whyUnknown(operands[y ? 1 : 0], row) : "";
        continue;
      }
      if (above && x->value == below->value)
        out[row].why = "division by zero";
      else if (above)
        out[row].value = ir::ResultValue{(y->value - above->value) / (x->value - below->value),
                                         y->dimension.over(x->dimension)};
      above = y, below = x;
    }
  }

  /// Computes `first`: the value of the first operand in the first row in which the second operand
  /// holds.
  void first(llvm::ArrayRef<ir::Assertion> operands, llvm::ArrayRef<std::size_t> line,
             std::vector<RowValue>& out) const {
    RowValue found{std::nullopt, "its condition holds in no row"};
    for (const std::size_t row : line) {
      if (!rows.point(row).ran())
        continue;
      const ir::Verdict verdict = this->verdict(operands[1], row);
      if (!verdict.known || !verdict.error.empty() || !verdict.holds)
        continue;
      found.value = quantity(operands[0], row);
      found.why = found.value ? "" : whyUnknown(operands[0], row);
      break;
    }
    for (const std::size_t row : line)
      out[row] = found;
  }

  /// Computes `pareto`: whether no other row has less of one operand and not more of any.
  std::vector<RowValue> pareto(llvm::ArrayRef<ir::Assertion> operands) const {
    std::vector<RowValue> out(rows.size());
    std::vector<std::pair<std::vector<double>, std::size_t>> known;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::vector<double> all;
      for (const ir::Assertion& operand : operands)
        if (const auto value = quantity(operand, row))
          all.push_back(value->value);
        else if (rows.point(row).ran())
          out[row].why = whyUnknown(operand, row);
      if (all.size() == operands.size())
        known.emplace_back(std::move(all), row);
    }
    // In this order, every row comes after the rows that dominate it.
    std::sort(known.begin(), known.end());
    std::vector<const std::vector<double>*> front;
    for (const auto& [all, row] : known) {
      const auto dominates = [&own = all](const std::vector<double>* other) {
        return *other != own && std::equal(other->begin(), other->end(), own.begin(),
                                           [](double a, double b) { return a <= b; });
      };
      const bool best = llvm::none_of(front, dominates);
      if (best)
        front.push_back(&all);
      out[row].value = ir::ResultValue{};
      out[row].value->name = best ? "true" : "false";
    }
    return out;
  }

  const Rows& rows;
  const ir::Assertion& whole;
  std::map<std::string, std::vector<RowValue>> values; ///< values of each function in each row, by
                                                       ///< the text of the function
};
} // namespace

std::vector<std::string> study::figuresOverRows(const ir::Space& space) {
  std::vector<std::string> out;
  eachOverRows(space, [&](const ir::Assertion& expression) {
    for (const ir::AssertionNode& node : expression.nodes) {
      const bool varied =
          llvm::any_of(space.open, [&](const auto& field) { return field.path == node.path; });
      if (node.operation == ir::Operation::Result && node.operands.empty() && !varied &&
          !llvm::is_contained(out, node.path))
        out.push_back(node.path);
    }
  });
  return out;
}

std::optional<double> study::valueOf(const ir::DerivedOutput& derived, ir::FindResult found) {
  if (derived.dimension != "Bool") {
    const std::optional<ir::ResultValue> value = ir::quantity(derived.value, found);
    return value ? std::optional(value->value) : std::nullopt;
  }
  const ir::Verdict verdict = ir::evaluate(derived.value, found);
  return verdict.known && verdict.error.empty() ? std::optional(verdict.holds ? 1.0 : 0.0)
                                                : std::nullopt;
}

void study::evaluateRows(Results& results) {
  const ir::Space& space = results.space;
  const Rows rows(results);
  for (std::size_t i = 0; i < space.outputs.size(); ++i) {
    const ir::DerivedOutput* derived = space.derivedNamed(space.outputs[i]);
    if (!derived || !ir::readsRows(derived->value))
      continue;
    const Expression expression(rows, derived->value);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!rows.point(row).ran())
        continue;
      StudyPoint& point = results.points[row];
      const auto value =
          expression.at(row, [&](ir::FindResult found) { return valueOf(*derived, found); });
      point.values[i] = value.value_or(std::nan(""));
      if (const std::string why = value ? "" : expression.whyUnknown(derived->value, row);
          !why.empty())
        point.unknown[space.outputs[i]] = why;
    }
  }
  for (const ir::Assertion& constraint : space.constraints) {
    if (!ir::readsRows(constraint))
      continue;
    const Expression expression(rows, constraint);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!rows.point(row).ran())
        continue;
      const ir::Verdict verdict = expression.verdict(constraint, row);
      const bool known = verdict.known && verdict.error.empty();
      const std::string why = known ? "" : expression.whyUnknown(constraint, row);
      if (known || !why.empty()) // the first row of a line has no value because no row precedes it
        results.points[row].judge(constraint.source, verdict, why);
    }
  }
}
