#pragma once
//===- LibraryFiles.h - The library as read-only files that an editor can open ----------------===//
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dpl::tool {

/// Writes a module of the library ("std.models") to the user's cache and returns its path; empty if
/// the module is not known or the file cannot be written. Every editor can open a file, but not
/// every one the address of a text that the server would have to send.
std::string libraryFile(llvm::StringRef module);

/// Whether a path is that of a file that `libraryFile` writes.
bool isLibraryFile(llvm::StringRef path);

} // namespace dpl::tool
