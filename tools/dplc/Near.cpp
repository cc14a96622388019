//===- Near.cpp - Which name was probably meant -----------------------------------------------===//
#include "tools/dplc/Near.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <optional>
using namespace dpl;

namespace {
using Words = llvm::SmallVector<llvm::StringRef, 8>;

Words wordsOf(llvm::StringRef name) {
  Words words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("-._[] "), name.size());
    if (end > 0 && !llvm::is_contained(words, name.take_front(end)))
      words.push_back(name.take_front(end));
    name = name.drop_front(std::min(end + 1, name.size()));
  }
  return words;
}

/// Distance by spelling; nothing when the words have little in common.
std::optional<unsigned> misspelled(llvm::StringRef wrong, llvm::StringRef name) {
  const unsigned reach = wrong.size() < 4 ? 1 : wrong.size() < 8 ? 2 : 3;
  const unsigned distance = wrong.edit_distance(name, true, reach);
  return distance <= reach && distance < wrong.size() ? std::optional(distance) : std::nullopt;
}

/// How far a name is from what was written, from 0; nothing when it is another name altogether.
std::optional<unsigned> farness(llvm::StringRef wrong, llvm::StringRef name) {
  constexpr unsigned begun = 4, alikeWords = 5;
  if (const auto whole = misspelled(wrong, name))
    return *whole;
  // `mesh.tensor` of `layout.mesh.tensor`, or a misspelling of the last part.
  if (name.size() > wrong.size() && name.endswith(wrong) &&
      name[name.size() - wrong.size() - 1] == '.')
    return 0;
  if (const llvm::StringRef last = name.rsplit('.').second; !last.empty())
    if (const auto part = misspelled(wrong.contains('.') ? wrong.rsplit('.').second : wrong, last))
      if (!wrong.contains('.') || name.startswith(wrong.rsplit('.').first))
        return 1 + *part;
  if (wrong.size() >= 3 && name.startswith(wrong))
    return begun;
  const Words ours = wordsOf(wrong), theirs = wordsOf(name);
  const auto shared = static_cast<std::size_t>(llvm::count_if(ours, [&](llvm::StringRef word) {
    return word.size() > 2 && llvm::is_contained(theirs, word);
  }));
  const std::size_t all = ours.size() + theirs.size() - shared;
  return 3 * shared > all ? std::optional(alikeWords + static_cast<unsigned>(all - shared))
                          : std::nullopt;
}
} // namespace

std::vector<std::string> tool::nearNames(const std::string& wrong,
                                         const std::vector<std::string>& names) {
  const std::string lower = llvm::StringRef(wrong).lower();
  std::vector<std::pair<unsigned, std::string>> near;
  for (const std::string& name : names)
    if (const auto far = farness(lower, llvm::StringRef(name).lower()); far && !wrong.empty())
      near.emplace_back(*far, name);
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> best;
  // Beside what is right but for a letter or its beginning, nothing further away is worth a word.
  for (const auto& [far, name] : near)
    if (best.size() < 3 && (near.front().first > 1 || far == near.front().first))
      best.push_back(name);
  return best;
}

std::string tool::alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "`" : i + 1 == names.size() ? " or `" : ", `") + names[i] + "`";
  return text;
}

std::string tool::didYouMean(const std::vector<std::string>& near, const std::string& otherwise) {
  return near.empty() ? otherwise : "did you mean " + alternatives(near) + "?";
}
