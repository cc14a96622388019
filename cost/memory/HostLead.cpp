//===- HostLead.cpp - How far the host of a rank is ahead of its device -----------------------===//
#include "cost/memory/HostLead.h"
#include "cost/compute/ChunkEstimate.h"
#include "cost/execution/Step.h"
#include "cost/programs/ChunkCollectives.h"
#include "ir/Arithmetic.h"
#include "ir/Month.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <map>
#include <tuple>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
using ActionClocks = HostLead::ActionClocks;

/// Launches, events and waits that the driver queues on one channel before the host waits for a
/// place. This was measured by counting launches until one waited (docs/reference/memory.md); CUDA
/// does not document a value.
constexpr double queueEntries = 1024;
/// Queue entries of a collective: an event after the computation, a wait of the collective's stream
/// for this event, the kernel, an event after the kernel, and a wait of the compute stream for that
/// event (syncStream, collective and synchronizeStream in ProcessGroupNCCL.cpp). With
/// CUDA_DEVICE_MAX_CONNECTIONS=1, which overlapped tensor-parallel communication needs, all streams
/// share a channel.
constexpr double collectiveEntries = 5;

/// Time at which the device has processed this number of entries.
double clockAt(llvm::ArrayRef<ActionClocks> passes, double entries) {
  if (entries <= 0 || passes.empty())
    return 0;
  const ActionClocks* at =
      std::partition_point(passes.begin(), passes.end(), [&](const ActionClocks& p) {
        return p.entriesBefore + p.entries < entries;
      });
  if (at == passes.end())
    return passes.back().deviceEnd;
  return at->deviceBegin +
         (entries - at->entriesBefore) / at->entries * (at->deviceEnd - at->deviceBegin);
}

/// Runs the schedules of all pipeline ranks and computes the clocks of their actions.
class Ranks {
public:
  explicit Ranks(const Plan& plan) : plan(plan), estimate(plan), all(plan.schedule.size()) {}

  std::vector<ActionClocks> run(std::uint64_t rank) {
    std::vector<std::size_t> next(all.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint64_t r = 0; r < all.size(); ++r)
        for (const auto& schedule = plan.schedule[r].actions;
             next[r] < schedule.size() &&
             (!isChunkAction(schedule[next[r]].kind) || run(r, schedule[next[r]]));
             ++next[r])
          moved = true;
    }
    return std::move(all[rank]);
  }

  /// Whether this rank waits for another one that takes at least as long or has at least as many
  /// layers. Chance decides which of several equal ranks is slowest, and a rank that waits reserves
  /// the most.
  bool waits(std::uint64_t rank) {
    struct Work {
      double pace = 0;
      std::uint64_t layers = 0;
    };
    std::vector<Work> work(all.size());
    for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
      Work& of = work[plan.chunks[i].rank];
      of.layers += plan.chunks[i].layers;
      of.pace += paceOf(ChunkId(i), ActionKind::Forward).longer() +
                 paceOf(ChunkId(i), ActionKind::Backward).longer();
    }
    for (std::size_t r = 0; r < work.size(); ++r)
      if (r != rank && (work[r].pace >= work[rank].pace || work[r].layers >= work[rank].layers))
        return true;
    return false;
  }

