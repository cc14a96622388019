//===- RunRows.cpp - The effect of failures, checkpoints and storage on a run -----------------===//
#include "cost/run/Availability.h"
#include "cost/run/Checkpoints.h"
#include "figures/Rows.h"
#include "figures/WorkRate.h"
#include "support/math/SavedRun.h"
#include <array>
#include <cmath>
#include <limits>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
const ir::Run& runOf(const FigureContext& f) { return f.plan.runs[f.instance->index]; }

/// Mean seconds between failures; infinity without failures.
double between(const FigureContext& f) {
  const Traced found = f("failures.mtbf");
  return found.has() ? found.value() : std::numeric_limits<double>::infinity();
}
double valueOf(const Traced& t) { return t.has() ? t.value() : 0; }

/// A value that is computed from these figures by a function, not by a formula.
Traced from(double value, std::initializer_list<Traced> read) {
  Traced out = FigureContext::counted(value);
  for (const Traced& one : read)
    if (one.has())
      out = out.reading(one);
  return out;
}

/// Rates of failures per second: of those after which the node keeps its memory, of those after
/// which only other nodes do, and of those after which only storage has a checkpoint.
std::array<double, 3> ratesByTier(const FigureContext& f) {
  const auto all = [&](const char* rate, const char* count) {
    return valueOf(f(rate)) * valueOf(f(count));
  };
  const double nodes = all("failures.node", "cluster.nodes"),
               leaves = all("failures.leaf", "cluster.leaves");
  return {std::max(0.0, valueOf(f("failures.rate")) - nodes - leaves), nodes, leaves};
}
bool isIncremental(const FigureContext& f) {
  return runOf(f).checkpoint.every > 0 && !runOf(f).checkpoint.incremental.empty();
}
bool hasTiers(const FigureContext& f) {
  return runOf(f).checkpoint.every > 0 && !runOf(f).checkpoint.tiers.empty();
}

/// Rate and effect of fail-slow devices among all running devices.
struct SlowDevices {
  double found = 0; ///< number found per second
  double share = 0; ///< share of the time in which one of them is slow
};
/// With rate λ one device becomes slow, and is found after d; then none is slow for 1/λ. If the run
/// waits after other failures, of rate µ, the slow device is replaced at the same time: it was slow
/// for (1 − e^(−µd))/µ on average, and was found by itself in e^(−µd) of the cases.
SlowDevices slowDevices(const FigureContext& f, double othersThatLeaveItWaiting) {
  const double begins = valueOf(f("failures.fail_slow")) * valueOf(f("cluster.devices"));
  if (begins <= 0)
    return {};
  const double detection = ir::toSeconds(failureDetails(f).slowDetection),
               left = std::exp(-othersThatLeaveItWaiting * detection),
               slow =
                   othersThatLeaveItWaiting > 0 ? (1 - left) / othersThatLeaveItWaiting : detection,
               cycle = 1 / begins + slow;
  return {left / cycle, slow / cycle};
}

/// The rate of failures that remove a node (of nodes, devices and ports), without fail-slow
/// devices.
Traced takingNodes(const FigureContext& f) {
  TracedSum sum;
  sum.plus(f("failures.gpu") * f("cluster.devices"));
  sum.plus(f("failures.nic") * f("cluster.ports"));
  sum.plus(f("failures.node") * f("cluster.nodes"));
  return sum.all;
}

/// The slow devices during a run. If the run needs all of its nodes and has no spares, it waits
/// after each failure that removes a node.
SlowDevices slowDevicesOfRun(const FigureContext& f) {
  const ir::Run& run = runOf(f);
  const bool waits = failureDetails(f).repair > 0 && run.spares == 0 &&
                     !cost::workingNodesOf(f.plan, run).shrinks();
  return slowDevices(f, waits ? valueOf(takingNodes(f)) : 0);
}

/// Seconds to write a checkpoint while training continues; 0 if training waits for the write.
double writtenWhileTraining(const FigureContext& f) {
  return runOf(f).checkpoint.mode == ir::CheckpointMode::Async ? valueOf(f("checkpoint.write")) : 0;
}
/// The incremental checkpoints of the instance's run.
cost::IncrementalCheckpoints incrementalOf(const FigureContext& f) {
  const ir::IncrementalCheckpoints& of = runOf(f).checkpoint.incremental.front();
  const double write = valueOf(f("checkpoint.write")), read = valueOf(f("checkpoint.read"));
  return {valueOf(f.ofInstance("checkpoint_interval")), write, write * of.share, read * of.share,
          of.everyFull};
}

/// The failures of the cluster, with another rate of those that make devices slow.
cost::Failures failuresOf(const FigureContext& f, double found, double restart) {
  return {1 / (1 / between(f) + found), restart, failureDetails(f).shape};
}
} // namespace

