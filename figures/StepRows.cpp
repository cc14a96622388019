//===- StepRows.cpp - The time of a step, its communication, FLOP and energy ------------------===//
#include "cost/compute/OptimizerRow.h"
#include "cost/execution/OrderStatistics.h"
#include "cost/programs/Compression.h"
#include "cost/programs/HostWait.h"
#include "cost/step/ChunkRuns.h"
#include "cost/step/Compressed.h"
#include "figures/Rows.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
const cost::Traffic& row(const FigureContext& f) { return f.traffic()[f.instance->index]; }

/// A text about the first of the collectives: "ring over 8 ranks, 4096 bytes".
std::string how(const FigureContext& f) {
  const ir::Collective& c = *row(f).first;
  const bool known = f.plan.groups.has(c.group);
  return fmt::format("{} over {} ranks, {} bytes", ir::name(c.algorithm),
                     known ? f.plan.groups[c.group].size : 1, c.bytes);
}
} // namespace

Traced figures::timeOfActions(const FigureContext& f, std::uint64_t rank,
                              std::initializer_list<const char*> columns) {
  TracedSum sum;
  // Micro-batches of two directions may have different costs.
  const bool apart = f.plan.placement.directions() > 1 && !f.layout.microBatchCosts.empty();
  for (const ir::ChunkCost* cost : f.costsOf(rank))
    for (const char* column : columns)
      sum.plus(apart ? f(f.stagePath(*cost) + column) *
                           FigureContext::counted(cost::runsOf(f.plan, *cost))
                     : f(f.stagePath(*cost) + column));
  if (!sum.all.has())
    return FigureContext::counted(0);
  if (apart)
    return sum.all;
  const Traced all = sum.all * f("micro_batches");
  const std::uint64_t directions = f.plan.placement.directions();
  return directions == 1 ? all : all / real(directions); // each chunk runs the micro-batches of one
                                                         // direction
}

Traced figures::kernelsOfActions(const FigureContext& f, std::uint64_t rank,
                                 std::initializer_list<const char*> columns,
                                 const char* launchBound) {
  const Traced all = timeOfActions(f, rank, columns), waits = timeOfActions(f, rank, {launchBound});
  return waits.value() > 0 ? all - waits : all;
}

Traced figures::meanKernels(const FigureContext& f) {
  TracedSum sum;
  for (std::uint64_t rank = 0; rank < f.plan.mesh.size(ir::Axis::Pipeline); ++rank)
    sum.plus(kernelsOfActions(f, rank, {".forward", ".backward"}, ".launch_bound"));
  return sum.all / f("mesh.pipeline");
}

Traced figures::trafficTime(const FigureContext& f) {
  if (const Traced each = f.ofInstance("time_per_operation"); each.has())
    return f.ofInstance("count") * each;
  return FigureContext::counted(row(f).time)
      .because(row(f).alike ? "time of all operations"
                            : "time of all operations, which differ by chunk");
}

Traced figures::trafficExposed(const FigureContext& f) {
  return FigureContext::simulated(f.exposure().of(row(f))).reading(f.ofInstance("time"));
}

Traced figures::trafficLevel(const FigureContext& f) {
  const double sent = row(f).perLevel[f.instance->inner];
  if (sent == 0)
    return FigureContext::none();
  return FigureContext::counted(sent)
      .because("bytes that one device sends over the links of the level, " + how(f))
      .overLinks();
}

Traced figures::trafficSent(const FigureContext& f) {
  TracedSum sum;
  for (const ir::LinkLevel& level : f.cluster.levels)
    sum.plus(f.ofInstance(ir::name(level.level)));
  return (sum.all.has() ? sum.all : FigureContext::counted(0)).overLinks();
}

std::string figures::ofOtherRank(const FigureContext& f) {
  return row(f).rank == f.times().rank ? "" : fmt::format(", on pipeline rank {}", row(f).rank);
}

Traced figures::trafficEach(const FigureContext& f) {
  const cost::Traffic& t = row(f);
  return t.alike && t.first->time > 0
             ? FigureContext::counted(ir::toSeconds(t.first->time)).because(how(f))
             : FigureContext::none();
}

Traced figures::exposedOfAxis(const FigureContext& f) {
  const char* axis = cost::exposedAxes()[f.instance->index];
  Traced all = FigureContext::simulated(f.exposure().along(axis));
  for (const cost::Traffic& t : f.traffic())
    if (llvm::StringRef(axis) == cost::axisOf(t.purpose))
      all = all.reading(f(cost::pathOf(f.plan, t) + ".time"));
  return all;
}

