//===- Predicted.cpp - The parts of a predicted step on one pipeline rank ---------------------===//
#include "driver/compare/Predicted.h"
#include "cost/step/Operators.h"
#include "cost/step/Timeline.h"
#include "figures/Figures.h"
#include "ir/MergedProgram.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
using namespace dpl;
using namespace dpl::compare;

namespace {
/// The dimensions of a GEMM of which `parts` are side by side, rising.
GemmShape gemmOf(const cost::OperatorCost& op, double parts) {
  if (op.kind != cost::OperatorCost::OperatorKind::Matmul)
    return {};
  const auto whole = [](double value) { return static_cast<std::uint64_t>(std::llround(value)); };
  GemmShape out{whole(op.m), whole(op.n / parts), whole(op.k), whole(op.k)};
  std::sort(out.begin(), std::prev(out.end()));
  return out;
}

void addOperators(const ir::Plan& plan, std::uint64_t rank, std::vector<PredictedOperator>& out) {
  const cost::ChunkEstimate estimate(plan);
  const std::vector<ir::Device> devices =
      cost::pacingDevices(plan, plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(rank)]);
  std::map<std::tuple<std::string, WorkClass, GemmShape>, std::size_t> known;
  for (const ir::Chunk& chunk : plan.chunks) {
    if (chunk.rank != rank)
      continue;
    for (const cost::ChunkModule& module : estimate.modules(chunk)) {
      const double runs = module.count * static_cast<double>(plan.microBatchesOfChunk());
      const bool layer = module.computeKind == ir::ComputeKind::Layer;
      for (const cost::OperatorCost& op : estimate.operators(module)) {
        const auto [at, added] =
            known.try_emplace({op.name, classOf(op), gemmOf(op, 1)}, out.size());
        if (added)
          out.push_back({op.name, classOf(op), 0, 0, 0, 0, gemmOf(op, 1),
                         gemmOf(op, std::max(op.products, op.parts))});
        PredictedOperator& to = out[at->second];
        const auto time = [&](cost::GradientDirection direction) {
          return cost::operatorTime(op, direction, devices);
        };
        const double forward = time(cost::GradientDirection::Forward),
                     again =
                         layer ? cost::recomputedShare(op, plan.layout.recompute, module.recomputed)
                               : 0;
        const double input = time(cost::GradientDirection::BackwardInput),
                     weight = time(cost::GradientDirection::BackwardWeight);
        to.forward += runs * forward;
        to.backward += runs * (again * forward + input + weight);
        to.forwardKernels += forward > 0 ? runs * op.kernels : 0;
        to.backwardKernels +=
            runs * op.kernels * (again + (input > 0 ? 1 : 0) + (weight > 0 ? 1 : 0));
      }
    }
  }
}

void addCollectives(const ir::Plan& plan, std::uint64_t rank,
                    std::vector<PredictedCollectives>& out) {
  for (const ir::Collective& c : plan.collectives) {
    if (c.rank != rank || c.count == 0)
      continue;
    const ir::Group* const group = plan.groups.has(c.group) ? &plan.groups[c.group] : nullptr;
    const std::string name = fmt::format("{} {}{}", ir::name(c.kind), ir::name(c.purpose),
                                         group ? " over " + group->name : "");
    auto to = llvm::find_if(out, [&](const PredictedCollectives& p) { return p.name == name; });
    if (to == out.end()) {
      out.push_back({name, c.kind, c.purpose, group ? group->size : 2, 0, 0, 0});
      to = std::prev(out.end());
    }
    const auto count = static_cast<double>(c.count);
    to->count += count, to->seconds += count * static_cast<double>(c.time) * 1e-12;
    to->bytes += count * static_cast<double>(c.bytes);
  }
}

/// The same slices as backends/trace writes, with the same rounding.
class EmittedParts {
public:
  EmittedParts(const ir::Plan& plan, Predicted& out) : plan(plan), out(out) {}
  void actions(const ir::RankSchedule& rank) {
    for (std::size_t i = 0; i < rank.actions.size(); ++i) {
      const ir::ScheduledAction& op = rank.actions[i];
      const bool merged = ir::mergedProgram(plan, rank.rank, op) != nullptr;
      const std::size_t last = merged ? i + 1 : i;
      const std::uint64_t begin = rank.start[i], end = rank.endOf(last);
      if (ir::isChunkAction(op.kind))
        add("action", ir::name(op.kind), begin, end);
      else if (end > begin && op.kind == ir::ActionKind::Collective)
        add("step_end", nameOf(plan.collectives[op.collective]), begin, end);
      else if (end > begin)
        add("step_end", ir::name(op.kind), begin, end);
      if (ir::isChunkAction(op.kind)) {
        auto to =
            llvm::find_if(out.actions, [&](const PredictedAction& a) { return a.kind == op.kind; });
        if (to == out.actions.end())
          to = out.actions.insert(to, {op.kind, 0, 0});
        ++to->count, to->seconds += static_cast<double>(end - begin) * 1e-12;
      }
      i = last;
    }
  }
  void segment(const cost::ExecutedSegment& s) {
    if (s.begin / 1000 == s.end / 1000)
      return;
    if (s.collective)
      add("collective", nameOf(*s.collective), s.begin, s.end);
    else
      add("compute", ir::name(s.segment->asCompute()->kind), s.begin, s.end);
  }

private:
  std::string nameOf(const ir::Collective& c) const {
    return emittedName(fmt::format("{} {}", ir::name(c.kind), ir::name(c.purpose)),
                       plan.groups.has(c.group) ? plan.groups[c.group].name : "", c.bytes);
  }
  void add(const char* kind, const std::string& name, std::uint64_t begin, std::uint64_t end) {
    EmittedTime& time = out.emitted[{kind, name}];
    time.time += static_cast<std::int64_t>(end / 1000 - begin / 1000), ++time.count;
  }
  const ir::Plan& plan;
  Predicted& out;
};
} // namespace

Predicted compare::predictedOn(const ir::Plan& plan, std::uint64_t pipelineRank) {
  Predicted out;
  addOperators(plan, pipelineRank, out.operators);
  addCollectives(plan, pipelineRank, out.collectives);
  EmittedParts parts(plan, out);
  parts.actions(plan.schedule[pipelineRank]);
  constexpr std::uint64_t mostSegments = 2'000'000;
  if (cost::countSegments(plan) <= mostSegments)
    cost::visitSegments(plan, pipelineRank,
                        [&](const cost::ExecutedSegment& s) { parts.segment(s); });
  const figures::Figures figures(plan);
  const auto value = [&](const char* path) { return figures.value(path).value_or(0); };
  out.step = value("step_time"), out.exposed = value("time.exposed");
  out.launches = value("time.launch_bound"), out.optimizer = value("time.optimizer");
  return out;
}

std::optional<std::uint64_t> compare::pipelineRankOf(const ir::Plan& plan, std::uint64_t rank) {
  if (rank >= plan.mesh.devices)
    return std::nullopt;
  const ir::MeshAxis* const axis = plan.mesh.find(ir::Axis::Pipeline);
  return axis ? rank / axis->stride % axis->size : 0;
}