Traced figures::clusterPorts(const FigureContext& f) {
  double ports = 0;
  for (const ir::NodeType& c : f.cluster.nodeTypes)
    ports += real(c.nodes) * real(f.cluster.network.links[c.ports].count);
  return FigureContext::counted(ports);
}

Traced figures::failureRate(const FigureContext& f, double each) {
  return f.cluster.failures.stated && each > 0 ? f.declared(each, "cluster.failures")
                                               : FigureContext::none();
}

Traced figures::allFailures(const FigureContext& f) {
  TracedSum sum;
  sum.plus(f("failures.gpu") * f("cluster.devices"));
  sum.plus(f("failures.nic") * f("cluster.ports"));
  sum.plus(f("failures.node") * f("cluster.nodes"));
  sum.plus(f("failures.link") * f("cluster.ports"));
  sum.plus(f("failures.leaf") * f("cluster.leaves"));
  sum.plus(f("failures.storage"));
  if (const Traced slow = f("failures.fail_slow"), devices = f("cluster.devices"); slow.has())
    sum.plus(from(slowDevices(f, 0).found, {slow, devices}));
  return sum.all;
}

const ir::FailureDetails& figures::failureDetails(const FigureContext& f) {
  static const ir::FailureDetails none;
  return f.cluster.failureDetails.empty() ? none : f.cluster.failureDetails.front();
}

Traced figures::clusterLeaves(const FigureContext& f) {
  return FigureContext::counted(
      real(ir::ceilDiv(f.cluster.devices(), f.cluster.devicesIn(ir::Level::Leaf))));
}

Traced figures::restartTime(const FigureContext& f, bool fromStorage) {
  const ir::FailureRates& failures = f.cluster.failures;
  if (!failures.stated)
    return FigureContext::none();
  const Traced stated =
      f.declared(ir::toSeconds(failureDetails(f).detection + failures.restart), "cluster.failures");
  const Traced read = f("checkpoint.read");
  return fromStorage && read.has() ? stated + read : stated;
}

/// The checkpoint tiers of the instance's run; empty if it has none or if a time is unknown.
static std::vector<cost::CheckpointTier> runTiers(const FigureContext& f) {
  const Traced interval = f.ofInstance("checkpoint_interval"), write = f("checkpoint.write"),
               read = f("checkpoint.read");
  if (!hasTiers(f) || !interval.has() || !write.has())
    return {};
  const ir::CheckpointTiers& of = runOf(f).checkpoint.tiers.front();
  const std::array<double, 3> rates = ratesByTier(f);
  const double stated = valueOf(restartTime(f, false)), each = interval.value();
  const double node = ir::toSeconds(of.node), peers = ir::toSeconds(of.peers);
  return {
      {{each, node, 0}, {1 / rates[0], stated + node}},
      {{each * real(of.everyPeers), peers, 0}, {1 / rates[1], stated + peers}},
      {{each * real(of.everyStorage), 0, write.value()}, {1 / rates[2], stated + valueOf(read)}}};
}

/// One device is slow until it is found, and then no device is slow for 1/rate.
Traced figures::slowedShare(const FigureContext& f) {
  const Traced rate = f("failures.fail_slow"), devices = f("cluster.devices");
  if (!rate.has())
    return FigureContext::none();
  return from(slowDevices(f, 0).share * (1 - 1 / failureDetails(f).slowdown), {rate, devices});
}

Traced figures::runRestart(const FigureContext& f) {
  const Traced full = f("failures.restart");
  if (isIncremental(f) && full.has())
    return from(full.value() + incrementalOf(f).meanRead(), {full, f("checkpoint.read")});
  if (hasTiers(f)) {
    double restarts = 0, rate = 0;
    for (const cost::CheckpointTier& tier : runTiers(f))
      restarts += tier.failures.restart / tier.failures.between, rate += 1 / tier.failures.between;
    return rate > 0 ? from(restarts / rate, {f("failures.restart"), f("failures.rate")})
                    : FigureContext::none();
  }
  if (runOf(f).checkpoint.mode != ir::CheckpointMode::Peers || runOf(f).checkpoint.every == 0)
    return f("failures.restart").has() ? 1 * f("failures.restart") : FigureContext::none();
  const Traced stated = restartTime(f, false);
  return stated.has() ? stated + f.ofInstance("checkpoint_stall") : stated;
}

