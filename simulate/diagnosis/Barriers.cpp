//===- Barriers.cpp - Barrier amplification by the number of barriers per step ----------------===//
#include "simulate/diagnosis/Barriers.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "cost/execution/OrderStatistics.h"
#include "simulate/plan/Noise.h"
#include "support/math/Statistics.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::diagnosis;
using namespace dpl::ir;

namespace {
constexpr std::uint64_t mostBarriers = 1000;
constexpr std::uint64_t mostNumbers = 2'000'000; ///< limit on the random numbers drawn per row

/// The largest relative standard deviation that a part of a step can have; 0 if it is unknown.
double mostVariation(JitterKind kind) {
  switch (kind) {
  case JitterKind::LogNormal:
  case JitterKind::Gamma:
    return 10;
  case JitterKind::Exponential: // with a larger deviation the fixed part of the time would be
                                // negative
    return 1;
  case JitterKind::None:
  case JitterKind::Pareto:
  case JitterKind::Rare:
  case JitterKind::Measured:
    break;
  }
  return 0;
}
} // namespace

std::vector<Barriers> diagnosis::barriersOf(const Plan& plan, std::uint64_t seed) {
  std::vector<Barriers> rows;
  const Jitter& jitter = plan.cluster.jitter;
  if (!jitter.varies() || jitter.lasts > 1)
    return rows;
  const std::uint64_t devices = plan.mesh.devices;
  const std::uint64_t draws = std::clamp<std::uint64_t>(mostNumbers / devices, 2, 1000);
  for (std::uint64_t pieces = 1; pieces <= mostBarriers; pieces *= 10) {
    const double spread = jitter.spread * std::sqrt(static_cast<double>(pieces));
    if (spread > mostVariation(jitter.kind))
      break;
    Cluster cluster = plan.cluster;
    cluster.jitter.spread = spread;
    const simulation::Noise noise(cluster);
    std::vector<double> longest(draws);
    for (std::uint64_t step = 0; step < draws; ++step)
      for (std::uint32_t device = 0; device < devices; ++device)
        longest[step] =
            std::max(longest[step], noise.of(device, seed, static_cast<std::uint32_t>(step)));
    const simulate::Sample sample(std::move(longest));
    rows.push_back({pieces,
                    cost::barrierAmplification(cluster.jitter, static_cast<double>(devices),
                                               static_cast<double>(plan.cluster.gpusPerNode)),
                    sample.mean(), sample.halfWidth()});
  }
  return rows;
}

std::string diagnosis::renderText(const std::vector<Barriers>& rows, unsigned width) {
  report::TextTable table({"barriers a step", "amplification", "drawn", "±"});
  for (const Barriers& row : rows)
    table.row({std::to_string(row.barriers), fmt::format("{:.4f}", row.exact),
               fmt::format("{:.4f}", row.drawn),
               row.halfWidth ? report::percent(*row.halfWidth / row.drawn) : "?"});
  return rows.empty() ? "" : table.render(width);
}

Json diagnosis::renderJson(const std::vector<Barriers>& rows) {
  Json list = Json::array();
  for (const Barriers& row : rows)
    list.push_back({{"barriers", row.barriers},
                    {"amplification", row.exact},
                    {"drawn", row.drawn},
                    {"half_width", row.halfWidth ? Json(*row.halfWidth) : Json()}});
  return list;
}
