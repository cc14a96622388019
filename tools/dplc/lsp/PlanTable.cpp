//===- PlanTable.cpp - Results of plans that were judged before -------------------------------===//
#include "tools/dplc/lsp/PlanTable.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Results that are kept, each of about 1 kB.
constexpr std::size_t mostResults = 4096;

/// Moves ranges of the plan that was judged to those of an equal plan, whose text lies elsewhere.
class MovedRanges {
public:
  MovedRanges(const std::vector<SourceRange>& from, const std::vector<SourceRange>& to) {
    moved.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      moved.emplace_back(from[i], to[i]);
    std::stable_sort(moved.begin(), moved.end(), before);
  }

  void move(SourceRange& range) {
    if (!range.valid())
      return;
    const auto found =
        std::lower_bound(moved.begin(), moved.end(), std::pair(range, range), before);
    for (auto same = found; same != moved.end() && same->first == range; ++same)
      complete &= same->second == found->second;
    if (found != moved.end() && found->first == range)
      range = found->second;
    else
      complete = false;
  }
  void move(std::vector<Diagnostic>& diagnostics) {
    for (Diagnostic& d : diagnostics) {
      move(d.range);
      move(d.notes);
      for (Edit& edit : d.edits)
        move(edit.range);
    }
  }
  /// Whether every range was one of the plan's, and has one place now.
  bool complete = true;

private:
  using Pair = std::pair<SourceRange, SourceRange>;
  static bool before(const Pair& a, const Pair& b) {
    return std::tie(a.first.file, a.first.begin, a.first.end) <
           std::tie(b.first.file, b.first.begin, b.first.end);
  }
  std::vector<Pair> moved;
};

bool hasRanges(const PlanResult& result) {
  return !result.openPhase.empty() || !result.shares.empty() || !result.chosen.empty() ||
         std::any_of(result.phases.begin(), result.phases.end(),
                     [](const std::vector<Diagnostic>& phase) { return !phase.empty(); });
}
} // namespace

std::shared_ptr<const PlanResult> PlanTable::find(std::uint64_t key, const ir::Plan& plan) {
  const auto known = byKey.find(key);
  if (known == byKey.end())
    return nullptr;
  entries.splice(entries.begin(), entries, known->second);
  std::shared_ptr<const PlanResult>& result = known->second->second;
  if (!hasRanges(*result))
    return result;
  std::vector<SourceRange> ranges = rangesOf(plan);
  if (ranges == result->ranges)
    return result;
  if (ranges.size() != result->ranges.size())
    return nullptr;
  auto here = std::make_shared<PlanResult>(*result);
  MovedRanges moved(result->ranges, ranges);
  for (std::vector<Diagnostic>& phase : here->phases)
    moved.move(phase);
  moved.move(here->openPhase);
  for (RunShare& share : here->shares)
    moved.move(share.atBudget);
  for (ChosenValue& value : here->chosen)
    moved.move(value.at);
  if (!moved.complete)
    return nullptr;
  here->ranges = std::move(ranges);
  result = here;
  return here;
}

void PlanTable::add(std::uint64_t key, std::shared_ptr<const PlanResult> result) {
  if (const auto known = byKey.find(key); known != byKey.end()) {
    known->second->second = std::move(result);
    return;
  }
  entries.emplace_front(key, std::move(result));
  byKey[key] = entries.begin();
  if (entries.size() <= mostResults)
    return;
  byKey.erase(entries.back().first);
  entries.pop_back();
}
