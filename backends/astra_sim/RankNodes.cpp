//===- RankNodes.cpp - The per-rank schedule as nodes with dependencies -----------------------===//
#include "backends/astra_sim/RankNodes.h"
#include "ir/FirstLastTracker.h"
#include "ir/MergedProgram.h"
#include "ir/SegmentTime.h"
#include <map>

using namespace dpl;
using namespace dpl::astra_sim;
using namespace dpl::ir;

namespace {
constexpr std::uint64_t microsecond = 1'000'000; ///< ps

class RankNodeWriter {
public:
  RankNodeWriter(const Plan& plan, std::uint64_t rank, bool wholeActions)
      : plan(plan), schedule(plan.schedule[rank]), wholeActions(wholeActions),
        costs(plan.layout.microBatchCosts), firstLast(plan.placement.chunks),
        runs(plan.placement.chunks) {
    for (const ScheduledAction& op : schedule.actions)
      if (isChunkAction(op.kind) && op.forward())
        ++runs[op.chunk];
  }

  std::vector<TraceNode> write() {
    for (std::size_t i = 0; i < schedule.actions.size(); ++i) {
      const ScheduledAction& op = schedule.actions[i];
      if (!isChunkAction(op.kind)) {
        writeEpilogue(op, schedule.duration[i]);
        continue;
      }
      const bool pair = op.kind == ActionKind::PairedForward;
      receive(op);
      if (pair)
        receive(schedule.actions[i + 1]);
      const StageProgram* merged = mergedProgram(plan, schedule.rank, op);
      writeAction(op, schedule.duration[i] + (merged ? schedule.duration[i + 1] : 0), merged);
      if (pair && !merged)
        writeAction(schedule.actions[i + 1], schedule.duration[i + 1], nullptr);
      send(op);
      if (pair)
        send(schedule.actions[++i]);
    }
    settle();
    return std::move(nodes);
  }

private:
  const ChunkPrograms& programOf(const ScheduledAction& op) const {
    return plan.chunkPrograms[plan.placement.indexOf(schedule.rank, op.chunk)];
  }
  /// The tag of a message, which differs between micro-batches, chunks and directions.
  std::uint32_t tagOf(const PipelineMessage& m) const {
    return static_cast<std::uint32_t>(
        (plan.placement.indexOf(m.from.rank, m.from.chunk).index() * plan.mesh.microBatches +
         m.microBatch) *
            2 +
        (m.forward ? 0 : 1));
  }
  std::uint64_t bytesOf(const PipelineMessage& m) const {
    const ChunkPrograms& from =
        plan.chunkPrograms[plan.placement.indexOf(m.from.rank, m.from.chunk)];
    for (std::uint64_t i = 0; i < from.collectives; ++i)
      if (const Collective& c = plan.collectives[from.firstCollective + i];
          c.kind == CollectiveKind::SendReceive)
        return c.bytes;
    return 0;
  }

  std::uint32_t add(TraceNode node) {
    nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  void waitFor(std::uint32_t node) {
    if (std::find(before.begin(), before.end(), node) == before.end())
      before.push_back(node);
  }
  void continueAfter(std::uint32_t node) { before.assign(1, node); }

  /// Adds computation. Nodes have whole microseconds; the rounding error goes to the next node.
  void compute(std::uint64_t time) { computed += time; }
  void settle() {
    const std::uint64_t until = (computed + microsecond / 2) / microsecond;
    if (until == written)
      return;
    TraceNode node;
    node.microseconds = until - written;
    node.dependencies = before;
    written = until;
    continueAfter(add(std::move(node)));
  }

  void receive(const ScheduledAction& op) {
    const auto message = messageInto(plan.placement, schedule.rank, op);
    if (!message || message->from.rank == schedule.rank)
      return;
    settle();
    TraceNode node;
    node.type = TraceNodeType::Receive;
    node.bytes = bytesOf(*message), node.peer = message->from.rank, node.tag = tagOf(*message);
    waitFor(add(std::move(node)));
  }
  void send(const ScheduledAction& op) {
    const auto message = messageFrom(plan.placement, schedule.rank, op);
    if (!message || message->to.rank == schedule.rank)
      return;
    settle();
    TraceNode node;
    node.type = TraceNodeType::Send;
    node.bytes = bytesOf(*message), node.peer = message->to.rank, node.tag = tagOf(*message);
    node.dependencies = before;
    const std::uint32_t sent = add(std::move(node));
    if (!plan.layout.overlap.pipeline)
      waitFor(sent);
  }

  /// Adds a collective. If `blocks` is set, computation waits for it.
  std::uint32_t collective(const Collective& c, bool needsComputed, bool blocks) {
    settle();
    TraceNode node;
    node.type = TraceNodeType::Collective;
    node.collective = typeOf(c.kind);
    // For an all-gather, ASTRA-sim's size is the bytes that each rank contributes.
    const std::uint64_t members = plan.groups[c.group].size;
    node.bytes = c.kind == CollectiveKind::AllGather ? (c.bytes + members - 1) / members : c.bytes;
    node.group = c.group;
    if (needsComputed)
      node.dependencies = before;
    if (hasIssued && std::find(node.dependencies.begin(), node.dependencies.end(),
                               lastCollective) == node.dependencies.end())
      node.dependencies.push_back(lastCollective);
    const std::uint32_t number = add(std::move(node));
    hasIssued = true, lastCollective = number;
    if (blocks)
      continueAfter(number);
    return number;
  }
  static CollectiveType typeOf(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::AllGather:
      return CollectiveType::AllGather;
    case CollectiveKind::ReduceScatter:
      return CollectiveType::ReduceScatter;
    case CollectiveKind::AllToAll:
      return CollectiveType::AllToAll;
    case CollectiveKind::AllReduce:
    case CollectiveKind::SendReceive:
    case CollectiveKind::Broadcast:
    case CollectiveKind::Reduce:
      break;
    }
    return CollectiveType::AllReduce;
  }

