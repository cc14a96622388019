//===- Availability.cpp - The mean share of a run's nodes that work ---------------------------===//
#include "cost/run/Availability.h"
#include "cost/legality/Legality.h"
#include "cost/legality/PlanCandidate.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;

double cost::availability(const Nodes& n) {
  const double all = n.working.all();
  double weight = 1, sum = 0,
         worked = 0; // weight: probability of `away` missing nodes, relative to none
  for (double away = 0;; ++away) {
    const double running = n.working.of(all + n.spares - away);
    sum += weight;
    if (running < 1)
      break; // nothing runs, so nothing fails
    worked += weight * running / all;
    weight *= n.failing * running / all * n.repair / (away + 1);
    if (weight < 1e-18 * sum && away >= n.failing * n.repair)
      break;
  }
  return worked / sum;
}

namespace {
using cost::LayoutCandidate;

/// The batches of a run; that of the layout if it has no phase.
std::vector<std::uint64_t> batchesOf(const ir::Plan& plan, const ir::Run& run) {
  std::vector<std::uint64_t> out;
  for (const ir::RunPhase& phase : run.phases)
    out.push_back(phase.batch);
  if (out.empty())
    out.push_back(plan.layout.batch);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}
} // namespace

simulate::WorkingNodes cost::workingNodesOf(const ir::Plan& plan, const ir::Run& run) {
  const std::uint64_t nodes = plan.cluster.nodes;
  std::vector<double> counts;
  const auto add = [&](std::uint64_t count) { counts.push_back(ir::real(count)); };
  if (run.least > 0 && run.least < nodes) {
    LegalityInputs facts(plan.model, plan.cluster, plan.layout);
    const std::vector<std::uint64_t> batches = batchesOf(plan, run);
    const LayoutCandidate degrees = candidateOf(plan);
    const std::uint64_t ofRank = plan.cluster.devices() / degrees.dataRanks();
    const auto isLegal = [&](std::uint64_t ranks, std::uint32_t LayoutCandidate::*axis) {
      const std::uint64_t others = degrees.dataRanks() / degrees.*axis;
      LayoutCandidate candidate = degrees;
      candidate.*axis = static_cast<std::uint32_t>(ranks / others);
      return ranks % others == 0 && std::all_of(batches.begin(), batches.end(), [&](auto batch) {
               facts.batch = batch;
               return brokenRule(facts, candidate) == LegalityRule::None;
             });
    };
    for (std::uint64_t count = run.least; count < nodes; ++count) {
      facts.devices = count * plan.cluster.gpusPerNode;
      const std::uint64_t ranks = facts.devices / ofRank;
      if (facts.devices % ofRank == 0 &&
          (isLegal(ranks, &LayoutCandidate::data) || isLegal(ranks, &LayoutCandidate::replica)))
        add(count);
    }
  }
  add(nodes);
  return simulate::WorkingNodes(std::move(counts));
}