Traced figures::exposed(const FigureContext& f) {
  Traced all = FigureContext::simulated(f.exposure().all());
  if (f.depth == Depth::Values) // the exposed part of each axis needs another execution of the step
    return all;
  for (const char* axis : cost::exposedAxes())
    all = all.reading(f(std::string("time.exposed.") + axis));
  return all;
}

Traced figures::exposedTogether(const FigureContext& f) {
  Traced left = f("time.exposed");
  for (const char* axis : cost::exposedAxes())
    if (const Traced one = f(std::string("time.exposed.") + axis); one.value() != 0)
      left = left - one;
  return left.rounding(std::round(left.value() / ir::picosecond) * ir::picosecond);
}

Traced figures::communicationTime(const FigureContext& f) {
  TracedSum sum;
  for (const cost::Traffic& t : f.traffic())
    if (t.rank == f.times().rank)
      sum.plus(f(cost::pathOf(f.plan, t) + ".time"));
  return sum.all.has() ? sum.all : FigureContext::counted(0);
}

Traced figures::memoryBound(const FigureContext& f) {
  double seconds = 0;
  for (const ir::ChunkCost* cost : f.costsOf(f.times().rank)) {
    const auto chunk = static_cast<std::size_t>(cost - f.plan.costs.data());
    for (const cost::NamedModule& module : f.modules()[chunk])
      if (const cost::ModuleOperators* of = f.operatorsOf(module.name))
        seconds += module.count * of->memoryBound(f.layout.recompute) * cost::runsOf(f.plan, *cost);
  }
  return FigureContext::counted(seconds).reading(f("time.compute")).reading(f("time.recompute"));
}

Traced figures::regime(const FigureContext& f) {
  std::string name;
  Traced most;
  const auto weigh = [&](const std::string& part, const Traced& seconds) {
    if (!seconds.has())
      return;
    if (!most.has() || seconds.value() > most.value())
      name = part;
    most = most.has() ? max(most, seconds) : seconds;
  };
  weigh("compute-bound", f("time.compute_bound"));
  weigh("memory-bound", f("time.memory_bound") + f("time.optimizer"));
  weigh("launch-bound", f("time.launch_bound"));
  weigh("waiting for other ranks", f("time.barrier"));
  weigh("waiting for samples", f("time.data_loading"));
  if (f("time.exposed").value() > most.value()) { // the exposed part of each kind needs another
                                                  // execution of the step
    for (const ir::LinkType& link : f.cluster.network.links) {
      const std::string type = link.displayName();
      weigh("bound by `" + type + "` links", f("link[" + type + "].exposed"));
    }
    weigh("latency-bound", f("time.exposed.latency"));
  }
  return f("step_time").value() > 0 ? (most / f("step_time")).because(name) : FigureContext::none();
}

Traced figures::speedupLimit(const FigureContext& f) {
  Traced exposed = f("time.exposed.tensor");
  for (const char* axis : {"context", "expert"})
    exposed = exposed + f(std::string("time.exposed.") + axis);
  const Traced divided = f("time.compute") + f("time.recompute") + f("time.launch_bound") +
                         min(f("time.exposed"), exposed);
  const Traced left = f("step_time") - divided + divided / f("micro_batches");
  return left.value() > 0 ? f("speedup.over_one_device") * f("step_time") / left
                          : FigureContext::none();
}

Traced figures::coding(const FigureContext& f) {
  if (f.layout.compression.empty())
    return FigureContext::none();
  return FigureContext::counted(
      ir::toSeconds(cost::computeKindTime(f.plan, f.times().rank, ir::ComputeKind::Coding)));
}

Traced figures::offload(const FigureContext& f) {
  if (!f.layout.offloads())
    return FigureContext::none();
  return FigureContext::counted(ir::toSeconds(cost::hostWait(f.plan, f.times().rank)));
}

Traced figures::compressedRatio(const FigureContext& f) {
  if (f.layout.compression.empty())
    return FigureContext::none();
  const cost::CompressedSums sums = cost::compressedSums(f.plan, f.times().rank);
  return sums.sentBytes > 0 ? FigureContext::counted(sums.wholeBytes / sums.sentBytes)
                            : FigureContext::none();
}

Traced figures::compressedTime(const FigureContext& f, bool sent) {
  if (f.layout.compression.empty())
    return FigureContext::none();
  const cost::CompressedSums sums = cost::compressedSums(f.plan, f.times().rank);
  return FigureContext::counted(sent ? sums.compressed : sums.whole);
}

