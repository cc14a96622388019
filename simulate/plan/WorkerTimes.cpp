//===- WorkerTimes.cpp - Step times of data ranks ---------------------------------------------===//
#include "simulate/plan/WorkerTimes.h"
#include "simulate/engine/Shares.h"

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

namespace {
/// The weight of the last step in the running mean of a micro-batch's time.
constexpr double newest = 0.5;

std::vector<double> relativeTimes(const Cluster& cluster) {
  double slowest = cluster.device().speed;
  for (const NodeType& nodes : cluster.nodeTypes)
    slowest = std::min(slowest, nodes.device.speed);
  std::vector<double> out;
  for (const NodeType& nodes : cluster.nodeTypes)
    out.insert(out.end(), nodes.nodes * cluster.gpusPerNode, slowest / nodes.device.speed);
  return out;
}
} // namespace

WorkerTimes::WorkerTimes(const Plan& plan, std::uint64_t seed, double compute, double update)
    : plan(plan), seed(seed),
      each((compute - update) / static_cast<double>(plan.mesh.microBatches)), update(update),
      varies(plan.cluster.jitter.varies()), adapts(false), noise(plan.cluster),
      relative(relativeTimes(plan.cluster)), seen(relative), times(relative.size()),
      distributed(relative.size(), plan.mesh.microBatches) {
  if (!plan.layout.dataRanks.empty()) {
    const DataRanks& ranks = plan.layout.dataRanks.front();
    adapts = ranks.loadBalancing == LoadBalancingKind::Adaptive;
    if (ranks.loadBalancing == LoadBalancingKind::Proportional)
      rebalance();
    else if (adapts) // even shares, until a step has been measured
      distribute(std::vector<double>(distributed.size(), 1));
    const auto delay = static_cast<double>(ranks.delay);
    if (ranks.throttling == ThrottlingKind::Fixed)
      throttled.delay = delay;
    if (ranks.throttling == ThrottlingKind::Feedback)
      throttled.change = delay;
  }
  if (plan.cluster.coupling.empty())
    return;
  const Coupling& coupling = plan.cluster.coupling.front();
  throttled.coupling = coupling.factor;
  if (!coupling.bus.empty()) {
    const SharedBus& bus = coupling.bus.front();
    throttled.bus = {bus.bandwidth * 1e-12, bus.computing * 1e-12,
                     static_cast<std::uint32_t>(bus.communicating)};
  }
  const std::uint64_t inGroup = plan.cluster.devicesIn(coupling.within);
  groups.assign((times.size() + inGroup - 1) / inGroup, simulate::ThrottledGroup(throttled));
  if (throttled.delay + throttled.change > 0)
    unthrottled.resize(groups.size());
}

void WorkerTimes::rebalance() {
  std::vector<double> speeds;
  for (const double time : seen)
    speeds.push_back(1 / time);
  distribute(speeds);
}

void WorkerTimes::distribute(const std::vector<double>& weights) {
  distributed = simulate::deal(plan.layout.batch / plan.layout.microBatch, weights);
}

void WorkerTimes::begin(std::uint32_t step) {
  current = step;
  if (adapts && step > 0)
    rebalance();
  for (std::uint32_t worker = 0; worker < times.size(); ++worker) {
    const double factor = relative[worker] * (varies ? noise.of(worker, seed, step) : 1);
    times[worker] = factor * (each * static_cast<double>(distributed[worker]) + update);
    seen[worker] = step == 0 ? factor : (1 - newest) * seen[worker] + newest * factor;
  }
  if (groups.empty())
    return;
  const std::size_t inGroup = (times.size() + groups.size() - 1) / groups.size();
  std::vector<double> through(times.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t first = i * inGroup, size = std::min(inGroup, times.size() - first);
    const llvm::ArrayRef<double> alone = llvm::makeArrayRef(times).slice(first, size);
    groups[i].step(alone, llvm::MutableArrayRef<double>(through).slice(first, size));
    if (!unthrottled.empty())
      unthrottled[i].push_back(alone.vec());
  }
  times = std::move(through);
}

double WorkerTimes::of(std::uint32_t worker, std::uint32_t step) {
  if (step != current)
    begin(step);
  return times[worker];
}
