//===- Checker.cpp - Checks everything in a block ---------------------------------------------===//
#include "frontend/sema/Checker.h"
#include "frontend/sema/RowFunctions.h"
#include "support/diagnostics/Assertions.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/Support/SaveAndRestore.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
constexpr unsigned deepest = 48;
} // namespace

const Object& Checker::outermost(const Object& object) {
  const Object* o = &object;
  while (o->parent)
    o = o->parent;
  return *o;
}

void Checker::check(Object& object) {
  if (object.checked || shared.budget.spent())
    return;
  object.checked = true;
  if (depth >= deepest) {
    if (shared.diags.errors() > 0)
      return; // an error in its declaration was reported
    shared.diags.report<diag::DeepBlocks>(object.schema->ast->name.range, object.schema->name,
                                          deepest);
    return;
  }
  const llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  for (std::size_t i = 0; i < object.levels.size(); ++i)
    statements(object, i);
  const bool search = outermost(object).isSearch();
  object.eachField([&](const FieldDecl& f) {
    if (evaluator.typeOf(f).kind != Type::TypeKind::Vary)
      visit(evaluator.field(object, f, {}));
    else if (!point)
      vary(object, f);
    if (search)
      candidates(object, f);
  });
  if (object.schema->isA("mesh"))
    order(object);

  schemaAsserts(object);
  const bool study = object.schema->isA("study");
  if (study && point)
    return; // the compilation of the whole file checks its `let`s and assertions
  const RowsOfStudy rows = study ? rowsOf(object) : RowsOfStudy{};
  const llvm::SaveAndRestore<const RowsOfStudy*> known(evaluator.rows, study ? &rows : nullptr);
  for (std::size_t i = 0; i < object.levels.size(); ++i)
    if (object.levels[i].block &&
        object.levels[i].level->kind != SettingLevel::SettingLevelKind::Schema)
      runStatements(*object.levels[i].block, evaluator.scopeOf(object, i), object);
  if (object.schema->isA("layout") && object.forObject())
    batch(object);
  if (object.isSearch())
    objective(object);
}

void Checker::visit(const Value& value) {
  if (value.is(Value::ValueKind::Missing))
    return;
  if (value.object)
    return check(*value.object);
  if (value.is(Value::ValueKind::List))
    for (const Value& v : value.list)
      visit(v);
  if (!value.is(Value::ValueKind::Family))
    return;
  // A setting for all elements of a family has no effect if there are no elements. But a block
  // without a header may be a base, and a block derived from it may add elements.
  IndexedField& family = *value.family;
  if (!family.selectors.empty() && family.owner && outermost(*family.owner).forObject() &&
      evaluator.hasNoElement(family) && reported.insert(&family).second) {
    shared.diags.report<diag::WholeFamily>(family.selectors.front().range, family.field,
                                           family.field, family.counted() ? "0" : "\"name\"");
    return;
  }
  if (value.family->counted()) {
    std::vector<Evaluator::EvaluatedRun> runs;
    if (evaluator.runs(*value.family, runs))
      for (const Evaluator::EvaluatedRun& run : runs)
        visit(run.value);
  } else {
    for (const Evaluator::EvaluatedEntry& entry : evaluator.entries(*value.family))
      visit(entry.value);
  }
}

void Checker::statements(Object& object, unsigned i) {
  const Setting& s = object.levels[i];
  const SchemaPlace place{object.schema, object.member};
  if (s.block)
    block(*s.block, place, object);
  else
    path(*s.stmt, s.depth, place, object);
}

void Checker::block(const ast::Block& b, SchemaPlace place, Object& object) {
  for (const ast::Stmt* stmt : b.statements)
    if (!shared.budget.spend(1 + place.schema->fields.size() / 32, stmt->range)) {
      return;
    } else if (const auto* field = llvm::dyn_cast<ast::FieldStmt>(stmt)) {
      path(*field, 0, place, object);
    } else if (const auto* guard = llvm::dyn_cast<ast::IfStmt>(stmt)) {
      block(guard->then, place, object);
      if (guard->otherwise)
        block(*guard->otherwise, place, object);
    } else if (const auto* loop = llvm::dyn_cast<ast::ForStmt>(stmt)) {
      block(loop->body, place, object);
    }
}

