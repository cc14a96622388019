//===- MemoryLimit.cpp - The usable device memory of a cluster's software ---------------------===//
#include "driver/score/MemoryLimit.h"
#include <algorithm>
#include <set>
using namespace dpl;
using namespace dpl::score;

namespace {
using Runs = std::vector<const ScoredRow*>;

/// The limit that is wrong for the fewest runs. If several intervals of limits are equally good,
/// the middle of the widest.
double bestLimit(Runs runs) {
  std::sort(runs.begin(), runs.end(), [](const ScoredRow* a, const ScoredRow* b) {
    return std::tie(a->peakBytes, a->line) < std::tie(b->peakBytes, b->line);
  });
  const auto ran = [](const ScoredRow* run) { return run->ran == RunOutcome::Yes; };
  // A limit below all runs is wrong for each run that ran.
  auto wrong = std::count_if(runs.begin(), runs.end(), ran), fewest = wrong;
  double limit = 0, width = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    wrong += ran(runs[i]) ? -1 : 1;
    const double from = runs[i]->peakBytes,
                 to = i + 1 < runs.size() ? runs[i + 1]->peakBytes : from;
    if (wrong < fewest || (wrong == fewest && to - from > width))
      fewest = wrong, width = to - from, limit = from + width / 2;
  }
  return limit;
}

void apply(double limit, const Runs& runs, Verdicts& to) {
  for (const ScoredRow* run : runs)
    addVerdict(to, run->ran, run->peakBytes <= limit);
}

bool isEnough(const Runs& runs, std::size_t enough) {
  std::size_t ran = 0;
  for (const ScoredRow* run : runs)
    ran += run->ran == RunOutcome::Yes;
  return ran >= enough && runs.size() - ran >= enough;
}
} // namespace

std::vector<MemoryLimit> score::memoryLimits(const Scores& scores, std::size_t enough) {
  std::map<std::pair<std::string, std::string>, Runs> groups;
  for (const ScoredRow& row : scores.rows)
    if (row.peakBytes > 0 && (row.ran == RunOutcome::Yes || row.ran == RunOutcome::OutOfMemory))
      groups[{scores.label(row, "family").str(), scores.label(row, "device").str()}].push_back(
          &row);
  std::vector<MemoryLimit> out;
  for (const auto& [labels, runs] : groups) {
    std::set<std::uint32_t> sizes;
    for (const ScoredRow* run : runs)
      sizes.insert(run->hidden);
    if (!isEnough(runs, enough) || sizes.size() < 2)
      continue;
    Runs halves[2];
    for (const ScoredRow* run : runs)
      halves[std::distance(sizes.begin(), sizes.find(run->hidden)) % 2].push_back(run);
    MemoryLimit limit{labels.first, labels.second, bestLimit(runs), {}, {}};
    apply(limit.bytes, runs, limit.chosen);
    for (const std::size_t half : {0, 1})
      apply(bestLimit(halves[half]), halves[1 - half], limit.crossed);
    out.push_back(std::move(limit));
  }
  return out;
}
