//===- Functions.cpp - Functions of the language ----------------------------------------------===//
#include "frontend/sema/Functions.h"
#include "frontend/sema/Columns.h"
#include "frontend/sema/ExpressionEvaluator.h"
#include "ir/RowFunctions.h"
#include "support/Near.h"
#include "support/Release.h"
#include "support/diagnostics/Parse.h"
#include "support/diagnostics/Sema.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
using namespace dpl;
using namespace dpl::sema;

namespace {
constexpr unsigned any = ~0U;
constexpr Signature signatures[] = {
    {"divisors", 1, 1, "a count, as `divisors(256)`"},
    {"powers", 2, 2, "a base and a range, as `powers(2, 1..64)`"},
    {"steps", 2, 2, "a range and a step, as `steps(0.1..0.5, 0.1)`"},
    {"min", 1, any, "numbers or one list of numbers"},
    {"max", 1, any, "numbers or one list of numbers"},
    {"sum", 1, 1, "a list of numbers"},
    {"count", 1, 1, "a list, a range or a family"},
    {"ceil", 1, 1, "a number"},
    {"floor", 1, 1, "a number"},
    {"column", 2, 2, "a file and one of its columns, as `column(\"steps.csv\", \"ms\")`"},
    {"older", 2, 2, "two releases, as `older(layout.framework.version, \"0.3\")`"},
};
constexpr std::int64_t largest = 1'000'000;

/// One call of a function, with its arguments.
class Call {
public:
  Call(ExpressionEvaluator& evaluator, const ast::CallExpr& expr, const Signature& signature,
       llvm::ArrayRef<Value> arguments)
      : evaluator(evaluator), expr(expr), signature(signature), arguments(arguments) {}

