//===- CheckVary.cpp - Checks what a study varies ---------------------------------------------===//
#include "frontend/sema/Checker.h"
#include "frontend/sema/Lowering.h"
#include "frontend/sema/ResultNames.h"
#include "frontend/sema/RowFunctions.h"
#include "frontend/sema/VariedPath.h"
#include "frontend/sema/Written.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
constexpr std::uint64_t mostPoints = 10'000'000;
constexpr llvm::StringLiteral worstOf = "worst_of";

/// Whether the path is a field of the study itself that it may vary.
bool mayVaryItself(llvm::ArrayRef<ast::Name> path) {
  constexpr const char* fields[] = {"level", "seeds", "steps", "draws", "target_half_width"};
  return path.size() == 2 && llvm::is_contained(fields, path.back().text);
}

/// Whether the path names a figure, or a `let` of the study, not a field.
bool isOutput(Evaluator& evaluator, Object& study, const std::string& path) {
  return resultNamed(path) ||
         evaluator.lookupInObject(path, study, nullptr).kind == FoundName::FoundKind::Let;
}

/// Reports values because of which two points are equal: a repeated value of a field, or, with
/// `zip`, a repeated combination of values.
void reportTwice(Evaluator& evaluator, llvm::ArrayRef<Checker::Varied> all, bool zip,
                 const char* consequence = "the study would have two equal points") {
  if (evaluator.shared.budget.spent())
    return; // without budget all values are equal, because they were not evaluated
  const auto report = [&](const Checker::Varied& one, std::size_t i) {
    evaluator.shared.diags
        .report<diag::ListedTwice>(one.all[i].range, one.path, writtenAs(evaluator, one.all[i]))
        .help(consequence);
  };
  if (zip && !all.empty()) {
    llvm::StringSet<> lines;
    for (std::size_t i = 0; i < all.front().all.size(); ++i) {
      std::string line;
      for (const Checker::Varied& one : all)
        line += writtenAs(evaluator, one.all[i]) + "\n";
      if (!lines.insert(line).second)
        return report(all.front(), i);
    }
    return;
  }
  for (const Checker::Varied& one : all)
    if (!one.written.is(Value::ValueKind::Range))
      if (const std::optional<std::size_t> i = listedTwice(evaluator, one.all))
        report(one, *i);
}

/// The paths that a study varies, in order. If two of them set the same field, the later one would
/// apply at every point, and rows would show values that are not used.
class VariedPaths {
public:
  VariedPaths(Evaluator& evaluator, llvm::StringRef study) : evaluator(evaluator), study(study) {}

  /// Adds a path. False, after a report, if it makes an earlier path ineffective.
  bool add(const ast::FieldStmt& stmt, const Environment& scope) {
    DiagnosticEngine& diags = evaluator.shared.diags;
    const std::string text = evaluator.shared.sources.text(stmt.pathRange).str();
    const auto twice = [&](const std::string& what) {
      return diags.report<diag::VariedTwice>(stmt.pathRange, study, what);
    };
    const std::optional<VariedPath> path = VariedPath::of(evaluator, stmt.path, scope);
    if (!path)
      return true; // an error was reported, so points are not evaluated
    for (const EarlierPath& one : earlier) {
      const VariedPath::Relation relation = path->to(one.path);
      if (relation == VariedPath::Relation::Apart || relation == VariedPath::Relation::Part)
        continue;
      if (relation == VariedPath::Relation::Same)
        twice(text).help("put the values into one list");
      else if (relation == VariedPath::Relation::Whole)
        twice(one.text).note<diag::AlsoSetHere>(one.at).help(
            fmt::format("`{0}` contains it: write `{0}` first, then `{1}`", text, one.text));
      else
        twice(text).note<diag::AlsoSetHere>(one.at).help(
            fmt::format("it overlaps with `{}`: vary fields that do not overlap", one.text));
      return false;
    }
    earlier.push_back({*path, text, stmt.pathRange});
    return true;
  }
  std::size_t size() const { return earlier.size(); }

private:
  struct EarlierPath {
    VariedPath path;
    std::string text;
    SourceRange at;
  };
  Evaluator& evaluator;
  llvm::StringRef study;
  std::vector<EarlierPath> earlier;
};
} // namespace

/// The properties of a study on which functions over its rows depend.
RowsOfStudy Checker::rowsOf(Object& study) {
  RowsOfStudy out;
  bool failed = false;
  const ObjectFields fields(evaluator, study, failed, "");
  out.inOrder = choice(fields, "sampling", ir::SamplingKind::Grid) != ir::SamplingKind::Random;
  for (const Varied& varied : studies[&study]) {
    RowsOfStudy::VariedField field{varied.path, std::nullopt, varied.all.size()};
    if (llvm::all_of(varied.all, [](const Value& v) { return v.is(Value::ValueKind::Number); }) &&
        !varied.all.empty())
      field.dimension = varied.all.front().number.dimension;
    out.fields.push_back(std::move(field));
  }
  return out;
}

