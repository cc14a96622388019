//===- Neighbourhood.cpp - The layouts that differ from a plan by one change ------------------===//
#include "planner/Neighbourhood.h"
#include "cost/legality/Legality.h"
#include "ir/BatchUnit.h"
#include "ir/DataRanks.h"
#include "ir/FilledFields.h"
#include "ir/FoundFields.h"
#include "ir/MeshText.h"
#include "ir/Names.h"
#include "ir/SetInFile.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::planner;
using ir::Axis;
using ir::AxisRequest;
using ir::Layout;
using ir::ModuleKind;
using ir::Recompute;
using ir::RecomputeKind;
using ir::RecomputeMethod;
using ir::ShardAxis;

namespace {

constexpr Axis denseAxes[] = {Axis::Replica, Axis::Pipeline, Axis::Data, Axis::Context,
                              Axis::Tensor};
constexpr Axis expertAxes[] = {Axis::ExpertData, Axis::Expert, Axis::ExpertTensor};

std::vector<std::uint64_t> primeFactors(std::uint64_t n) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t factor = 2; factor * factor <= n; ++factor)
    if (n % factor == 0) {
      out.push_back(factor);
      while (n % factor == 0)
        n /= factor;
    }
  if (n > 1)
    out.push_back(n);
  return out;
}

std::string textOf(llvm::ArrayRef<FieldSetting> settings) {
  std::string out;
  for (const FieldSetting& setting : settings)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", setting.path, setting.value);
  return out;
}

class Builder {
public:
  Builder(const ir::Plan& plan, const SupportsSchedule& runs)
      : plan(plan), layout(plan.layout), runs(runs) {}

  std::vector<LayoutChange> release() {
    sharding();
    recomputation();
    microBatches();
    schedules();
    splits();
    degrees();
    overlaps();
    dispatchers();
    if (!layout.graphs)
      add({{"cuda_graphs", "true"}}, [](Layout& l) { l.graphs = true; });
    return std::move(out);
  }

private:
  bool pipelined() const { return plan.mesh.size(Axis::Pipeline) > 1; }
  /// Whether the field is open and `mesh = auto` has chosen it.
  bool isFound(bool open) const { return plan.mesh.found && open; }

  void add(std::vector<FieldSetting> settings, std::function<void(Layout&)> write) {
    std::string text = textOf(settings);
    out.push_back({std::move(text), std::move(settings), std::move(write), false});
  }

  void sharding() {
    if (!isFound(layout.mesh.open.stage) && ir::sharesState(plan))
      for (unsigned stage = 0; stage <= 3; ++stage)
        if (stage != layout.shard.stage())
          shardStage(stage);
    if (layout.shard.stage() == 3)
      add({{"shard.reshard_after_forward", layout.shard.reshard ? "false" : "true"}},
          [](Layout& l) { l.shard.reshard = !l.shard.reshard; });
    if (isFound(!layout.shard.sequenceGiven) || plan.mesh.size(Axis::Tensor) == 1 ||
        plan.model.isLayerList())
      return;
    const ShardAxis other =
        layout.shard.sequence == ShardAxis::None ? ShardAxis::Tensor : ShardAxis::None;
    add({{"shard.sequence", ir::name(other)}},
        [other](Layout& l) { l.shard.sequence = other, l.shard.sequenceGiven = true; });
  }

  void shardStage(unsigned stage) {
    std::vector<FieldSetting> settings;
    const auto axis = [&](const char* field, ShardAxis now, unsigned from) {
      const ShardAxis to = stage >= from ? ShardAxis::Data : ShardAxis::None;
      if (to != now)
        settings.push_back({field, ir::name(to)});
      return to;
    };
    const ShardAxis optimizer = axis("shard.optimizer", layout.shard.optimizer, 1),
                    gradients = axis("shard.gradients", layout.shard.gradients, 2),
                    parameters = axis("shard.parameters", layout.shard.parameters, 3);
    add(std::move(settings), [=](Layout& l) {
      l.shard.optimizer = optimizer, l.shard.gradients = gradients;
      l.shard.parameters = parameters;
    });
  }

  // ---- recomputation ----

  void recompute(Recompute to) {
    std::string value = ir::recomputeSetting(to);
    if (value == ir::recomputeSetting(layout.recompute) ||
        llvm::any_of(out, [&](const LayoutChange& change) {
          return change.settings.front().path == "recompute" &&
                 change.settings.front().value == value;
        }))
      return;
    add({{"recompute", std::move(value)}}, [to = std::move(to)](Layout& l) { l.recompute = to; });
  }

  void selective(std::vector<ModuleKind> modules) {
    if (modules.empty())
      return;
    Recompute to;
    to.kind = RecomputeKind::Selective, to.modules = std::move(modules);
    to.inAdvance = layout.recompute.inAdvance;
    recompute(std::move(to));
  }

