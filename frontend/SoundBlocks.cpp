//===- SoundBlocks.cpp - Declarations that no error of the file affects -----------------------===//
#include "frontend/SoundBlocks.h"
#include "frontend/parse/Tokens.h"
#include "llvm/ADT/StringMap.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// The declaration that contains the byte; null if there is none.
const ast::Decl* holding(const SourceModule& file, std::uint32_t byte) {
  for (const ast::Decl* decl : file.ast->declarations)
    if (decl->range.begin <= byte && byte <= decl->range.end)
      return decl;
  return nullptr;
}

using Users = llvm::StringMap<llvm::SmallVector<const ast::Decl*, 2>>;
/// For each name, the declarations whose text contains it. An import uses no name.
Users usersIn(const SourceModule& file, const SourceManager& sources) {
  Users users;
  for (const ast::Decl* decl : file.ast->declarations) {
    if (llvm::isa<ast::ImportDecl>(decl))
      continue;
    const llvm::StringRef text = sources.text(decl->range);
    for (const Token& token : tokenize(text))
      if (token.is(TokenKind::Identifier))
        if (auto& found = users[text.slice(token.begin, token.end)];
            found.empty() || found.back() != decl)
          found.push_back(decl);
  }
  return users;
}
} // namespace

SoundBlocks::SoundBlocks(const SourceModule& file, const SourceManager& sources,
                         llvm::ArrayRef<Diagnostic> said) {
  llvm::StringSet<> wrong;
  std::vector<std::string> waiting; ///< names of wrong declarations whose users are still to be
                                    ///< found
  const auto addName = [&](llvm::StringRef name) {
    if (!name.empty() && wrong.insert(name).second)
      waiting.push_back(name.str());
  };
  const auto add = [&](const ast::Decl& decl) {
    if (!unsound.insert(&decl).second)
      return;
    llvm::StringRef name = declaredName(decl);
    for (const Import& import : file.imports)
      if (import.decl == &decl)
        name = import.alias;
    addName(name);
  };
  for (const Diagnostic& d : said) {
    if (d.info.severity != Severity::Error)
      continue;
    const ast::Decl* decl = d.range.file == file.ast->id ? holding(file, d.range.begin) : nullptr;
    const bool aside = d.range.file == file.ast->id && file.failed(); // an error after a syntax
                                                                      // error, which may be its
                                                                      // consequence
    const Import* from = nullptr;
    for (const Import& import : file.imports)
      if (import.module && import.module->ast && import.module->ast->id == d.range.file)
        from = &import;
    if (decl)
      add(*decl);
    else if (from)
      addName(from->alias);
    else if (!aside)
      all = true;
  }
  if (waiting.empty())
    return;
  const Users users = usersIn(file, sources);
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    if (const auto found = users.find(name); found != users.end())
      for (const ast::Decl* decl : found->second)
        add(*decl);
  }
}