/// Follows a path through types. This finds misspelt names also in statements that do not run.
void Checker::path(const ast::FieldStmt& stmt, unsigned position, SchemaPlace place,
                   Object& object) {
  for (; position < stmt.path.size(); ++position) {
    const ast::PathStep& step = stmt.path[position];
    if (step.index)
      return; // the evaluator reports an index where there are no elements
    const FieldDecl* field = place.schema->field(step.name.text, place.member);
    if (!field && !place.member)
      for (const ChoiceSchema* m : place.schema->members)
        if ((field = place.schema->field(step.name.text, m)))
          break;
    if (!field) {
      if (reported.insert(&step).second)
        unknownField(step.name, stmt, place, object);
      return;
    }
    shared.names(step.name.range,
                 {NameMeaning::NameKind::Field, field->ast->name.range, field->ast->doc});
    const Type* type = &evaluator.typeOf(*field);
    auto indexFollows = [&] {
      return position + 1 < stmt.path.size() && stmt.path[position + 1].index != nullptr;
    };
    if (type->kind == Type::TypeKind::Map) {
      type = type->element;
      if (indexFollows())
        ++position;
    }
    if (indexFollows()) {
      evaluator.reportNoFamily(stmt, position + 1, *type);
      return;
    }
    if (type->kind != Type::TypeKind::Schema)
      return;
    place = {type->schema, nullptr};
  }
  if (stmt.block)
    block(*stmt.block, place, object);
}

void Checker::runStatements(const ast::Block& b, const Environment& scope, Object& object) {
  for (const ast::Stmt* stmt : b.statements) {
    if (!shared.budget.spend(1, stmt->range))
      return;
    switch (stmt->kind) {
    case ast::Stmt::StmtKind::Field:
      break;
    case ast::Stmt::StmtKind::Let: {
      const llvm::SaveAndRestore<bool> results(evaluator.resultsAllowed, true);
      const ast::LetStmt& let = llvm::cast<ast::LetStmt>(*stmt);
      const Value v = evaluator.evaluate(let.value, scope, nullptr);
      visit(v);
      if (v.is(Value::ValueKind::Number) || v.is(Value::ValueKind::Bool) ||
          v.is(Value::ValueKind::Result))
        if (const Object& root = outermost(object); root.schema->isA("study"))
          spaces[&root].lets.push_back(lowerLet(evaluator, let, v, scope, spaceOf(root)));
      break;
    }
    case ast::Stmt::StmtKind::Assert:
      checkAssert(llvm::cast<ast::CheckStmt>(*stmt), scope, &object);
      break;
    case ast::Stmt::StmtKind::Require:
    case ast::Stmt::StmtKind::Objective:
      searchStatement(*stmt, scope, object);
      break;
    case ast::Stmt::StmtKind::If: {
      const auto& guard = llvm::cast<ast::IfStmt>(*stmt);
      checkOpenBranches(guard, scope, object);
      const Value c = evaluator.evaluate(guard.condition, scope, nullptr);
      if (c.is(Value::ValueKind::Bool) && c.truth)
        runStatements(guard.then, scope, object);
      else if (c.is(Value::ValueKind::Bool) && guard.otherwise)
        runStatements(*guard.otherwise, scope, object);
      else if (!c.is(Value::ValueKind::Bool) && !c.unknown() && reported.insert(stmt).second)
        shared.diags.report<diag::ConditionNotBool>(guard.condition.range, evaluator.describe(c));
      break;
    }
    case ast::Stmt::StmtKind::For: {
      const auto& loop = llvm::cast<ast::ForStmt>(*stmt);
      const bool asserts = llvm::any_of(loop.body.statements, [](const ast::Stmt* s) {
        return s->kind != ast::Stmt::StmtKind::Field;
      });
      const Value over = evaluator.evaluate(loop.over, scope, nullptr);
      std::vector<Value> all;
      if (!asserts) {
        evaluator.checkLoop(over, loop.over.range);
        break;
      }
      if (!evaluator.roundsOf(over, loop.over.range, all))
        break;
      const Evaluator::LoopScope running(evaluator);
      for (const Value& v : all)
        runStatements(loop.body, evaluator.variable(loop.variable.text, v, scope), object);
      break;
    }
    }
  }
}