/// Counts failures of nodes, of their devices and of their ports, and fail-slow devices that are
/// found.
Traced figures::runAvailable(const FigureContext& f) {
  const std::uint64_t repair = failureDetails(f).repair;
  if (repair == 0)
    return FigureContext::none();
  const ir::Run& run = runOf(f);
  TracedSum failing;
  failing.plus(takingNodes(f));
  if (const Traced slow = f("failures.fail_slow"), devices = f("cluster.devices"); slow.has())
    failing.plus(from(slowDevicesOfRun(f).found, {slow, devices}));
  if (!failing.all.has())
    return FigureContext::none();
  return from(cost::availability({cost::workingNodesOf(f.plan, run), real(run.spares),
                                  failing.all.value(), ir::toSeconds(repair)}),
              {failing.all, f("cluster.nodes")});
}

namespace {
/// The checkpoint interval by a formula for checkpoints that training waits for.
Traced intervalBy(const FigureContext& f, double (*formula)(double blocked, double between)) {
  const Traced write = f("checkpoint.write"), each = f("failures.mtbf");
  return write.has() && each.has() ? from(formula(write.value(), each.value()), {write, each})
                                   : FigureContext::none();
}
} // namespace

Traced figures::youngInterval(const FigureContext& f) {
  return intervalBy(f, simulate::youngInterval);
}

Traced figures::dalyInterval(const FigureContext& f) {
  return intervalBy(f, simulate::dalyInterval);
}

Traced figures::bestInterval(const FigureContext& f) {
  return intervalBy(
      f, [](double blocked, double between) { return cost::bestInterval(blocked, 0, between); });
}

Traced figures::runSteps(const FigureContext& f) {
  double steps = 0;
  for (const ir::RunPhase& phase : runOf(f).phases)
    steps += real(phase.steps);
  return steps > 0 ? FigureContext::counted(steps) : FigureContext::none();
}

Traced figures::runWork(const FigureContext& f) {
  TracedSum sum;
  for (const ir::RunPhase& phase : runOf(f).phases) {
    if (phase.steps == 0 || (phase.batch != f.layout.batch && phase.step == 0))
      return FigureContext::none();
    sum.plus(real(phase.steps), phase.step == 0
                                    ? f("step_time")
                                    : FigureContext::simulated(ir::toSeconds(phase.step)));
  }
  return sum.all;
}

Traced figures::runInterval(const FigureContext& f) {
  const std::uint64_t every = runOf(f).checkpoint.every;
  return every > 0 ? FigureContext::counted(real(every)) * f.ofInstance("productive_time") /
                         f.ofInstance("steps")
                   : FigureContext::none();
}

Traced figures::runBlocked(const FigureContext& f) {
  const ir::CheckpointRequest& checkpoint = runOf(f).checkpoint;
  if (checkpoint.every == 0)
    return FigureContext::none();
  if (hasTiers(f)) {
    const ir::CheckpointTiers& of = checkpoint.tiers.front();
    return FigureContext::counted(ir::toSeconds(of.node) +
                                  ir::toSeconds(of.peers) / real(of.everyPeers));
  }
  if (isIncremental(f))
    return f("checkpoint.write").has()
               ? from(incrementalOf(f).meanBlocked(), {f("checkpoint.write")})
               : FigureContext::none();
  return checkpoint.mode == ir::CheckpointMode::Blocking
             ? 1 * f("checkpoint.write")
             : FigureContext::counted(ir::toSeconds(checkpoint.snapshot));
}

/// Bytes of checkpoint copies in a node's memory. If copies in memory are the only ones, there are
/// two until the next one is complete. With tiers there are two on the node and two on a peer; the
/// copy for storage is one of these.
Traced figures::runStaged(const FigureContext& f) {
  const ir::CheckpointRequest& checkpoint = runOf(f).checkpoint;
  double copies = 0;
  switch (checkpoint.mode) {
  case ir::CheckpointMode::Blocking:
  case ir::CheckpointMode::Incremental:
    break;
  case ir::CheckpointMode::Async:
    copies = 1;
    break;
  case ir::CheckpointMode::Peers:
    copies = 2;
    break;
  case ir::CheckpointMode::Tiers:
    copies = 4;
    break;
  }
  return checkpoint.every > 0 && copies > 0 ? copies * f("checkpoint.bytes") / f("cluster.nodes")
                                            : FigureContext::none();
}

Traced figures::runBestInterval(const FigureContext& f) {
  const Traced blocked = f.ofInstance("checkpoint_stall"), each = f("failures.mtbf");
  if (const auto tiers = runTiers(f); !tiers.empty() && each.has())
    return from(cost::bestIntervalScale(tiers) * f.ofInstance("checkpoint_interval").value(),
                {blocked, f.ofInstance("checkpoint_interval"), f("checkpoint.write"), each,
                 f("failures.node"), f("cluster.nodes"), f("failures.leaf"), f("cluster.leaves")});
  if (!blocked.has() || !each.has() || blocked.value() + writtenWhileTraining(f) <= 0)
    return FigureContext::none();
  const cost::Failures failures = failuresOf(f, 0, valueOf(f.ofInstance("restart")));
  if (isIncremental(f)) {
    const cost::Failures fromFull = failuresOf(f, 0, valueOf(f("failures.restart")));
    return from(
        cost::bestInterval(incrementalOf(f), fromFull),
        {blocked, each, f("checkpoint.write"), f("checkpoint.read"), f("failures.restart")});
  }
  return from(cost::bestInterval(blocked.value(), writtenWhileTraining(f), failures),
              {blocked, f("checkpoint.write"), each,
               failures.shape == 1 ? Traced() : f.ofInstance("restart")});
}

