//===- ObjectFields.cpp - Evaluates a field from its levels -----------------------------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FrameGuard.h"
#include "support/Near.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;
using FieldForm = ast::FieldStmt::FieldForm;

namespace {
/// Whether a statement of the block sets the field, also under a guard or in a loop. `read` is
/// increased by the number of statements that were read.
bool mentions(const ast::Block& block, llvm::StringRef name, std::uint64_t& read) {
  for (const ast::Stmt* stmt : block.statements) {
    ++read;
    if (const auto* field = llvm::dyn_cast<ast::FieldStmt>(stmt);
        field && field->path[0].name.text == name)
      return true;
    if (const auto* loop = llvm::dyn_cast<ast::ForStmt>(stmt);
        loop && mentions(loop->body, name, read))
      return true;
    if (const auto* guard = llvm::dyn_cast<ast::IfStmt>(stmt);
        guard && (mentions(guard->then, name, read) ||
                  (guard->otherwise && mentions(*guard->otherwise, name, read))))
      return true;
  }
  return false;
}
/// Statements read per step of the budget; reading one takes less than a step.
constexpr std::uint64_t looksOfAStep = 8;
bool hasLets(const ast::Block& block) {
  for (const ast::Stmt* stmt : block.statements)
    if (llvm::isa<ast::LetStmt>(stmt))
      return true;
  return false;
}
/// Whether an expression is a literal, or a choice of the type, so that its value depends on no
/// scope.
bool isPlain(const ast::Expr& expr, const Type& type) {
  switch (expr.kind) {
  case ast::Expr::ExprKind::Number:
  case ast::Expr::ExprKind::String:
  case ast::Expr::ExprKind::Bool:
    return true;
  case ast::Expr::ExprKind::Name:
    return type.kind == Type::TypeKind::Schema &&
           type.schema->member(llvm::cast<ast::NameExpr>(expr).name);
  default:
    return false;
  }
}
const Object* outermost(const Object* object) {
  while (object && object->parent)
    object = object->parent;
  return object;
}
} // namespace

void Evaluator::collect(const ast::Block& block, const Setting& from, const Environment& scope,
                        llvm::StringRef name, llvm::SmallVectorImpl<Setting>& out) {
  auto nested = [&](const ast::Block& body, const Environment& outer) {
    if (!hasLets(body))
      return collect(body, from, outer, name, out);
    Environment s;
    s.kind = Environment::EnvironmentKind::Local, s.outer = &outer, s.block = &body;
    collect(body, from, shared.arena.make<Environment>(s), name, out);
  };
  std::uint64_t read = 0;
  const auto sets = [&](const ast::Block& body) { return mentions(body, name, read); };
  for (const ast::Stmt* stmt : block.statements) {
    ++read;
    if (!shared.budget.spend(std::exchange(read, read % looksOfAStep) / looksOfAStep, stmt->range))
      return;
    if (const auto* field = llvm::dyn_cast<ast::FieldStmt>(stmt)) {
      if (field->path[0].name.text == name)
        out.push_back({from.level, from.generation, 1, field, &scope, nullptr});
    } else if (const auto* guard = llvm::dyn_cast<ast::IfStmt>(stmt)) {
      const bool inThen = sets(guard->then);
      if (!inThen && !(guard->otherwise && sets(*guard->otherwise)))
        continue;
      if (const auto c = condition(guard->condition, scope)) {
        if (*c)
          nested(guard->then, scope);
        else if (guard->otherwise)
          nested(*guard->otherwise, scope);
      }
    } else if (const auto* loop = llvm::dyn_cast<ast::ForStmt>(stmt)) {
      if (!sets(loop->body))
        continue;
      const Value over = evaluate(loop->over, scope, nullptr);
      if (!loop->second.text.empty() && over.is(Value::ValueKind::Family) &&
          !over.family->counted()) {
        for (const EvaluatedEntry& entry : entries(*over.family)) {
          const Environment& key = variable(loop->variable.text, Value::string(entry.key), scope);
          nested(loop->body, variable(loop->second.text, entry.value, key));
        }
        continue;
      }
      std::vector<Value> all;
      if (!roundsOf(over, loop->over.range, all)) {
        // An error about the limit was reported; a single setting avoids a report of duplicates.
        out.truncate(std::min<std::size_t>(out.size(), 1));
        continue;
      }
      const LoopScope running(*this);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool two = !loop->second.text.empty();
        const Environment& first = variable(
            loop->variable.text, two ? Value::count(static_cast<std::int64_t>(i)) : all[i], scope);
        nested(loop->body, two ? variable(loop->second.text, all[i], first) : first);
      }
    }
  }
}