  /// The modules of the model that can be recomputed.
  std::vector<ModuleKind> modules() const {
    using enum ModuleKind;
    std::vector<ModuleKind> found;
    for (const ModuleKind module :
         {CoreAttention, Norm, Activation, MlaUp, Attention, Mlp, Moe, SharedExperts}) {
      Recompute alone;
      alone.kind = RecomputeKind::Selective, alone.inAdvance = true, alone.modules = {module};
      if (cost::legal::recomputes(plan.model, alone))
        found.push_back(module);
    }
    return found;
  }

  void recomputation() {
    if (plan.model.isLayerList() || isFound(layout.mesh.open.recompute))
      return;
    recompute({});
    if (const llvm::ArrayRef<ModuleKind> policy = ir::selectivePolicy(plan.framework.name);
        !policy.empty())
      selective(policy.vec());
    else
      selectives();
    Recompute full;
    full.kind = RecomputeKind::Full, full.inAdvance = layout.recompute.inAdvance;
    recompute(full);
    if (layout.recompute.kind != RecomputeKind::Full)
      return;
    std::uint64_t most = 1;
    for (const ir::Chunk& chunk : plan.chunks)
      most = std::max(most, chunk.layers);
    full.method = RecomputeMethod::Block;
    for (full.layers = 1; full.layers < most; full.layers *= 2)
      recompute(full);
  }

  /// Selective recomputation with one module more or fewer, and of few modules that save many bytes
  /// for little time.
  void selectives() {
    const std::vector<ModuleKind> all = modules();
    const std::vector<ModuleKind> now = layout.recompute.kind == RecomputeKind::Selective
                                            ? layout.recompute.modules
                                            : std::vector<ModuleKind>();
    for (const ModuleKind module : all) {
      std::vector<ModuleKind> with = now;
      if (llvm::is_contained(with, module))
        llvm::erase_value(with, module);
      else
        with.push_back(module);
      selective(std::move(with));
    }
    std::vector<ModuleKind> cheap;
    for (const ModuleKind module : {ModuleKind::Norm, ModuleKind::Activation, ModuleKind::MlaUp})
      if (llvm::is_contained(all, module)) {
        cheap.push_back(module);
        selective(cheap);
      }
  }

  // ---- micro-batches, schedules, splits ----

  void microBatches() {
    if (isFound(!layout.microBatchGiven))
      return;
    const char* unit = ir::suffixOf(layout.batchUnit);
    const auto size = [&](std::uint64_t to) {
      add({{"micro_batch", fmt::format("{}{}", to, unit)}}, [to](Layout& l) { l.microBatch = to; });
    };
    for (const std::uint64_t factor : {2, 4, 8}) {
      size(layout.microBatch * factor);
      if (layout.microBatch % factor == 0)
        size(layout.microBatch / factor);
    }
  }

  void schedules() {
    const std::uint64_t ranks = plan.mesh.size(Axis::Pipeline);
    if (layout.scheduleAutomatic || layout.schedule == ir::ScheduleKind::Listed ||
        !searchesSchedule(ranks, plan.mesh.microBatches))
      return;
    for (const ir::ScheduleCandidate& row : scheduleSpace(ranks, plan.mesh.microBatches)) {
      schedule(row);
      if (ir::chunksOf(row.schedule) == 0 && row.chunks == 2)
        moreChunks(row);
    }
  }

  void schedule(const ir::ScheduleCandidate& row) {
    if (row.schedule == layout.schedule && row.chunks == layout.chunks &&
        row.inFlight == layout.inFlight)
      return;
    const auto write = [row](Layout& l) {
      l.schedule = row.schedule, l.chunks = row.chunks, l.inFlight = row.inFlight, l.group = 0;
    };
    Layout with = layout;
    write(with);
    if (runs && !runs(with))
      return;
    add({{"schedule", row.text()}}, write);
    out.back().searches = cost::scheduleInfo(row.schedule).byTime;
  }

  /// Numbers of chunks that scheduleSpace does not have: those that divide the layers of a rank.
  void moreChunks(ir::ScheduleCandidate row) {
    constexpr std::uint64_t most = 8;
    const std::uint64_t layers = plan.model.layers() / plan.mesh.size(Axis::Pipeline);
    for (row.chunks = most + 1; row.chunks <= layers; ++row.chunks)
      if (layers % row.chunks == 0)
        schedule(row);
  }

  void splits() {
    using enum ir::SplitKind;
    if (!pipelined() || isFound(layout.mesh.open.split) ||
        layout.embeddingSlots + layout.headSlots > 0)
      return;
    for (const ir::SplitKind kind : {Even, ByFlop, ByParameters, Balanced})
      if (kind != layout.split) {
        add({{"split", ir::name(kind)}},
            [kind](Layout& l) { l.split = kind, l.splitLayers.clear(); });
        out.back().searches = kind == Balanced;
      }
  }

  // ---- degrees ----

  void degrees() {
    if (plan.mesh.found)
      return;
    moves(denseAxes);
    if (layout.mesh.hasExperts)
      moves(expertAxes);
  }