  Value divisors();
  Value powers();
  Value steps();
  Value extreme(bool greatest);
  Value sum();
  Value round(bool up);
  Value column(const SourceModule& module);
  Value older();
  Value wrong(const Value& found) {
    evaluator.shared.diags.report<diag::WrongArguments>(expr.range, signature.name, signature.takes,
                                                        evaluator.describe(found));
    return {};
  }

private:
  std::optional<std::int64_t> whole(const Value& v) {
    return v.is(Value::ValueKind::Number) && v.number.dimension.none() ? v.number.value.asInteger()
                                                                       : std::nullopt;
  }
  Value listOf(std::vector<Value>& values) {
    return Value::listed(Value::ValueKind::List,
                         evaluator.shared.arena.copy(llvm::makeArrayRef(values)));
  }
  bool numbers(std::vector<Value>& out);
  Value tooMany() {
    evaluator.shared.diags.report<diag::TooManyItems>(expr.range, "the function's", largest);
    return {};
  }
  ExpressionEvaluator& evaluator;
  const ast::CallExpr& expr;
  const Signature& signature;
  llvm::ArrayRef<Value> arguments;
};

Value Call::divisors() {
  const auto n = whole(arguments[0]);
  if (!n || *n < 1)
    return wrong(arguments[0]);
  if (*n > largest * largest)
    return tooMany();
  // There are up to a million divisions, about 16 per step.
  if (!evaluator.shared.budget.spend(
          static_cast<std::uint64_t>(std::sqrt(static_cast<double>(*n))) / 16, expr.range))
    return {};
  std::vector<std::int64_t> low, high;
  for (std::int64_t d = 1; d * d <= *n; ++d)
    if (*n % d == 0) {
      low.push_back(d);
      if (d != *n / d)
        high.push_back(*n / d);
    }
  low.insert(low.end(), high.rbegin(), high.rend());
  std::vector<Value> values;
  for (std::int64_t d : low)
    values.push_back(Value::count(d));
  return listOf(values);
}

Value Call::powers() {
  const auto base = whole(arguments[0]);
  const Value& range = arguments[1];
  if (!base || *base < 2)
    return wrong(arguments[0]);
  if (!range.is(Value::ValueKind::Range) || !whole(range.list[0]) || !whole(range.list[1]) ||
      *whole(range.list[0]) < 0)
    return wrong(range);
  std::vector<Value> values;
  const std::int64_t last = *whole(range.list[1]);
  for (std::int64_t p = 1; p <= last; p *= *base) {
    if (p >= *whole(range.list[0]))
      values.push_back(Value::count(p));
    if (p > last / *base)
      break;
  }
  return listOf(values);
}

Value Call::steps() {
  const Value &range = arguments[0], &step = arguments[1];
  if (!range.is(Value::ValueKind::Range))
    return wrong(range);
  if (!step.is(Value::ValueKind::Number) ||
      step.number.dimension != range.list[0].number.dimension ||
      Rational::compare(step.number.value, 0) <= 0)
    return wrong(step);
  std::vector<Value> values;
  Value v = range.list[0];
  while (Rational::compare(v.number.value, range.list[1].number.value) <= 0) {
    if (values.size() >= largest)
      return tooMany();
    values.push_back(v);
    const auto next = Rational::add(v.number.value, step.number.value);
    if (!next)
      break;
    v.number.value = *next;
  }
  return listOf(values);
}

bool Call::numbers(std::vector<Value>& out) {
  if (arguments.size() == 1 && !arguments[0].is(Value::ValueKind::Number)) {
    if (!arguments[0].is(Value::ValueKind::List) && !arguments[0].is(Value::ValueKind::Range)) {
      wrong(arguments[0]);
      return false;
    }
    if (!evaluator.items(arguments[0], expr.range, out))
      return false;
  } else {
    out.assign(arguments.begin(), arguments.end());
  }
  for (const Value& v : out) {
    if (!v.is(Value::ValueKind::Number)) {
      wrong(v);
      return false;
    }
    if (v.number.dimension != out[0].number.dimension) {
      evaluator.shared.diags.report<diag::UnlikeDimensions>(
          expr.range, signature.name, evaluator.describe(out[0]), evaluator.describe(v));
      return false;
    }
  }
  return true;
}

Value Call::extreme(bool greatest) {
  std::vector<Value> values;
  if (!numbers(values))
    return {};
  if (values.empty())
    return wrong(arguments[0]);
  return *std::max_element(values.begin(), values.end(), [&](const Value& a, const Value& b) {
    const int order = Rational::compare(a.number.value, b.number.value);
    return greatest ? order < 0 : order > 0;
  });
}

Value Call::sum() {
  std::vector<Value> values;
  if (!numbers(values))
    return {};
  Value total = values.empty() ? Value::count(0) : values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto next = Rational::add(total.number.value, values[i].number.value);
    if (!next) {
      evaluator.shared.diags.report<diag::NumberOverflow>(
          expr.range, fmt::format("`{}`", evaluator.shared.sources.text(expr.range)));
      return {};
    }
    total.number.value = *next;
  }
  return total;
}

Value Call::round(bool up) {
  if (!arguments[0].is(Value::ValueKind::Number))
    return wrong(arguments[0]);
  Value v = arguments[0];
  const auto part = Rational::remainder(v.number.value, 1);
  if (!part || part->isZero())
    return v;
  const auto down = Rational::subtract(v.number.value, *part);
  const auto out = down && up ? Rational::add(*down, 1) : down;
  v.number.value = out.value_or(v.number.value);
  return v;
}

/// The column of a file. The path is relative to the .dpl file.
Value Call::column(const SourceModule& module) {
  const Value &file = arguments[0], &which = arguments[1];
  if (!file.is(Value::ValueKind::String))
    return wrong(file);
  if (std::filesystem::path(file.text.str()).is_absolute()) {
    evaluator.shared.diags
        .report<diag::WrongArguments>(file.range, signature.name, "a path relative to this file",
                                      fmt::format("`{}`", file.text))
        .help("write it as in \"./steps.csv\"");
    return {};
  }
  if (!which.is(Value::ValueKind::String) && whole(which).value_or(0) < 1)
    return wrong(which);
  const std::filesystem::path path =
      std::filesystem::path(module.path).parent_path() / file.text.str();
  return columnOf(evaluator.shared, {path.lexically_normal().string(), file, which, expr.range});
}

