//===- SoundBlocks.cpp - What of a file with mistakes still means something -----------------===//
#include "frontend/SoundBlocks.h"
#include "frontend/parse/Tokens.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// The declaration whose text holds the byte; null when none does.
const ast::Decl* holding(const Module& file, std::uint32_t byte) {
  for (const ast::Decl* decl : file.ast->declarations)
    if (decl->range.begin <= byte && byte <= decl->range.end)
      return decl;
  return nullptr;
}

bool names(llvm::StringRef text, const llvm::StringSet<>& wrong) {
  for (const Token& token : tokenize(text))
    if (token.is(TokenKind::Identifier) && wrong.count(text.slice(token.begin, token.end)) > 0)
      return true;
  return false;
}
} // namespace

SoundBlocks::SoundBlocks(const Module& file, const SourceManager& sources,
                         llvm::ArrayRef<Diagnostic> said) {
  llvm::StringSet<> wrong;
  const auto add = [&](const ast::Decl& decl) {
    if (!unsound.insert(&decl).second)
      return;
    llvm::StringRef name = declaredName(decl);
    for (const Import& import : file.imports)
      if (import.decl == &decl)
        name = import.alias;
    if (!name.empty())
      wrong.insert(name);
  };
  for (const Diagnostic& d : said) {
    if (d.info.severity != Severity::Error)
      continue;
    const ast::Decl* decl = d.range.file == file.ast->id ? holding(file, d.range.begin) : nullptr;
    const bool aside = d.range.file == file.ast->id && file.failed(); // text without a declaration
    const Import* from = nullptr;
    for (const Import& import : file.imports)
      if (import.module && import.module->ast && import.module->ast->id == d.range.file)
        from = &import;
    if (decl)
      add(*decl);
    else if (from)
      wrong.insert(from->alias);
    else if (!aside)
      all = true;
  }
  for (bool grows = !wrong.empty(); grows;) {
    const std::size_t before = unsound.size();
    for (const ast::Decl* decl : file.ast->declarations)
      if (unsound.count(decl) == 0 && names(sources.text(decl->range), wrong))
        add(*decl);
    grows = unsound.size() > before;
  }
}