/// Checks that a study has points, and not too many.
void Checker::points(Object& study, SourceRange at) {
  bool failed = false;
  const ObjectFields fields(evaluator, study, failed, "");
  const auto kind = choice(fields, "sampling", ir::SamplingKind::Grid);
  const llvm::ArrayRef<Varied> all = studies[&study];
  std::uint64_t product = 1;
  for (const Varied& one : all)
    product = llvm::SaturatingMultiply(product, static_cast<std::uint64_t>(one.all.size()));
  if (kind == ir::SamplingKind::Zip) {
    for (const Varied& one : all)
      if (one.all.size() != all.front().all.size()) {
        shared.diags.report<diag::UnevenZip>(at, all.front().path, all.front().all.size(), one.path,
                                             one.all.size());
        return;
      }
    product = all.empty() ? 1 : all.front().all.size();
  }
  if (kind == ir::SamplingKind::Random) {
    const std::uint64_t drawn = fields.object("sampling").count("points");
    if (drawn > product)
      shared.diags.report<diag::TooManyPoints>(fields.range("sampling"), study.name(), drawn,
                                               product, "can be drawn without repetition");
    product = std::min(drawn, product);
  }
  if (fields.has("plot")) {
    const ObjectFields plot = fields.object("plot");
    for (const char* axis : {"x", "series"})
      if (const std::string path = plot.has(axis) ? plot.symbol(axis) : "";
          !path.empty() && !(axis == llvm::StringRef("x") && isOutput(evaluator, study, path)) &&
          llvm::none_of(all, [&](const Varied& one) { return one.path == path; }))
        shared.diags.report<diag::PlotNotVaried>(plot.range(axis), study.name(), path);
    if (plot.has("series") && plot.symbol("series") == plot.symbol("x"))
      shared.diags.report<diag::StudyField>(plot.range("series"), "series", study.name(),
                                            "is also the `x` axis of its plot");
  }
  if (product <= mostPoints)
    reportTwice(evaluator, all, kind == ir::SamplingKind::Zip);
  else
    shared.diags.report<diag::TooManyPoints>(at, study.name(), product, mostPoints, "are run")
        .help("`sampling = random { points = 10_000 }` draws some of them");
}

/// Finds the values that a statement of `vary` gives to its field. False if they are wrong.
bool Checker::variedValues(const ast::FieldStmt& stmt, const Environment& scope, const Type& type,
                           Varied& varied) {
  const ast::Expr& written = *stmt.value;
  const llvm::StringRef name = llvm::find_if(llvm::reverse(stmt.path), [](const auto& step) {
                                 return !step.index;
                               })->name.text;
  if (stmt.form == ast::FieldStmt::FieldForm::Assign) {
    varied.all = {evaluator.convert(evaluator.evaluate(written, scope, &type), type, name,
                                    written.range, nullptr)};
    return !varied.all.front().unknown();
  }
  Type list;
  list.kind = Type::TypeKind::List;
  list.element = &type;
  varied.written = evaluator.evaluate(written, scope, &list);
  if (!evaluator.items(varied.written, written.range, varied.all))
    return false;
  if (varied.all.empty())
    shared.diags.report<diag::NoCandidates>(written.range, name);
  const auto fits = [&](Value& value) {
    const SourceRange at = value.range.valid() ? value.range : written.range;
    value = evaluator.convert(value, type, name, at, nullptr).at(at);
    return !value.poison();
  };
  if (!llvm::all_of(varied.all, fits) || varied.all.empty())
    return false;
  for (const Value& value : varied.all)
    if (value.object && !value.object->decl)
      visit(value);
  return true;
}

void Checker::vary(Object& study, const FieldDecl& field) {
  if (field.name() == worstOf)
    return; // is checked with `vary`
  VariedPaths paths(evaluator, study.name());
  SourceRange at;
  bool known = true; // after an error the number of points is unknown
  std::vector<std::pair<llvm::StringRef, Setting>> settings;
  for (const llvm::StringRef name : {field.name(), llvm::StringRef(worstOf)})
    if (name == field.name() || study.isSearch())
      for (const Setting& setting : evaluator.settingsOf(study, name))
        settings.emplace_back(name, setting);
  for (const auto& [name, setting] : settings) {
    if (setting.whole() || !setting.stmt->block) {
      shared.diags.report<diag::NothingToAmend>(setting.range(), name)
          .help(fmt::format("write `{} {{ path in list }}`", name));
      continue;
    }
    at = setting.range();
    for (const ast::Stmt* stmt : setting.stmt->block->statements) {
      const auto* one = llvm::dyn_cast<ast::FieldStmt>(stmt);
      if (!one) {
        shared.diags.report<diag::SearchOnly>(stmt->range, "this statement");
        continue;
      }
      llvm::SmallVector<ast::Name> path;
      for (const ast::PathStep& step : one->path)
        if (!step.index)
          path.push_back(step.name);
      const Type* type = evaluator.pathType(path, *setting.scope);
      if (!type || !one->value) {
        known = false;
        continue;
      }
      if (type->kind == Type::TypeKind::Map && one->path.back().index)
        type = type->element;
      if (path.front().text == study.name() && (study.isSearch() || !mayVaryItself(path))) {
        if (study.isSearch())
          shared.diags.report<diag::OwnFieldVaried>(one->pathRange, study.name(), path.back().text)
              .help(fmt::format("open it outside of `{}`: `field in list`", name));
        else
          shared.diags.report<diag::StudyField>(one->pathRange, path.back().text.str(),
                                                study.name(), "is the same at all of its points");
        known = false;
        continue;
      }
      Varied varied;
      varied.path = shared.sources.text(one->pathRange).str();
      varied.at = one->pathRange, varied.worst = name == worstOf;
      if (!shared.budget.spend(1 + paths.size() / 16, one->range))
        return;
      if (!paths.add(*one, *setting.scope)) {
        known = false;
        continue;
      }
      if (variedValues(*one, *setting.scope, *type, varied))
        studies[&study].push_back(std::move(varied));
      else
        known = false;
    }
  }
  if (known && study.isSearch())
    // `dplc search` counts the candidates itself.
    reportTwice(evaluator, studies[&study], false, "the search would have two equal candidates");
  else if (known)
    points(study, at);
}
