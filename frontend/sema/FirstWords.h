#pragma once
//===- FirstWords.h - What newcomers call the fields of a block -------------------------------===//
#include "llvm/ADT/StringRef.h"

namespace dpl::sema {

struct Schema;

/// How a field is written that other programs call `word`, where a block of the kind has none of
/// that name; empty for other words.
llvm::StringRef firstWord(const Schema& schema, llvm::StringRef word);

} // namespace dpl::sema
