#pragma once
//===- Place.h - The statement around a byte of a text ----------------------------------------===//
//
// What may be written at a place depends on the words before it. They are read without the tree,
// because the statement around the place is seldom complete.
#include "frontend/parse/Tokens.h"
#include "support/SourceManager.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::names {

struct Place {
  /// The words before the braces that are open at the place, the outermost first: `layout a for m
  /// on c`, then `schedule = interleaved_1f1b`. An outer statement begins after the brace before
  /// it.
  std::vector<std::vector<Token>> heads;
  std::vector<Token> statement; ///< words of the statement before the place, without the word at it
  std::uint32_t wordBegin = 0, wordEnd = 0; ///< word at the place; empty if there is none
  bool inText = false;                      ///< whether the place is inside a comment or a string
};

/// The place at a byte. A word that ends at the byte is the word at it.
Place placeAt(llvm::StringRef text, std::uint32_t byte);

} // namespace dpl::names
