//===- Fields.cpp - Typed reads of an object's fields, for the lowering -----------------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/ObjectFields.h"
#include "support/diagnostics/Sema.h"
#include <cmath>
using namespace dpl;
using namespace dpl::sema;

namespace {
std::string textOf(const Value& v) { return v.poison() ? "" : v.text.str(); }
llvm::ArrayRef<Value> elementsOf(const Value& v) {
  return v.poison() ? llvm::ArrayRef<Value>() : v.list;
}
} // namespace

llvm::StringRef ObjectFields::name() const { return block ? block->name() : ""; }
llvm::StringRef ObjectFields::kind() const { return block ? block->schema->name : ""; }
bool ObjectFields::isA(llvm::StringRef schema) const { return block && block->schema->isA(schema); }

/// Reads a field. Reports it if it is missing. Poison was reported before.
Value ObjectFields::value(llvm::StringRef field) const {
  if (!block) {
    *anyFailed = true;
    return {};
  }
  const FieldDecl* decl = block->find(field);
  assert(decl && "the lowering reads a field that the schema does not declare");
  if (!decl) {
    *anyFailed = true;
    return {};
  }
  const Value v = evaluator->field(*block, *decl, {});
  if (v.is(Value::ValueKind::Missing)) {
    Object& of = *v.object;
    Object* declared = &of;
    std::string path = v.text.str();
    while (declared->parent && declared->name().empty()) {
      if (!declared->field.empty())
        path = declared->field.str() + "." + path;
      declared = declared->parent;
    }
    const bool ofLibrary = !evaluator->shared.library.moduleOf(of.range.file).empty();
    const SourceRange at = of.range.valid() && !ofLibrary ? of.range : declared->range;
    evaluator->reportMissing(*declared, path, at, neededBy);
  }
  if (v.unknown())
    *anyFailed = true;
  return v;
}

Value ObjectFields::read(llvm::StringRef field, Value::ValueKind wanted) const {
  const Value v = value(field);
  return v.is(wanted) ? v : Value{};
}

bool ObjectFields::has(llvm::StringRef field) const {
  const FieldDecl* decl = block ? block->find(field) : nullptr;
  if (!decl)
    return false;
  const Value v = evaluator->field(*block, *decl, {});
  if (v.poison())
    *anyFailed = true; // the file sets the field, but its value is wrong
  return !v.is(Value::ValueKind::Absent) && !v.unknown();
}

bool ObjectFields::isAuto(llvm::StringRef field) const {
  return value(field).is(Value::ValueKind::Auto);
}

bool ObjectFields::isSet(llvm::StringRef field) const {
  const FieldDecl* decl = block ? block->find(field) : nullptr;
  return decl && llvm::any_of(evaluator->settingsOf(*block, field), [](const Setting& s) {
           return s.level->kind != SettingLevel::SettingLevelKind::Framework;
         });
}

bool ObjectFields::isOpen(llvm::StringRef field) const {
  const FieldDecl* decl = block ? block->find(field) : nullptr;
  return decl && evaluator->settingsOf(*block, field).empty();
}

SourceRange ObjectFields::range(llvm::StringRef field) const {
  const FieldDecl* decl = block ? block->find(field) : nullptr;
  if (!decl)
    return {};
  const Winner* set = evaluator->winner(*block, *decl);
  if (set)
    return set->range();
  // If elements are set by index, no statement sets the whole field.
  const auto settings = evaluator->settingsOf(*block, field);
  return settings.empty() ? SourceRange{} : settings.back().range();
}

bool ObjectFields::flag(llvm::StringRef field) const {
  return read(field, Value::ValueKind::Bool).truth;
}
std::string ObjectFields::text(llvm::StringRef field) const {
  return textOf(read(field, Value::ValueKind::String));
}
std::string ObjectFields::symbol(llvm::StringRef field) const {
  return textOf(read(field, Value::ValueKind::Symbol));
}
Number ObjectFields::number(llvm::StringRef field) const {
  return read(field, Value::ValueKind::Number).number;
}
double ObjectFields::real(llvm::StringRef field) const { return number(field).toDouble(); }
std::uint64_t ObjectFields::count(llvm::StringRef field) const { return scaled(field, 1); }
std::uint64_t ObjectFields::whole(llvm::StringRef field) const { return scaled(field, 1); }
std::uint64_t ObjectFields::bytes(llvm::StringRef field) const { return scaled(field, 1); }
std::uint64_t ObjectFields::bitsPerSecond(llvm::StringRef field) const { return scaled(field, 8); }
std::uint64_t ObjectFields::picoseconds(llvm::StringRef field) const {
  return scaled(field, 1'000'000'000'000);
}

