//===- Tables.cpp - The plan as the tables that the program runs ------------------------------===//
#include "backends/ScheduleAnswers.h"
#include "backends/program/Loops.h"
#include "backends/program/Program.h"
#include "figures/Figures.h"
#include "ir/MergedBody.h"
#include "ir/Names.h"
#include <cassert>
#include <fmt/format.h>
#include <map>
#include <tuple>

using namespace dpl;
using namespace dpl::ir;

namespace {
/// The program runs whatever the lists say, and has links to the next and the previous rank; its
/// steps end on all ranks.
constexpr const char* itsList = "its list";
constexpr ScheduleAnswers schedules{.GPipe = itsList,
                                    .OneForwardOneBackward = itsList,
                                    .Interleaved = itsList,
                                    .EagerOneForwardOneBackward = itsList,
                                    .LoopedBreadthFirst = itsList,
                                    .ZeroBubbleH1 = itsList,
                                    .ZeroBubbleH2 = itsList,
                                    .ZeroBubble1p = itsList,
                                    .ZeroBubble2p = itsList,
                                    .ZeroBubbleAutomatic = itsList,
                                    .InterleavedZeroBubble = itsList,
                                    .ZeroBubbleV = itsList,
                                    .ZeroBubbleVTimed = itsList,
                                    .VHalf = itsList,
                                    .VMin = itsList,
                                    .DualPipeV = itsList,
                                    .DualPipe = itsList,
                                    .PipeDream = refuses,
                                    .Listed = itsList};

std::uint64_t nanoseconds(std::uint64_t picoseconds) { return (picoseconds + 500) / 1000; }

twin::CallKind callKind(CollectiveKind kind) {
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

const char* spelling(twin::CallKind kind) {
  static const char* const names[] = {"AllReduce", "ReduceScatter", "AllGather", "AllToAll"};
  return names[static_cast<std::size_t>(kind)];
}

const char* spelling(twin::OperationKind kind) {
  static const char* const names[] = {
      "Forward",    "Backward",    "BackwardInput", "BackwardWeight", "Recomputation",
      "Pair",       "SendForward", "SendBackward",  "ReceiveForward", "ReceiveBackward",
      "Collective", "Wait",        "Optimizer"};
  return names[static_cast<std::size_t>(kind)];
}

const char* spelling(twin::SegmentKind kind) {
  static const char* const names[] = {"Compute", "Call", "Begin", "Wait"};
  return names[static_cast<std::size_t>(kind)];
}

const char* spelling(twin::When when) {
  static const char* const names[] = {"Every", "First", "Last"};
  return names[static_cast<std::size_t>(when)];
}

const char* spelling(twin::Stream stream) {
  static const char* const names[] = {"Tensor", "Context", "Expert", "Data"};
  return names[static_cast<std::size_t>(stream)];
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
    return twin::Stream::Data;
  case CollectivePurpose::TensorActivation:
  case CollectivePurpose::PipelineActivation:
    break;
  }
  return twin::Stream::Tensor;
}

twin::Segment translated(const Segment& s, std::size_t call) {
  const twin::When when = s.when == When::First  ? twin::When::First
                          : s.when == When::Last ? twin::When::Last
                                                 : twin::When::Every;
  switch (s.kind) {
  case SegmentKind::Compute:
    break;
  case SegmentKind::Call:
    return {s.holds == s.time ? twin::SegmentKind::Call : twin::SegmentKind::Begin, when, call, 0};
  case SegmentKind::Wait:
    return {twin::SegmentKind::Wait, when, call, 0};
  }
  return {twin::SegmentKind::Compute, when, 0, nanoseconds(s.time)};
}

/// Equal collectives of different chunks are one entry, so that tables stay as small as the plan is
/// regular.
class Tables {
public:
  explicit Tables(const Plan& plan) : plan(plan) {
    chunks.resize(plan.chunks.size());
    for (std::size_t i = 0; i < plan.chunks.size(); ++i)
      addChunk(i);
    for (const RankSchedule& rank : plan.schedule)
      addRank(rank);
  }

