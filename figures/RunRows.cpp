//===- RunRows.cpp - What failures, checkpoints and storage make of a run ---------------------===//
#include "cost/run/Availability.h"
#include "cost/run/Checkpoints.h"
#include "figures/Rows.h"
#include "support/math/SavedRun.h"
#include <array>
#include <cmath>
#include <limits>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
const ir::Run& runOf(const Facts& f) { return f.plan.runs[f.instance->index]; }

/// Mean time between failures; infinity where nothing fails.
double between(const Facts& f) {
  const Traced found = f("failures.mtbf");
  return found.has() ? found.value() : std::numeric_limits<double>::infinity();
}
double valueOf(const Traced& t) { return t.has() ? t.value() : 0; }

/// A number that follows from these figures by no arithmetic of one line.
Traced from(double value, std::initializer_list<Traced> read) {
  Traced out = Facts::counted(value);
  for (const Traced& one : read)
    if (one.has())
      out = out.reading(one);
  return out;
}

/// Failures a second that leave the memory of nodes, that of other nodes alone, and storage alone.
std::array<double, 3> ratesByTier(const Facts& f) {
  const auto all = [&](const char* rate, const char* count) {
    return valueOf(f(rate)) * valueOf(f(count));
  };
  const double nodes = all("failures.node", "cluster.nodes"),
               leaves = all("failures.leaf", "cluster.leaves");
  return {std::max(0.0, valueOf(f("failures.rate")) - nodes - leaves), nodes, leaves};
}
bool hasTiers(const Facts& f) {
  return runOf(f).checkpoint.every > 0 && !runOf(f).checkpoint.tiers.empty();
}

/// Devices that get slow, of all that run and while it does.
struct SlowDevices {
  double found = 0; ///< a second
  double share = 0; ///< of the time in which there is one
};
/// With a rate of λ one of all is slow until it is found after d, and none for 1/λ. Where other
/// failures, of a rate µ, leave the run waiting, it goes on without: it was slow for
/// (1 − e^(−µd))/µ, and was found in e^(−µd) of the cases.
SlowDevices slowDevices(const Facts& f, double othersThatLeaveItWaiting) {
  const double begins = valueOf(f("failures.fail_slow")) * valueOf(f("cluster.devices"));
  if (begins <= 0)
    return {};
  const double detection = ir::toSeconds(otherFailures(f).slowDetection),
               left = std::exp(-othersThatLeaveItWaiting * detection),
               slow =
                   othersThatLeaveItWaiting > 0 ? (1 - left) / othersThatLeaveItWaiting : detection,
               cycle = 1 / begins + slow;
  return {left / cycle, slow / cycle};
}

/// Of what takes a node away, without devices that get slow: itself, its devices and ports.
Traced takingNodes(const Facts& f) {
  Sum sum;
  sum.plus(f("failures.gpu") * f("cluster.devices"));
  sum.plus(f("failures.nic") * f("cluster.ports"));
  sum.plus(f("failures.node") * f("cluster.nodes"));
  return sum.all;
}

/// Where a run needs all of its nodes and none stands by, it waits behind each of these.
SlowDevices slowDevicesOfRun(const Facts& f) {
  const ir::Run& run = runOf(f);
  const double nodes = valueOf(f("cluster.nodes"));
  const bool waits = otherFailures(f).repair > 0 && run.spares == 0 &&
                     (run.least == 0 || real(run.least) >= nodes);
  return slowDevices(f, waits ? valueOf(takingNodes(f)) : 0);
}

/// Of a run that writes beside training, how long one takes.
double writtenBeside(const Facts& f) {
  return runOf(f).checkpoint.mode == ir::CheckpointMode::Async ? valueOf(f("checkpoint.write")) : 0;
}
} // namespace

Traced figures::clusterPorts(const Facts& f) {
  double ports = 0;
  for (const ir::NodeClass& c : f.cluster.classes)
    ports += real(c.nodes) * real(f.cluster.network.links[c.ports].count);
  return Facts::counted(ports);
}

