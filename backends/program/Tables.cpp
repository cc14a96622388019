//===- Tables.cpp - The tables of a plan as text ----------------------------------------------===//
#include "backends/program/PlanTables.h"
#include "backends/program/Program.h"
#include "cost/step/StepTimes.h"
#include "figures/Figures.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;
using program::PlanTables;

namespace {
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

/// Adds an array such as `inline constexpr std::array<Axis, 2> axes{{\n    {…},\n…}};`.
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

/// Adds the arrays of groups and of their factors.
void addGroups(std::string& out, const Plan& plan, const PlanTables& t) {
  std::vector<Stride> factors;
  struct Row {
    const Group& group;
    std::size_t first;
  };
  std::vector<Row> rows;
  for (const GroupId g : t.groups) {
    const Group& group = plan.groups[g];
    rows.push_back({group, factors.size()});
    factors.insert(factors.end(), group.strides.begin(), group.strides.end());
  }
  addArray(out, "Axis", "axes", axesOf(plan), "name, size, stride", [](const MeshAxis& a) {
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

void addWork(std::string& out, const PlanTables& t) {
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
  if (!cost::endsWithFlush(layout))
    findings.report<rule::Schedule>("schedule", name(layout.schedule));
}

std::string dpl::program::planTables(const TargetRequest& request) {
  const Plan& plan = request.plan;
  const PlanTables tables = tablesOf(plan);
  std::string out = headerOf(request, "//");
  out += "//\n// The plan's mesh, groups, collectives and schedule. Tables.h says what the fields "
         "are.\n// clang-format off\n#pragma once\n#include \"Tables.h\"\n#include "
         "<array>\n\nnamespace twin {\n";
  addGroups(out, plan, tables);
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
