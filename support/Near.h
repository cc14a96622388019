#pragma once
//===- Near.h - Which name was probably meant -------------------------------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace dpl {

/// Letters put in, left out, changed, or swapped with their neighbour; past `most` just above it.
unsigned spellingDistance(llvm::StringRef a, llvm::StringRef b, unsigned most);

/// At most three of `known` that are near `wrong`, best first: misspelled by a letter or two, named
/// without what stands before (`dgx_h100`), begun (`micro`), or made of the same words
/// (`pipeline-bubble` and `bubble`). Upper and lower case are alike.
std::vector<std::string> nearNames(llvm::StringRef wrong, llvm::ArrayRef<std::string> known);

/// "`a`", "`a` or `b`", "`a`, `b` or `c`".
std::string alternatives(llvm::ArrayRef<std::string> names);
/// "did you mean `a` or `b`?", or `otherwise` where nothing is near.
std::string didYouMean(llvm::ArrayRef<std::string> near, const std::string& otherwise);

/// What a message about an unknown name in a file says.
struct Suggestion {
  std::string help; ///< near names, else all of them where they are at most 18; may be empty
  std::string edit; ///< the one name that was surely meant; else empty
};
Suggestion suggest(llvm::StringRef wrong, llvm::ArrayRef<llvm::StringRef> known);

} // namespace dpl