Traced figures::failureRate(const Facts& f, double each) {
  return f.cluster.failures.stated && each > 0 ? f.declared(each, "cluster.failures")
                                               : Facts::none();
}

Traced figures::allFailures(const Facts& f) {
  Sum sum;
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

const ir::OtherFailures& figures::otherFailures(const Facts& f) {
  static const ir::OtherFailures none;
  return f.cluster.otherFailures.empty() ? none : f.cluster.otherFailures.front();
}

Traced figures::clusterLeaves(const Facts& f) {
  return Facts::counted(
      real(ir::ceilDiv(f.cluster.devices(), f.cluster.devicesIn(ir::Level::Leaf))));
}

Traced figures::restartTime(const Facts& f, bool fromStorage) {
  const ir::FailureRates& failures = f.cluster.failures;
  if (!failures.stated)
    return Facts::none();
  const Traced stated =
      f.declared(ir::toSeconds(otherFailures(f).detection + failures.restart), "cluster.failures");
  const Traced read = f("checkpoint.read");
  return fromStorage && read.has() ? stated + read : stated;
}

std::vector<cost::CheckpointTier> figures::runTiers(const Facts& f) {
  const Traced interval = f.own("checkpoint_interval"), write = f("checkpoint.write"),
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

/// A device of all is slow for as long as it takes to find it, and then not for 1/rate.
Traced figures::slowedShare(const Facts& f) {
  const Traced rate = f("failures.fail_slow"), devices = f("cluster.devices");
  if (!rate.has())
    return Facts::none();
  return from(slowDevices(f, 0).share * (1 - 1 / otherFailures(f).slowdown), {rate, devices});
}

Traced figures::runRestart(const Facts& f) {
  if (hasTiers(f)) {
    double restarts = 0, rate = 0;
    for (const cost::CheckpointTier& tier : runTiers(f))
      restarts += tier.failures.restart / tier.failures.between, rate += 1 / tier.failures.between;
    return rate > 0 ? from(restarts / rate, {f("failures.restart"), f("failures.rate")})
                    : Facts::none();
  }
  if (runOf(f).checkpoint.mode != ir::CheckpointMode::Peers || runOf(f).checkpoint.every == 0)
    return f("failures.restart").has() ? 1 * f("failures.restart") : Facts::none();
  const Traced stated = restartTime(f, false);
  return stated.has() ? stated + f.own("checkpoint_stall") : stated;
}

/// What takes a node away: itself, its devices and ports.
Traced figures::runAvailable(const Facts& f) {
  const std::uint64_t repair = otherFailures(f).repair;
  if (repair == 0)
    return Facts::none();
  const ir::Run& run = runOf(f);
  Sum failing;
  failing.plus(takingNodes(f));
  if (const Traced slow = f("failures.fail_slow"), devices = f("cluster.devices"); slow.has())
    failing.plus(from(slowDevicesOfRun(f).found, {slow, devices}));
  if (!failing.all.has())
    return Facts::none();
  const Traced nodes = f("cluster.nodes");
  return from(cost::availability({nodes.value(), real(run.spares), real(run.least),
                                  failing.all.value(), ir::toSeconds(repair)}),
              {failing.all, nodes});
}

namespace {
/// Of checkpoints that training waits for.
Traced intervalBy(const Facts& f, double (*formula)(double blocked, double between)) {
  const Traced write = f("checkpoint.write"), each = f("failures.mtbf");
  return write.has() && each.has() ? from(formula(write.value(), each.value()), {write, each})
                                   : Facts::none();
}
} // namespace

Traced figures::youngInterval(const Facts& f) { return intervalBy(f, simulate::youngInterval); }

Traced figures::dalyInterval(const Facts& f) { return intervalBy(f, simulate::dalyInterval); }

Traced figures::bestInterval(const Facts& f) {
  return intervalBy(
      f, [](double blocked, double between) { return cost::bestInterval(blocked, 0, between); });
}

Traced figures::runSteps(const Facts& f) {
  double steps = 0;
  for (const ir::RunPhase& phase : runOf(f).phases)
    steps += real(phase.steps);
  return steps > 0 ? Facts::counted(steps) : Facts::none();
}

Traced figures::runWork(const Facts& f) {
  Sum sum;
  for (const ir::RunPhase& phase : runOf(f).phases) {
    if (phase.steps == 0 || (phase.batch != f.layout.batch && phase.step == 0))
      return Facts::none();
    sum.plus(real(phase.steps), phase.batch == f.layout.batch
                                    ? f("step_time")
                                    : Facts::simulated(ir::toSeconds(phase.step)));
  }
  return sum.all;
}

Traced figures::runInterval(const Facts& f) {
  const std::uint64_t every = runOf(f).checkpoint.every;
  return every > 0 ? Facts::counted(real(every)) * f.own("productive_time") / f.own("steps")
                   : Facts::none();
}

Traced figures::runBlocked(const Facts& f) {
  const ir::CheckpointRequest& checkpoint = runOf(f).checkpoint;
  if (checkpoint.every == 0)
    return Facts::none();
  if (hasTiers(f)) {
    const ir::CheckpointTiers& of = checkpoint.tiers.front();
    return Facts::counted(ir::toSeconds(of.node) + ir::toSeconds(of.peers) / real(of.everyPeers));
  }
  return checkpoint.mode == ir::CheckpointMode::Blocking
             ? 1 * f("checkpoint.write")
             : Facts::counted(ir::toSeconds(checkpoint.snapshot));
}

/// Copies in memory are two where they are all that there is, until the next one has come: of tiers
/// those of the node and of another. What storage has then is one.
Traced figures::runStaged(const Facts& f) {
  const ir::CheckpointRequest& checkpoint = runOf(f).checkpoint;
  double copies = 0;
  switch (checkpoint.mode) {
  case ir::CheckpointMode::Blocking:
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
                                            : Facts::none();
}

Traced figures::runBestInterval(const Facts& f) {
  const Traced blocked = f.own("checkpoint_stall"), each = f("failures.mtbf");
  if (const auto tiers = runTiers(f); !tiers.empty() && each.has())
    return from(cost::bestStretch(tiers) * f.own("checkpoint_interval").value(),
                {blocked, f.own("checkpoint_interval"), f("checkpoint.write"), each});
  if (!blocked.has() || !each.has() || blocked.value() + writtenBeside(f) <= 0)
    return Facts::none();
  return from(cost::bestInterval(blocked.value(), writtenBeside(f), each.value()),
              {blocked, f("checkpoint.write"), each});
}

/// A run without checkpoints begins again from its first step.
Traced figures::runGoodput(const Facts& f) {
  const Traced blocked = f.own("checkpoint_stall"), each = f("failures.mtbf");
  const Traced interval =
      f.own("checkpoint_interval").has() ? f.own("checkpoint_interval") : f.own("productive_time");
  if (!interval.has() || (!blocked.has() && !each.has()))
    return Facts::none();
  const Traced restart = f.own("restart"), slowed = f("failures.fail_slow_loss"),
               available = f.own("availability");
  const std::vector<cost::CheckpointTier> tiers = runTiers(f);
  if (hasTiers(f) && tiers.empty())
    return Facts::none();
  const SlowDevices slow = slowDevicesOfRun(f);
  const double found = slow.found - slowDevices(f, 0).found; // beside those of the cluster's rate
  const double ratio =
      !tiers.empty() ? cost::timeOverWork(tiers)
                     : cost::timeOverWork({interval.value(), valueOf(blocked), writtenBeside(f)},
                                          {1 / (1 / between(f) + found), valueOf(restart)});
  const double there = available.has() ? available.value() : 1;
  const double lost = slowed.has() ? slow.share * (1 - 1 / otherFailures(f).slowdown) : 0;
  return from(there * (1 - lost) / ratio,
              {interval, blocked, f("checkpoint.write"), each, restart, slowed, available});
}
