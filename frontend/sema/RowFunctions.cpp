//===- RowFunctions.cpp - Checks functions over the rows of a study ---------------------------===//
#include "frontend/sema/RowFunctions.h"
#include "frontend/sema/ExpressionEvaluator.h"
#include "ir/RowFunctions.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
bool isTruth(const Value& v) {
  return v.is(Value::ValueKind::Bool) || (v.is(Value::ValueKind::Result) && v.truth);
}
bool isNumber(const Value& v) {
  return v.is(Value::ValueKind::Number) || (v.is(Value::ValueKind::Result) && !v.truth);
}
} // namespace

/// Evaluates the arguments of a function over rows. False after an error was reported, or if a
/// value is not known.
bool ExpressionEvaluator::rowArguments(const ast::CallExpr& expr, const ir::RowFunction& function,
                                       const Environment& scope,
                                       llvm::SmallVectorImpl<Value>& out) {
  const auto wrong = [&](SourceRange at, const std::string& found) {
    shared.diags.report<diag::WrongArguments>(at, function.name, function.takes, found);
    return false;
  };
  const std::size_t count = expr.arguments.size();
  if (count < function.least || count > function.most)
    return wrong(expr.range, fmt::format("{} argument{}", count, count == 1 ? "" : "s"));
  for (const ast::Argument& argument : expr.arguments) {
    if (!argument.label.text.empty())
      return wrong(argument.label.range, fmt::format("`{}:`", argument.label.text));
    const bool conditional = function.kind == ir::RowFunctionKind::First;
    if (conditional != (argument.where != nullptr))
      return wrong(argument.value->range, conditional ? "no `where`" : "`where`");
    for (const ast::Expr* part : {argument.value, argument.where}) {
      if (!part)
        continue;
      const Value value = evaluate(*part, scope, nullptr);
      if (value.unknown())
        return false;
      if (part == argument.where ? !isTruth(value) : !isNumber(value))
        return wrong(part->range, describe(value));
      out.push_back(value);
    }
  }
  return true;
}

Value ExpressionEvaluator::overRows(const ast::CallExpr& expr, const ir::RowFunction& function,
                                    const Environment& scope) {
  if (!resultsAllowed)
    return resultInField(shared.sources.text(expr.range), expr.range);
  const auto refuse = [&](const std::string& why, const char* help) {
    shared.diags.report<diag::RowFunctionRefused>(expr.range, function.name, why).help(help);
    return Value{};
  };
  if (!rows)
    return refuse("reads the rows of a study, and is outside of a study",
                  "write it in a `let` or an `assert` of a study");
  llvm::SmallVector<Value> arguments;
  if (!rowArguments(expr, function, scope, arguments))
    return {};
  const bool pareto = function.kind == ir::RowFunctionKind::Pareto;
  if (!pareto && !rows->inOrder)
    return refuse("compares rows in order, and `random` draws them",
                  "leave `sampling` out, or choose `zip`");
  Dimension dimension = arguments.front().dimension();
  if (function.kind == ir::RowFunctionKind::Marginal) {
    const RowsOfStudy::VariedField* along = rows->first();
    if (arguments.size() == 1 && (!along || !along->dimension))
      return refuse(
          along ? fmt::format("divides by the change of `{}`, which is not a number", along->path)
                : "divides by the change of a varied field, and nothing varies",
          "give it a second argument, as `marginal(tokens_per_second, step_time)`");
    dimension =
        dimension.over(arguments.size() == 1 ? *along->dimension : arguments.back().dimension());
  }
  Value out = Value::result({"", pareto ? Dimension{} : dimension});
  out.truth = pareto;
  return out.at(expr.range);
}
