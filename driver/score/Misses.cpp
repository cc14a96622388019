//===- Misses.cpp - Common properties of runs with a wrong verdict ----------------------------===//
#include "driver/score/Misses.h"
#include <limits>
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr double without = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t few = 10; ///< if fewer verdicts are wrong, there is no table

struct ValueRange {
  double from; ///< lower end of a range, which ends at that of the next range
  const char* words;
};
constexpr ValueRange stages[] = {{1, "one pipeline stage"}, {2, "several pipeline stages"}};
constexpr ValueRange tensors[] = {
    {1, "tensor 1"}, {2, "tensor 2 to 7"}, {8, "tensor 8 to 15"}, {16, "tensor 16 and more"}};
constexpr ValueRange microBatches[] = {
    {1, "micro-batch 1 to 7"}, {8, "micro-batch 8 to 31"}, {32, "micro-batch 32 and more"}};
constexpr ValueRange left[] = {{0, "predicted to leave less than 2 %"},
                               {0.02, "predicted to leave 2 to 5 %"},
                               {0.05, "predicted to leave 5 to 10 %"},
                               {0.1, "predicted to leave 10 % and more"}};

class AlikeGroups {
public:
  void add(const std::string& what, const ScoredRow& row) {
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const AlikeRuns& group) { return group.what == what; });
    AlikeRuns& group = at == all.end() ? all.emplace_back(AlikeRuns{what, {}}) : *at;
    addVerdict(group.verdicts, row.ran, row.state == ScoredRow::ScoreState::Fits);
  }
  template <std::size_t n>
  void add(const ValueRange (&classes)[n], double value, const ScoredRow& row) {
    const ValueRange* of = nullptr;
    for (const ValueRange& c : classes)
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
    for (const ScoredRow& row : scores.rows)
      if (row.predicted() && (row.ran == RunOutcome::Yes || row.ran == RunOutcome::OutOfMemory))
        visit(row);
  };
  std::vector<AlikeRuns> out;
  const auto groupBy = [&](const auto& put) {
    AlikeGroups groups;
    each([&](const ScoredRow& row) { put(groups, row); });
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
    groupBy([&](AlikeGroups& groups, const ScoredRow& row) {
      if (const llvm::StringRef value = scores.label(row, label); !value.empty())
        groups.add(label + " " + value.str(), row);
    });
  groupBy([](AlikeGroups& groups, const ScoredRow& row) {
    groups.add("hidden " + std::to_string(row.hidden), row);
  });
  groupBy([](AlikeGroups& groups, const ScoredRow& row) { groups.add(stages, row.pipeline, row); });
  groupBy([](AlikeGroups& groups, const ScoredRow& row) { groups.add(tensors, row.tensor, row); });
  groupBy([](AlikeGroups& groups, const ScoredRow& row) {
    groups.add(microBatches, row.microBatch, row);
  });
  groupBy([](AlikeGroups& groups, const ScoredRow& row) {
    groups.add(left,
               row.state == ScoredRow::ScoreState::Fits ? static_cast<double>(row.headroomShare)
                                                        : without,
               row);
  });
  return out;
}