  /// Writes an action. If not null, `merged` is the stage program of this action and the next one.
  void writeAction(const ScheduledAction& op, std::uint64_t duration, const StageProgram* merged) {
    const ScheduledAction& with = merged ? (&op)[1] : op;
    const ChunkPrograms& programs = programOf(op);
    ActionFirstLast turn = firstLast[op.chunk].next(op.kind, runs[op.chunk]);
    if (merged)
      turn.last = firstLast[with.chunk].next(with.kind, runs[with.chunk]).last;
    if (wholeActions)
      compute(duration);
    const auto own = stageProgramOf(plan, programs, op.forward() ? ActionKind::Forward : op.kind);
    if (!own)
      return;
    for (const SegmentLoop& block : (merged ? *merged : plan.stagePrograms[*own]).loops)
      for (std::uint64_t i = 0; i < block.count; ++i) {
        newest.clear();
        for (const Segment& s : block.segments)
          if (runsIn(s, turn))
            segment(s, programs, costs.of((s.backward ? with : op).microBatch));
      }
  }
  void segment(const Segment& s, const ChunkPrograms& programs, CostRatio cost) {
    if (s.asCompute()) {
      if (!wholeActions)
        compute(timeOf(*s.asCompute(), cost));
      return;
    }
    if (s.asWait()) {
      const auto left = newest.find(s.collectiveKey());
      if (left != newest.end() && !wholeActions) {
        settle();
        waitFor(left->second);
      }
      return;
    }
    const CollectiveSegment& launch = *s.asCollective();
    if (wholeActions && launch.stream != Stream::Data)
      return;
    const Collective& c = plan.collectives[collectiveOf(plan, programs, s)];
    const bool blocks = launch.holdsFor >= launch.time && !wholeActions;
    newest[s.collectiveKey()] = collective(c, !launch.prefetch, blocks);
    if (launch.stream == Stream::Data)
      hasData = true, lastData = newest[s.collectiveKey()];
    if (!wholeActions)
      compute(launch.slowdown);
  }

  void writeEpilogue(const ScheduledAction& op, std::uint64_t duration) {
    if (op.kind == ActionKind::Collective) {
      const Collective& c = plan.collectives[op.collective];
      for (std::uint64_t i = 0; i < c.count; ++i)
        collective(c, true, true);
    } else if (op.kind == ActionKind::Optimizer) {
      compute(duration);
    } else if (hasData) {
      settle();
      waitFor(lastData);
    }
  }

  const Plan& plan;
  const RankSchedule& schedule;
  const bool wholeActions;
  const MicroBatchCosts costs;
  std::vector<TraceNode> nodes;
  llvm::SmallVector<std::uint32_t, 3> before;    ///< nodes that must end before the next
                                                 ///< computation
  std::uint64_t computed = 0, written = 0;       ///< computation so far in ps, and microseconds of
                                                 ///< it that are in nodes
  std::map<std::uint64_t, std::uint32_t> newest; ///< newest collective for each
                                                 ///< Segment::collectiveKey
  std::vector<FirstLastTracker> firstLast;       ///< first and last actions of each chunk
  std::vector<std::uint64_t> runs;               ///< number of micro-batches of each chunk
  std::uint32_t lastCollective = 0, lastData = 0;
  bool hasIssued = false, hasData = false;
};
} // namespace

std::vector<TraceNode> dpl::astra_sim::nodesOf(const Plan& plan, std::uint64_t rank,
                                               bool wholeActions) {
  return RankNodeWriter(plan, rank, wholeActions).write();
}
