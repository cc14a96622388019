//===- MissingHeaders.cpp - Blocks of a file that lack `for` or `on` and are used by none -----===//
#include "frontend/MissingHeaders.h"
#include "frontend/sema/Evaluator.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
using namespace dpl;
using namespace dpl::sema;

void dpl::warnOfMissingHeaders(SourceModule& file, Evaluator& evaluator, DiagnosticEngine& diags) {
  llvm::StringSet<> used;
  for (const ast::Decl* decl : file.ast->declarations)
    if (const auto* user = llvm::dyn_cast<ast::BlockDecl>(decl)) {
      if (user->base.size() == 1)
        used.insert(user->base[0].text);
      for (ast::QualifiedName fragment : user->fragments)
        if (fragment.size() == 1)
          used.insert(fragment[0].text);
    }
  for (const ast::Decl* decl : file.ast->declarations) {
    const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl);
    const Object* object = block ? evaluator.block({&file, decl}) : nullptr;
    if (!object || object->schema->forKinds().empty())
      continue;
    const bool lacksOn = !object->schema->onKind().empty() && !object->onObject();
    if (used.count(block->name.text) || (object->forObject() && !lacksOn))
      continue;
    const std::string missing = object->forObject()
                                    ? object->schema->onKind().str()
                                    : llvm::join(object->schema->forKinds(), " or ");
    if (object->forObject()) {
      diags
          .report<diag::HalfHeader>(block->name.range, block->blockKind.text, block->name.text,
                                    missing)
          .help(fmt::format("write `on NAME` after `for {}`", text(block->forWhat)));
      continue;
    }
    diags
        .report<diag::HeaderMissing>(block->name.range, block->blockKind.text, block->name.text,
                                     missing)
        .help(fmt::format("write `{} {} for NAME`", block->blockKind.text, block->name.text));
  }
}
