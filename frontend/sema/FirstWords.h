#pragma once
//===- FirstWords.h - What newcomers call the fields of a block -------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace dpl::sema {

struct Schema;

/// How a field is written that other programs call `word`, where a block of the kind has none of
/// that name; empty for other words. `number` is the one that was written, or empty.
std::string firstWord(const Schema& schema, llvm::StringRef word, llvm::StringRef number);
/// The same for a word that another kind of block takes: "in a `layout`: write `mesh { … }`".
std::string wordElsewhere(llvm::StringRef word, llvm::StringRef number);
/// The same by kind of block: "layout" to "write `mesh { tensor = 8 }`".
std::vector<std::pair<std::string, std::string>> firstWords(llvm::StringRef word);

} // namespace dpl::sema
