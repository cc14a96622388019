#pragma once
//===- WordTable.h - A table of words that is written as one text -----------------------------===//
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace dpl {

/// The words of a text, separated by blanks and line ends.
class WordTable {
public:
  explicit WordTable(llvm::StringLiteral text) {
    for (llvm::StringRef rest = text.ltrim(); !rest.empty(); rest = rest.ltrim()) {
      words.push_back(rest.take_until([](char c) { return c == ' ' || c == '\n'; }));
      rest = rest.drop_front(words.back().size());
      set.insert(words.back());
    }
  }
  auto begin() const { return words.begin(); }
  auto end() const { return words.end(); }
  bool has(llvm::StringRef word) const { return set.contains(word); }
  bool hasPrefixOf(llvm::StringRef text) const {
    return llvm::any_of(words, [&](llvm::StringRef word) { return text.startswith(word); });
  }
  bool hasSuffixOf(llvm::StringRef text) const {
    return llvm::any_of(words, [&](llvm::StringRef word) { return text.endswith(word); });
  }

private:
  llvm::SmallVector<llvm::StringRef, 0> words;
  llvm::StringSet<> set;
};

} // namespace dpl
