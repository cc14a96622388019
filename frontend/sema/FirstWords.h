#pragma once
//===- FirstWords.h - Words of other programs for the fields of a block -----------------------===//
#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace dpl::sema {

struct Schema;

/// Advice how to write the field that other programs call `word`, in a block that has no such
/// field; empty for other words. `number` is the value in the file, or empty.
std::string firstWord(const Schema& schema, llvm::StringRef word, llvm::StringRef number);
/// The same for a word that is known in another kind of block: "in a `layout`: write `mesh { … }`".
std::string wordElsewhere(llvm::StringRef word, llvm::StringRef number);
/// The advice for each kind of block: "layout" with "write `mesh { tensor = 8 }`".
std::vector<std::pair<std::string, std::string>> firstWords(llvm::StringRef word);

} // namespace dpl::sema
