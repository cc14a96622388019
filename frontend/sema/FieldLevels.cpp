//===- FieldLevels.cpp - The levels that set a field ------------------------------------------===//
#include "frontend/sema/FieldLevels.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
std::string labelOf(const SettingLevel& level, const Object& block) {
  switch (level.kind) {
  case SettingLevel::SettingLevelKind::Schema:
    return "schema default";
  case SettingLevel::SettingLevelKind::Framework:
    return fmt::format("framework {}", level.label);
  case SettingLevel::SettingLevelKind::Fragment:
    return fmt::format("with {}", level.label);
  case SettingLevel::SettingLevelKind::Vary:
    return "study";
  case SettingLevel::SettingLevelKind::Set:
    return level.label.str();
  case SettingLevel::SettingLevelKind::Block:
    return level.decl && level.decl != block.decl ? fmt::format("from {}", level.label) : "block";
  }
  return "";
}
} // namespace

std::optional<FieldPlace> sema::placeOf(Evaluator& evaluator, Declared block,
                                        llvm::ArrayRef<ast::PathStep> path,
                                        const Environment& scope) {
  FieldPlace out;
  out.block = out.object = evaluator.block(block);
  std::size_t depth = 0;
  for (; out.object && depth < path.size(); ++depth) {
    out.field = out.object->find(path[depth].name.text);
    if (!out.field)
      return std::nullopt;
    const auto found = evaluator.settingsOf(*out.object, path[depth].name.text);
    out.settings.assign(found.begin(), found.end());
    if (depth + 1 == path.size())
      break;
    Value v = evaluator.field(*out.object, *out.field, {});
    if (v.is(Value::ValueKind::Family) && path[depth + 1].index) {
      IndexedField& family = *v.family;
      const Value index = evaluator.evaluate(*path[++depth].index, scope, family.type->key);
      out.settings.clear();
      for (const IndexedField::Selector& s : family.selectors)
        if (IndexedField::matches(s, index))
          out.settings.push_back(s.setting);
      v = evaluator.element(family, index, {});
      if (depth + 1 == path.size()) {
        out.element = v;
        break;
      }
    }
    out.object = v.is(Value::ValueKind::Missing) ? nullptr : v.object;
  }
  if (!out.object || !out.field || depth >= path.size())
    return std::nullopt;
  return out;
}

std::vector<FieldLevel> sema::levelsOf(Evaluator& evaluator, const FieldPlace& place) {
  const SourceManager& sources = evaluator.shared.sources;
  std::vector<FieldLevel> out;
  if (const ast::Expr* value = place.field->ast->value)
    out.push_back({"schema default", sources.text(value->range).str(), place.field->ast->range});
  for (const Setting& s : place.settings) {
    const SourceRange at = s.stmt->value ? s.stmt->value->range : s.stmt->range;
    out.push_back({labelOf(*s.level, *place.block), sources.text(at).str(), s.stmt->range});
  }
  return out;
}
