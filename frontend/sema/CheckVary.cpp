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
      if (one->form == ast::FieldStmt::Form::Assign) {
        (void)evaluator.convert(evaluator.evaluate(*one->value, *setting.scope, type), *type, name,
                                one->value->range, nullptr);
        continue;
      }
      Type list;
      list.kind = Type::Kind::List;
      list.element = type;
      std::vector<Value> all;
      if (!evaluator.items(evaluator.evaluate(*one->value, *setting.scope, &list),
                           one->value->range, all))
        continue;
      if (all.empty())
        shared.diags.report<diag::NoCandidates>(one->value->range, name);
      for (const Value& v : all)
        if (evaluator
                .convert(v, *type, name, v.range.valid() ? v.range : one->value->range, nullptr)
                .poison())
          break;
    }
  }
}