  void moves(llvm::ArrayRef<Axis> axes) {
    for (const Axis from : axes)
      for (const Axis to : axes)
        if (from != to && (to != Axis::Replica || plan.mesh.size(to) > 1))
          for (const std::uint64_t factor : primeFactors(plan.mesh.size(from)))
            move(from, to, factor);
  }

  void move(Axis from, Axis to, std::uint64_t factor) {
    ir::MeshRequest mesh = layout.mesh;
    std::vector<AxisRequest>& axes = from < Axis::ExpertData ? mesh.axes : mesh.experts;
    const auto size = [&](Axis axis) {
      const std::uint64_t now = plan.mesh.size(axis);
      return axis == from ? now / factor : axis == to ? now * factor : now;
    };
    setDegree(axes, from, size(from)), setDegree(axes, to, size(to));
    if (from < Axis::ExpertData && mesh.hasExperts) {
      // The expert grid covers the devices of a stage.
      const std::uint64_t devices = size(Axis::Data) * size(Axis::Context) * size(Axis::Tensor),
                          grid = size(Axis::Expert) * size(Axis::ExpertTensor);
      if (devices % grid != 0)
        return;
      setDegree(mesh.experts, Axis::ExpertData, devices / grid);
    }
    std::vector<FieldSetting> settings;
    for (const auto* all : {&mesh.axes, &mesh.experts})
      for (const AxisRequest& axis : *all)
        if (!axis.rest && axis.size != plan.mesh.size(axis.axis))
          settings.push_back(settingOf(axis));
    const bool whole = layout.shard.sequence == ShardAxis::Tensor && size(Axis::Tensor) == 1;
    std::string text = ir::meshText(mesh);
    if (whole) {
      settings.push_back({"shard.sequence", ir::name(ShardAxis::None)});
      text += ", " + textOf(settings.back());
    }
    out.push_back({std::move(text), std::move(settings),
                   [mesh, whole](Layout& l) {
                     l.mesh = mesh;
                     if (whole)
                       l.shard.sequence = ShardAxis::None;
                   },
                   false});
  }

  /// An axis keeps its `within` when its degree changes.
  static FieldSetting settingOf(const AxisRequest& axis) {
    const char* block = axis.axis < Axis::ExpertData ? "mesh" : "mesh.experts";
    return {fmt::format("{}.{}", block, ir::fieldOf(axis.axis)), std::to_string(axis.size)};
  }

  // ---- communication ----

  void overlaps() {
    if (layout.launchBlocking)
      return; // no communication overlaps with a kernel then
    struct Field {
      const char* path;
      bool ir::Overlap::*field;
    };
    for (const auto [path, field] : {Field{"overlap.gradients", &ir::Overlap::gradients},
                                     {"overlap.parameters", &ir::Overlap::parameters},
                                     {"overlap.pipeline", &ir::Overlap::pipeline},
                                     {"overlap.tensor", &ir::Overlap::tensor},
                                     {"overlap.experts", &ir::Overlap::experts}})
      if (!(layout.overlap.*field))
        add({{path, "true"}}, [field = field](Layout& l) { l.overlap.*field = true; });
  }

  void dispatchers() {
    if (plan.mesh.size(Axis::Expert) == 1)
      return;
    for (std::size_t i = 0; i < ir::namesOf(ir::DispatchKind()).size(); ++i) {
      const auto kind = static_cast<ir::DispatchKind>(i);
      if (kind != layout.kernels.dispatch)
        add({{"kernels.token_dispatcher", ir::name(kind)}},
            [kind](Layout& l) { l.kernels.dispatch = kind, l.kernels.dispatchFp8 = false; });
    }
  }

  const ir::Plan& plan;
  const Layout& layout;
  const SupportsSchedule& runs;
  std::vector<LayoutChange> out;
};
} // namespace

std::vector<LayoutChange> dpl::planner::neighbourhood(const ir::Plan& plan,
                                                      const SupportsSchedule& runs) {
  return Builder(plan, runs).release();
}

void dpl::planner::setDegree(std::vector<AxisRequest>& axes, Axis axis, std::uint64_t size) {
  auto known = llvm::find_if(axes, [&](const AxisRequest& a) { return a.axis == axis; });
  if (known == axes.end()) {
    AxisRequest added;
    added.axis = axis;
    known = axes.insert(llvm::find_if(axes, [&](const AxisRequest& a) { return a.axis > axis; }),
                        added);
  }
  if (!known->rest)
    known->size = size, known->given = true;
}

ir::Plan dpl::planner::restated(const ir::Plan& plan) {
  ir::Plan out;
  out.name = plan.name, out.file = plan.file, out.hash = plan.hash;
  out.model = plan.model, out.cluster = plan.cluster, out.layout = plan.layout;
  out.framework = plan.framework, out.lint = plan.lint;
  out.layout.scheduleAutomatic = out.layout.mesh.automatic = false;
  return out;
}

ir::Plan dpl::planner::withChange(const ir::Plan& restated, const LayoutChange& change) {
  ir::Plan out = restated;
  change.write(out.layout);
  for (const FieldSetting& setting : change.settings)
    ir::markSetInFile(out, setting.path);
  return out;
}
