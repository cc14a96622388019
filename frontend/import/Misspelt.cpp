//===- Misspelt.cpp - Option and setting names that an imported file misspells ----------------===//
#include "frontend/import/Misspelt.h"
#include "frontend/import/SettingPath.h"
#include "support/Near.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <set>

using namespace dpl;
using namespace dpl::imports;

namespace {
std::set<std::string> wordsOf(llvm::StringRef name) {
  std::string text = lastWord(name).trim('-').lower();
  std::replace(text.begin(), text.end(), '-', '_');
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(text).split(parts, '_', -1, false);
  return {parts.begin(), parts.end()};
}

/// Whether all words of one name are among those of the other, as those of "tensor-parallel-size"
/// are in "tensor-model-parallel-size".
bool isPart(llvm::StringRef a, llvm::StringRef b) {
  const std::set<std::string> ours = wordsOf(a), theirs = wordsOf(b);
  return std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end()) ||
         std::includes(theirs.begin(), theirs.end(), ours.begin(), ours.end());
}

/// The known names that contain all words of `name` and further ones: "global-batch-size" for
/// "global-batch". `name` must have at least two words.
std::vector<std::string> lengthened(llvm::StringRef name, llvm::ArrayRef<std::string> known) {
  const std::set<std::string> words = wordsOf(name);
  std::vector<std::string> out;
  if (words.size() < 2)
    return out;
  for (const std::string& other : known) {
    const std::set<std::string> theirs = wordsOf(other);
    if (theirs.size() > words.size() &&
        std::includes(theirs.begin(), theirs.end(), words.begin(), words.end()))
      out.push_back(other);
  }
  return out;
}
/// The number of letters in which a misspelt word may differ from the right one.
unsigned reachOf(llvm::StringRef word) { return word.size() < 6 ? 1 : word.size() < 9 ? 2 : 3; }

/// The known names that end in the same word, but are in another table.
std::vector<std::string> ofOtherTables(llvm::StringRef name, llvm::ArrayRef<std::string> known) {
  std::vector<std::string> out;
  llvm::copy_if(known, std::back_inserter(out), [&](llvm::StringRef other) {
    return other != name && lastWord(other) == lastWord(name);
  });
  return out;
}
} // namespace

std::vector<std::string> dpl::imports::misspeltTables(llvm::StringRef name,
                                                      llvm::ArrayRef<std::string> known) {
  std::vector<std::string> out = ofOtherTables(name, known);
  const llvm::StringRef table = name.rsplit('.').first;
  const unsigned reach = reachOf(table);
  llvm::erase_if(out, [&](llvm::StringRef other) {
    return spellingDistance(table.lower(), other.rsplit('.').first.lower(), reach) > reach;
  });
  return out;
}

std::vector<std::string> dpl::imports::misspelt(llvm::StringRef name,
                                                llvm::ArrayRef<std::string> known) {
  constexpr std::size_t longest = 256; // longer names are not compared
  const std::string last = lastWord(name).lower();
  const unsigned reach = reachOf(last);
  if (last.size() > longest)
    return {};
  std::vector<std::string> out;
  unsigned nearest = reach + 1;
  bool inTable = false; // whether the names in `out` are of the same table as `name`
  for (const std::string& other : known) {
    const std::size_t size = lastWord(other).size();
    if (std::max(size, last.size()) - std::min(size, last.size()) > reach)
      continue;
    const unsigned far = spellingDistance(last, lastWord(other).lower(), reach);
    const bool same = sameTable(name, other);
    if (lastWord(name) == lastWord(other) || far > nearest || far > reach ||
        (far == nearest && inTable && !same))
      continue;
    if (far < nearest || (same && !inTable))
      out.clear(), inTable = false;
    nearest = far, inTable |= same;
    out.push_back(other);
  }
  return out.empty() ? lengthened(name, known) : out;
}

std::string dpl::imports::meantSize(llvm::StringRef name, llvm::ArrayRef<std::string> sizes) {
  std::vector<std::string> meant = misspeltTables(name, sizes);
  if (meant.empty())
    meant = ofOtherTables(name, sizes);
  if (meant.empty())
    meant = misspelt(name, sizes);
  if (meant.empty())
    llvm::copy_if(sizes, std::back_inserter(meant),
                  [&](const std::string& size) { return isPart(name, size); });
  if (llvm::any_of(meant, [&](const std::string& size) { return sameTable(name, size); }))
    llvm::erase_if(meant, [&](const std::string& size) { return !sameTable(name, size); });
  constexpr std::size_t most = 3;
  meant.resize(std::min(meant.size(), most));
  return didYouMean(meant, "");
}
