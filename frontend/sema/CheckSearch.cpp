//===- CheckSearch.cpp - Checks the candidates and objectives of a search ---------------------===//
#include "frontend/sema/Checker.h"
#include "frontend/sema/ResultNames.h"
#include "frontend/sema/Written.h"
#include "support/Text.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/Support/SaveAndRestore.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// Whether two objectives are equal, apart from their places.
bool alike(const ir::Objective& a, const ir::Objective& b) {
  const auto what = [](const ir::AssertionNode& node) {
    return std::tie(node.operation, node.operands, node.number, node.dimension, node.scope,
                    node.text, node.path);
  };
  return !a.nodes.empty() &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [&](const auto& x, const auto& y) { return what(x) == what(y); });
}
} // namespace

bool sema::sameForAll(const std::vector<ir::AssertionNode>& nodes) {
  return !nodes.empty() && llvm::none_of(nodes, [](const ir::AssertionNode& node) {
    return node.operation == ir::Operation::Result;
  });
}

void Checker::candidates(Object& object, const FieldDecl& field) {
  const Winner* winner = evaluator.winner(object, field);
  const auto* open = winner ? evaluator.candidatesOf(object, *winner) : nullptr;
  if (!open || open->written.is(Value::ValueKind::Range))
    return;
  {
    const llvm::SaveAndRestore<bool> inAnother(another, true);
    for (const Value& value : llvm::drop_begin(open->all))
      visit(value);
  }
  const std::optional<std::size_t> twice = listedTwice(evaluator, open->all);
  if (twice && !shared.budget.spent()) // without budget all values are equal, because they were not
                                       // evaluated
    shared.diags
        .report<diag::ListedTwice>(open->all[*twice].range, field.name(),
                                   writtenAs(evaluator, open->all[*twice]))
        .help("the candidate would be tried twice");
}

void Checker::objective(const Object& search) {
  // If statements were not evaluated, one of them may be an objective.
  if (search.forObject() && search.onObject() && reported.count(&search) == 0 &&
      !shared.budget.spent())
    noObjective(search, search.decl->name.range);
}

void Checker::noObjective(const Object& search, SourceRange at) {
  shared.diags.report<diag::NoObjective>(at, search.name())
      .help("`minimize step_time` ranks its candidates by step time");
}

void Checker::searchStatement(const ast::Stmt& stmt, const Environment& scope, Object& object) {
  const bool objective = stmt.kind == ast::Stmt::StmtKind::Objective;
  const Object& root = outermost(object);
  if (!root.isSearch()) {
    shared.diags
        .report<diag::SearchOnly>(stmt.range, !objective ? "require"
                                              : llvm::cast<ast::ObjectiveStmt>(stmt).maximize
                                                  ? "maximize"
                                                  : "minimize")
        .help(objective ? "write `search` before the block's kind"
                        : "`assert` checks a finished layout");
    return;
  }
  const llvm::SaveAndRestore<bool> results(evaluator.resultsAllowed, true);
  const llvm::SaveAndRestore<bool> inStatement(evaluator.inSearchStatement, true);
  if (const auto* require = llvm::dyn_cast<ast::CheckStmt>(&stmt)) {
    const Value v = evaluator.evaluate(require->condition, scope, nullptr);
    if (!v.unknown() && !v.is(Value::ValueKind::Bool) &&
        !(v.is(Value::ValueKind::Result) && v.truth))
      shared.diags.report<diag::ConditionNotBool>(require->condition.range, evaluator.describe(v));
    else if (!v.unknown() && sameForAll(constrain(root, *require, scope).nodes) && !point &&
             !shared.budget.spent())
      shared.diags
          .report<diag::SameForAll>(require->condition.range,
                                    shared.sources.text(require->condition.range))
          .help("`require` excludes candidates; `assert` checks what is the same for all");
    return;
  }
  if (!reported.insert(&object).second) {
    shared.diags.report<diag::SecondObjective>(stmt.range)
        .help("`minimize [a, b]` ranks by a, and by b where a is equal; `minimize pareto(a, b)` "
              "finds all layouts that none is better than in both");
    return;
  }
  const auto& statement = llvm::cast<ast::ObjectiveStmt>(stmt);
  const ast::Expr& value = statement.value;
  llvm::SmallVector<Value> parts;
  const ast::CallExpr* front = paretoOf(value);
  if (front) {
    if (front->arguments.size() < 2) {
      shared.diags.report<diag::WrongArguments>(value.range, "pareto", "two objectives or more",
                                                plural(front->arguments.size(), "argument"));
      return;
    }
    for (const ast::Argument& argument : front->arguments)
      parts.push_back(
          evaluator.evaluate(*argument.value, scope, nullptr).at(argument.value->range));
  }
  const Value v = front ? parts.front() : evaluator.evaluate(value, scope, nullptr);
  if (!front && v.is(Value::ValueKind::List))
    parts.append(v.list.begin(), v.list.end());
  else if (!front)
    parts.push_back(v);
  for (const Value& part : parts)
    if (!part.unknown() && !part.is(Value::ValueKind::Number) &&
        !(part.is(Value::ValueKind::Result) && !part.truth)) {
      shared.diags.report<diag::WrongOperand>(part.range.valid() ? part.range : value.range,
                                              statement.maximize ? "maximize" : "minimize",
                                              "a number or a result", evaluator.describe(part));
      return;
    }
  if (v.is(Value::ValueKind::List) && v.list.empty())
    noObjective(root, value.range);
  else if (llvm::none_of(parts, [](const Value& part) { return part.unknown(); }))
    objectives(root, statement, scope);
}

