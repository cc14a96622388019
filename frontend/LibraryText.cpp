//===- LibraryText.cpp - The library as text to read ------------------------------------------===//
#include "frontend/Frontend.h"
#include "frontend/ast/Library.h"
using namespace dpl;

namespace {
/// A library for one question.
struct Reading {
  SourceManager sources;
  Arena arena;
  Library library{embeddedLibrary(), sources, arena};
};
} // namespace

std::vector<std::string> dpl::libraryModules() {
  std::vector<std::string> names;
  for (llvm::StringRef name : Reading().library.modules())
    names.push_back(name.str());
  return names;
}

llvm::StringRef dpl::libraryText(llvm::StringRef module) { return Reading().library.text(module); }

std::string dpl::showLibrary(llvm::StringRef path) {
  path.consume_front("std.");
  const auto [module, name] = path.split('.');
  Reading reading;
  return (name.empty() ? reading.library.text(module) : reading.library.text(module, name)).str();
}

std::vector<std::string> dpl::libraryNames() {
  Reading reading;
  std::vector<std::string> names;
  for (llvm::StringRef module : reading.library.modules()) {
    const std::string prefix = "std." + module.str();
    names.push_back(prefix);
    for (const LibraryEntry& entry : reading.library.entries(module))
      names.push_back(prefix + "." + entry.name.str());
  }
  return names;
}
