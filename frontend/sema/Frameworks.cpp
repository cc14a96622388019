//===- Frameworks.cpp - Values of a framework for fields that a layout leaves open ------------===//
#include "frontend/sema/Evaluator.h"
using namespace dpl;
using namespace dpl::sema;

/// Adds the level of the framework. It comes after the schema's defaults and before the levels of
/// the layout and its bases, which override it. Its block in std.frameworks has the name of the
/// choice.
void Evaluator::addFramework(Object& layout) {
  llvm::erase_if(layout.levels, [](const Setting& s) {
    return s.level->kind == SettingLevel::SettingLevelKind::Framework;
  });
  if (settingsOf(layout, "framework").empty())
    return;
  const FieldDecl& frameworkField = *layout.find("framework");
  const Value chosen = field(layout, frameworkField, {});
  if (!chosen.is(Value::ValueKind::Choice))
    return;
  SourceModule* library = modules.openLibrary("frameworks");
  const ast::Decl* decl = library ? modules.find(*library, chosen.member->name) : nullptr;
  const Object* filler = decl ? block({library, decl}) : nullptr;
  assert(filler && "std.frameworks has a block for each choice");
  if (!filler)
    return;
  // A framework without a target has no releases, so its choice has no fields.
  const Value version = chosen.object ? named(*chosen.object, "version", {}) : Value{};
  const llvm::StringRef label =
      version.is(Value::ValueKind::String)
          ? shared.keep(fmt::format("{} {}", chosen.member->name, version.text))
          : chosen.member->name;
  const SettingLevel& filled = level(SettingLevel::SettingLevelKind::Framework, label, decl);
  const auto isSchema = [](const Setting& s) {
    return s.level->kind == SettingLevel::SettingLevelKind::Schema;
  };
  auto at = llvm::find_if_not(layout.levels, isSchema);
  for (Setting s : filler->levels)
    if (!isSchema(s)) {
      s.level = &filled;
      at = std::next(layout.levels.insert(at, s));
    }
  // Fields that are already evaluated may depend on the new level, so they are evaluated again. The
  // field `framework` itself does not depend on it.
  const Object::ObjectSlot kept = layout.slot(frameworkField);
  layout.slots.reset();
  layout.slot(frameworkField) = kept;
}