namespace {
/// The first statement of a block, or of a block or value inside it, that opens a field, requires
/// something or ranks candidates; null if there is none.
const ast::Stmt* openingIn(const ast::Block& block) {
  for (const ast::Stmt* stmt : block.statements) {
    const ast::Stmt* found = nullptr;
    if (const auto* field = llvm::dyn_cast<ast::FieldStmt>(stmt)) {
      if (field->form == ast::FieldStmt::FieldForm::Candidates)
        return stmt;
      const auto* amend = llvm::dyn_cast_or_null<ast::AmendExpr>(field->value);
      const ast::Block* inner = amend ? &amend->block : field->block;
      found = inner ? openingIn(*inner) : nullptr;
    } else if (const auto* guard = llvm::dyn_cast<ast::IfStmt>(stmt)) {
      found = openingIn(guard->then);
      found = !found && guard->otherwise ? openingIn(*guard->otherwise) : found;
    } else if (const auto* loop = llvm::dyn_cast<ast::ForStmt>(stmt)) {
      found = openingIn(loop->body);
    } else if (stmt->kind == ast::Stmt::StmtKind::Require ||
               stmt->kind == ast::Stmt::StmtKind::Objective) {
      return stmt;
    }
    if (found)
      return found;
  }
  return nullptr;
}
} // namespace

void Checker::checkOpenBranches(const ast::IfStmt& guard, const Environment& scope,
                                const Object& object) {
  const Object& root = outermost(object);
  if (point || !root.isSearch())
    return;
  const ast::Stmt* opening = openingIn(guard.then);
  if (!opening && guard.otherwise)
    opening = openingIn(*guard.otherwise);
  const SpaceOf space = spaceOf(root);
  if (!opening || !CandidateNames(evaluator, space).reads(guard.condition, scope) ||
      !reported.insert(opening).second)
    return;
  const auto* field = llvm::dyn_cast<ast::FieldStmt>(opening);
  const std::string what =
      field ? fmt::format("`{}` has candidates", shared.sources.text(field->pathRange))
      : opening->kind == ast::Stmt::StmtKind::Require ? "`require` stands"
                                                      : "an objective stands";
  shared.diags.report<diag::OpenInCondition>(field ? field->pathRange : opening->range, what)
      .help("open fields, `require` and objectives are the same for all candidates: write them "
            "outside of the `if`, and exclude combinations by `require`");
}

void Checker::objectives(const Object& root, const ast::ObjectiveStmt& stmt,
                         const Environment& scope) {
  spaces[&root].pareto = paretoOf(stmt.value) != nullptr;
  std::vector<ir::Objective>& all = spaces[&root].objectives;
  all.clear();
  for (const LoweredObjective& one : lowerObjectives(evaluator, stmt, scope, spaceOf(root))) {
    const llvm::StringRef written = shared.sources.text(one.at);
    // Figures are allowed, even if only another file changes them, such as `cluster.nodes`.
    if (point || shared.budget.spent()) { // nothing is open in a point, or an error was reported
    } else if (sameForAll(one.objective.nodes) && !resultNamed(written))
      shared.diags.report<diag::SameForAll>(one.at, written)
          .help("an objective is a figure, such as `step_time`, or a field with candidates");
    else if (llvm::any_of(all, [&](const auto& other) { return alike(other, one.objective); }))
      shared.diags
          .report<diag::ListedTwice>(one.at, stmt.maximize ? "maximize" : "minimize", written)
          .help("candidates that are equal in it once are equal in it again");
    all.push_back(one.objective);
  }
}

SpaceOf Checker::spaceOf(const Object& root) {
  if (point && root.isSearch())
    return {}; // each field has one value, so expressions are like those of a layout
  SpaceOf out{&root, {}};
  for (const Varied& field : varied(root))
    out.varied.push_back(field.path);
  return out;
}

const ir::Assertion& Checker::constrain(const Object& root, const ast::CheckStmt& check,
                                        const Environment& scope) {
  std::vector<ir::Assertion>& all = spaces[&root].constraints;
  all.push_back(lowerAssertion(evaluator, check, scope, spaceOf(root)));
  return all.back();
}
