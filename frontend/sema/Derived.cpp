//===- Derived.cpp - `let`, `param` and figures, and cycles among them ------------------------===//
#include "frontend/sema/ExpressionEvaluator.h"
#include "frontend/sema/FrameGuard.h"
#include "frontend/sema/ResultNames.h"
#include "support/Near.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

Value ExpressionEvaluator::reportCycle(const void* identity, Object* object, llvm::StringRef name,
                                       SourceRange use) {
  std::size_t start = frames.size();
  while (start > 0 &&
         !(frames[start - 1].identity == identity && frames[start - 1].object == object))
    --start;
  if (start == 0)
    return {}; // the cycle was reported at another place of it
  auto d = shared.diags.report<diag::FieldCycle>(use, name);
  for (std::size_t i = start - 1; i < frames.size(); ++i) {
    const bool last = i + 1 == frames.size();
    std::move(d).note<diag::ValueDependsHere>(last ? use : frames[i + 1].use, frames[i].name,
                                              last ? name : frames[i + 1].name);
  }
  return {};
}

Value ExpressionEvaluator::let(const ast::LetStmt& stmt, const Environment& scope, Object* object,
                               SourceRange use) {
  const auto key = std::make_pair(&stmt, &scope);
  if (auto it = letValues.find(key); it != letValues.end())
    return it->second;
  for (const Frame& f : frames)
    if (f.identity == &stmt && f.object == object)
      return reportCycle(&stmt, object, stmt.name.text, use);
  if (!shared.budget.spend(frames.size() / 16, use))
    return {};
  FrameGuard guard(*this, object, stmt.name.text, &stmt, use);
  if (guard.tooDeep())
    return {};
  const Value value = evaluate(stmt.value, scope, nullptr);
  // A figure is not cached, so that each reader reports it where figures are not allowed.
  if (!value.is(Value::ValueKind::Result) && !resultsAllowed)
    letValues[key] = value;
  return value;
}

Value ExpressionEvaluator::parameter(SourceModule& module, const ast::ParamDecl& param,
                                     SourceRange use) {
  if (auto it = declaredValues.find(&param); it != declaredValues.end())
    return it->second;
  for (const Frame& f : frames)
    if (f.identity == &param)
      return reportCycle(&param, nullptr, param.name.text, use);
  FrameGuard guard(*this, nullptr, param.name.text, &param, use);
  if (guard.tooDeep())
    return {};
  const llvm::SaveAndRestore<bool> noResults(resultsAllowed, false);
  const Type& type = schemas.resolve(param.type, module);
  const ast::Expr* expr = param.value;
  if (auto it = parameterValues.find(&param); it != parameterValues.end())
    expr = it->second;
  Value value;
  if (type.kind == Type::TypeKind::Error) {
  } else if (!expr) {
    shared.diags.report<diag::ParamNotGiven>(param.name.range, param.name.text)
        .help(fmt::format("write `= value` after its type, or give it with `--set {}=…`",
                          param.name.text));
  } else {
    value =
        convert(evaluate(*expr, module.scope, &type), type, param.name.text, expr->range, nullptr);
  }
  std::vector<Value> candidates;
  if (param.candidates && !value.unknown() &&
      items(evaluate(*param.candidates, module.scope, nullptr), param.candidates->range,
            candidates)) {
    bool among = false;
    for (const Value& c : candidates) {
      const Value wanted = convert(c, type, param.name.text, param.candidates->range, nullptr);
      among |= wanted.poison() || equal(wanted, value);
    }
    if (!among) {
      shared.diags.report<diag::ParamNotCandidate>(expr->range, param.name.text, describe(value))
          .note<diag::DeclaredHere>(param.name.range, param.name.text)
          .help(fmt::format("it is one of {}", shared.sources.text(param.candidates->range)));
      value = {};
    }
  }
  declaredValues[&param] = value;
  return value;
}

/// Reports that a field reads a figure, or a function over rows.
Value ExpressionEvaluator::resultInField(llvm::StringRef path, SourceRange at) {
  // Each error is reported once, although a guard is evaluated for each field under it.
  if (!reportedResults.insert({at.file, at.begin}).second)
    return {};
  const std::string reader =
      frames.empty() ? "the condition" : fmt::format("`{}`", frames.back().name);
  auto d = shared.diags.report<diag::ResultInField>(at, path, reader);
  for (std::size_t i = frames.size(); i-- > 0;)
    std::move(d).note<diag::ValueDependsHere>(i + 1 == frames.size() ? at : frames[i + 1].use,
                                              frames[i].name,
                                              i + 1 == frames.size() ? path : frames[i + 1].name);
  std::move(d).help("figures can be read in `assert`, `require`, an objective or a study");
  return {};
}

Value ExpressionEvaluator::result(llvm::StringRef path, SourceRange at) {
  shared.names(at, {NameMeaning::NameKind::Figure, {}, {}});
  if (!resultsAllowed)
    return resultInField(path, at);
  return Value::result({shared.keep(path.str()), resultNamed(path).value_or(Dimension{})}).at(at);
}
