#pragma once
//===- Encoding.h - Serialization of syntax trees ---------------------------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include <string>

namespace dpl {

/// Serializes a declaration of a file whose text is `text`. Small numbers take one byte, a place is
/// the distance to the previous place, and a name is only a place.
std::string encode(const ast::Decl& decl, llvm::StringRef text);

/// Restores a declaration from the bytes of `encode`. Places are in `file`, whose text is `text`.
/// Strings that are not in the text point into `bytes`, which must outlive the tree.
const ast::Decl& decode(llvm::StringRef bytes, llvm::StringRef text, std::uint32_t file,
                        Arena& arena);

/// Bytes that are equal for two files if and only if their trees are equal, apart from places.
std::string structure(const ast::File& file, llvm::StringRef text);

/// Writes a number with seven bits per byte, the lowest bits first. A string is preceded by its
/// length.
void putNumber(std::string& out, std::uint64_t n);
void putString(std::string& out, llvm::StringRef s);
std::uint64_t takeLongNumber(llvm::StringRef& bytes);
/// Most numbers have one byte.
inline std::uint64_t takeNumber(llvm::StringRef& bytes) {
  const auto first = static_cast<unsigned char>(bytes.front());
  if (first >= 0x80)
    return takeLongNumber(bytes);
  bytes = bytes.drop_front();
  return first;
}
llvm::StringRef takeString(llvm::StringRef& bytes);

} // namespace dpl
