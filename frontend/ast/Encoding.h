#pragma once
//===- Encoding.h - Serialization of syntax trees ---------------------------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include <string>

namespace dpl {

/// Serializes a declaration of a file with this text. Small numbers are one byte, a place is the
/// distance to the previous place, and a name is only a place.
std::string encode(const ast::Decl& decl, llvm::StringRef text);

/// Reads the bytes of `encode`. Places are in `file`, whose text is `text`. Strings that are not in
/// the text point into `bytes`, which must outlive the tree.
const ast::Decl& decode(llvm::StringRef bytes, llvm::StringRef text, std::uint32_t file,
                        Arena& arena);

/// Bytes that are equal if and only if two files have equal trees, apart from places.
std::string structure(const ast::File& file, llvm::StringRef text);

/// Numbers have seven bits per byte, lowest first; strings begin with their length.
void putNumber(std::string& out, std::uint64_t n);
void putString(std::string& out, llvm::StringRef s);
std::uint64_t takeNumber(llvm::StringRef& bytes);
llvm::StringRef takeString(llvm::StringRef& bytes);

} // namespace dpl
