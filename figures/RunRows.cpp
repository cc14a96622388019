//===- RunRows.cpp - What failures, checkpoints and storage make of a run ---------------------===//
#include "cost/Checkpoints.h"
#include "figures/Rows.h"
#include <cmath>
#include <limits>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
const ir::Run& runOf(const Facts& f) { return f.plan.runs[f.instance->index]; }

/// Mean time between failures; infinity where nothing fails.
double between(const Facts& f) {
  const Traced found = f("failures.between");
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
  return sum.all;
}

Traced figures::restartTime(const Facts& f) {
  const ir::FailureRates& failures = f.cluster.failures;
  if (!failures.stated)
    return Facts::none();
  const Traced stated = f.declared(ir::toSeconds(failures.restart), "cluster.failures");
  const Traced read = f("checkpoint.read");
  return read.has() ? stated + read : stated;
}

Traced figures::youngInterval(const Facts& f) {
  const Traced write = f("checkpoint.write"), each = f("failures.between");
  return write.has() && each.has()
             ? from(cost::youngInterval(write.value(), each.value()), {write, each})
             : Facts::none();
}

Traced figures::bestInterval(const Facts& f) {
  const Traced write = f("checkpoint.write"), each = f("failures.between");
  return write.has() && each.has()
             ? from(cost::bestInterval(write.value(), 0, each.value()), {write, each})
             : Facts::none();
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
  return every > 0 ? Facts::counted(real(every)) * f.own("work") / f.own("steps") : Facts::none();
}

Traced figures::runBlocked(const Facts& f) {
  const ir::CheckpointRequest& checkpoint = runOf(f).checkpoint;
  if (checkpoint.every == 0)
    return Facts::none();
  return checkpoint.mode == ir::CheckpointMode::Async
             ? Facts::counted(ir::toSeconds(checkpoint.snapshot))
             : 1 * f("checkpoint.write");
}

Traced figures::runBestInterval(const Facts& f) {
  const Traced blocked = f.own("blocked"), each = f("failures.between");
  if (!blocked.has() || !each.has() || blocked.value() + writtenBeside(f) <= 0)
    return Facts::none();
  return from(cost::bestInterval(blocked.value(), writtenBeside(f), each.value()),
              {blocked, f("checkpoint.write"), each});
}

/// A run without checkpoints begins again from its first step.
Traced figures::runGoodput(const Facts& f) {
  const Traced blocked = f.own("blocked"), each = f("failures.between");
  const Traced interval = f.own("interval").has() ? f.own("interval") : f.own("work");
  if (!interval.has() || (!blocked.has() && !each.has()))
    return Facts::none();
  const Traced restart = f("failures.restart");
  const double ratio = cost::timeOverWork({interval.value(), valueOf(blocked), writtenBeside(f)},
                                          {between(f), valueOf(restart)});
  return from(1 / ratio, {interval, blocked, f("checkpoint.write"), each, restart});
}