private:
  /// Returns false if the message of the action has not been sent yet.
  bool run(std::uint64_t rank, const ScheduledAction& op) {
    double arrives = 0;
    if (const auto message = messageInto(plan.placement, rank, op)) {
      const auto found = sent.find(keyOf(*message));
      if (found == sent.end())
        return false;
      arrives = found->second;
    }
    const ActionPace& pace = paceOf(plan.placement.indexOf(rank, op.chunk), op.kind);
    std::vector<ActionClocks>& passes = all[rank];
    const ActionClocks before = passes.empty() ? ActionClocks() : passes.back();
    ActionClocks pass;
    pass.entriesBefore = before.entriesBefore + before.entries, pass.entries = pace.entries;
    pass.hostBegin = before.hostEnd;
    pass.deviceBegin = std::max({before.deviceEnd, arrives, pass.hostBegin});
    pass.deviceEnd = std::max(pass.deviceBegin + pace.device, pass.hostBegin + pace.host);
    passes.push_back(pass);
    passes.back().hostEnd =
        std::max(pass.hostBegin + pace.host,
                 clockAt(passes, pass.entriesBefore + pass.entries - queueEntries));
    if (const auto message = messageFrom(plan.placement, rank, op)) {
      const ChunkTime times = messageTimes(plan, {rank, op.chunk});
      const double time = toSeconds(message->forward ? times.sendForward : times.sendBackward);
      sent[keyOf(*message)] = pass.deviceEnd + time;
      if (!plan.layout.overlap.pipeline)
        passes.back().deviceEnd += time;
    }
    return true;
  }

  using PaceKey = std::tuple<ChunkId, bool, std::uint64_t>;
  PaceKey keyOf(const PipelineMessage& m) const {
    return {plan.placement.indexOf(m.from.rank, m.from.chunk), m.forward, m.microBatch};
  }

  const ActionPace& paceOf(ChunkId chunk, ActionKind kind) {
    const ActionKind alone = isForward(kind) ? ActionKind::Forward : kind;
    const auto [at, added] = paces.try_emplace({chunk, alone});
    if (added)
      at->second = make(chunk, alone);
    return at->second;
  }

  ActionPace make(ChunkId chunk, ActionKind kind) const {
    ActionPace pace;
    for (const ChunkModule& module : estimate.modules(plan.chunks[chunk]))
      addOperators(module, kind, pace);
    std::uint64_t launch = 0;
    const RankNodeTypes& rankNodeTypes =
        plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(plan.chunks[chunk].rank)];
    for (const Device& device : pacingDevices(plan, rankNodeTypes))
      launch = std::max(launch, device.launch);
    pace.entries = launch > 0 ? pace.host / toSeconds(launch) : 0;
    const ChunkPrograms& programs = plan.chunkPrograms[chunk];
    if (const auto body = stageProgramOf(plan, programs, kind))
      for (const SegmentLoop& block : plan.stagePrograms[*body].loops)
        for (const Segment& s : block.segments)
          if (const CollectiveSegment* const collective = s.asCollective()) {
            const GroupId group = plan.collectives[programs.idOf(collective->collective)].group;
            pace.host += real(block.count) * toSeconds(hostChecksOf(plan, group));
            pace.device += real(block.count) * toSeconds(collective->holdsFor);
            pace.entries += real(block.count) * collectiveEntries;
          }
    return pace;
  }

  void addOperators(const ChunkModule& module, ActionKind kind, ActionPace& pace) const {
    const OperatorSum& t = module.time;
    const auto add = [&](double kernels, double launches) {
      pace.device += module.count * kernels, pace.host += module.count * launches;
    };
    if (kind == ActionKind::Forward)
      return add(t.forward - t.idleForward, t.forwardHost);
    if (kind == ActionKind::Recomputation)
      return add(t.recompute, t.recomputeHost);
    if (kind != ActionKind::BackwardInput)
      add(t.weightKernels, t.weightHost);
    if (kind == ActionKind::BackwardWeight)
      return;
    add(t.inputKernels, t.inputHost);
    if (!plan.layout.recompute.inAdvance)
      add(t.recompute, t.recomputeHost);
  }

  const Plan& plan;
  ChunkEstimate estimate;
  std::vector<std::vector<ActionClocks>> all; ///< clocks of the actions that have run, by rank
  std::map<PaceKey, double> sent;             ///< arrival time of each message
  std::map<std::pair<ChunkId, ActionKind>, ActionPace> paces;
};
} // namespace

bool dpl::cost::runsAhead(const Plan& plan) {
  if (plan.framework.name != "nanotron" || plan.layout.launchBlocking || plan.layout.graphs)
    return false;
  const std::optional<unsigned> of = monthOf(plan.framework.version);
  const bool polls = of && *of <= month(2024, 12);
  return !polls || plan.mesh.size(Axis::Pipeline) == 1;
}

HostLead::HostLead(const Plan& plan, std::uint64_t rank) {
  Ranks ranks(plan);
  actionClocks = ranks.run(rank);
  waitsFrom = actionClocks.size();
  if (ranks.waits(rank)) {
    std::size_t pass = 0;
    for (const ScheduledAction& op : plan.schedule[rank].actions)
      if (isChunkAction(op.kind)) {
        if (!op.forward()) {
          waitsFrom = pass;
          break;
        }
        ++pass;
      }
  }
}

double HostLead::launched(std::size_t pass, double share) const {
  const ActionClocks& p = actionClocks[pass];
  const double place = clockAt(actionClocks, p.entriesBefore + share * p.entries - queueEntries);
  return pass >= waitsFrom ? place
                           : std::max(p.hostBegin + share * (p.hostEnd - p.hostBegin), place);
}

double HostLead::done(std::size_t pass, double share) const {
  const ActionClocks& p = actionClocks[pass];
  return std::max(launched(pass, share), p.deviceBegin + share * (p.deviceEnd - p.deviceBegin));
}
