//===- NameDetails.cpp - Everything that is known about a name --------------------------------===//
#include "frontend/names/NameDetails.h"
#include "frontend/sema/Functions.h"
#include "frontend/sema/ResultNames.h"
#include "frontend/sema/Written.h"
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
#include "ir/RowFunctions.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"
using namespace dpl;
using namespace dpl::names;
using namespace dpl::sema;

std::string names::functionSentence(llvm::StringRef name) {
  for (const Signature& function : functions())
    if (name == function.name)
      return fmt::format("`{}` takes {}.", name, function.takes);
  if (const ir::RowFunction* function = ir::rowFunctionNamed(name))
    return fmt::format("`{}` reads the rows of a study; it takes {}.", name, function->takes);
  return {};
}

std::string names::figureUnits(llvm::StringRef path) {
  const std::optional<Dimension> dimension = resultNamed(path);
  return dimension && !dimension->none() ? dpl::describe(*dimension) : "";
}

std::string names::figureSentence(llvm::StringRef path) {
  if (const ir::FigureRow* row = ir::figureNamed(path))
    return row->note;
  const std::optional<ir::DrawnFigure> drawn = ir::drawnFigureNamed(path);
  if (!drawn)
    return {};
  const ir::FigureRow* row = ir::figureNamed(drawn->figure);
  const std::string of = row ? row->note : fmt::format("`{}`", drawn->figure);
  switch (drawn->kind) {
  case ir::DrawnFigure::DrawnFigureKind::Above:
    return fmt::format("share of simulated steps or runs above the threshold: {}", of);
  case ir::DrawnFigure::DrawnFigureKind::Interval:
    return "checkpoint interval that is best in simulated runs";
  case ir::DrawnFigure::DrawnFigureKind::OfSteps:
    return "figure of simulated steps";
  case ir::DrawnFigure::DrawnFigureKind::OfProblem:
    return fmt::format("figure of a run whose phase has a problem: `{}`", drawn->figure);
  case ir::DrawnFigure::DrawnFigureKind::OfSample:
    break;
  }
  const char* statistic = drawn->statistic ? drawn->statistic->name : "";
  const std::string which =
      llvm::StringSwitch<std::string>(statistic)
          .Case("mean", "mean")
          .Case("sd", "standard deviation")
          .Case("max", "maximum")
          .Default(fmt::format("{} % quantile", llvm::StringRef(statistic).drop_front()));
  return fmt::format("{} over simulated steps or runs: {}", which, of);
}

/// The values of a type of the language.
static std::string typeSentence(llvm::StringRef name) {
  if (const std::optional<Dimension> dimension = dimensionNamed(name))
    return dpl::describe(*dimension);
  using Kind = Type::TypeKind;
  Type type;
  type.kind = llvm::StringSwitch<Kind>(name)
                  .Case("Bool", Kind::Bool)
                  .Case("Count", Kind::Count)
                  .Case("Real", Kind::Real)
                  .Case("String", Kind::String)
                  .Case("Name", Kind::Name)
                  .Case("Field", Kind::Field)
                  .Case("Column", Kind::Column)
                  .Case("Axis", Kind::Axis)
                  .Case("Batch", Kind::Batch)
                  .Case("MicroBatch", Kind::MicroBatch)
                  .Default(Kind::Error);
  if (name == "AutoBytes")
    return "a number of bytes or `auto`";
  return name == "vary" ? "paths of fields with lists of their values" : describe(type);
}

llvm::StringRef names::wordSentence(llvm::StringRef word) {
  return llvm::StringSwitch<llvm::StringRef>(word)
      .Case("rest", "The axis has the devices that the other axes leave.")
      .Case("auto", "The compiler finds the value.")
      .Case("none", "The field has no value.")
      .Case("true", "The condition holds.")
      .Case("false", "The condition does not hold.")
      .Default("");
}

void NameDetails::value(const Value& value, NameInfo& out) {
  // A block without a name would be all its fields.
  if (value.unknown() || value.is(Value::ValueKind::Family) ||
      (value.is(Value::ValueKind::Object) && !value.object->decl))
    return;
  out.value = writtenAs(evaluator, value);
}

void NameDetails::field(const Meaning& meaning, SourceModule& main, NameInfo& out) {
  const FieldDecl& field = *meaning.field;
  llvm::StringRef owner = field.owner->name;
  if (field.ofMember)
    for (const ChoiceSchema* choice : field.owner->members)
      if (llvm::any_of(choice->fields, [&](const FieldDecl& f) { return f.ast == field.ast; }))
        owner = choice->name;
  out.title = fmt::format("{}.{}", owner, field.name());
  out.type = evaluator.typeOf(field).text.str();
  const SourceManager& sources = evaluator.shared.sources;
  if (field.ast->value)
    out.defaultValue = sources.text(field.ast->value->range).str();
  else if (field.ast->block)
    out.defaultValue = sources.text(field.ast->block->range).str();
  const Shape& shape = meaning.shape;
  const auto* block = llvm::dyn_cast_or_null<ast::BlockDecl>(shape.root.decl);
  if (!block || shape.path.empty())
    return;
  out.path = fmt::format("{}.{}", block->name.text, shape.path);
  const std::optional<FieldPlace> place = lookup.placeOf(shape, main.scope);
  if (!place)
    return;
  out.levels = levelsOf(evaluator, *place);
  if (!out.levels.empty())
    out.setBy = out.levels.back().level;
  value(place->element ? *place->element : evaluator.field(*place->object, *place->field, {}), out);
}