llvm::SmallVector<Setting, 4> Evaluator::settingsOf(Object& object, llvm::StringRef name) {
  llvm::SmallVector<Setting, 4> out;
  for (std::size_t i = 0; i < object.levels.size(); ++i) {
    const Setting s = object.levels[i];
    std::uint64_t read = looksOfAStep;
    const bool mentioned = s.block && mentions(*s.block, name, read);
    if (!shared.budget.spend(read / looksOfAStep, s.range()))
      break;
    if (s.block) {
      if (mentioned)
        collect(*s.block, s, scopeOf(object, i), name, out);
    } else if (s.depth < s.stmt->path.size() && s.stmt->path[s.depth].name.text == name) {
      out.push_back({s.level, s.generation, s.depth + 1, s.stmt, &scopeOf(object, i), nullptr});
    }
  }
  return out;
}

Value Evaluator::field(Object& object, const FieldDecl& f, SourceRange use) {
  Object::ObjectSlot* slot = &object.slot(f);
  if (slot->isBusy())
    return reportCycle(&f, &object, f.name(), use);
  if (const std::optional<Value> known = slot->value())
    return *known;
  if (shared.budget.spent())
    return {};
  slot->holds = &Object::ObjectSlot::busy;
  Value found;
  Setting won;
  {
    FrameGuard guard(*this, &object, f.name(), &f, use);
    const llvm::SaveAndRestore<bool> noResults(resultsAllowed, false);
    const llvm::SaveAndRestore<const SettingLevel*> noLevel(currentLevel, nullptr);
    if (!guard.tooDeep())
      found = work(object, f, won);
    if (found.is(Value::ValueKind::Absent)) {
      found = Value::missing(Value::ValueKind::Absent, f.name(), nullptr).at(found.range);
      found.schema = typeOf(f).schema; // the schema lets a comparison find the choices
    }
    if (Object* held = found.object; held && held->parent == &object && held->field.empty())
      held->field = f.name(); // name for messages such as `schedule.chunks`
  }
  if (!won.stmt && found.object && found.sameAs(found.object->value())) {
    slot->holds = found.object;
    return found;
  }
  // Most fields of most blocks have the value of the library. Such fields share the value.
  const Value*& before = lastValue[&f];
  if (!before || !before->sameAs(found))
    before = &shared.arena.make<Value>(found);
  slot->holds = before;
  if (won.stmt) {
    const Winner winner{won.level, won.stmt, before, won.whole()};
    const Winner*& same = lastWinner[&f];
    if (!same || *same != winner)
      same = &shared.arena.make<Winner>(winner);
    slot->holds = same;
  }
  return found;
}

Value Evaluator::work(Object& object, const FieldDecl& f, Setting& won) {
  const Type& type = typeOf(f);
  if (type.kind == Type::TypeKind::Vary)
    return Value::symbol(
        f.name()); // The field holds paths of other blocks; `Checker::vary` checks them.
  const auto settings = settingsOf(object, f.name());
  return fold(
      type, settings, &object, f.name(), [&] { return defaultOf(object, f); }, &won);
}

bool Evaluator::isDetached(const Object& object) { return outermost(&object)->detached; }

/// Reports that a count which the library computes is not whole. The report is placed at the
/// setting in the file that causes it. False if no setting does.
bool Evaluator::notWhole(const FieldDecl& f, const Value& value, const Environment& scope) {
  const ast::Expr& by = *f.ast->value;
  if (value.number.value.isInteger() || shared.library.moduleOf(by.range.file).empty())
    return false;
  const Winner* set = setElsewhere(by, scope);
  if (!set)
    return false;
  shared.diags
      .report<diag::NotWholeNumber>(set->range(), fmt::format("`{}`", f.name()), value.number.str())
      .label(fmt::format("`{}` is `{}`", f.name(), shared.sources.text(by.range)));
  return true;
}

