//===- OtherReleases.cpp - Options of other releases and forks of Megatron-LM -----------------===//
#include "frontend/import/megatron/OtherReleases.h"
#include "frontend/import/megatron/LaunchOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <iterator>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
constexpr OtherOption rows[] = {
#define OTHER(NAME, VALUE, STANDING, MEANING, RELEASE)                                             \
  {NAME, VALUE, OptionEffect::STANDING, MEANING, RELEASE},
#include "frontend/import/megatron/OtherReleases.def"
};
} // namespace

const OtherOption* dpl::imports::megatron::otherRelease(llvm::StringRef option,
                                                        llvm::StringRef value) {
  const auto* const found = std::find_if(std::begin(rows), std::end(rows), [&](const auto& row) {
    return option == row.name && (*row.value == '\0' || value == row.value);
  });
  return found == std::end(rows) ? nullptr : found;
}

/// Replaces options of other releases by current ones, unless the launch also has the current ones.
/// The first value of an option is kept. Rows for a single option are applied first, so that the 2
/// of `--checkpoint-num-layers 2` replaces the 1 layer that `--checkpoint-activations` implies.
void LaunchOptions::translate() {
  const LaunchOptionMap given = options;
  for (const bool single : {true, false})
    for (const auto& [name, option] : given) {
      const OtherOption* const row = otherRelease(name, joined(option.values));
      if (!row || row->effect != OptionEffect::Alias ||
          (llvm::StringRef(row->meaning).count("--") == 1) != single)
        continue;
      consumed.insert(name);
      llvm::SmallVector<llvm::StringRef, 6> pieces;
      llvm::SplitString(row->meaning, pieces);
      std::vector<ShellWord> words;
      for (const llvm::StringRef piece : pieces)
        if (piece == "*")
          llvm::append_range(words, option.values);
        else
          words.push_back({piece.str(), option.at, nullptr});
      for (auto& [meant, value] : group(words))
        options.emplace(meant, std::move(value));
    }
}
