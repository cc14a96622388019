//===- CheckIdle.cpp - Fields that are set and have no effect yet -----------------------------===//
#include "frontend/sema/Checker.h"
#include "frontend/sema/IdleFields.h"
#include "support/diagnostics/Schema.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
const IdleField* wholly(const Schema* schema) {
  return schema && schema->module && schema->module->isLibrary() ? idleField(schema->name)
                                                                 : nullptr;
}

/// The row that makes a field idle; not of a field inside of what is idle as a whole, which is said
/// where that stands.
const IdleField* idleAt(const FieldDecl& field) {
  if (!field.owner->module || !field.owner->module->isLibrary() || wholly(field.owner))
    return nullptr;
  return idleField(field.owner->name, field.name());
}
} // namespace

void Checker::noteIdle(const Object& object) {
  if (const IdleField* row = object.decl ? wholly(object.schema) : nullptr)
    noteIdle(*row, object.decl->name);
}

void Checker::noteIdle(const FieldDecl& field, const ast::Name& name) {
  if (const IdleField* row = idleAt(field))
    noteIdle(*row, name);
}

void Checker::noteIdle(const IdleField& row, const ast::Name& name) {
  if (reported.insert(&name).second && !shared.sources.name(name.range.file).startswith("std."))
    idle.emplace_back(&row, &name);
}

void Checker::remarkIdle() {
  for (const auto& [row, name] : idle)
    shared.diags.report<diag::NoEffectYet>(name->range, name->text).label(row->why);
  idle.clear();
}
