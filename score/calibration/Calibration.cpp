//===- Calibration.cpp - Facts of a network from collectives timed on it ----------------------===//
#include "score/calibration/Calibration.h"
#include "cost/collectives/Torus.h"
#include "score/calibration/Fit.h"
#include "support/diagnostics/Score.h"
using namespace dpl;
using namespace dpl::score;

namespace {
/// A row with the group that it was timed on.
TimedCall callOf(const Measured& row, const ir::Cluster& cluster, Harness harness) {
  TimedCall call{row, aloneLinks(cluster), {}, {}, row.ranks / row.nodes};
  // A log of nccl-tests that says what launched it has the last word.
  call.launch = row.ofThread > 0 && harness != Harness::Torch
                    ? launchOf(Harness::OneThread, row.ofThread)
                    : launchOf(harness, call.ofNode);
  for (const ir::LinkLevel& level : call.links)
    call.inside.push_back(
        std::min(row.ranks, level.devices / cluster.gpusPerNode * (row.ranks / row.nodes)));
  for (const ir::Torus& torus : cluster.network.torus)
    call.torus = cost::torusRanks(ir::Stride{row.ranks, 1, row.ranks}, torus, call.inside.front());
  return call;
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
                                        llvm::ArrayRef<Measured> rows, Harness harness,
                                        DiagnosticEngine& diags) {
  for (const Measured& row : rows)
    if (row.nodes > cluster.nodes || row.ranks / row.nodes > cluster.gpusPerNode)
      return diags.report<diag::LogBeyondCluster>(row.where, row.nodes, row.ranks / row.nodes, name,
                                                  cluster.nodes, cluster.gpusPerNode);
  std::vector<TimedCall> calls;
  for (const Measured& row : rows)
    calls.push_back(callOf(row, cluster, harness));
  Fit fit(std::move(calls));
  Calibration out;
  for (const TimedCall& call : fit.calls)
    out.rows.push_back({call.measured, fit.predicted(call), 0, {}});
  std::vector<bool> seen;
  for (Fact& fact : fit.facts)
    seen.push_back(fit.isSeen(fact));
  fit.run();
  for (std::size_t i = 0; i < fit.facts.size(); ++i) {
    const Fact& fact = fit.facts[i];
    out.facts.push_back({fact.kind->path, fact.kind->isTime, fact.was, fact.is, seen[i]});
  }
  for (std::size_t i = 0; i < fit.calls.size(); ++i) {
    out.rows[i].cost = fit.cost(fit.calls[i]);
    out.rows[i].after = fit.predicted(fit.calls[i]);
  }
  return out;
}
