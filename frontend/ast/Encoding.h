#pragma once
//===- Encoding.h - Trees as bytes ------------------------------------------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include <string>

namespace dpl {

/// The bytes of a declaration of the file with this text: small numbers are one byte, a place is
/// the step from the place before it, and a name is only a place.
std::string encode(const ast::Decl& decl, llvm::StringRef text);

/// The declaration that `encode` wrote. Its places are in `file`, whose text is `text`; strings
/// that are not in the text stay in `bytes`, which must live on.
const ast::Decl& decode(llvm::StringRef bytes, llvm::StringRef text, std::uint32_t file,
                        Arena& arena);

/// Bytes that are equal for two files exactly when they say the same, wherever it stands in them.
std::string structure(const ast::File& file, llvm::StringRef text);

/// Unsigned numbers, seven bits a byte, lowest first; a string has its length before it.
void putNumber(std::string& out, std::uint64_t n);
void putString(std::string& out, llvm::StringRef s);
std::uint64_t takeNumber(llvm::StringRef& bytes);
llvm::StringRef takeString(llvm::StringRef& bytes);

} // namespace dpl
