//===- HostLead.cpp - How far the host of a rank is ahead of its device -----------------------===//
#include "cost/memory/HostLead.h"
#include "cost/compute/ChunkEstimate.h"
#include "cost/execution/Step.h"
#include "cost/programs/Calls.h"
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
using Pass = HostLead::Pass;

/// Launches, events and waits that the driver takes for one channel before the host waits for a
/// place. As those counted who launched until a launch waited (docs/memory.md); CUDA documents
/// none.
constexpr double queueEntries = 1024;
/// Of a call: an event behind what computes and the wait of the call's stream for it, the kernel,
/// an event behind that and the wait for it (syncStream, collective and synchronizeStream in
/// ProcessGroupNCCL.cpp). With CUDA_DEVICE_MAX_CONNECTIONS=1, which ranks that compute beside their
/// calls need, all streams share a channel.
constexpr double callEntries = 5;

/// When the device has taken so many entries.
double taken(llvm::ArrayRef<Pass> passes, double entries) {
  if (entries <= 0 || passes.empty())
    return 0;
  const Pass* at = std::partition_point(passes.begin(), passes.end(), [&](const Pass& p) {
    return p.entriesBefore + p.entries < entries;
  });
  if (at == passes.end())
    return passes.back().deviceEnd;
  return at->deviceBegin +
         (entries - at->entriesBefore) / at->entries * (at->deviceEnd - at->deviceBegin);
}

/// All ranks of a plan side by side.
class Ranks {
public:
  explicit Ranks(const Plan& plan) : plan(plan), estimate(plan), all(plan.schedule.size()) {}

  std::vector<Pass> run(std::uint64_t rank) {
    std::vector<std::size_t> next(all.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint64_t r = 0; r < all.size(); ++r)
        for (const auto& list = plan.schedule[r].operations;
             next[r] < list.size() && (!isPass(list[next[r]].kind) || run(r, list[next[r]]));
             ++next[r])
          moved = true;
    }
    return std::move(all[rank]);
  }

  /// Whether another rank is one that this waits for: it takes as long, or has as many layers.
  /// Which of several alike is slowest is chance, and the most that is reserved is that of one that
  /// is not.
  bool waits(std::uint64_t rank) {
    struct Work {
      double pace = 0;
      std::uint64_t layers = 0;
    };
    std::vector<Work> work(all.size());
    for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
      Work& of = work[plan.chunks[i].rank];
      of.layers += plan.chunks[i].layers;
      of.pace +=
          paceOf(i, OperationKind::Forward).longer() + paceOf(i, OperationKind::Backward).longer();
    }
    for (std::size_t r = 0; r < work.size(); ++r)
      if (r != rank && (work[r].pace >= work[rank].pace || work[r].layers >= work[rank].layers))
        return true;
    return false;
  }

