//===- LowerFramework.cpp - Records which fields of a layout its framework set ----------------===//
#include "frontend/sema/Lower.h"
#include "frontend/sema/Written.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
class FilledFields {
public:
  FilledFields(Evaluator& evaluator, std::vector<ir::FilledField>& out)
      : evaluator(evaluator), out(out) {}

  void walk(Object& object, const std::string& path) {
    object.eachField([&](const FieldDecl& f) { field(object, f, path); });
  }

private:
  void field(Object& object, const FieldDecl& f, const std::string& above) {
    const std::string path = above.empty() ? f.name().str() : above + "." + f.name().str();
    const Value value = evaluator.field(object, f, {});
    const Winner* winner = evaluator.winner(object, f);
    if (winner && winner->whole && winner->level->kind == SettingLevel::SettingLevelKind::Framework)
      out.push_back({path, writtenAs(evaluator, value)});
    else if (value.object && !value.object->decl)
      walk(*value.object, path);
  }

  Evaluator& evaluator;
  std::vector<ir::FilledField>& out;
};
} // namespace

void sema::lowerFramework(Evaluator& evaluator, const ObjectFields& layout, ir::Framework& out) {
  if (!layout.has("framework"))
    return;
  out.name = layout.choice("framework").str();
  out.range = layout.range("framework");
  const ObjectFields chosen = layout.object("framework");
  if (chosen.has("version"))
    out.version = chosen.text("version");
  out.compiled = chosen.has("compiled") && chosen.flag("compiled");
  FilledFields(evaluator, out.filled).walk(*layout.raw(), "");
}