void NameDetails::block(const Meaning& meaning, NameInfo& out) {
  const Shape& shape = meaning.shape;
  const auto* block = llvm::dyn_cast_or_null<ast::BlockDecl>(shape.root.decl);
  if (block && shape.path.empty()) {
    out.title = block->name.text.str();
    out.type = (block->search ? "search " : "") + block->blockKind.text.str();
    if (shape.root.module->isLibrary())
      out.title = fmt::format("{}.{}", shape.root.module->name, out.title);
  } else if (shape.schema) {
    out.title = shape.schema->name.str();
  }
}

void NameDetails::import(const Meaning& meaning, NameInfo& out) {
  const SourceModule* module = meaning.shape.module;
  out.doc.clear(); // comments above imports speak of the file
  if (!module)
    return;
  out.title = module->name.str();
  if (module->ast) {
    out.target = {module->ast->id, 0, 0};
    return;
  }
  for (const LibraryEntry& entry : evaluator.shared.library.entries(module->libraryName))
    if (const ast::Decl* first = evaluator.shared.library.find(module->libraryName, entry.name)) {
      out.target = {first->range.file, 0, 0};
      break;
    }
}

void NameDetails::figure(const Meaning& meaning, NameInfo& out) {
  out.title = out.figure = meaning.figure;
  out.doc = figureSentence(meaning.figure);
  out.units = figureUnits(meaning.figure);
}

void NameDetails::unit(const Meaning& meaning, NameInfo& out) {
  const Unit* unit = findUnit(meaning.figure);
  if (!unit)
    return;
  out.units = dpl::describe(unit->dimension);
  const std::string base = baseUnit(unit->dimension);
  if (!base.empty() && base != meaning.figure)
    out.doc = fmt::format("1 {} is {} {}.", meaning.figure, unit->factor.str(), base);
}

void NameDetails::let(const Meaning& meaning, NameInfo& out) {
  const SourceManager& sources = evaluator.shared.sources;
  out.defaultValue = sources.text(meaning.let->value.range).str();
  const Declared root = meaning.shape.root;
  if (!root)
    return;
  const llvm::SaveAndRestore<bool> results(evaluator.resultsAllowed, true);
  if (llvm::isa<ast::LetDecl>(root.decl))
    value(evaluator.declared(root, "", meaning.let->name.range), out);
  else if (Object* object = evaluator.block(root))
    value(evaluator.named(*object, meaning.let->name.text, meaning.let->name.range), out);
}

NameInfo NameDetails::of(const NameUse& use, const Meaning& meaning, SourceModule& main) {
  NameInfo out;
  out.name = use;
  out.title = meaning.figure;
  if (out.title.empty())
    out.title = evaluator.shared.sources.text(use.use).str();
  out.doc = meaning.doc.str();
  switch (use.thing) {
  case NamedThing::Field:
    field(meaning, main, out);
    break;
  case NamedThing::Block:
    block(meaning, out);
    break;
  case NamedThing::Choice:
    out.title = fmt::format("{}.{}", meaning.shape.schema->name, meaning.shape.choice->name);
    out.type = meaning.shape.schema->name.str();
    break;
  case NamedThing::Let:
    let(meaning, out);
    break;
  case NamedThing::Param:
    if (meaning.shape.type)
      out.type = meaning.shape.type->text.str();
    if (meaning.shape.root)
      value(evaluator.declared(meaning.shape.root, "", use.use), out);
    break;
  case NamedThing::Variable:
    if (meaning.shape.type)
      out.type = meaning.shape.type->text.str();
    break;
  case NamedThing::Import:
  case NamedThing::Module:
    import(meaning, out);
    break;
  case NamedThing::Figure:
  case NamedThing::Statistic:
    figure(meaning, out);
    break;
  case NamedThing::Function:
    out.doc = functionSentence(meaning.figure);
    break;
  case NamedThing::Unit:
    unit(meaning, out);
    break;
  case NamedThing::Type:
    out.doc = typeSentence(meaning.figure);
    break;
  case NamedThing::Word:
    out.doc = wordSentence(meaning.figure).str();
    break;
  case NamedThing::Schema:
  case NamedThing::Key:
  case NamedThing::Scope:
    break;
  }
  return out;
}
