//===- LibraryImage.cpp - Writes the image of the standard library ----------------------------===//
//
// image  = module*                 module  = name text size-of-body body (strings)
// body   = imports entries trees   imports = count tree*
// entries = count (name kind block-kind first-byte size-of-tree)*
#include "frontend/ast/LibraryImage.h"
#include "frontend/ast/Encoding.h"
using namespace dpl;
using namespace dpl::ast;

namespace {
/// The name of a declaration, and its kind if it is a block. Both are empty for imports and
/// asserts.
std::pair<Name, Name> names(const Decl& d) {
  if (const auto* p = llvm::dyn_cast<ParamDecl>(&d))
    return {p->name, {}};
  if (const auto* l = llvm::dyn_cast<LetDecl>(&d))
    return {l->let.name, {}};
  if (const auto* s = llvm::dyn_cast<SchemaDecl>(&d))
    return {s->name, {}};
  if (const auto* b = llvm::dyn_cast<BlockDecl>(&d))
    return {b->name, b->blockKind};
  return {};
}
} // namespace

std::string dpl::libraryImage(const std::vector<LibrarySource>& modules) {
  std::string image;
  for (const LibrarySource& module : modules) {
    std::string imports, entries, trees;
    std::uint64_t importCount = 0, entryCount = 0;
    for (const Decl* d : module.file->declarations) {
      const std::string tree = encode(*d, module.text);
      if (llvm::isa<ImportDecl>(d)) {
        ++importCount;
        putString(imports, tree);
        continue;
      }
      const auto [name, blockKind] = names(*d);
      assert(!name.text.empty() && "embed_library refuses what has no name");
      ++entryCount;
      putString(entries, name.text);
      putNumber(entries, static_cast<std::uint64_t>(d->kind));
      putString(entries, blockKind.text);
      putNumber(entries, d->range.begin);
      putNumber(entries, d->range.end);
      putNumber(entries, tree.size());
      trees += tree;
    }
    std::string body;
    putNumber(body, importCount);
    body += imports;
    putNumber(body, entryCount);
    body += entries;
    body += trees;
    putString(image, module.name);
    putString(image, module.text);
    putString(image, body);
  }
  return image;
}
