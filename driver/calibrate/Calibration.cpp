//===- Calibration.cpp - Network parameters from timed collectives ----------------------------===//
#include "driver/calibrate/Calibration.h"
#include "cost/collectives/Torus.h"
#include "cost/network/RingOrder.h"
#include "driver/calibrate/Fit.h"
#include "support/diagnostics/Score.h"
using namespace dpl;
using namespace dpl::score;

namespace {
/// The collective that a row measures, with its group.
MeasuredCollective collectiveOf(const CollectiveTiming& row, const ir::Cluster& cluster,
                                Harness harness) {
  const std::uint64_t ofNode = row.ranks / row.nodes;
  MeasuredCollective call{row, aloneLinks(cluster), {}, {}, {}, ofNode};
  call.launch =
      row.ofThread > 0 ? launchOf(Harness::OneThread, row.ofThread) : launchOf(harness, ofNode);
  for (const ir::LinkLevel& level : call.links)
    call.inside.push_back(std::min(row.ranks, level.devices / cluster.gpusPerNode * ofNode));
  for (const ir::Torus& torus : cluster.network.torus)
    call.torus = cost::torusRanks(ir::Stride{row.ranks, 1, row.ranks}, torus, call.inside.front());
  if (!cluster.network.order.empty()) {
    ir::Cluster taken = cluster;
    taken.gpusPerNode = ofNode;
    ir::Group group;
    group.size = row.ranks, group.strides = {{row.ranks, 1, row.ranks}};
    call.order = cost::ringOrder(group, taken);
  }
  return call;
}

/// Whether the log shows that a row was timed by a harness other than this one.
bool contradicts(const CollectiveTiming& row, Harness harness) {
  if (row.ofThread == 0 || harness == Harness::NcclTests)
    return false;
  return harness == Harness::Torch || row.ofThread != row.ranks / row.nodes;
}
} // namespace

std::string FittedFact::text(double value) const {
  return isTime ? fmt::format("{:.1f}us", value * 1e6) : fmt::format("{:.4g}", value);
}

double Residual::busBandwidth(double seconds) const {
  return static_cast<double>(measured.bytes) / seconds *
         cost::busFactor(measured.kind, static_cast<double>(measured.ranks));
}

FailureOr<Calibration> score::calibrate(const ir::Cluster& cluster, const std::string& name,
                                        llvm::ArrayRef<CollectiveTiming> rows, Harness harness,
                                        DiagnosticEngine& diags) {
  for (const CollectiveTiming& row : rows)
    if (row.nodes > cluster.nodes || row.ranks / row.nodes > cluster.gpusPerNode)
      return diags.report<diag::LogBeyondCluster>(row.where, row.nodes, row.ranks / row.nodes, name,
                                                  cluster.nodes, cluster.gpusPerNode);
  for (const CollectiveTiming& row : rows)
    if (contradicts(row, harness))
      return diags.report<diag::LogWrong>(
          row.where,
          fmt::format(
              "the log is of nccl-tests with {} devices per thread, but `--harness {}` is given",
              row.ofThread, harnessNames[static_cast<std::size_t>(harness)]));
  std::vector<MeasuredCollective> collectives;
  for (const CollectiveTiming& row : rows)
    collectives.push_back(collectiveOf(row, cluster, harness));
  Fit fit(std::move(collectives));
  Calibration out;
  for (const MeasuredCollective& collective : fit.collectives)
    out.rows.push_back({collective.measured, fit.predicted(collective), 0, {}});
  std::vector<bool> seen;
  for (Fact& fact : fit.facts)
    seen.push_back(fit.isSeen(fact));
  fit.run();
  for (std::size_t i = 0; i < fit.facts.size(); ++i) {
    const Fact& fact = fit.facts[i];
    out.facts.push_back({fact.kind->path, fact.kind->isTime, fact.was, fact.is, seen[i]});
  }
  for (std::size_t i = 0; i < fit.collectives.size(); ++i) {
    out.rows[i].cost = fit.cost(fit.collectives[i]);
    out.rows[i].after = fit.predicted(fit.collectives[i]);
  }
  return out;
}
