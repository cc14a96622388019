//===- Modules.cpp - Files, library modules and the names that they declare -------------------===//
#include "frontend/sema/Modules.h"
#include "support/Near.h"
#include "support/diagnostics/Sema.h"
#include <algorithm>
#include <filesystem>
using namespace dpl;
using namespace dpl::sema;

std::string sema::text(ast::QualifiedName name) {
  std::string out;
  for (const ast::Name& part : name)
    out += (out.empty() ? "" : ".") + part.text.str();
  return out;
}

SourceRange sema::range(ast::QualifiedName name) {
  return {name.front().range.file, name.front().range.begin, name.back().range.end};
}

llvm::StringRef sema::declaredName(const ast::Decl& decl) {
  switch (decl.kind) {
  case ast::Decl::DeclKind::Import:
  case ast::Decl::DeclKind::Assert:
    return {};
  case ast::Decl::DeclKind::Param:
    return llvm::cast<ast::ParamDecl>(decl).name.text;
  case ast::Decl::DeclKind::Let:
    return llvm::cast<ast::LetDecl>(decl).let.name.text;
  case ast::Decl::DeclKind::Schema:
    return llvm::cast<ast::SchemaDecl>(decl).name.text;
  case ast::Decl::DeclKind::Block:
    return llvm::cast<ast::BlockDecl>(decl).name.text;
  }
  return {};
}

namespace {
SourceRange nameRange(const ast::Decl& decl) {
  switch (decl.kind) {
  case ast::Decl::DeclKind::Import:
  case ast::Decl::DeclKind::Assert:
    return decl.range;
  case ast::Decl::DeclKind::Param:
    return llvm::cast<ast::ParamDecl>(decl).name.range;
  case ast::Decl::DeclKind::Let:
    return llvm::cast<ast::LetDecl>(decl).let.name.range;
  case ast::Decl::DeclKind::Schema:
    return llvm::cast<ast::SchemaDecl>(decl).name.range;
  case ast::Decl::DeclKind::Block:
    return llvm::cast<ast::BlockDecl>(decl).name.range;
  }
  return decl.range;
}
} // namespace

NameMeaning sema::meaningOf(const ast::Decl& decl) {
  using Kind = NameMeaning::NameKind;
  NameMeaning meaning{Kind::Block, nameRange(decl), decl.doc};
  switch (decl.kind) {
  case ast::Decl::DeclKind::Import:
    meaning.kind = Kind::Import;
    break;
  case ast::Decl::DeclKind::Param:
    meaning.kind = Kind::Param;
    break;
  case ast::Decl::DeclKind::Let:
    meaning.kind = Kind::Let;
    break;
  case ast::Decl::DeclKind::Schema:
    meaning.kind = Kind::Schema;
    break;
  case ast::Decl::DeclKind::Block:
  case ast::Decl::DeclKind::Assert:
    break;
  }
  return meaning;
}

SourceModule* Modules::openLibrary(llvm::StringRef name) {
  auto [it, isNew] = byLibraryName.try_emplace(name, nullptr);
  if (!isNew)
    return it->second;
  if (!shared.library.hasModule(name))
    return nullptr;
  SourceModule& module = modules.emplace_back();
  module.libraryName = it->first();
  module.name = shared.keep("std." + name.str());
  module.scope.kind = Environment::EnvironmentKind::Module;
  module.scope.module = &module;
  for (const ast::ImportDecl* decl : shared.library.imports(name))
    addImport(module, *decl);
  byLibraryName[name] = &module;
  return &module;
}

SourceModule* Modules::openFile(const std::string& path) {
  return read(std::filesystem::path(path).lexically_normal().string(), {});
}

