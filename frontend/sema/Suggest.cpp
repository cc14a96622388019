//===- Suggest.cpp ----------------------------------------------------------------------------===//
#include "frontend/sema/Suggest.h"
#include "support/Diagnostics.h"
#include <algorithm>
using namespace dpl;

sema::Suggestion sema::suggest(llvm::StringRef wrong, llvm::ArrayRef<llvm::StringRef> known) {
  std::vector<std::pair<unsigned, llvm::StringRef>> near;
  const unsigned reach = wrong.size() < 4 ? 1 : wrong.size() < 8 ? 2 : 3;
  for (llvm::StringRef name : known)
    if (const unsigned d = wrong.edit_distance(name, true, reach); d <= reach)
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