  const Plan& plan;
  std::uint64_t messageBytes = 0;
  std::vector<std::uint64_t> groups; ///< indices into Plan::groups
  std::vector<twin::Call> calls;
  std::vector<twin::Segment> segments;
  std::vector<twin::Block> blocks;
  std::vector<twin::Body> bodies;
  std::vector<twin::Chunk> chunks;
  std::vector<twin::Operation> operations;
  std::vector<twin::Loop> loops;
  std::vector<twin::RankList> ranks;

private:
  std::size_t groupOf(std::uint64_t group) {
    const auto found = std::find(groups.begin(), groups.end(), group);
    if (found == groups.end()) {
      groups.push_back(group);
      return groups.size() - 1;
    }
    return static_cast<std::size_t>(found - groups.begin());
  }

  /// `merged`: of the backward of a pair, which does not wait for what the forward calls.
  std::size_t callOf(const Collective& c, bool merged = false) {
    const auto key = std::make_tuple(c.kind, c.purpose, c.group, c.bytes, c.count, merged);
    const auto [at, isNew] = known.emplace(key, calls.size());
    if (isNew)
      calls.push_back({callKind(c.kind), ir::name(c.purpose), groupOf(c.group), c.bytes, c.count,
                       streamOf(c.purpose)});
    return at->second;
  }

  void addChunk(std::size_t i) {
    const Chunk& chunk = plan.chunks[i];
    const ChunkProgram& program = plan.programs[i];
    for (std::uint64_t k = 0; k < program.collectives; ++k)
      if (const Collective& c = plan.collectives[program.firstCollective + k];
          c.kind == CollectiveKind::SendReceive)
        messageBytes = std::max(messageBytes, c.bytes);
    const auto body = [&](OperationKind kind) {
      const auto index = ir::bodyOf(plan, program, kind);
      return index ? bodyOf(program, *index) : twin::none;
    };
    chunks[chunk.rank * plan.layout.chunks + chunk.chunk] = {
        body(OperationKind::Forward),
        body(OperationKind::Backward),
        body(OperationKind::BackwardInput),
        body(OperationKind::BackwardWeight),
        body(OperationKind::Recomputation),
        neighbour(plan.placement.previous({chunk.rank, chunk.chunk})),
        neighbour(plan.placement.next({chunk.rank, chunk.chunk}))};
  }

  /// Chunks that share a body may call other collectives, of other sizes.
  std::size_t bodyOf(const ChunkProgram& program, std::size_t index) {
    const Body& body = plan.bodies[index];
    std::vector<std::size_t> key{index};
    const auto callOfSegment = [&](const Segment& s) {
      return s.kind == SegmentKind::Compute
                 ? 0
                 : callOf(plan.collectives[collectiveOf(plan, program, s)], s.backward);
    };
    for (const Block& block : body.blocks)
      for (const Segment& s : block.segments)
        key.push_back(callOfSegment(s));
    const auto [at, isNew] = knownBodies.emplace(std::move(key), bodies.size());
    if (!isNew)
      return at->second;
    bodies.push_back({blocks.size(), body.blocks.size()});
    for (const Block& block : body.blocks) {
      blocks.push_back({segments.size(), block.segments.size(), block.count});
      for (const Segment& s : block.segments)
        segments.push_back(::translated(s, callOfSegment(s)));
    }
    return at->second;
  }

  std::size_t neighbour(const std::optional<Placement::Place>& at) const {
    return at ? at->rank * plan.layout.chunks + at->chunk : twin::none;
  }

  /// What crosses between ranks, named by its sender's chunk on both.
  void addMessage(const std::optional<PipelineMessage>& m, bool send,
                  std::vector<twin::Operation>& list) const {
    using Kind = twin::OperationKind;
    if (m)
      list.push_back({send ? (m->forward ? Kind::SendForward : Kind::SendBackward)
                           : (m->forward ? Kind::ReceiveForward : Kind::ReceiveBackward),
                      m->microBatch, m->from.chunk, send ? m->to.rank : m->from.rank});
  }

  twin::Operation translated(const ScheduledOperation& op) {
    using Kind = twin::OperationKind;
    const auto of = [&](Kind kind) { return twin::Operation{kind, op.microBatch, op.chunk, 0}; };
    switch (op.kind) {
    case OperationKind::Forward:
    case OperationKind::PairedForward: // the pass behind it follows at once
      return of(Kind::Forward);
    case OperationKind::Backward:
      return of(Kind::Backward);
    case OperationKind::BackwardInput:
      return of(Kind::BackwardInput);
    case OperationKind::BackwardWeight:
      return of(Kind::BackwardWeight);
    case OperationKind::Recomputation:
      return of(Kind::Recomputation);
    case OperationKind::Collective:
      return {Kind::Collective, 0, 0, callOf(plan.collectives[op.microBatch])};
    case OperationKind::Wait:
      return {Kind::Wait, 0, 0, 0};
    case OperationKind::Optimizer:
      break;
    }
    return {Kind::Optimizer, 0, 0, 0};
  }

