//===- FlopRows.cpp - FLOP of the model, and the part that MFU and HFU count ------------------===//
#include "cost/step/ChunkRuns.h"
#include "figures/Rows.h"
#include <algorithm>
#include <map>

using namespace dpl;
using namespace dpl::figures;

const char* figures::perStep(const FigureContext& f) {
  return f.isLayerList ? "samples_per_step" : "tokens_per_step";
}

Traced figures::flopOf(const FigureContext& f, bool again) {
  double flop = 0;
  for (const ir::ChunkCost& c :
       llvm::ArrayRef<ir::ChunkCost>(f.plan.costs)
           .take_front(f.plan.costs.size() / f.plan.placement.directions()))
    flop += again ? c.recomputeFlop : c.forwardFlop + c.backwardFlop;
  return FigureContext::counted(flop);
}

Traced figures::modelFlop(const FigureContext& f) {
  const Traced dropped = f("routing.dropped");
  const double share = dropped.has() ? dropped.value() : 0;
  const Traced all = FigureContext::counted(cost::modelFlopPerToken(f.model, share, &f.layout).all);
  return dropped.has() ? all.reading(dropped) : all;
}

Traced figures::maskedFlop(const FigureContext& f) {
  const double masked = cost::modelFlopPerToken(f.model, 0, &f.layout).masked;
  return masked > 0 ? FigureContext::counted(masked) : FigureContext::none();
}

namespace {
/// Seconds of computation in a step on the pipeline rank that computes most.
double mostComputation(const FigureContext& f) {
  std::map<std::uint64_t, double> ranks;
  for (const ir::ChunkCost& c : f.plan.costs)
    ranks[c.rank] += cost::runsOf(f.plan, c) *
                     ir::toSeconds(c.forward + c.backwardInput + c.backwardWeight + c.recompute);
  double most = 0;
  for (const auto& [rank, time] : ranks)
    most = std::max(most, time);
  return most;
}

/// Whether MFU or HFU would be above 100 % if masked attention scores were counted. A fused kernel
/// computes half of the scores of causal attention in the forward pass, and 1.25 times that half
/// for each gradient in the backward pass. Counted in full, attention alone is above the peak if
/// its kernels reach 58 % of the peak.
bool exceedsPeak(const FigureContext& f) {
  if (!f("model.forward_flop.masked").has())
    return false;
  const double ideal = 3 * f("model.forward_flop").value() * f(perStep(f)).value() /
                       (f("cluster.devices").value() * f("device.peak").value());
  return ideal * (1 + f("recomputed_share").value()) > mostComputation(f);
}
} // namespace

Traced figures::countedFlop(const FigureContext& f) {
  const Traced all = f("model.forward_flop");
  return exceedsPeak(f) ? all - f("model.forward_flop.masked") : all;
}

Traced figures::flopPerToken(const FigureContext& f) {
  if (f.layout.fineTuning.empty())
    return 3 * countedFlop(f);
  const cost::ModelFlop flop = cost::modelFlopPerToken(f.model, 0, &f.layout);
  return countedFlop(f) +
         FigureContext::counted(flop.backward)
             .because("FLOP of the backward pass, without those of frozen weights");
}

std::string figures::attentionCounted(const FigureContext& f) {
  if (f.isLayerList)
    return "";
  return exceedsPeak(f) ? ", masked scores of causal attention left out"
                        : ", causal attention counted in full";
}
