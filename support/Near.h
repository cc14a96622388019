#pragma once
//===- Near.h - Suggestions for misspelled names ----------------------------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace dpl {

/// The number of inserted, deleted, changed or swapped letters; at most `most` + 1.
unsigned spellingDistance(llvm::StringRef a, llvm::StringRef b, unsigned most);

/// Returns at most three of `known` that are similar to `wrong`, best first. A name is similar if
/// one or two letters differ, if `wrong` lacks its qualifier (`dgx_h100`) or is a prefix of it
/// (`micro`), or if both have the same words (`pipeline-bubble` and `bubble`). Case is ignored.
std::vector<std::string> nearNames(llvm::StringRef wrong, llvm::ArrayRef<std::string> known);

/// The names as a choice: "`a`", "`a` or `b`", "`a`, `b` or `c`".
std::string alternatives(llvm::ArrayRef<std::string> names);
/// The question "did you mean `a` or `b`?", or `otherwise` if `near` is empty.
std::string didYouMean(llvm::ArrayRef<std::string> near, const std::string& otherwise);

/// The advice of a message about an unknown name.
struct Suggestion {
  std::string help; ///< similar names, or all names if there are at most 18; may be empty
  std::string edit; ///< the only likely name, or empty
};
Suggestion suggest(llvm::StringRef wrong, llvm::ArrayRef<llvm::StringRef> known);

} // namespace dpl
