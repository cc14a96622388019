//===- Misses.cpp - What runs with a wrong verdict have in common -----------------------------===//
#include "driver/score/Misses.h"
#include <limits>
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr double without = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t few = 10; ///< wrong verdicts are no reason for a table

struct Class {
  double from; ///< up to the next one's
  const char* words;
};
constexpr Class stages[] = {{1, "one pipeline stage"}, {2, "several pipeline stages"}};
constexpr Class tensors[] = {
    {1, "tensor 1"}, {2, "tensor 2 to 7"}, {8, "tensor 8 to 15"}, {16, "tensor 16 and more"}};
constexpr Class microBatches[] = {
    {1, "micro-batch 1 to 7"}, {8, "micro-batch 8 to 31"}, {32, "micro-batch 32 and more"}};
constexpr Class left[] = {{0, "said to leave less than 2 %"},
                          {0.02, "said to leave 2 to 5 %"},
                          {0.05, "said to leave 5 to 10 %"},
                          {0.1, "said to leave 10 % and more"}};

class Groups {
public:
  void add(const std::string& what, const Outcome& row) {
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const AlikeRuns& group) { return group.what == what; });
    AlikeRuns& group = at == all.end() ? all.emplace_back(AlikeRuns{what, {}}) : *at;
    addVerdict(group.verdicts, row.ran, row.state == Outcome::State::Fits);
  }
  template <std::size_t n> void add(const Class (&classes)[n], double value, const Outcome& row) {
    const Class* of = nullptr;
    for (const Class& c : classes)
      if (value >= c.from)
        of = &c;
    if (of)
      add(of->words, row);
  }
  std::vector<AlikeRuns> all;
};
} // namespace

std::vector<AlikeRuns> score::wrongVerdicts(const Scores& scores) {
  const auto each = [&](const auto& visit) {
    for (const Outcome& row : scores.rows)
      if (row.predicted() && (row.ran == Ran::Yes || row.ran == Ran::OutOfMemory))
        visit(row);
  };
  std::vector<AlikeRuns> out;
  const auto groupBy = [&](const auto& put) {
    Groups groups;
    each([&](const Outcome& row) { put(groups, row); });
    std::sort(groups.all.begin(), groups.all.end(), [](const AlikeRuns& a, const AlikeRuns& b) {
      return std::pair(a.what.size(), a.what) < std::pair(b.what.size(), b.what);
    });
    if (groups.all.size() > 1)
      for (AlikeRuns& group : groups.all)
        if (group.verdicts.falseFits + group.verdicts.falseOutOfMemory > 0)
          out.push_back(std::move(group));
  };
  const Verdicts all = verdicts(scores, false);
  if (all.falseFits + all.falseOutOfMemory < few)
    return {};
  for (const std::string& label : scores.labelNames)
    groupBy([&](Groups& groups, const Outcome& row) {
      if (const llvm::StringRef value = scores.label(row, label); !value.empty())
        groups.add(label + " " + value.str(), row);
    });
  groupBy([](Groups& groups, const Outcome& row) {
    groups.add("hidden " + std::to_string(row.hidden), row);
  });
  groupBy([](Groups& groups, const Outcome& row) { groups.add(stages, row.pipeline, row); });
  groupBy([](Groups& groups, const Outcome& row) { groups.add(tensors, row.tensor, row); });
  groupBy(
      [](Groups& groups, const Outcome& row) { groups.add(microBatches, row.microBatch, row); });
  groupBy([](Groups& groups, const Outcome& row) {
    groups.add(left, row.state == Outcome::State::Fits ? static_cast<double>(row.left) : without,
               row);
  });
  return out;
}
