//===- MeshOrder.cpp - The order of a mesh's axes is the rank order ---------------------------===//
#include "frontend/sema/Evaluator.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// Axes that a level sets, in the order written; loops and guards do not take part in the order.
void axesOf(const Setting& s, const Object& mesh,
            llvm::SmallVectorImpl<std::pair<llvm::StringRef, SourceRange>>& out) {
  auto add = [&](const ast::Name& name) {
    const FieldDecl* field = mesh.find(name.text);
    const bool isAxis = field && field->ast->type.form == ast::TypeExpr::Form::Named &&
                        field->ast->type.name.size() == 1 &&
                        field->ast->type.name[0].text == "Axis";
    if (isAxis && llvm::none_of(out, [&](const auto& o) { return o.first == name.text; }))
      out.emplace_back(name.text, name.range);
  };
  if (!s.block) {
    if (s.depth < s.stmt->path.size())
      add(s.stmt->path[s.depth].name);
    return;
  }
  llvm::SmallVector<const ast::Block*> blocks{s.block};
  while (!blocks.empty())
    for (const ast::Stmt* stmt : blocks.pop_back_val()->statements)
      if (const auto* field = llvm::dyn_cast<ast::FieldStmt>(stmt))
        add(field->path[0].name);
      else if (const auto* guard = llvm::dyn_cast<ast::IfStmt>(stmt)) {
        blocks.push_back(&guard->then);
        if (guard->otherwise)
          blocks.push_back(guard->otherwise);
      }
}
} // namespace

bool Evaluator::axesInOrder(Object& mesh, llvm::SmallVectorImpl<llvm::StringRef>& names) {
  using Axes = llvm::SmallVector<std::pair<llvm::StringRef, SourceRange>, 8>;
  Axes current;
  for (std::size_t i = 0; i < mesh.levels.size(); ++i) {
    const Setting& s = mesh.levels[i];
    // `mesh { … }` states axes and their order, `mesh.data = 2` only a degree.
    Axes here, stated;
    for (std::size_t first = i;
         i == first || (i < mesh.levels.size() && mesh.levels[i].level == s.level); ++i) {
      axesOf(mesh.levels[i], mesh, here);
      if (mesh.levels[i].block)
        axesOf(mesh.levels[i], mesh, stated);
    }
    --i;
    auto has = [](const Axes& in, llvm::StringRef name) {
      return llvm::any_of(in, [&](const auto& a) { return a.first == name; });
    };
    const auto added = llvm::find_if(here, [&](const auto& a) { return !has(current, a.first); });
    const bool restated =
        llvm::all_of(current, [&](const auto& a) { return has(stated, a.first); });
    const bool outside = s.level->kind == Level::Kind::Set || s.level->kind == Level::Kind::Vary;
    if (restated) {
      if (!here.empty())
        current = here;
    } else if (added != here.end() && outside) {
      // `--set` cannot restate: a new axis takes its place in the schema's order.
      for (const auto& axis : here) {
        if (has(current, axis.first))
          continue;
        const auto position = llvm::find_if(current, [&](const auto& a) {
          return mesh.find(a.first)->index > mesh.find(axis.first)->index;
        });
        current.insert(position, axis);
      }
    } else if (added != here.end()) {
      if (reported.insert(s.stmt ? static_cast<const void*>(s.stmt) : s.block).second) {
        std::string all;
        for (const auto& a : current)
          all += a.first.str() + ", ";
        shared.diags.report<diag::MeshNotRestated>(added->second, added->first)
            .note<diag::SetHere>(current.front().second, current.front().first)
            .help(fmt::format("write all axes again, outermost first: {}{}", all, added->first));
      }
      return false;
    }
  }
  for (const auto& axis : current)
    names.push_back(axis.first);
  return true;
}
