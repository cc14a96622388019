//===- CheckVary.cpp - What a study varies ----------------------------------------------------===//
#include "frontend/sema/Checker.h"
#include "support/diagnostics/Schema.h"
using namespace dpl;
using namespace dpl::sema;

void Checker::vary(Object& study, const FieldDecl& field) {
  for (const Setting& setting : evaluator.settingsOf(study, field.name())) {
    if (setting.whole() || !setting.stmt->block) {
      shared.diags.report<diag::NothingToAmend>(setting.range(), field.name())
          .help("write `vary { path in list }`");
      continue;
    }
    for (const ast::Stmt* stmt : setting.stmt->block->statements) {
      const auto* one = llvm::dyn_cast<ast::FieldStmt>(stmt);
      if (!one) {
        shared.diags.report<diag::SearchOnly>(stmt->range, "this statement");
        continue;
      }
      llvm::SmallVector<ast::Name> path;
      for (const ast::PathStep& step : one->path)
        if (!step.index)
          path.push_back(step.name);
      const Type* type = evaluator.pathType(path, *setting.scope);
      if (!type || !one->value)
        continue;
      const llvm::StringRef name = path.back().text;
      Varied varied;
      varied.path = shared.sources.text(one->pathRange).str();
      if (one->form == ast::FieldStmt::Form::Assign) {
        varied.all = {evaluator.convert(evaluator.evaluate(*one->value, *setting.scope, type),
                                        *type, name, one->value->range, nullptr)};
        if (!varied.all.front().unknown())
          studies[&study].push_back(std::move(varied));
        continue;
      }
      Type list;
      list.kind = Type::Kind::List;
      list.element = type;
      varied.written = evaluator.evaluate(*one->value, *setting.scope, &list);
      if (!evaluator.items(varied.written, one->value->range, varied.all))
        continue;
      if (varied.all.empty())
        shared.diags.report<diag::NoCandidates>(one->value->range, name);
      const auto fits = [&](Value& value) {
        const SourceRange at = value.range.valid() ? value.range : one->value->range;
        value = evaluator.convert(value, *type, name, at, nullptr).at(at);
        return !value.poison();
      };
      if (llvm::all_of(varied.all, fits) && !varied.all.empty())
        studies[&study].push_back(std::move(varied));
    }
  }
}
