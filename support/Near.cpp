//===- Near.cpp - Suggestions for misspelled names --------------------------------------------===//
#include "support/Near.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <optional>
#include <tuple>
using namespace dpl;

namespace {
using NameWords = llvm::SmallVector<llvm::StringRef, 8>;

NameWords wordsOf(llvm::StringRef name) {
  NameWords words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("-._[] "), name.size());
    if (end > 0 && !llvm::is_contained(words, name.take_front(end)))
      words.push_back(name.take_front(end));
    name = name.drop_front(std::min(end + 1, name.size()));
  }
  return words;
}

/// The spelling distance of two words; none if they are too different.
std::optional<unsigned> misspelled(llvm::StringRef wrong, llvm::StringRef name) {
  const unsigned reach = wrong.size() < 6 ? 1 : wrong.size() < 9 ? 2 : 3;
  const unsigned distance = spellingDistance(wrong, name, reach);
  return distance <= reach && distance < wrong.size() ? std::optional(distance) : std::nullopt;
}

/// The distance of a known name from the wrong one, at least 0; none if they are unrelated.
std::optional<unsigned> farness(llvm::StringRef wrong, llvm::StringRef name) {
  constexpr unsigned begun = 4, alikeWords = 5;
  if (const auto whole = misspelled(wrong, name))
    return *whole;
  // The user may write `mesh.tensor` for `layout.mesh.tensor`, or misspell the last part.
  if (name.size() > wrong.size() && name.endswith(wrong) &&
      name[name.size() - wrong.size() - 1] == '.')
    return 0;
  if (const llvm::StringRef last = name.rsplit('.').second; !last.empty())
    if (const auto part = misspelled(wrong.contains('.') ? wrong.rsplit('.').second : wrong, last))
      if (!wrong.contains('.') || name.startswith(wrong.rsplit('.').first))
        return 1 + *part;
  if (wrong.size() >= 3 && name.startswith(wrong))
    return begun;
  const NameWords ours = wordsOf(wrong), theirs = wordsOf(name);
  const auto shared = static_cast<std::size_t>(llvm::count_if(ours, [&](llvm::StringRef word) {
    return word.size() > 2 && llvm::is_contained(theirs, word);
  }));
  const std::size_t all = ours.size() + theirs.size() - shared;
  return 3 * shared > all ? std::optional(alikeWords + static_cast<unsigned>(all - shared))
                          : std::nullopt;
}

struct NearName {
  unsigned far;
  std::string name;
};

/// Similar names, nearest first, without duplicates; ties are sorted by name.
template <class Name>
std::vector<NearName> candidates(llvm::StringRef wrong, llvm::ArrayRef<Name> known) {
  const std::string lower = wrong.lower();
  std::vector<NearName> near;
  constexpr std::size_t longest = 256; // longer texts are not misspelled names
  if (wrong.empty() || wrong.size() > longest)
    return near;
  for (llvm::StringRef name : known)
    if (const auto far = farness(lower, name.lower());
        far && llvm::none_of(near, [&](const NearName& c) { return c.name == name; }))
      near.push_back({*far, name.str()});
  llvm::sort(near, [](const NearName& a, const NearName& b) {
    return std::tie(a.far, a.name) < std::tie(b.far, b.name);
  });
  return near;
}

/// The best suggestions. If one differs by at most one letter, more distant ones are left out.
std::vector<std::string> best(llvm::ArrayRef<NearName> near) {
  std::vector<std::string> names;
  for (const NearName& c : near)
    if (names.size() < 3 && (near.front().far > 1 || c.far == near.front().far))
      names.push_back(c.name);
  return names;
}
} // namespace

unsigned dpl::spellingDistance(llvm::StringRef a, llvm::StringRef b, unsigned most) {
  if ((a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) > most)
    return most + 1;
  std::vector<unsigned> before, last(b.size() + 1), row(b.size() + 1);
  for (unsigned j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = std::move(row);
    row.assign(b.size() + 1, static_cast<unsigned>(i));
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    // The final distance is at least the minimum of two adjacent rows.
    if (*std::min_element(row.begin(), row.end()) > most &&
        *std::min_element(last.begin(), last.end()) > most)
      return most + 1;
  }
  return row[b.size()];
}

std::vector<std::string> dpl::nearNames(llvm::StringRef wrong, llvm::ArrayRef<std::string> known) {
  return best(candidates(wrong, known));
}

std::string dpl::alternatives(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "`" : i + 1 == names.size() ? " or `" : ", `") + names[i] + "`";
  return text;
}

std::string dpl::didYouMean(llvm::ArrayRef<std::string> near, const std::string& otherwise) {
  return near.empty() ? otherwise : "did you mean " + alternatives(near) + "?";
}

Suggestion dpl::suggest(llvm::StringRef wrong, llvm::ArrayRef<llvm::StringRef> known) {
  const std::vector<NearName> near = candidates(wrong, known);
  Suggestion out;
  // A name that only shares a prefix or a word with the wrong name is not certain.
  if (!near.empty() && near[0].far <= 2 && near[0].far < wrong.size() &&
      misspelled(wrong.lower(), llvm::StringRef(near[0].name).lower()) &&
      (near.size() == 1 || near[1].far > near[0].far))
    out.edit = near[0].name;
  out.help = didYouMean(best(near), "");
  if (near.empty() && !known.empty() && known.size() <= 20) {
    std::vector<std::string> all;
    for (llvm::StringRef name : known)
      all.push_back(name.str());
    out.help = "there is " + alternatives(all);
  }
  return out;
}
