//===- LibraryText.cpp - The text of the library ----------------------------------------------===//
#include "frontend/Frontend.h"
#include "frontend/LibrarySchemas.h"
#include "frontend/ast/StandardLibrary.h"
#include "frontend/sema/FirstWords.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
using namespace dpl;

namespace {
/// The library, loaded for one query.
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

namespace {
/// The name of a field, its type with the usual units, its default, and its sentence.
std::string textOf(const LibrarySchema& schema, const LibraryField& field) {
  return fmt::format("field `{}` of `{}`{}: {}{}, {}\n\n{}\n", field.name, schema.name,
                     field.choice.empty() ? "" : fmt::format(", choice `{}`", field.choice),
                     field.type, field.units.empty() ? "" : " (" + field.units + ")",
                     field.defaultText(), field.sentence);
}
} // namespace

std::string dpl::showFields(llvm::StringRef path) {
  const auto [owner, last] = path.rsplit('.');
  const llvm::StringRef name = last.empty() ? owner : last;
  // The last but one part of a path is the schema: `mesh` in `layout.mesh.tensor`.
  const llvm::StringRef schemaName = last.empty()                       ? ""
                                     : owner.rsplit('.').second.empty() ? owner
                                                                        : owner.rsplit('.').second;
  const std::vector<LibrarySchema> schemas = librarySchemas();
  // A schema also has the fields of its bases.
  std::vector<std::string> owners{schemaName.str()};
  for (std::size_t at = 0; at < owners.size(); ++at)
    for (const LibrarySchema& schema : schemas)
      if (!schema.base.empty() && llvm::StringRef(owners[at]).equals_insensitive(schema.name))
        owners.push_back(schema.base);
  std::string out;
  for (const LibrarySchema& schema : schemas) {
    if (!schemaName.empty() && llvm::none_of(owners, [&](llvm::StringRef each) {
          return each.equals_insensitive(schema.name);
        }))
      continue;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
    for (const LibraryChoice& choice : schema.choices)
      if (llvm::StringRef(choice.name).equals_insensitive(name))
        add(fmt::format("choice `{}` of `{}`\n\n{}\n", choice.name, schema.name, choice.sentence));
    for (const LibraryField& field : schema.fields)
      if (llvm::StringRef(field.name).equals_insensitive(name))
        add(textOf(schema, field));
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
