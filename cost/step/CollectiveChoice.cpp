//===- CollectiveChoice.cpp - The algorithm of a collective by size ---------------------------===//
#include "cost/step/CollectiveChoice.h"
#include "cost/collectives/TokenDispatch.h"
#include "cost/network/LinkLoad.h"
#include "cost/programs/ChunkCollectives.h"
#include "cost/step/CollectiveEnds.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

using namespace dpl;
using namespace dpl::cost;
using ir::real;

namespace {
constexpr std::uint64_t smallestPoint = 1 << 10;
constexpr unsigned mostOctaves = 40; ///< 1 TiB: no device has larger buffers
constexpr unsigned lastPoint = 34;   ///< 16 GiB
constexpr unsigned stepsAnOctave = 4;

AlgorithmUse choiceOf(const cost::CollectiveCost& c) {
  return {c.algorithm, c.protocol ? c.protocol->name : nullptr};
}

cost::GroupShape shapeOfRequest(const ChoiceRequest& r) { return {r.inside, r.torus, r.order}; }

cost::CollectiveCost chosen(const ChoiceRequest& r, std::uint64_t bytes) {
  return cost::collectiveCost(r.kind, real(bytes), shapeOfRequest(r), r.levels);
}
AlgorithmUse choiceFor(const ChoiceRequest& r, std::uint64_t bytes) {
  return choiceOf(chosen(r, bytes));
}

double busBandwidth(const ChoiceRequest& r, std::uint64_t bytes, double seconds) {
  return seconds > 0 ? real(bytes) / seconds * cost::busFactor(r.kind, real(r.inside.back())) : 0;
}

/// The smallest size above `from` and at most `to` with another choice than `now`. The choice at
/// `to` differs.
std::uint64_t changeBetween(const ChoiceRequest& r, std::uint64_t from, std::uint64_t to,
                            const AlgorithmUse& now) {
  while (to - from > 1) {
    const std::uint64_t middle = from + (to - from) / 2;
    (choiceFor(r, middle) == now ? from : to) = middle;
  }
  return to;
}
} // namespace

std::string AlgorithmUse::text() const {
  return protocol ? fmt::format("{}, {}", ir::name(algorithm), protocol) : ir::name(algorithm);
}

ChoicePoint cost::choiceAt(const ChoiceRequest& r, std::uint64_t bytes) {
  const cost::CollectiveCost cost = chosen(r, bytes);
  ChoicePoint point;
  point.bytes = bytes;
  point.choice = choiceOf(cost);
  point.seconds = cost.seconds;
  point.busBandwidth = busBandwidth(r, bytes, cost.seconds);
  ir::LinkLevels levels(r.levels.begin(), r.levels.end());
  for (ir::LinkLevel& level : levels)
    level.inStep = 1;
  point.alone = busBandwidth(
      r, bytes, cost::collectiveCost(r.kind, real(bytes), shapeOfRequest(r), levels).seconds);
  for (const cost::CollectiveCost& other :
       cost::algorithmCosts(r.kind, real(bytes), shapeOfRequest(r), r.levels))
    if (other.algorithm != cost.algorithm && std::isfinite(other.seconds) &&
        (!point.other || other.seconds < point.otherSeconds))
      point.other = choiceOf(other), point.otherSeconds = other.seconds;
  double busiest = 0;
  for (std::size_t l = 0; l < r.levels.size(); ++l) {
    point.sent.push_back(cost.bytesPerLevel[l]);
    // Links are also busy with the protocol's flags.
    double seconds = cost.secondsPerLevel[l];
    if (cost.protocol)
      seconds /= r.levels[l].isScaleUp() ? cost.protocol->insideShare : cost.protocol->networkShare;
    if (cost.secondsPerLevel[l] > 0 && seconds > busiest) {
      busiest = seconds;
      point.link = cost::narrowestLink(r.cluster, r.nodeTypes, l,
                                       r.kind == ir::CollectiveKind::AllToAll &&
                                               cost.algorithm == ir::Algorithm::Direct
                                           ? shapeOfRequest(r).widthAt(l) - 1
                                           : 1);
    }
  }
  point.busy = cost.seconds > 0 ? busiest / cost.seconds : 0;
  return point;
}

std::vector<ChoiceRange> cost::choiceRanges(const ChoiceRequest& r) {
  std::vector<ChoiceRange> ranges;
  std::uint64_t first = 0, at = 1;
  AlgorithmUse now = choiceFor(r, at);
  for (unsigned step = 1; step <= mostOctaves * stepsAnOctave; ++step) {
    const auto next = static_cast<std::uint64_t>(std::exp2(real(step) / stepsAnOctave));
    for (AlgorithmUse last = choiceFor(r, next); now != last;) {
      const std::uint64_t change = changeBetween(r, at, next, now);
      ranges.push_back({first, change - 1, now});
      first = at = change, now = choiceFor(r, at);
    }
    at = next;
  }
  ranges.push_back({first, UINT64_MAX, now});
  return ranges;
}