Traced figures::bubble(const FigureContext& f) {
  Traced busy = f("time.schedule") - f("time.compute") - f("time.recompute") - f("time.exposed") -
                f("time.optimizer");
  for (const char* part : {"time.launch_bound", "time.compression", "time.offload"})
    if (const Traced more = f(part); more.has() && more.value() != 0)
      busy = busy - more;
  const Traced left = max(0, busy);
  return left.rounding(ir::toSeconds(ir::toPicoseconds(left.value())));
}

Traced figures::equalStagesBubble(const FigureContext& f) {
  const std::optional<cost::EqualStages> equal = cost::equalStages(f.plan);
  if (!equal)
    return FigureContext::none();
  const bool computes = equal->makespan > 0; // otherwise the bubble is 0, as in `bubble_fraction`
  return FigureContext::counted(computes ? 1 - ir::real(equal->work) / ir::real(equal->makespan)
                                         : 0)
      .reading(f("time.busy"))
      .reading(f("mesh.pipeline"))
      .reading(f("micro_batches"));
}

Traced figures::sentOverLevel(const FigureContext& f) {
  const char* level = ir::name(f.cluster.levels[f.instance->inner].level);
  TracedSum sum;
  for (const cost::Traffic& t : f.traffic())
    if (t.rank == f.times().rank)
      sum.plus(f(cost::pathOf(f.plan, t) + "." + level));
  return (sum.all.has() ? sum.all : FigureContext::counted(0)).overLinks();
}

Traced figures::optimizerTime(const FigureContext& f) {
  if (f.layout.setsUpdateTime)
    return f.declared(f.times().optimizer, "optimizer_time");
  if (f.layout.offloadSettings().optimizer > 0)
    return FigureContext::counted(f.times().optimizer)
        .because("time of the update: the longer of the parts of the device and of the host");
  if (cost::tracksUse(f.layout) || cost::stateBits(f.layout) == 0)
    return FigureContext::counted(f.times().optimizer)
        .because("time of the update of the weights that are trained");
  const std::string rank = fmt::format("memory.rank[{}].optimizer", f.times().rank);
  const Traced update = f(rank) / f("bytes_per_element.optimizer") *
                        f("bytes_per_element.optimizer_step") /
                        (memoryRate(f, f.devicePath(slowestMemory(f))));
  return update.rounding(f.times().optimizer);
}

Traced figures::jitterSpread(const FigureContext& f, bool shape) {
  const ir::Jitter& jitter = f.cluster.jitter;
  return jitter.varies() && (jitter.kind == ir::JitterKind::Pareto) == shape
             ? f.declared(cost::variation(jitter), "cluster.jitter")
             : FigureContext::none();
}

Traced figures::amplification(const FigureContext& f) {
  if (f.times().amplification <= 1)
    return FigureContext::none();
  const ir::Jitter& jitter = f.cluster.jitter;
  const Traced out =
      FigureContext::counted(f.times().amplification)
          .because(fmt::format("time of the slowest of all devices divided by the mean, {} times{}",
                               ir::name(jitter.kind),
                               jitter.node > 0 ? " with a part common to a node" : ""));
  return out
      .reading(
          f(jitter.kind == ir::JitterKind::Pareto ? "cluster.jitter.shape" : "cluster.jitter.cv"))
      .reading(f("cluster.devices"));
}

Traced figures::jitterTime(const FigureContext& f) {
  if (!f.cluster.jitter.varies())
    return FigureContext::none();
  return FigureContext::counted(f.times().jitter)
      .because(
          "time for which ranks wait for slower devices: in each action for the slowest device "
          "of their process groups, and before the optimizer step for the slowest of all "
          "devices; communication times have no jitter")
      .reading(f("time.schedule"))
      .reading(f("barrier_amplification"));
}

llvm::ArrayRef<const char*> figures::stepComponents() {
  static constexpr const char* parts[] = {"time.compute",     "time.launch_bound", "time.recompute",
                                          "time.compression", "time.offload",      "time.exposed",
                                          "time.bubble",      "time.optimizer",    "time.jitter",
                                          "time.data_loading"};
  return parts;
}

Traced figures::stepTime(const FigureContext& f) {
  if (f.depth == Depth::Values) // exposed communication needs another execution of the step
    return FigureContext::counted(f.times().step);
  TracedSum sum;
  for (const char* part : stepComponents())
    sum.plus(f(part));
  return sum.all.rounding(f.times().step);
}
