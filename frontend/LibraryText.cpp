//===- LibraryText.cpp - The text of the library ----------------------------------------------===//
#include "frontend/Frontend.h"
#include "frontend/ast/StandardLibrary.h"
#include "frontend/sema/FirstWords.h"
#include <fmt/format.h>
using namespace dpl;

namespace {
/// A library that lives as long as one query.
struct LibraryReading {
  SourceManager sources;
  Arena arena;
  StandardLibrary library{embeddedLibrary(), sources, arena};
};
} // namespace

std::vector<std::string> dpl::libraryModules() {
  std::vector<std::string> names;
  for (llvm::StringRef name : LibraryReading().library.modules())
    names.push_back(name.str());
  return names;
}

llvm::StringRef dpl::libraryText(llvm::StringRef module) {
  return LibraryReading().library.text(module);
}

std::string dpl::showLibrary(llvm::StringRef path) {
  path.consume_front("std.");
  const auto [module, name] = path.split('.');
  LibraryReading reading;
  return (name.empty() ? reading.library.text(module) : reading.library.text(module, name)).str();
}

std::string dpl::showFirstWord(llvm::StringRef word) {
  std::string out;
  for (const auto& [kind, advice] : sema::firstWords(word))
    out += fmt::format("{}in `{}`: {}\n", out.empty() ? "" : "\n",
                       kind == "decoder" ? "model" : kind, advice);
  return out;
}

std::string dpl::showFields(llvm::StringRef path) {
  const auto [owner, last] = path.rsplit('.');
  const llvm::StringRef name = last.empty() ? owner : last;
  // In `layout.mesh.tensor` the schema is `mesh`.
  const llvm::StringRef schemaName = last.empty()                       ? ""
                                     : owner.rsplit('.').second.empty() ? owner
                                                                        : owner.rsplit('.').second;
  LibraryReading reading;
  std::string out;
  const auto show = [&](const ast::SchemaDecl& schema, llvm::StringRef choice,
                        const ast::SchemaField& field) {
    if (!field.name.text.equals_insensitive(name))
      return;
    out += out.empty() ? "" : "\n";
    out += fmt::format("field `{}` of `{}`{}\n", field.name.text, schema.name.text,
                       choice.empty() ? "" : fmt::format(", choice `{}`", choice));
    if (!field.doc.empty())
      out += "  /// " + field.doc.str() + "\n";
    const llvm::StringRef line = reading.sources.line(field.range.file, field.range.begin);
    out += "  " + line.trim().str() + "\n";
  };
  for (const LibraryEntry& entry : reading.library.entries("prelude")) {
    const bool wanted = schemaName.empty() || entry.name.equals_insensitive(schemaName);
    if (entry.kind != ast::Decl::DeclKind::Schema || !wanted)
      continue;
    const auto* schema = llvm::cast<ast::SchemaDecl>(reading.library.find("prelude", entry.name));
    for (const ast::SchemaField& field : schema->fields)
      show(*schema, "", field);
    for (const ast::ChoiceMember& choice : schema->choices)
      for (const ast::SchemaField& field : choice.fields)
        show(*schema, choice.name.text, field);
  }
  return out;
}

std::vector<std::string> dpl::libraryNames() {
  LibraryReading reading;
  std::vector<std::string> names;
  for (llvm::StringRef module : reading.library.modules()) {
    const std::string prefix = "std." + module.str();
    names.push_back(prefix);
    for (const LibraryEntry& entry : reading.library.entries(module))
      names.push_back(prefix + "." + entry.name.str());
  }
  return names;
}
