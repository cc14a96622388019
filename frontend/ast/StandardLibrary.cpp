//===- StandardLibrary.cpp - Loads declarations of the standard library on demand -------------===//
#include "frontend/ast/StandardLibrary.h"
#include "frontend/ast/Encoding.h"
using namespace dpl;
using namespace dpl::ast;

/// A module. Its name and text are read at the start, its table of entries when it is first used.
struct StandardLibrary::LibraryModule {
  llvm::StringRef name, text, body;
  bool opened = false;
  std::uint32_t file = 0; ///< id of the file; 0 until the text is added to the sources
  std::vector<LibraryEntry> entries;
  struct LibrarySlot {
    std::uint32_t begin, end; ///< range of its bytes in the image's text
    llvm::StringRef tree;
    const Decl* loaded = nullptr;
  };
  std::vector<LibrarySlot> slots; ///< slots of the declarations, in the order of `entries`
  std::vector<llvm::StringRef> importTrees;
  std::vector<const ImportDecl*> imports;
  llvm::StringMap<std::uint32_t> byName;
};

StandardLibrary::StandardLibrary(llvm::StringRef image, SourceManager& sources, Arena& arena)
    : sources(sources), arena(arena) {
  while (!image.empty()) {
    auto module = std::make_unique<LibraryModule>();
    module->name = takeString(image);
    module->text = takeString(image);
    module->body = takeString(image);
    held.push_back(std::move(module));
  }
}
StandardLibrary::~StandardLibrary() = default;

std::vector<llvm::StringRef> StandardLibrary::modules() const {
  std::vector<llvm::StringRef> names;
  for (const auto& module : held)
    names.push_back(module->name);
  return names;
}

StandardLibrary::LibraryModule* StandardLibrary::open(llvm::StringRef name) const {
  LibraryModule* module = nullptr;
  for (const auto& m : held)
    if (m->name == name)
      module = m.get();
  if (!module || module->opened)
    return module;
  module->opened = true;
  llvm::StringRef bytes = module->body;
  for (std::uint64_t n = takeNumber(bytes); n > 0; --n)
    module->importTrees.push_back(takeString(bytes));
  const std::uint64_t count = takeNumber(bytes);
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t n = 0; n < count; ++n) {
    LibraryEntry entry;
    entry.name = takeString(bytes);
    entry.kind = static_cast<Decl::DeclKind>(takeNumber(bytes));
    entry.blockKind = takeString(bytes);
    const auto begin = static_cast<std::uint32_t>(takeNumber(bytes));
    const auto end = static_cast<std::uint32_t>(takeNumber(bytes));
    sizes.push_back(takeNumber(bytes));
    module->entries.push_back(entry);
    module->slots.push_back({begin, end, {}, nullptr});
    module->byName[entry.name] = static_cast<std::uint32_t>(n);
  }
  for (std::uint64_t n = 0; n < count; ++n) {
    module->slots[n].tree = bytes.take_front(sizes[n]);
    bytes = bytes.drop_front(sizes[n]);
  }
  return module;
}

std::uint32_t StandardLibrary::fileOf(LibraryModule& module) {
  if (module.file == 0)
    module.file = sources.addStatic("std." + module.name.str(), module.text);
  return module.file;
}

bool StandardLibrary::hasModule(llvm::StringRef module) const { return open(module) != nullptr; }

llvm::ArrayRef<LibraryEntry> StandardLibrary::entries(llvm::StringRef module) {
  const LibraryModule* m = open(module);
  return m ? llvm::ArrayRef<LibraryEntry>(m->entries) : llvm::ArrayRef<LibraryEntry>();
}

const Decl* StandardLibrary::find(llvm::StringRef module, llvm::StringRef name) {
  LibraryModule* m = open(module);
  const auto it = m ? m->byName.find(name) : llvm::StringMap<std::uint32_t>::iterator{};
  if (!m || it == m->byName.end())
    return nullptr;
  LibraryModule::LibrarySlot& slot = m->slots[it->second];
  if (!slot.loaded)
    slot.loaded = &decode(slot.tree, m->text, fileOf(*m), arena);
  return slot.loaded;
}

llvm::ArrayRef<const ImportDecl*> StandardLibrary::imports(llvm::StringRef module) {
  LibraryModule* m = open(module);
  if (!m)
    return {};
  if (m->imports.empty())
    for (llvm::StringRef tree : m->importTrees)
      m->imports.push_back(llvm::cast<ImportDecl>(&decode(tree, m->text, fileOf(*m), arena)));
  return m->imports;
}

llvm::StringRef StandardLibrary::moduleOf(std::uint32_t file) const {
  for (const auto& module : held)
    if (file != 0 && module->file == file)
      return module->name;
  return {};
}

llvm::StringRef StandardLibrary::text(llvm::StringRef module) const {
  const LibraryModule* m = open(module);
  return m ? m->text : llvm::StringRef();
}

llvm::StringRef StandardLibrary::text(llvm::StringRef module, llvm::StringRef name) {
  const LibraryModule* m = open(module);
  const auto it = m ? m->byName.find(name) : llvm::StringMap<std::uint32_t>::const_iterator{};
  if (!m || it == m->byName.end())
    return {};
  const LibraryModule::LibrarySlot& slot = m->slots[it->second];
  // The comment lines directly above a declaration are a part of its text.
  std::size_t begin = slot.begin;
  while (begin > 1) {
    const std::size_t newLine = m->text.take_front(begin - 1).rfind('\n');
    const std::size_t above = newLine == llvm::StringRef::npos ? 0 : newLine + 1;
    if (!m->text.slice(above, begin).ltrim().startswith("//"))
      break;
    begin = above;
  }
  // The rest of the last line is also a part of it.
  return m->text.slice(begin, std::min(m->text.find('\n', slot.end), m->text.size()));
}
