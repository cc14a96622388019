//===- MeshOrder.cpp - Determines the rank order of a mesh's axes -----------------------------===//
#include "frontend/sema/Evaluator.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
struct WrittenAxis {
  llvm::StringRef name;
  SourceRange range; ///< range of the axis name
  SourceRange whole; ///< range from the name to the end of the axis: "tensor = 8 within node"
};
using Axes = llvm::SmallVector<WrittenAxis, 8>;

bool has(const Axes& axes, llvm::StringRef name) {
  return llvm::any_of(axes, [&](const WrittenAxis& axis) { return axis.name == name; });
}

/// Finds the axes that a level sets, in the order in which they are written. Loops and guards are
/// not searched.
void axesOf(const Setting& s, const Object& mesh, Axes& out) {
  auto add = [&](const ast::Name& name, const ast::FieldStmt& stmt) {
    const FieldDecl* field = mesh.find(name.text);
    const bool isAxis = field && field->ast->type.form == ast::TypeExpr::TypeForm::Named &&
                        field->ast->type.name.size() == 1 &&
                        field->ast->type.name[0].text == "Axis";
    if (isAxis && !has(out, name.text))
      out.push_back({name.text, name.range, {name.range.file, name.range.begin, stmt.range.end}});
  };
  if (!s.block) {
    if (s.depth < s.stmt->path.size())
      add(s.stmt->path[s.depth].name, *s.stmt);
    return;
  }
  llvm::SmallVector<const ast::Block*> blocks{s.block};
  while (!blocks.empty())
    for (const ast::Stmt* stmt : blocks.pop_back_val()->statements)
      if (const auto* field = llvm::dyn_cast<ast::FieldStmt>(stmt))
        add(field->path[0].name, *field);
      else if (const auto* guard = llvm::dyn_cast<ast::IfStmt>(stmt)) {
        blocks.push_back(&guard->then);
        if (guard->otherwise)
          blocks.push_back(guard->otherwise);
      }
}

/// Inserts a new axis in the order of the schema: before the first axis that the schema declares
/// later.
void insert(Axes& axes, const WrittenAxis& added, const Object& mesh) {
  auto* const position = llvm::find_if(axes, [&](const WrittenAxis& axis) {
    return mesh.find(axis.name)->index > mesh.find(added.name)->index;
  });
  axes.insert(position, added);
}

/// All axes with their last sizes, as text: "mesh { data = 8, tensor = 2 }".
std::string restated(Axes axes, const Axes& here, const Object& mesh,
                     const SourceManager& sources) {
  for (const WrittenAxis& axis : here) {
    auto* const known = llvm::find_if(axes, [&](const auto& a) { return a.name == axis.name; });
    if (known == axes.end())
      insert(axes, axis, mesh);
    else
      *known = axis;
  }
  std::string out;
  for (const WrittenAxis& axis : axes)
    out += (out.empty() ? "" : ", ") + sources.text(axis.whole).str();
  return fmt::format("`{} {{ {} }}`", mesh.field, out);
}
} // namespace

bool Evaluator::axesInOrder(Object& mesh, llvm::SmallVectorImpl<llvm::StringRef>& names) {
  Axes current;
  for (std::size_t i = 0; i < mesh.levels.size(); ++i) {
    const Setting& s = mesh.levels[i];
    // `mesh { … }` restates the axes and their order. `mesh.data = 2` sets only a degree.
    Axes here, stated;
    for (std::size_t first = i;
         i == first || (i < mesh.levels.size() && mesh.levels[i].level == s.level); ++i) {
      axesOf(mesh.levels[i], mesh, here);
      if (mesh.levels[i].block)
        axesOf(mesh.levels[i], mesh, stated);
    }
    --i;
    const auto added = llvm::find_if(here, [&](const auto& a) { return !has(current, a.name); });
    const bool again = llvm::all_of(current, [&](const auto& a) { return has(stated, a.name); });
    const bool outside = s.level->kind == SettingLevel::SettingLevelKind::Set ||
                         s.level->kind == SettingLevel::SettingLevelKind::Vary;
    if (again) {
      if (!here.empty())
        current = here;
    } else if (added != here.end() && outside) {
      // `--set` cannot restate axes, so a new axis is inserted in the order of the schema.
      for (const WrittenAxis& axis : here)
        if (!has(current, axis.name))
          insert(current, axis, mesh);
    } else if (added != here.end()) {
      if (reported.insert(s.stmt ? static_cast<const void*>(s.stmt) : s.block).second) {
        shared.diags.report<diag::MeshNotRestated>(added->range, added->name)
            .note<diag::SetHere>(current.front().range, current.front().name)
            .help("write all axes again, outermost first: " +
                  restated(current, here, mesh, shared.sources));
      }
      return false;
    }
  }
  for (const auto& axis : current)
    names.push_back(axis.name);
  return true;
}