/// The value times `factor`, rounded to a whole number. Reports a value that does not fit.
std::uint64_t ObjectFields::scaled(llvm::StringRef field, std::int64_t factor) const {
  const Value v = read(field, Value::ValueKind::Number);
  if (v.poison())
    return 0;
  const auto product = Rational::multiply(v.number.value, factor);
  if (product) {
    const Rational::Int n = product->numerator(), d = product->denominator();
    const Rational::Int rounded = (2 * (n % d) >= d ? 1 : 0) + n / d;
    if (n >= 0 && rounded <= INT64_MAX)
      return static_cast<std::uint64_t>(rounded);
  }
  const SourceRange at = v.range.valid() ? v.range : range(field);
  evaluator->shared.diags.report<diag::NumberTooLarge>(at, evaluator->shared.sources.text(at));
  *anyFailed = true;
  return 0;
}

llvm::StringRef ObjectFields::choice(llvm::StringRef field) const {
  const Value v = read(field, Value::ValueKind::Choice);
  return v.is(Value::ValueKind::Choice) ? v.member->name : llvm::StringRef();
}

ObjectFields ObjectFields::object(llvm::StringRef field) const {
  const Value v = value(field);
  ObjectFields f = *this;
  f.block = v.unknown() ? nullptr : v.object;
  return f;
}

std::vector<std::string> ObjectFields::names(llvm::StringRef field) const {
  std::vector<std::string> out;
  for (const Value& v : elementsOf(read(field, Value::ValueKind::List)))
    out.push_back((v.is(Value::ValueKind::Choice) ? v.member->name : v.text).str());
  return out;
}

std::vector<std::uint64_t> ObjectFields::counts(llvm::StringRef field) const {
  std::vector<std::uint64_t> out;
  for (const Value& v : elementsOf(read(field, Value::ValueKind::List)))
    out.push_back(static_cast<std::uint64_t>(v.number.value.asInteger().value_or(0)));
  return out;
}

std::vector<ObjectFields::FieldsEntry> ObjectFields::entries(llvm::StringRef field) const {
  std::vector<FieldsEntry> out;
  const Value v = read(field, Value::ValueKind::Family);
  if (!v.is(Value::ValueKind::Family))
    return out;
  for (const Evaluator::EvaluatedEntry& e : evaluator->entries(*v.family)) {
    if (e.value.poison()) {
      *anyFailed = true;
      continue;
    }
    ObjectFields f = *this;
    f.block = e.value.object;
    out.push_back({e.key.str(), e.value, f, e.range});
  }
  return out;
}

std::vector<ObjectFields::FieldsRun> ObjectFields::runs(llvm::StringRef field) const {
  std::vector<FieldsRun> out;
  const Value v = read(field, Value::ValueKind::Family);
  std::vector<Evaluator::EvaluatedRun> found;
  if (!v.is(Value::ValueKind::Family) || !evaluator->runs(*v.family, found)) {
    *anyFailed = true;
    return out;
  }
  for (const Evaluator::EvaluatedRun& r : found) {
    ObjectFields f = *this;
    f.block = r.value.object;
    out.push_back({r.first, r.count, f});
  }
  return out;
}

std::vector<AxisField> ObjectFields::axes() const {
  std::vector<AxisField> out;
  llvm::SmallVector<llvm::StringRef> names;
  if (!block || !evaluator->axesInOrder(*block, names)) {
    *anyFailed = true;
    return out;
  }
  // The mesh of experts always has three axes. If some are not restated, they have the order of the
  // schema.
  if (isA("expert_mesh") && names.size() < block->schema->fields.size()) {
    names.clear();
    for (const FieldDecl& f : block->schema->fields)
      names.push_back(f.name());
  }
  for (llvm::StringRef name : names) {
    const Value v = value(name);
    AxisField axis;
    axis.name = name;
    axis.rest = v.is(Value::ValueKind::Rest);
    axis.size = v.is(Value::ValueKind::Number)
                    ? static_cast<std::uint64_t>(v.number.value.asInteger().value_or(0))
                    : 0;
    const Winner* set = evaluator->winner(*block, *block->find(name));
    axis.range = set ? set->range() : block->range;
    // `mesh.tensor = 4` changes the degree and keeps the placement that an outer level sets. `mesh
    // { tensor = 4 }` restates the axis.
    const auto settings = evaluator->settingsOf(*block, name);
    for (auto it = settings.rbegin(); it != settings.rend(); ++it) {
      if (!it->whole())
        continue;
      for (const ast::AxisPlacement& p : it->stmt->placements)
        (p.across ? axis.across : axis.within) = p.level.text;
      if (!it->stmt->placements.empty() || it->stmt->path.size() == 1)
        break;
    }
    out.push_back(axis);
  }
  return out;
}
