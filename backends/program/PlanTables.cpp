//===- PlanTables.cpp - The plan as tables for the communication program ----------------------===//
#include "backends/program/PlanTables.h"
#include "backends/program/Loops.h"
#include "ir/MergedProgram.h"
#include "ir/Names.h"
#include <cassert>
#include <map>
#include <tuple>

using namespace dpl;
using namespace dpl::ir;
using program::PlanTables;

namespace {
std::uint64_t nanoseconds(std::uint64_t picoseconds) { return (picoseconds + 500) / 1000; }

twin::CallKind tableCollectiveKind(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return twin::CallKind::AllReduce;
  case CollectiveKind::ReduceScatter:
    return twin::CallKind::ReduceScatter;
  case CollectiveKind::AllGather:
    return twin::CallKind::AllGather;
  case CollectiveKind::AllToAll:
    return twin::CallKind::AllToAll;
  case CollectiveKind::SendReceive:
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
    break;
  }
  assert(false && "a message of the pipeline is no call, and no layout has the others");
  return twin::CallKind::AllReduce;
}

twin::Stream streamOf(CollectivePurpose purpose) {
  switch (purpose) {
  case CollectivePurpose::ContextKeys:
    return twin::Stream::Context;
  case CollectivePurpose::ExpertTokens:
    return twin::Stream::Expert;
  case CollectivePurpose::GradientReduce:
  case CollectivePurpose::ParameterGather:
  case CollectivePurpose::EmbeddingGradient:
  case CollectivePurpose::MomentumGather:
    return twin::Stream::Data;
  case CollectivePurpose::TensorActivation:
  case CollectivePurpose::PipelineActivation:
    break;
  }
  return twin::Stream::Tensor;
}

twin::Segment translated(const Segment& s, std::size_t call) {
  const twin::When when = s.selection == MicroBatchSelection::First  ? twin::When::First
                          : s.selection == MicroBatchSelection::Last ? twin::When::Last
                                                                     : twin::When::Every;
  if (const CollectiveSegment* const launch = s.asCollective())
    return {launch->holdsFor == launch->time ? twin::SegmentKind::Call : twin::SegmentKind::Begin,
            when, call, 0};
  if (s.asWait())
    return {twin::SegmentKind::Wait, when, call, 0};
  return {twin::SegmentKind::Compute, when, 0, nanoseconds(s.time())};
}

/// Builds the tables, by chunk and by rank.
class PlanTablesBuilder : public PlanTables {
public:
  explicit PlanTablesBuilder(const Plan& from) : plan(from) {
    chunks.resize(plan.chunks.size());
    for (std::size_t i = 0; i < plan.chunks.size(); ++i)
      addChunk(i);
    for (const RankSchedule& rank : plan.schedule)
      addRank(rank);
  }

private:
  std::size_t groupOf(GroupId group) {
    const auto found = std::find(groups.begin(), groups.end(), group);
    if (found == groups.end()) {
      groups.push_back(group);
      return groups.size() - 1;
    }
    return static_cast<std::size_t>(found - groups.begin());
  }

  /// The index of a collective in its table. `merged` marks a collective of the backward action in
  /// a pair, which does not wait for collectives of the forward action.
  std::size_t tableCollectiveOf(const Collective& c, bool merged = false) {
    const auto key = std::make_tuple(c.kind, c.purpose, c.group, c.bytes, c.count, merged);
    const auto [at, isNew] = known.emplace(key, calls.size());
    if (isNew)
      calls.push_back({tableCollectiveKind(c.kind), ir::name(c.purpose), groupOf(c.group), c.bytes,
                       c.count, streamOf(c.purpose)});
    return at->second;
  }

  void addChunk(std::size_t i) {
    const Chunk& chunk = plan.chunks[i];
    const ChunkPrograms& programs = plan.chunkPrograms[i];
    for (std::uint64_t k = 0; k < programs.collectives; ++k)
      if (const Collective& c = plan.collectives[programs.firstCollective + k];
          c.kind == CollectiveKind::SendReceive)
        messageBytes = std::max(messageBytes, c.bytes);
    const auto body = [&](ActionKind kind) {
      const auto index = ir::stageProgramOf(plan, programs, kind);
      return index ? tableProgramOf(programs, *index) : twin::none;
    };
    chunks[chunk.rank * plan.layout.chunks + chunk.chunk] = {
        body(ActionKind::Forward),
        body(ActionKind::Backward),
        body(ActionKind::BackwardInput),
        body(ActionKind::BackwardWeight),
        body(ActionKind::Recomputation),
        neighbour(plan.placement.previous({chunk.rank, chunk.chunk})),
        neighbour(plan.placement.next({chunk.rank, chunk.chunk}))};
  }