Value Evaluator::defaultOf(Object& object, const FieldDecl& f) {
  const Type& type = typeOf(f);
  if (f.ast->value) {
    const Environment& scope = isPlain(*f.ast->value, type)
                                   ? scopeAround(object, f.owner->module->scope)
                                   : schemaScope(object, *f.owner->module);
    const Value v = evaluate(*f.ast->value, scope, &type);
    if (type.kind == Type::TypeKind::Count && v.is(Value::ValueKind::Number) &&
        notWhole(f, v, scope))
      return {};
    return convert(v, type, f.name(), f.ast->value->range, &object);
  }
  if (f.ast->block && type.kind == Type::TypeKind::Schema && !type.schema->isSum()) {
    Value v = Value::plain(Value::ValueKind::Object);
    v.object = &instance(*type.schema, nullptr, &object, f.ast->range);
    v.object->field = f.name();
    static const SettingLevel schemaDefault{SettingLevel::SettingLevelKind::Schema, "", nullptr, 0};
    v.object->levels.push_back({&schemaDefault, v.object->nextGeneration(), 0, nullptr,
                                &schemaScope(object, *f.owner->module), f.ast->block});
    return v;
  }
  if (type.optional && !isDetached(object))
    return Value::missing(Value::ValueKind::Absent, f.name(), nullptr);
  return Value::missing(Value::ValueKind::Missing, f.name(), &object);
}

Value Evaluator::fold(const Type& type, llvm::ArrayRef<Setting> settings, Object* owner,
                      llvm::StringRef name, llvm::function_ref<Value()> fallback, Setting* won) {
  int winner = -1;
  for (unsigned i = 0; i < settings.size(); ++i)
    if (settings[i].whole())
      winner = static_cast<int>(i);
  if (type.kind == Type::TypeKind::Map) {
    if (winner >= 0) {
      shared.diags.report<diag::WholeFamily>(settings[winner].range(), name, name,
                                             type.key->kind == Type::TypeKind::Count ? "0" : "…");
      return {};
    }
    return family(type, settings, owner, name);
  }
  if (winner >= 0 && (!settled(settings, winner, type, name, owner) ||
                      amendsAnother(settings, settings[winner], type, name, owner)))
    return {};
  llvm::SmallVector<Setting, 4> amends;
  for (int i = 0; i < static_cast<int>(settings.size()); ++i)
    if (!settings[i].whole() && (i > winner || sameLevel(settings[i], settings[winner])))
      amends.push_back(settings[i]);
  if (won && winner >= 0)
    *won = settings[winner];
  else if (won && !amends.empty())
    *won = amends.back();
  const Value base = winner >= 0 ? assigned(settings[winner], type, name, owner) : fallback();
  return amends.empty() ? base : amended(base, amends, type, owner, name);
}

Value Evaluator::assigned(const Setting& s, const Type& type, llvm::StringRef name, Object* owner) {
  const llvm::SaveAndRestore<const SettingLevel*> inLevel(currentLevel, s.level);
  for (const ast::AxisPlacement& p : s.stmt->placements) {
    if (type.kind != Type::TypeKind::Axis && type.kind != Type::TypeKind::Error) {
      shared.diags.report<diag::PlacementNotAllowed>(p.range, name, p.across ? "across" : "within");
      return {};
    }
    const Schema* known = schemas.find(modules.prelude(), "level");
    if (known && !known->member(p.level.text)) {
      llvm::SmallVector<llvm::StringRef> names;
      for (const ChoiceSchema* m : known->members)
        names.push_back(m->name);
      const Suggestion near = suggest(p.level.text, names);
      auto d = shared.diags.report<diag::NotAChoice>(p.level.range, p.level.text, "level")
                   .help(near.help);
      if (!near.edit.empty())
        std::move(d).edit(p.level.range, near.edit);
      return {};
    }
  }
  if (s.stmt->form == FieldForm::Candidates)
    return candidates(s, type, name, owner);
  const Value v = evaluate(*s.stmt->value, *s.scope, &type);
  return convert(v, type, name, s.stmt->value->range, owner);
}