namespace {
/// The goodput without degraded nodes. A run without checkpoints restarts from its first step.
Traced steadyGoodput(const FigureContext& f) {
  const Traced blocked = f.ofInstance("checkpoint_stall"), each = f("failures.mtbf");
  const Traced interval = f.ofInstance("checkpoint_interval").has()
                              ? f.ofInstance("checkpoint_interval")
                              : f.ofInstance("productive_time");
  if (!interval.has() || (!blocked.has() && !each.has()))
    return FigureContext::none();
  const Traced restart = f.ofInstance("restart"), slowed = f("failures.fail_slow_loss"),
               available = f.ofInstance("availability");
  const std::vector<cost::CheckpointTier> tiers = runTiers(f);
  if (hasTiers(f) && tiers.empty())
    return FigureContext::none();
  const SlowDevices slow = slowDevicesOfRun(f);
  // slow devices that are found in addition to those in the cluster's rate
  const double found = slow.found - slowDevices(f, 0).found;
  const cost::Failures failures = failuresOf(f, found, valueOf(restart));
  double ratio = 1;
  if (!tiers.empty())
    ratio = cost::timeOverWork(tiers);
  else if (isIncremental(f))
    ratio = cost::timeWithIncrements(incrementalOf(f),
                                     failuresOf(f, found, valueOf(f("failures.restart"))));
  else if (runOf(f).checkpoint.every == 0)
    ratio = cost::timeWithoutCheckpoints(interval.value(), failures);
  else
    ratio = cost::timeOverWork(
        cost::Checkpoints{interval.value(), valueOf(blocked), writtenWhileTraining(f)}, failures);
  const double there = available.has() ? available.value() : 1;
  const double lost = slowed.has() ? slow.share * (1 - 1 / failureDetails(f).slowdown) : 0;
  return from(there * (1 - lost) / ratio,
              {interval, blocked, f("checkpoint.write"), each, restart, slowed, available});
}
} // namespace

/// Failures and checkpoints go on while nodes are degraded, so the run works at the ratio of the
/// step times less then.
Traced figures::runDegradedLoss(const FigureContext& f) {
  const Traced step = f("step_time"), work = f.ofInstance("productive_time");
  if (f.plan.degraded.empty() || !step.has() || !work.has())
    return FigureContext::none();
  const Traced steady = steadyGoodput(f);
  const double time = work.value() / (steady.has() ? steady.value() : 1);
  const double longer = workRateOf(f.plan, step.value()).timeFor(time, 0);
  std::string when;
  for (const ir::DegradedTime& each : f.plan.degraded)
    when += fmt::format(
        "{} {} from {} {}", when.empty() ? ": the step takes" : ",",
        human(ir::toSeconds(each.step), *dimensionNamed("Duration")),
        human(ir::toSeconds(each.begin), *dimensionNamed("Duration")),
        each.end > 0 ? "to " + human(ir::toSeconds(each.end), *dimensionNamed("Duration")) : "on");
  return from(1 - time / longer,
              {step, work, f.ofInstance("checkpoint_interval"), f.ofInstance("checkpoint_stall"),
               f("checkpoint.write"), f("failures.mtbf"), f.ofInstance("restart"),
               f("failures.fail_slow_loss"), f.ofInstance("availability")})
      .because("share of the run's time that is lost while nodes are degraded" + when);
}

simulate::WorkRate figures::workRateOf(const ir::Plan& plan, double step) {
  std::vector<simulate::SlowTime> times;
  for (const ir::DegradedTime& each : plan.degraded)
    times.push_back(
        {ir::toSeconds(each.begin),
         each.end > 0 ? ir::toSeconds(each.end) : std::numeric_limits<double>::infinity(),
         std::min(1.0, step / ir::toSeconds(each.step))});
  return simulate::WorkRate(std::move(times));
}

Traced figures::runGoodput(const FigureContext& f) {
  const Traced steady = steadyGoodput(f), degraded = f.ofInstance("degraded_loss");
  if (!degraded.has())
    return steady;
  return steady.has() ? steady * (1 - degraded) : 1 - degraded;
}
