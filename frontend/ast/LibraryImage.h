#pragma once
//===- LibraryImage.h - Writes the image of the standard library ------------------------------===//
#include "frontend/ast/Ast.h"
#include <string>
#include <vector>

namespace dpl {

/// A parsed module of the library.
struct LibrarySource {
  std::string name;
  llvm::StringRef text;
  const ast::File* file = nullptr;
};

/// The bytes from which StandardLibrary loads the modules. `modules` are in alphabetical order.
std::string libraryImage(const std::vector<LibrarySource>& modules);

} // namespace dpl
