#pragma once
//===- LibraryImage.h - Writing what Library reads --------------------------------------------===//
#include "frontend/ast/Ast.h"
#include <string>
#include <vector>

namespace dpl {

/// A module of the library, parsed.
struct LibrarySource {
  std::string name;
  llvm::StringRef text;
  const ast::File* file = nullptr;
};

/// The bytes that a Library is made from. `modules` are in alphabetical order.
std::string libraryImage(const std::vector<LibrarySource>& modules);

} // namespace dpl
