//===- Frameworks.cpp - What a framework has where a layout leaves a field open ---------------===//
#include "frontend/sema/Evaluator.h"
using namespace dpl;
using namespace dpl::sema;

/// Behind the defaults of the schema and before all that the layout and its bases say, so that what
/// is written wins. The block of std.frameworks has the name of the choice.
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
  // One that no target writes has no releases, so its choice has no fields.
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
  // What was worked out on the way to the framework may hang on what it fills in; it itself stays.
  const Object::ObjectSlot kept = layout.slot(frameworkField);
  layout.slots.reset();
  layout.slot(frameworkField) = kept;
}
