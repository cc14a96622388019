//===- RankNodes.cpp - The list of a pipeline rank as nodes that wait for one another ---------===//
#include "backends/astra_sim/RankNodes.h"
#include "ir/MergedBody.h"
#include "ir/PassTurns.h"
#include "ir/SegmentTime.h"
#include <map>

using namespace dpl;
using namespace dpl::astra_sim;
using namespace dpl::ir;

namespace {
constexpr std::uint64_t microsecond = 1'000'000; ///< ps

class Writer {
public:
  Writer(const Plan& plan, std::uint64_t rank, bool wholePasses)
      : plan(plan), list(plan.schedule[rank]), wholePasses(wholePasses),
        costs(plan.layout.microBatchCosts), turns(plan.placement.chunks),
        runs(plan.placement.chunks) {
    for (const ScheduledOperation& op : list.operations)
      if (isPass(op.kind) && op.forward())
        ++runs[op.chunk];
  }

  std::vector<TraceNode> write() {
    for (std::size_t i = 0; i < list.operations.size(); ++i) {
      const ScheduledOperation& op = list.operations[i];
      if (!isPass(op.kind)) {
        tail(op, list.duration[i]);
        continue;
      }
      const bool pair = op.kind == OperationKind::PairedForward;
      receive(op);
      if (pair)
        receive(list.operations[i + 1]);
      const Body* merged = mergedBody(plan, list.rank, op);
      pass(op, list.duration[i] + (merged ? list.duration[i + 1] : 0), merged);
      if (pair && !merged)
        pass(list.operations[i + 1], list.duration[i + 1], nullptr);
      send(op);
      if (pair)
        send(list.operations[++i]);
    }
    settle();
    return std::move(nodes);
  }

private:
  const ChunkProgram& programOf(const ScheduledOperation& op) const {
    return plan.programs[plan.placement.indexOf(list.rank, op.chunk)];
  }
  /// Messages of a micro-batch have a tag of their own.
  std::uint32_t tagOf(const PipelineMessage& m) const {
    return static_cast<std::uint32_t>(
        (plan.placement.indexOf(m.from.rank, m.from.chunk) * plan.mesh.microBatches +
         m.microBatch) *
            2 +
        (m.forward ? 0 : 1));
  }
  std::uint64_t bytesOf(const PipelineMessage& m) const {
    const ChunkProgram& from = plan.programs[plan.placement.indexOf(m.from.rank, m.from.chunk)];
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
  void goOnBehind(std::uint32_t node) { before.assign(1, node); }

  /// Times are whole microseconds; what is rounded off comes with what is computed next.
  void compute(std::uint64_t time) { computed += time; }
  void settle() {
    const std::uint64_t until = (computed + microsecond / 2) / microsecond;
    if (until == written)
      return;
    TraceNode node;
    node.microseconds = until - written;
    node.behind = before;
    written = until;
    goOnBehind(add(std::move(node)));
  }

  void receive(const ScheduledOperation& op) {
    const auto message = messageInto(plan.placement, list.rank, op);
    if (!message || message->from.rank == list.rank)
      return;
    settle();
    TraceNode node;
    node.type = NodeType::Receive;
    node.bytes = bytesOf(*message), node.peer = message->from.rank, node.tag = tagOf(*message);
    waitFor(add(std::move(node)));
  }
  void send(const ScheduledOperation& op) {
    const auto message = messageFrom(plan.placement, list.rank, op);
    if (!message || message->to.rank == list.rank)
      return;
    settle();
    TraceNode node;
    node.type = NodeType::Send;
    node.bytes = bytesOf(*message), node.peer = message->to.rank, node.tag = tagOf(*message);
    node.behind = before;
    const std::uint32_t sent = add(std::move(node));
    if (!plan.layout.overlap.pipeline)
      waitFor(sent);
  }

  /// `blocks`: computation goes on when it has ended.
  std::uint32_t collective(const Collective& c, bool needsComputed, bool blocks) {
    settle();
    TraceNode node;
    node.type = NodeType::Collective;
    node.collective = typeOf(c.kind);
    // A gather is counted by what each brings.
    const std::uint64_t members = plan.groups[c.group].size;
    node.bytes = c.kind == CollectiveKind::AllGather ? (c.bytes + members - 1) / members : c.bytes;
    node.group = c.group;
    if (needsComputed)
      node.behind = before;
    if (hasCalled &&
        std::find(node.behind.begin(), node.behind.end(), lastCall) == node.behind.end())
      node.behind.push_back(lastCall);
    const std::uint32_t number = add(std::move(node));
    hasCalled = true, lastCall = number;
    if (blocks)
      goOnBehind(number);
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

  /// `merged`: the body of the pass and the one behind it.
  void pass(const ScheduledOperation& op, std::uint64_t duration, const Body* merged) {
    const ScheduledOperation& with = merged ? (&op)[1] : op;
    const ChunkProgram& program = programOf(op);
    PassTurn turn = turns[op.chunk].next(op.kind, runs[op.chunk]);
    if (merged)
      turn.last = turns[with.chunk].next(with.kind, runs[with.chunk]).last;
    if (wholePasses)
      compute(duration);
    const auto own = bodyOf(plan, program, op.forward() ? OperationKind::Forward : op.kind);
    if (!own)
      return;
    for (const Block& block : (merged ? *merged : plan.bodies[*own]).blocks)
      for (std::uint64_t i = 0; i < block.count; ++i) {
        newest.clear();
        for (const Segment& s : block.segments)
          if (s.when == When::Every || (s.when == When::First ? turn.first : turn.last))
            segment(s, program, costs.of((s.backward ? with : op).microBatch));
      }
  }
  void segment(const Segment& s, const ChunkProgram& program, CostRatio cost) {
    const auto left = newest.find(s.called());
    switch (s.kind) {
    case SegmentKind::Compute:
      if (!wholePasses)
        compute(timeOf(s, cost));
      return;
    case SegmentKind::Wait:
      if (left != newest.end() && !wholePasses) {
        settle();
        waitFor(left->second);
      }
      return;
    case SegmentKind::Call:
      break;
    }
    if (wholePasses && s.stream != Stream::Data)
      return;
    const Collective& c = plan.collectives[collectiveOf(plan, program, s)];
    const bool blocks = s.holds >= s.time && !wholePasses;
    newest[s.called()] = collective(c, !s.prefetch, blocks);
    if (s.stream == Stream::Data)
      hasData = true, lastData = newest[s.called()];
    if (!wholePasses)
      compute(s.slows);
  }

  void tail(const ScheduledOperation& op, std::uint64_t duration) {
    if (op.kind == OperationKind::Collective) {
      const Collective& c = plan.collectives[op.microBatch];
      for (std::uint64_t i = 0; i < c.count; ++i)
        collective(c, true, true);
    } else if (op.kind == OperationKind::Optimizer) {
      compute(duration);
    } else if (hasData) {
      settle();
      waitFor(lastData);
    }
  }

  const Plan& plan;
  const RankSchedule& list;
  const bool wholePasses;
  const MicroBatchCosts costs;
  std::vector<TraceNode> nodes;
  llvm::SmallVector<std::uint32_t, 3> before;    ///< what is computed next begins behind these
  std::uint64_t computed = 0, written = 0;       ///< ps in all; of it in nodes, microseconds
  std::map<std::uint64_t, std::uint32_t> newest; ///< call of each, by Segment::called
  std::vector<PassTurns> turns;                  ///< by chunk
  std::vector<std::uint64_t> runs;               ///< by chunk: micro-batches
  std::uint32_t lastCall = 0, lastData = 0;
  bool hasCalled = false, hasData = false;
};
} // namespace

std::vector<TraceNode> dpl::astra_sim::nodesOf(const Plan& plan, std::uint64_t rank,
                                               bool wholePasses) {
  return Writer(plan, rank, wholePasses).write();
}