bool Checker::checkAssert(const ast::CheckStmt& c, const Environment& scope, Object* object,
                          const Schema* of) {
  const Object* root = object ? &outermost(*object) : nullptr;
  Value v;
  {
    const llvm::SaveAndRestore<bool> results(evaluator.resultsAllowed, true);
    v = evaluator.evaluate(c.condition, scope, nullptr);
  }
  if (v.is(Value::ValueKind::Missing) && v.object) {
    // A missing field is an error only if another block reads it here.
    const Object& holder = outermost(*v.object);
    if (!root || (root->schema->isA("layout") && root->forObject() && root->onObject() &&
                  &holder != root && &holder != root->forObject() && &holder != root->onObject()))
      evaluator.reportMissing(*v.object, v.text.str(), c.condition.range, "this assertion");
  }
  if (v.unknown())
    return true;
  const bool later = v.is(Value::ValueKind::Result) && v.truth;
  if (!later && !v.is(Value::ValueKind::Bool)) {
    shared.diags.report<diag::ConditionNotBool>(c.condition.range, evaluator.describe(v));
    return true;
  }
  if (root && root->detached)
    return true; // it is checked in the blocks that have this schema
  if (root && root->isSearch() && !point) {
    // In a search, assertions hold for each candidate, except those of a schema about a field that
    // has one value.
    const Winner* set = of ? settingRead(c.condition, *object) : nullptr;
    const bool open = set && set->whole && set->stmt->form == ast::FieldStmt::FieldForm::Candidates;
    if (open && another)
      return true; // only the first candidate adds a constraint, with its fields
    const bool fixed = (!of || open) && sameForAll(constrain(*root, c, scope).nodes);
    if (open || (of ? !set || !set->whole : !fixed))
      return true;
  }
  const Asserted asserted{&c, &scope, object, of};
  if (root && root->schema->isA("study") && !of)
    if (const auto& nodes = constrain(*root, c, scope).nodes; !nodes.empty() && !sameForAll(nodes))
      return true; // it is evaluated at each point
  if (!later) {
    if (v.truth)
      return true;
    const ir::Assertion a = lowered(asserted);
    return ir::report(a, ir::evaluate(a, ir::noResult), shared.diags).succeeded();
  }
  if (root && root->isSearch() && !point)
    return true;
  if (root && root->schema->isA("layout"))
    assertions[const_cast<Object*>(root)].push_back(asserted);
  else if (!root || !root->schema->isA("study"))
    shared.diags
        .report<diag::ResultNeedsLayout>(c.condition.range, shared.sources.text(c.condition.range))
        .help("move the assertion into the layout");
  return true;
}

ir::Assertion Checker::lowered(const Asserted& asserted) {
  ir::Assertion a = lowerAssertion(evaluator, *asserted.check, *asserted.scope);
  if (!asserted.of)
    return a;
  // The message is placed at the block, because it is the block that breaks the assertion of its
  // schema.
  a.schema = asserted.of->name.str();
  a.stated = a.range;
  if (const Winner* set = settingRead(asserted.check->condition, *asserted.object))
    a.range = set->range();
  else if (asserted.object->range.valid())
    a.range = asserted.object->range;
  return a;
}

std::vector<ir::Assertion> Checker::waiting(Object& layout) {
  std::vector<ir::Assertion> out;
  if (const auto found = assertions.find(&layout); found != assertions.end())
    for (const Asserted& asserted : found->second)
      out.push_back(lowered(asserted));
  return out;
}

/// Checks that the batch is a multiple of the model's context length.
void Checker::batch(Object& layout) {
  const FieldDecl* field = layout.find("batch");
  const FieldDecl* context = layout.forObject()->find("context");
  if (!field || !context)
    return;
  const Value tokens = evaluator.field(layout, *field, {}),
              sequence = evaluator.field(*layout.forObject(), *context, {});
  if (!tokens.is(Value::ValueKind::Number) || !sequence.is(Value::ValueKind::Number) ||
      tokens.number.dimension != sequence.number.dimension || sequence.number.value.isZero())
    return;
  const auto count = Rational::divide(tokens.number.value, sequence.number.value);
  if (!count || count->isInteger())
    return;
  auto d = shared.diags.report<diag::NotWholeSequences>(tokens.range, tokens.number.str(),
                                                        fmt::format("{:.2f}", count->toDouble()),
                                                        sequence.number.str());
  if (const Winner* set = evaluator.winner(*layout.forObject(), *context))
    std::move(d).note<diag::SetHere>(set->range(), "context");
  // `4Mtok` is 4,000,000 tokens. A multiple of a context length that is a power of two needs
  // `4Mitok`.
  const llvm::StringRef written = shared.sources.text(tokens.range);
  for (llvm::StringRef prefix : {"k", "M", "G", "T"})
    if (llvm::StringRef digits = written;
        digits.consume_back("tok") && digits.consume_back(prefix)) {
      const Unit* unit = findUnit((prefix == "k" ? "K" : prefix.str()) + "itok");
      const auto value = Rational::parse(digits);
      const auto scaled = unit && value ? Rational::multiply(*value, unit->factor) : std::nullopt;
      const auto whole = scaled ? Rational::divide(*scaled, sequence.number.value) : std::nullopt;
      if (whole && whole->isInteger())
        std::move(d)
            .help(fmt::format("`{}{}` is {} sequences", digits, unit->text, whole->str()))
            .edit(tokens.range, digits.str() + unit->text);
    }
}

void Checker::order(Object& mesh) {
  llvm::SmallVector<llvm::StringRef, 8> axes;
  (void)evaluator.axesInOrder(mesh, axes);
}