  /// The index of a stage program with its collectives. Chunks that share a stage program may run
  /// collectives of other sizes.
  std::size_t tableProgramOf(const ChunkPrograms& programs, StageProgramId index) {
    const StageProgram& body = plan.stagePrograms[index];
    std::vector<std::size_t> key{index.index()};
    const auto callOfSegment = [&](const Segment& s) {
      return s.asCompute()
                 ? 0
                 : tableCollectiveOf(plan.collectives[collectiveOf(plan, programs, s)], s.backward);
    };
    for (const SegmentLoop& block : body.loops)
      for (const Segment& s : block.segments)
        key.push_back(callOfSegment(s));
    const auto [at, isNew] = knownPrograms.emplace(std::move(key), bodies.size());
    if (!isNew)
      return at->second;
    bodies.push_back({blocks.size(), body.loops.size()});
    for (const SegmentLoop& block : body.loops) {
      blocks.push_back({segments.size(), block.segments.size(), block.count});
      for (const Segment& s : block.segments)
        segments.push_back(::translated(s, callOfSegment(s)));
    }
    return at->second;
  }

  std::size_t neighbour(const std::optional<Placement::ChunkLocation>& at) const {
    return at ? at->rank * plan.layout.chunks + at->chunk : twin::none;
  }

  /// Adds a message between ranks. The send and the receive both name the sender's chunk.
  void addMessage(const std::optional<PipelineMessage>& m, bool send,
                  std::vector<twin::Operation>& list) const {
    using Kind = twin::OperationKind;
    if (m)
      list.push_back({send ? (m->forward ? Kind::SendForward : Kind::SendBackward)
                           : (m->forward ? Kind::ReceiveForward : Kind::ReceiveBackward),
                      m->microBatch, m->from.chunk, send ? m->to.rank : m->from.rank});
  }

  twin::Operation translated(const ScheduledAction& op) {
    using Kind = twin::OperationKind;
    const auto of = [&](Kind kind) { return twin::Operation{kind, op.microBatch, op.chunk, 0}; };
    switch (op.kind) {
    case ActionKind::Forward:
    case ActionKind::PairedForward: // the paired backward action follows immediately
      return of(Kind::Forward);
    case ActionKind::Backward:
      return of(Kind::Backward);
    case ActionKind::BackwardInput:
      return of(Kind::BackwardInput);
    case ActionKind::BackwardWeight:
      return of(Kind::BackwardWeight);
    case ActionKind::Recomputation:
      return of(Kind::Recomputation);
    case ActionKind::Collective:
      return {Kind::Collective, 0, 0, tableCollectiveOf(plan.collectives[op.collective])};
    case ActionKind::Wait:
      return {Kind::Wait, 0, 0, 0};
    case ActionKind::Optimizer:
      break;
    }
    return {Kind::Optimizer, 0, 0, 0};
  }

  void addRank(const RankSchedule& rank) {
    std::vector<twin::Operation> list;
    std::uint64_t optimizer = 0;
    for (std::size_t i = 0; i < rank.actions.size(); ++i) {
      const ScheduledAction& op = rank.actions[i];
      const StageProgram* merged = mergedProgram(plan, rank.rank, op);
      const llvm::ArrayRef<ScheduledAction> together(&op, merged ? 2 : 1);
      i += together.size() - 1;
      for (const ScheduledAction& each : together)
        addMessage(messageInto(plan.placement, rank.rank, each), false, list);
      for (const ScheduledAction& each : together)
        list.push_back(translated(each));
      if (twin::Operation* pair = merged ? &list[list.size() - 2] : nullptr) {
        pair->kind = twin::OperationKind::Pair;
        pair->other =
            tableProgramOf(plan.chunkPrograms[plan.placement.indexOf(rank.rank, op.chunk)],
                           StageProgramId(merged - plan.stagePrograms.data()));
      }
      for (const ScheduledAction& each : together)
        addMessage(messageFrom(plan.placement, rank.rank, each), true, list);
      if (op.kind == ActionKind::Optimizer)
        optimizer = nanoseconds(rank.duration[i]);
    }
    const std::size_t first = loops.size();
    program::appendLoops(list, operations, loops);
    ranks.push_back({first, loops.size() - first, optimizer});
  }

  const Plan& plan;
  std::map<
      std::tuple<CollectiveKind, CollectivePurpose, GroupId, std::uint64_t, std::uint64_t, bool>,
      std::size_t>
      known;
  std::map<std::vector<std::size_t>, std::size_t> knownPrograms; ///< index of a stage program, by
                                                                 ///< its number and its collectives
};
} // namespace

PlanTables dpl::program::tablesOf(const Plan& plan) { return PlanTablesBuilder(plan); }
