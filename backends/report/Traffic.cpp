//===- Traffic.cpp - What one device sends in a step, by axis and link level ------------------===//
#include "backends/report/Traffic.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <numeric>

using namespace dpl;
using namespace dpl::report;

std::vector<Traffic> report::trafficOf(const ir::Plan& plan) {
  // First by pipeline rank: the chunks of one rank add up, ranks do not.
  std::vector<Traffic> byRank;
  for (const ir::Collective& c : plan.collectives) {
    auto same = std::find_if(byRank.begin(), byRank.end(), [&](const Traffic& t) {
      return t.purpose == c.purpose && t.kind == c.kind && t.group == c.group && t.rank == c.rank;
    });
    if (same == byRank.end()) {
      Traffic t{c.purpose, c.kind, c.group, c.rank, 0, 0, 0, 0, {}};
      t.perLevel.resize(plan.cluster.levels.size());
      same = byRank.insert(byRank.end(), t);
    }
    const double count = static_cast<double>(c.count);
    same->calls += count;
    same->time += count * ir::real(c.time) * ir::picosecond;
    same->exposed += ir::toSeconds(c.exposed);
    for (std::size_t l = 0; l < c.bytesPerLevel.size() && l < same->perLevel.size(); ++l)
      same->perLevel[l] += count * static_cast<double>(c.bytesPerLevel[l]);
  }
  std::vector<Traffic> out;
  for (Traffic& t : byRank) {
    t.sent = std::accumulate(t.perLevel.begin(), t.perLevel.end(), 0.0);
    auto same = std::find_if(out.begin(), out.end(), [&](const Traffic& o) {
      return t.purpose == o.purpose && t.kind == o.kind && t.group == o.group;
    });
    if (same == out.end())
      out.push_back(t);
    else if (t.sent > same->sent)
      *same = t;
  }
  return out;
}
