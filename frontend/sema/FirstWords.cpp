//===- FirstWords.cpp -------------------------------------------------------------------------===//
#include "frontend/sema/FirstWords.h"
#include "frontend/sema/Schema.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
struct Words {
  llvm::StringLiteral kind, words, help;
};
constexpr Words table[] = {
#define WORDS(KIND, WORDS, HELP) {KIND, WORDS, HELP},
#include "frontend/sema/FirstWords.def"
#undef WORDS
};
} // namespace

llvm::StringRef sema::firstWord(const Schema& schema, llvm::StringRef word) {
  const std::string written = word.lower();
  for (const Words& row : table) {
    if (!schema.isA(row.kind))
      continue;
    llvm::SmallVector<llvm::StringRef, 8> words;
    row.words.split(words, ' ');
    if (llvm::is_contained(words, written))
      return row.help;
  }
  return "";
}
