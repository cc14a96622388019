//===- FirstWords.cpp - Words of other programs for the fields of a block ---------------------===//
#include "frontend/sema/FirstWords.h"
#include "frontend/sema/Schema.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::sema;

namespace {
struct FirstWordRow {
  llvm::StringLiteral kind, words, help;
};
constexpr FirstWordRow table[] = {
#define WORDS(KIND, WORDS, HELP) {KIND, WORDS, HELP},
#include "frontend/sema/FirstWords.def"
#undef WORDS
};

bool holds(const FirstWordRow& row, llvm::StringRef word) {
  llvm::SmallVector<llvm::StringRef, 8> words;
  row.words.split(words, ' ');
  return llvm::is_contained(words, llvm::StringRef(word.lower()));
}

/// The advice with `number` in place of the numbers after `@`, if `number` is not empty.
std::string advice(llvm::StringRef help, llvm::StringRef number) {
  const auto [before, rest] = help.split('@');
  if (before.size() == help.size())
    return help.str();
  const llvm::StringRef own = rest.take_while([](char c) { return llvm::isDigit(c) || c == '_'; });
  return (before + (number.empty() ? own : number) + advice(rest.drop_front(own.size()), number))
      .str();
}
} // namespace

std::string sema::firstWord(const Schema& schema, llvm::StringRef word, llvm::StringRef number) {
  for (const FirstWordRow& row : table)
    if (schema.isA(row.kind) && holds(row, word))
      return advice(row.help, number);
  return "";
}

std::string sema::wordElsewhere(llvm::StringRef word, llvm::StringRef number) {
  for (const llvm::StringRef kind : {"decoder", "cluster", "run", "layout"})
    for (const FirstWordRow& row : table)
      if (row.kind == kind && holds(row, word))
        return fmt::format("in a `{}`: {}", kind == "decoder" ? "model" : kind,
                           advice(row.help, number));
  return "";
}

std::vector<std::pair<std::string, std::string>> sema::firstWords(llvm::StringRef word) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const FirstWordRow& row : table)
    if (holds(row, word))
      found.emplace_back(row.kind.str(), advice(row.help, ""));
  return found;
}