SourceModule* Modules::read(const std::string& path, SourceRange from) {
  if (auto found = byPath.find(path); found != byPath.end()) {
    SourceModule* module = found->second;
    if (auto at = std::find(opening.begin(), opening.end(), module);
        module && at != opening.end()) {
      std::string circle;
      for (; at != opening.end(); ++at)
        circle += (*at)->name.str() + " -> ";
      shared.diags.report<diag::ImportCycle>(from, circle + module->name.str());
      return nullptr;
    }
    return module;
  }
  const ParsedFile* parsed = shared.files.open(path, from, shared.diags);
  if (!parsed) {
    byPath[path] = nullptr;
    return nullptr;
  }
  SourceModule& module = modules.emplace_back();
  byPath[path] = &module;
  module.path = path;
  module.name = shared.keep(path);
  module.scope.kind = Environment::EnvironmentKind::Module;
  module.scope.module = &module;
  opening.push_back(&module);
  if (shared.keepsDamaged)
    parsed = &shared.files.withDamaged(*parsed);
  module.parsed = parsed;
  module.ast = parsed->ast;
  declare(module);
  opening.pop_back();
  return &module;
}

void Modules::declare(SourceModule& module) {
  for (const ast::Decl* decl : module.ast->declarations) {
    if (const auto* import = llvm::dyn_cast<ast::ImportDecl>(decl)) {
      addImport(module, *import);
      continue;
    }
    const llvm::StringRef name = declaredName(*decl);
    if (name.empty())
      continue;
    shared.names(nameRange(*decl), meaningOf(*decl));
    if (auto [it, isNew] = module.names.try_emplace(name, decl); !isNew)
      shared.diags.report<diag::DuplicateDeclaration>(nameRange(*decl), name)
          .note<diag::DeclaredHere>(nameRange(*it->second), name);
  }
  for (const Import& import : module.imports)
    if (auto it = module.names.find(import.alias); it != module.names.end())
      shared.diags.report<diag::DuplicateDeclaration>(nameRange(*it->second), import.alias)
          .note<diag::DeclaredHere>(import.decl->range, import.alias)
          .help("import it under another name with `as`");
}

void Modules::addImport(SourceModule& module, const ast::ImportDecl& decl) {
  Import import;
  import.decl = &decl;
  if (!decl.module.empty()) {
    import.alias = decl.alias.text.empty() ? decl.module.back().text : decl.alias.text;
    if (!module.isLibrary()) {
      const bool standard = decl.module.size() == 2 && decl.module[0].text == "std";
      if (!standard || !shared.library.hasModule(decl.module[1].text)) {
        std::vector<std::string> names;
        for (llvm::StringRef m : shared.library.modules())
          names.push_back("std." + m.str());
        const std::string wrong = text(decl.module);
        const Suggestion near =
            suggest(wrong, llvm::SmallVector<llvm::StringRef>(names.begin(), names.end()));
        auto d = shared.diags.report<diag::UnknownModule>(decl.target, wrong).help(near.help);
        if (!near.edit.empty())
          std::move(d).edit(decl.target, near.edit);
        import.opened = true;
      }
    }
  } else {
    const std::string written = decl.path.str();
    import.opened = true;
    import.alias = decl.alias.text.empty()
                       ? shared.keep(std::filesystem::path(written).stem().string())
                       : decl.alias.text;
    const std::filesystem::path target =
        (std::filesystem::path(module.path).parent_path() / written).lexically_normal();
    // Folders are reported when the file is read.
    const bool named = decl.path.endswith(".dpl") || shared.files.isFolder(target.string());
    if (!named || std::filesystem::path(written).is_absolute()) {
      shared.diags.report<diag::BadImportPath>(decl.target, written)
          .help("write a path relative to this file that ends in `.dpl`, as \"./site.dpl\"");
    } else {
      import.module = read(target.string(), decl.target);
    }
  }
  const auto [other, isNew] = module.importOfAlias.try_emplace(import.alias, module.imports.size());
  if (!isNew && !module.isLibrary())
    shared.diags.report<diag::DuplicateDeclaration>(decl.range, import.alias)
        .note<diag::DeclaredHere>(module.imports[other->second].decl->range, import.alias)
        .help("import one of them under another name with `as`");
  module.imports.push_back(import);
}

const ast::Decl* Modules::find(SourceModule& module, llvm::StringRef name) {
  auto [it, isNew] = module.names.try_emplace(name, nullptr);
  if (isNew && module.isLibrary())
    it->second = shared.library.find(module.libraryName, name);
  return it->second;
}

Declared Modules::findVisible(SourceModule& module, llvm::StringRef name) {
  if (const ast::Decl* own = find(module, name))
    return {&module, own};
  if (module.isLost(name))
    return {};
  SourceModule& outer = prelude();
  return {&outer, find(outer, name)};
}