  void addRank(const RankSchedule& rank) {
    std::vector<twin::Operation> list;
    std::uint64_t optimizer = 0;
    for (std::size_t i = 0; i < rank.operations.size(); ++i) {
      const ScheduledOperation& op = rank.operations[i];
      const Body* merged = mergedBody(plan, rank.rank, op);
      const llvm::ArrayRef<ScheduledOperation> together(&op, merged ? 2 : 1);
      i += together.size() - 1;
      for (const ScheduledOperation& each : together)
        addMessage(messageInto(plan.placement, rank.rank, each), false, list);
      for (const ScheduledOperation& each : together)
        list.push_back(translated(each));
      if (twin::Operation* pair = merged ? &list[list.size() - 2] : nullptr) {
        pair->kind = twin::OperationKind::Pair;
        pair->other = bodyOf(plan.programs[plan.placement.indexOf(rank.rank, op.chunk)],
                             static_cast<std::size_t>(merged - plan.bodies.data()));
      }
      for (const ScheduledOperation& each : together)
        addMessage(messageFrom(plan.placement, rank.rank, each), true, list);
      if (op.kind == OperationKind::Optimizer)
        optimizer = nanoseconds(rank.duration[i]);
    }
    const std::size_t first = loops.size();
    program::appendLoops(list, operations, loops);
    ranks.push_back({first, loops.size() - first, optimizer});
  }

  std::map<std::tuple<CollectiveKind, CollectivePurpose, std::uint64_t, std::uint64_t,
                      std::uint64_t, bool>,
           std::size_t>
      known;
  std::map<std::vector<std::size_t>, std::size_t> knownBodies; ///< by body and its calls
};

/// `inline constexpr std::array<Axis, 2> axes{{\n    {…},\n…}};`
template <class T, class Row>
void addArray(std::string& out, const char* type, const char* name, const std::vector<T>& rows,
              const char* comment, const Row& row) {
  out += fmt::format("\n// {}\ninline constexpr std::array<{}, {}> {}{{", comment, type,
                     rows.size(), name);
  out += rows.empty() ? "" : "{\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += fmt::format("    {}, // {}\n", row(rows[i]), i);
  out += rows.empty() ? "};\n" : "}};\n";
}

std::vector<MeshAxis> axesOf(const Plan& plan) {
  std::vector<MeshAxis> axes = plan.mesh.axes;
  for (const MeshAxis& axis : plan.mesh.expertAxes)
    if (axis.axis >= Axis::ExpertData)
      axes.push_back(axis);
  return axes;
}

/// What the arrays of all groups are made of.
void addGroups(std::string& out, const Tables& t) {
  std::vector<Stride> factors;
  struct Row {
    const Group& group;
    std::size_t first;
  };
  std::vector<Row> rows;
  for (const std::uint64_t g : t.groups) {
    const Group& group = t.plan.groups[g];
    rows.push_back({group, factors.size()});
    factors.insert(factors.end(), group.strides.begin(), group.strides.end());
  }
  addArray(out, "Axis", "axes", axesOf(t.plan), "name, size, stride", [](const MeshAxis& a) {
    return fmt::format("{{\"{}\", {}, {}}}", ir::name(a.axis), a.size, a.stride);
  });
  addArray(out, "Factor", "factors", factors, "count, stride, period, mirrored",
           [](const Stride& s) {
             return fmt::format("{{{}, {}, {}, {}}}", s.count, s.stride, s.period, s.mirrored);
           });
  addArray(out, "Group", "groups", rows, "name, first factor, factors, size", [](const Row& r) {
    return fmt::format("{{\"{}\", {}, {}, {}}}", r.group.name, r.first, r.group.strides.size(),
                       r.group.size);
  });
}

void addWork(std::string& out, const Tables& t) {
  addArray(out, "Call", "calls", t.calls, "kind, purpose, group, bytes, count, stream",
           [](const twin::Call& c) {
             return fmt::format("{{CallKind::{}, \"{}\", {}, {}, {}, Stream::{}}}",
                                spelling(c.kind), c.purpose, c.group, c.bytes, c.count,
                                spelling(c.stream));
           });
  addArray(out, "Segment", "segments", t.segments, "kind, micro-batches, call, ns",
           [](const twin::Segment& s) {
             return fmt::format("{{SegmentKind::{}, When::{}, {}, {}}}", spelling(s.kind),
                                spelling(s.when), s.call, s.ns);
           });
  addArray(out, "Block", "blocks", t.blocks, "first segment, segments, times",
           [](const twin::Block& b) {
             return fmt::format("{{{}, {}, {}}}", b.first, b.segments, b.times);
           });
  addArray(out, "Body", "bodies", t.bodies, "first block, blocks",
           [](const twin::Body& b) { return fmt::format("{{{}, {}}}", b.first, b.blocks); });
  addArray(out, "Chunk", "chunks", t.chunks,
           "bodies forward, backward, of inputs alone, of weights alone, of a recomputation; chunk "
           "before, after",
           [](const twin::Chunk& c) {
             const auto index = [](std::size_t i) {
               return i == twin::none ? std::string("none") : std::to_string(i);
             };
             return fmt::format("{{{}, {}, {}, {}, {}, {}, {}}}", c.forward, index(c.backward),
                                index(c.inputs), index(c.weights), index(c.recomputation),
                                index(c.previous), index(c.next));
           });
  addArray(out, "Operation", "operations", t.operations, "kind, micro-batch, chunk, other",
           [](const twin::Operation& op) {
             return fmt::format("{{OperationKind::{}, {}, {}, {}}}", spelling(op.kind),
                                op.microBatch, op.chunk, op.other);
           });
  addArray(out, "Loop", "loops", t.loops, "first operation, operations, times",
           [](const twin::Loop& l) {
             return fmt::format("{{{}, {}, {}}}", l.first, l.operations, l.times);
           });
  addArray(out, "RankList", "ranks", t.ranks, "first loop, loops, ns of the update",
           [](const twin::RankList& r) {
             return fmt::format("{{{}, {}, {}}}", r.firstLoop, r.loops, r.optimizer);
           });
}
} // namespace