private:
  /// False where its message is not there yet.
  bool run(std::uint64_t rank, const ScheduledOperation& op) {
    double arrives = 0;
    if (const auto message = messageInto(plan.placement, rank, op)) {
      const auto found = sent.find(keyOf(*message));
      if (found == sent.end())
        return false;
      arrives = found->second;
    }
    const PassPace& pace = paceOf(plan.placement.indexOf(rank, op.chunk), op.kind);
    std::vector<Pass>& passes = all[rank];
    const Pass before = passes.empty() ? Pass() : passes.back();
    Pass pass;
    pass.entriesBefore = before.entriesBefore + before.entries, pass.entries = pace.entries;
    pass.hostBegin = before.hostEnd;
    pass.deviceBegin = std::max({before.deviceEnd, arrives, pass.hostBegin});
    pass.deviceEnd = std::max(pass.deviceBegin + pace.device, pass.hostBegin + pace.host);
    passes.push_back(pass);
    passes.back().hostEnd =
        std::max(pass.hostBegin + pace.host,
                 taken(passes, pass.entriesBefore + pass.entries - queueEntries));
    if (const auto message = messageFrom(plan.placement, rank, op)) {
      const PieceTime times = messageTimes(plan, {rank, op.chunk});
      const double time = toSeconds(message->forward ? times.sendForward : times.sendBackward);
      sent[keyOf(*message)] = pass.deviceEnd + time;
      if (!plan.layout.overlap.pipeline)
        passes.back().deviceEnd += time;
    }
    return true;
  }

  using Key = std::tuple<std::size_t, bool, std::uint64_t>;
  Key keyOf(const PipelineMessage& m) const {
    return {plan.placement.indexOf(m.from.rank, m.from.chunk), m.forward, m.microBatch};
  }

  const PassPace& paceOf(std::size_t chunk, OperationKind kind) {
    const OperationKind alone = isForward(kind) ? OperationKind::Forward : kind;
    const auto [at, added] = paces.try_emplace({chunk, alone});
    if (added)
      at->second = make(chunk, alone);
    return at->second;
  }

  PassPace make(std::size_t chunk, OperationKind kind) const {
    PassPace pace;
    for (const ChunkPart& part : estimate.parts(plan.chunks[chunk]))
      addOperators(part, kind, pace);
    std::uint64_t launch = 0;
    const HeldRanks& held = plan.mesh.held[plan.mesh.heldIndex(plan.chunks[chunk].rank)];
    for (const Device& device : pacingDevices(plan, held))
      launch = std::max(launch, device.launch);
    pace.entries = launch > 0 ? pace.host / toSeconds(launch) : 0;
    const ChunkProgram& program = plan.programs[chunk];
    if (const auto body = bodyOf(plan, program, kind))
      for (const Block& block : plan.bodies[*body].blocks)
        for (const Segment& s : block.segments)
          if (s.kind == SegmentKind::Call) {
            const std::uint64_t group = plan.collectives[program.firstCollective + s.call].group;
            pace.host += real(block.count) * toSeconds(checksOf(plan, group));
            pace.device += real(block.count) * toSeconds(s.holds);
            pace.entries += real(block.count) * callEntries;
          }
    return pace;
  }

  void addOperators(const ChunkPart& part, OperationKind kind, PassPace& pace) const {
    const OperatorSum& t = part.time;
    const auto add = [&](double kernels, double launches) {
      pace.device += part.count * kernels, pace.host += part.count * launches;
    };
    if (kind == OperationKind::Forward)
      return add(t.forward - t.idleForward, t.forwardHost);
    if (kind == OperationKind::Recomputation)
      return add(t.recompute, t.recomputeHost);
    if (kind != OperationKind::BackwardInput)
      add(t.weightKernels, t.weightHost);
    if (kind == OperationKind::BackwardWeight)
      return;
    add(t.inputKernels, t.inputHost);
    if (!plan.layout.recompute.inAdvance)
      add(t.recompute, t.recomputeHost);
  }

  const Plan& plan;
  ChunkEstimate estimate;
  std::vector<std::vector<Pass>> all; ///< by rank, those that have run
  std::map<Key, double> sent;         ///< when each message arrives
  std::map<std::pair<std::size_t, OperationKind>, PassPace> paces;
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
  own = ranks.run(rank);
  waitsFrom = own.size();
  if (ranks.waits(rank)) {
    std::size_t pass = 0;
    for (const ScheduledOperation& op : plan.schedule[rank].operations)
      if (isPass(op.kind)) {
        if (!op.forward()) {
          waitsFrom = pass;
          break;
        }
        ++pass;
      }
  }
}

double HostLead::launched(std::size_t pass, double share) const {
  const Pass& p = own[pass];
  const double place = taken(own, p.entriesBefore + share * p.entries - queueEntries);
  return pass >= waitsFrom ? place
                           : std::max(p.hostBegin + share * (p.hostEnd - p.hostBegin), place);
}

double HostLead::done(std::size_t pass, double share) const {
  const Pass& p = own[pass];
  return std::max(launched(pass, share), p.deviceBegin + share * (p.deviceEnd - p.deviceBegin));
}