std::vector<ChoicePoint> cost::choicePoints(const ChoiceRequest& r) {
  std::vector<ChoicePoint> points;
  for (std::uint64_t bytes = smallestPoint; bytes <= std::uint64_t{1} << lastPoint; bytes *= 2)
    points.push_back(choiceAt(r, bytes));
  return points;
}

namespace {
/// The groups of one kind of collective that have the same placement and links.
struct GatheredChoices {
  CollectiveChoices choices;
  CollectiveEnds ends;
  std::map<std::uint64_t, std::uint64_t> counts; ///< collectives by size, of the rank with most
};

bool alike(const GatheredChoices& a, ir::CollectiveKind kind, const CollectiveEnds& ends) {
  return a.choices.kind == kind && a.ends.inside == ends.inside && a.ends.torus == ends.torus &&
         a.ends.order == ends.order;
}

std::size_t entryOf(std::vector<GatheredChoices>& all, const ir::Plan& plan,
                    const ir::Collective& c) {
  CollectiveEnds ends = endsOf(plan, c);
  const auto found = llvm::find_if(all, [&](const GatheredChoices& a) {
    return alike(a, c.kind, ends) && a.ends.levels == ends.levels;
  });
  if (found != all.end())
    return static_cast<std::size_t>(found - all.begin());
  GatheredChoices added;
  CollectiveChoices& choices = added.choices;
  choices.kind = c.kind, choices.rank = c.rank, choices.ranks = ends.inside.back();
  const std::size_t spanned = ends.shape().spannedLevel();
  choices.spans = plan.cluster.levels[spanned].level;
  const std::vector<ir::LinkLoad>& loads = plan.groups[c.group].loads;
  const std::uint64_t most = loads.empty() ? 0 : loads.front().ranks;
  choices.inDomain = most > ends.inside.front() ? 0 : ends.inside.front();
  added.ends = std::move(ends);
  all.push_back(std::move(added));
  return all.size() - 1;
}

void addPoints(GatheredChoices& entry, const ir::Plan& plan) {
  const ChoiceRequest request{plan.cluster,      entry.choices.kind,   entry.ends.inside,
                              entry.ends.levels, entry.ends.nodeTypes, entry.ends.torus,
                              entry.ends.order};
  entry.choices.ranges = choiceRanges(request);
  std::vector<ChoicePoint>& points = entry.choices.points = choicePoints(request);
  for (const auto& [bytes, calls] : entry.counts) {
    const auto at = std::lower_bound(
        points.begin(), points.end(), bytes,
        [](const ChoicePoint& point, std::uint64_t size) { return point.bytes < size; });
    const bool there = at != points.end() && at->bytes == bytes;
    (there ? at : points.insert(at, choiceAt(request, bytes)))->count = calls;
  }
}
} // namespace

std::vector<CollectiveChoices> cost::collectiveChoices(const ir::Plan& plan) {
  std::vector<GatheredChoices> all;
  // For each entry and pipeline rank: number of collectives of all chunks by size; sum of times.
  std::map<std::pair<std::size_t, std::uint64_t>, std::map<std::uint64_t, std::uint64_t>> calls;
  std::map<std::pair<std::size_t, std::uint64_t>, double> seconds;
  for (const ir::Collective& c : plan.collectives) {
    if (c.count == 0 || c.bytes == 0 || plan.groups[c.group].size < 2 ||
        !cost::isOfLibrary(plan, c))
      continue;
    const std::size_t entry = entryOf(all, plan, c);
    const std::string& name = plan.groups[c.group].name;
    if (!llvm::is_contained(all[entry].choices.groups, name))
      all[entry].choices.groups.push_back(name);
    calls[{entry, c.rank}][c.bytes] += c.count;
    seconds[{entry, c.rank}] += real(c.count) * ir::toSeconds(c.time);
  }
  for (const auto& [key, sizes] : calls)
    for (const auto& [bytes, count] : sizes) {
      std::uint64_t& most = all[key.first].counts[bytes];
      most = std::max(most, count);
    }
  for (const auto& [key, time] : seconds)
    all[key.first].choices.secondsOfStep = std::max(all[key.first].choices.secondsOfStep, time);
  std::vector<CollectiveChoices> out;
  for (GatheredChoices& entry : all) {
    addPoints(entry, plan);
    entry.choices.everyRank = llvm::count_if(all, [&](const GatheredChoices& other) {
                                return alike(other, entry.choices.kind, entry.ends);
                              }) == 1;
    out.push_back(entry.choices);
  }
  return out;
}