/// Evaluates the candidates of an open field. During checks the value of the field is the first
/// candidate.
Value Evaluator::candidates(const Setting& s, const Type& type, llvm::StringRef name,
                            Object* owner) {
  const Object* root = outermost(owner);
  if (!root || !root->isSearch()) {
    shared.diags.report<diag::CandidatesOutsideSearch>(s.range(), name)
        .help("write `=` and one value, or `search` before the block's kind");
    return {};
  }
  if (owner == root && name == "keep") {
    shared.diags.report<diag::WrongType>(s.range(), name, "one number of layouts",
                                         "a list of candidates");
    return {};
  }
  Type listType;
  listType.kind = Type::TypeKind::List;
  listType.element = &type;
  const Value from = evaluate(*s.stmt->value, *s.scope, &listType);
  const bool finite =
      from.is(Value::ValueKind::List) || from.is(Value::ValueKind::Range) || from.unknown();
  if (!finite)
    shared.diags.report<diag::WrongType>(s.stmt->value->range, name,
                                         "a list of candidates after `in`", describe(from));
  std::vector<Value> all;
  if (!finite || !items(from, s.stmt->value->range, all))
    return {};
  if (all.empty()) {
    shared.diags.report<diag::NoCandidates>(s.stmt->value->range, name);
    return {};
  }
  for (Value& value : all) {
    const SourceRange at = value.range.valid() ? value.range : s.stmt->value->range;
    value = convert(value, type, name, at, owner).at(at);
    if (value.unknown())
      return value;
  }
  open[{owner, s.stmt}] = {from, shared.arena.copy(llvm::makeArrayRef(all))};
  return all.front();
}

const Evaluator::Candidates* Evaluator::candidatesOf(const Object& object,
                                                     const Winner& winner) const {
  const auto found = open.find({&object, winner.stmt});
  return found == open.end() ? nullptr : &found->second;
}

Object& Evaluator::clone(Object& base, Object* parent, llvm::StringRef fieldName) {
  (void)shared.budget.spend(stepsOfAnObject + base.levels.size(), base.range);
  Object& o = *new (objects.Allocate()) Object;
  o.schema = base.schema, o.member = base.member;
  o.parent = parent;
  o.field = fieldName;
  o.range = base.range;
  o.levels = base.levels;
  o.header = base.header;
  return o;
}

Value Evaluator::amended(const Value& base, llvm::ArrayRef<Setting> amends, const Type& type,
                         Object* owner, llvm::StringRef name) {
  const Setting& first = amends.front();
  const SourceRange at = first.range();
  Value out = base;
  if (base.poison())
    return base;
  if (type.kind != Type::TypeKind::Schema) {
    const bool indexed =
        first.stmt && first.depth < first.stmt->path.size() && first.stmt->path[first.depth].index;
    if (indexed)
      reportNoFamily(*first.stmt, first.depth, type);
    else if (type.kind != Type::TypeKind::Error)
      shared.diags.report<diag::NoFields>(at, name, sema::describe(type));
    return {};
  }
  if (base.is(Value::ValueKind::Missing) || base.is(Value::ValueKind::Absent)) {
    if (type.schema->isSum()) {
      shared.diags.report<diag::NothingToAmend>(at, name).help(
          fmt::format("choose a value first, as in `{}`", exampleOf(name, *type.schema)));
      return {};
    }
    out = Value::plain(Value::ValueKind::Object);
    out.object = &instance(*type.schema, nullptr, owner, at);
    out.object->field = name;
  } else if (base.object) {
    out.object = &clone(*base.object, owner, name);
  } else if (base.is(Value::ValueKind::Choice)) {
    // This choice has no fields. With an empty object, the amendment is reported as one of an
    // unknown field.
    out.object = &instance(*base.schema, base.member, owner, at);
  } else {
    shared.diags.report<diag::NothingToAmend>(at, name).help(
        fmt::format("{} also chooses the fields; write a choice of `{}` in its place to set them",
                    describe(base), type.schema->name));
    return {};
  }
  const unsigned offset = out.object->nextGeneration();
  for (Setting s : amends) {
    s.generation += offset;
    if (s.stmt && s.depth == s.stmt->path.size()) { // fields inside the block of `f { … }`
      s.block = s.stmt->block;
      s.stmt = nullptr;
    }
    out.object->levels.push_back(s);
  }
  out.range = at;
  return out;
}

const Winner* Evaluator::winner(Object& object, const FieldDecl& f) {
  field(object, f, {});
  return object.slot(f).winner();
}