/// Whether a release is older than another one. A first argument that is absent or not a release
/// number counts as the newest release.
Value Call::older() {
  const Value &version = arguments[0], &than = arguments[1];
  if (!version.is(Value::ValueKind::String) && !version.is(Value::ValueKind::Absent))
    return wrong(version);
  const std::optional<Release> other =
      than.is(Value::ValueKind::String) ? Release::parse(than.text.str()) : std::nullopt;
  if (!other)
    return wrong(than);
  const std::optional<Release> release =
      version.is(Value::ValueKind::String) ? Release::parse(version.text.str()) : std::nullopt;
  return Value::of(release && release->isBefore(*other));
}
} // namespace

llvm::ArrayRef<Signature> sema::functions() { return signatures; }

Value ExpressionEvaluator::call(const ast::CallExpr& expr, const Environment& scope,
                                const Type* expected) {
  const auto* callee = llvm::dyn_cast<ast::NameExpr>(&expr.function);
  if (const ir::RowFunction* function = callee ? ir::rowFunctionNamed(callee->name) : nullptr)
    return overRows(expr, *function, scope);
  const Signature* signature = nullptr;
  llvm::SmallVector<llvm::StringRef> known;
  for (const Signature& s : signatures) {
    known.push_back(s.name);
    if (callee && callee->name == s.name)
      signature = &s;
  }
  if (!signature) {
    if (rows)
      for (const ir::RowFunction& function : ir::rowFunctions())
        known.push_back(function.name);
    const llvm::StringRef written = shared.sources.text(expr.function.range);
    const Suggestion near = suggest(written, known);
    auto d =
        shared.diags.report<diag::UnknownFunction>(expr.function.range, written).help(near.help);
    if (callee && expected && expected->kind == Type::TypeKind::Schema &&
        expected->schema->member(callee->name))
      std::move(d).help(
          fmt::format("fields of a choice stand in braces: `{} {{ … }}`", callee->name));
    return {};
  }
  if (expr.arguments.size() < signature->least || expr.arguments.size() > signature->most) {
    shared.diags.report<diag::WrongArguments>(
        expr.range, signature->name, signature->takes,
        fmt::format("{} argument{}", expr.arguments.size(), expr.arguments.size() == 1 ? "" : "s"));
    return {};
  }
  llvm::SmallVector<Value> arguments;
  for (const ast::Argument& a : expr.arguments) {
    if (!a.label.text.empty()) {
      shared.diags.report<diag::WrongArguments>(a.label.range, signature->name,
                                                "arguments without names",
                                                fmt::format("`{}:`", a.label.text));
      return {};
    }
    if (a.where) {
      shared.diags.report<diag::WrongArguments>(a.value->range, signature->name, signature->takes,
                                                "`where`");
      return {};
    }
    arguments.push_back(evaluate(*a.value, scope, nullptr));
    if (arguments.back().unknown())
      return arguments.back();
    if (arguments.back().is(Value::ValueKind::Result)) {
      shared.diags.report<diag::WrongArguments>(a.value->range, signature->name, signature->takes,
                                                "a figure, which is not known yet");
      return {};
    }
  }
  Call c(*this, expr, *signature, arguments);
  const llvm::StringRef name = signature->name;
  Value out;
  if (name == "divisors")
    out = c.divisors();
  else if (name == "powers")
    out = c.powers();
  else if (name == "steps")
    out = c.steps();
  else if (name == "min" || name == "max")
    out = c.extreme(name == "max");
  else if (name == "sum")
    out = c.sum();
  else if (name == "column")
    out = c.column(scope.ofModule());
  else if (name == "older")
    out = c.older();
  else if (name == "ceil" || name == "floor")
    out = c.round(name == "ceil");
  else if (std::vector<Value> all; arguments[0].is(Value::ValueKind::List))
    out = Value::count(static_cast<std::int64_t>(arguments[0].list.size()));
  else if (items(arguments[0], expr.range, all))
    out = Value::count(static_cast<std::int64_t>(all.size()));
  return out.at(expr.range);
}