const Import* Modules::importOf(const SourceModule& module, llvm::StringRef alias) const {
  const auto found = module.importOfAlias.find(alias);
  return found == module.importOfAlias.end() ? nullptr : &module.imports[found->second];
}

SourceModule* Modules::imported(SourceModule& module, llvm::StringRef alias, bool& known) {
  auto* const import = const_cast<Import*>(importOf(module, alias));
  known = import != nullptr;
  if (!import)
    return nullptr;
  if (!import->opened) {
    import->opened = true;
    import->module = openLibrary(import->decl->module.back().text);
  }
  return import->module;
}

Declared Modules::member(SourceModule& of, llvm::StringRef name) {
  if (const ast::Decl* own = find(of, name))
    return {&of, own};
  return of.isLibrary() ? Declared{&prelude(), find(prelude(), name)} : Declared{};
}

Declared Modules::known(SourceModule& module, ast::QualifiedName name) {
  if (name.size() == 1)
    return findVisible(module, name[0].text);
  bool isAlias = false;
  SourceModule* of = imported(module, name[0].text, isAlias);
  return of && name.size() == 2 ? member(*of, name[1].text) : Declared{};
}

Declared Modules::resolve(SourceModule& module, ast::QualifiedName name) {
  if (name.size() == 1) {
    if (Declared found = findVisible(module, name[0].text)) {
      shared.names(name[0].range, meaningOf(*found.decl));
      return found;
    }
    if (module.isPoisoned(name[0].text))
      return {};
    bool known = false;
    imported(module, name[0].text, known);
    if (known) {
      shared.diags.report<diag::NotAValue>(name[0].range, name[0].text, "an imported file");
      return {};
    }
    auto names = namesOf(module);
    const Suggestion near = shared.nearest(name[0].text, names, name[0].range);
    auto d = shared.diags.report<diag::UnknownName>(name[0].range, name[0].text).help(near.help);
    if (!near.edit.empty())
      std::move(d).edit(name[0].range, near.edit);
    return {};
  }
  bool known = false;
  SourceModule* of = imported(module, name[0].text, known);
  if (known && !of)
    return {}; // an error in the import was reported
  if (!known && module.isPoisoned(name[0].text))
    return {};
  if (!known) {
    const Suggestion near = shared.nearest(name[0].text, aliasesOf(module), name[0].range);
    auto d = shared.diags.report<diag::UnknownName>(name[0].range, name[0].text).help(near.help);
    if (shared.library.hasModule(name[0].text))
      std::move(d).help(fmt::format("add `import std.{}` at the top", name[0].text));
    return {};
  }
  Declared found = name.size() == 2 ? member(*of, name[1].text) : Declared{};
  if (found) {
    shared.names(name[0].range, meaningOf(*importOf(module, name[0].text)->decl));
    shared.names(name[1].range, meaningOf(*found.decl));
  }
  if (!found && !of->failed()) {
    const ast::Name& wrong = name.size() == 2 ? name[1] : name[2];
    const Suggestion near = shared.nearest(wrong.text, namesOf(*of), wrong.range);
    auto d = shared.diags
                 .report<diag::NoSuchMember>(wrong.range, fmt::format("`{}`", of->name), wrong.text)
                 .help(near.help);
    if (!near.edit.empty())
      std::move(d).edit(wrong.range, near.edit);
  }
  return found;
}

llvm::SmallVector<llvm::StringRef, 0> Modules::namesOf(SourceModule& module) {
  llvm::SmallVector<llvm::StringRef, 0> names;
  if (module.isLibrary()) {
    for (const LibraryEntry& entry : shared.library.entries(module.libraryName))
      names.push_back(entry.name);
  } else {
    for (const ast::Decl* decl : module.ast->declarations)
      if (!declaredName(*decl).empty())
        names.push_back(declaredName(*decl));
  }
  return names;
}

llvm::SmallVector<llvm::StringRef, 0> Modules::aliasesOf(SourceModule& module) {
  llvm::SmallVector<llvm::StringRef, 0> names;
  for (const Import& import : module.imports)
    names.push_back(import.alias);
  return names;
}