void dpl::program::check(const TargetRequest& request, Findings& findings) {
  const Layout& layout = request.plan.layout;
  if (answerFor(schedules, layout) == refuses)
    findings.report<rule::Schedule>("schedule", name(layout.schedule));
}

std::string dpl::program::planTables(const TargetRequest& request) {
  const Plan& plan = request.plan;
  const Tables tables(plan);
  std::string out = headerOf(request, "//");
  out += "//\n// The plan's mesh, groups, collectives and schedule. Tables.h says what the fields "
         "are.\n// clang-format off\n#pragma once\n#include \"Tables.h\"\n#include "
         "<array>\n\nnamespace twin {\n";
  addGroups(out, tables);
  addWork(out, tables);
  const MeshAxis* pipeline = plan.mesh.find(Axis::Pipeline);
  const double step = figures::Figures(plan).value("step_time").value_or(0);
  const std::string subject = cppString(quoted(fmt::format("{} of {}", plan.name, plan.file)));
  out += fmt::format("\ninline constexpr Plan plan{{\n    {},\n    \"{}\",\n", subject, plan.hash);
  out += fmt::format("    {}, // ranks\n    {}, // pipeline ranks\n    {}, // their stride\n",
                     plan.mesh.devices, plan.mesh.size(Axis::Pipeline), pipeline->stride);
  out += fmt::format("    {}, // chunks of each\n    {}, // micro-batches\n    {}, // of a chunk\n",
                     plan.layout.chunks, plan.mesh.microBatches, plan.microBatchesOfChunk());
  out += fmt::format("    {}, // bytes of a message\n    {}, // ns of a step, as predicted\n",
                     tables.messageBytes, static_cast<std::uint64_t>(step * 1e9 + 0.5));
  out += fmt::format("    {}, // all ranks begin a step together\n", !plan.layout.postValidation);
  out += fmt::format("    {}, // messages overlap computation\n", plan.layout.overlap.pipeline);
  for (const char* name : {"axes", "factors", "groups", "calls", "segments", "blocks", "bodies",
                           "chunks", "operations", "loops", "ranks"})
    out += fmt::format("    {{{0}.data(), {0}.size()}},\n", name);
  return out + "};\n\n} // namespace twin\n";
}
