//===- Suggest.cpp ----------------------------------------------------------------------------===//
#include "frontend/sema/Suggest.h"
#include "support/Diagnostics.h"
#include <algorithm>
#include <vector>
using namespace dpl;

namespace {
/// Letters put in, left out, changed, or swapped with their neighbour; past `most` just above it.
unsigned distance(llvm::StringRef a, llvm::StringRef b, unsigned most) {
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
  }
  return row[b.size()];
}
} // namespace

sema::Suggestion sema::suggest(llvm::StringRef wrong, llvm::ArrayRef<llvm::StringRef> known) {
  std::vector<std::pair<unsigned, llvm::StringRef>> near;
  const unsigned reach = wrong.size() < 6 ? 1 : wrong.size() < 9 ? 2 : 3;
  for (llvm::StringRef name : known)
    if (wrong.equals_insensitive(name)) // `BF16` for `bf16`
      near.emplace_back(0, name);
    else if (const unsigned d = distance(wrong, name, reach); d <= reach && d < wrong.size())
      near.emplace_back(d, name);
    else if (wrong.size() >= 3 && name.startswith(wrong))
      near.emplace_back(reach, name); // `micro` for `micro_batch`
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());

  Suggestion out;
  if (!near.empty() && near[0].first <= 2 && near[0].first < wrong.size() &&
      (near.size() == 1 || near[1].first > near[0].first))
    out.edit = near[0].second.str();
  auto join = [](auto begin, auto end, auto get) {
    std::string text;
    for (auto it = begin; it != end; ++it)
      text += fmt::format("{}`{}`", it == begin ? "" : it + 1 == end ? " or " : ", ", get(*it));
    return text;
  };
  if (!near.empty()) {
    near.resize(std::min<std::size_t>(near.size(), 3));
    out.help = "did you mean " +
               join(near.begin(), near.end(), [](const auto& n) { return n.second; }) + "?";
  } else if (!known.empty() && known.size() <= 8) {
    out.help = "there is " + join(known.begin(), known.end(), [](llvm::StringRef n) { return n; });
  }
  return out;
}
