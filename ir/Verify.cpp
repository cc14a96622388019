//===- Verify.cpp - Rules that every compiler pass may rely on --------------------------------===//
#include "ir/Verify.h"
#include "ir/DimensionText.h"
#include "ir/Limits.h"
#include "ir/Names.h"
#include "ir/RowFunctions.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {

class Verifier {
public:
  Verifier(const Plan& plan, std::vector<std::string>& broken) : plan(plan), broken(broken) {}

  void run() {
    model();
    cluster();
    layout();
    training();
    assertions();
    framework();
    runs();
    launches();
    spaces();
    if (!broken.empty() || plan.mesh.axes.empty())
      return; // later parts depend on the earlier ones
    verifyMesh(plan, broken);
    chunks();
    collectives();
    memory();
    if (broken.empty())
      verifyStagePrograms(plan, broken);
    if (broken.empty() && !plan.schedule.empty())
      verifySchedule(plan, broken);
  }

private:
  template <class... Args> void rule(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    if (!holds)
      broken.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void model() {
    const Model& m = plan.model;
    rule(!m.runs.empty(), "the model has no layers");
    for (const LayerRun& run : m.runs) {
      rule(run.layerType < m.layerTypes.size(), "a layer run names class {}, the model has {}",
           run.layerType, m.layerTypes.size());
      rule(run.count > 0, "a layer run is empty");
      rule(run.count <= mostLayers, "a layer run has {} layers of at most {}", run.count,
           mostLayers);
    }
    rule(m.layers() <= mostLayers, "the model has {} layers of at most {}", m.layers(), mostLayers);
    rule(m.predictionLayers <= mostLayers, "{} prediction layers of at most {}", m.predictionLayers,
         mostLayers);
    if (!m.isLayerList()) {
      rule(m.hidden <= mostElements && m.vocab <= mostElements && m.context <= mostElements,
           "a dimension of the model has more than {} elements", mostElements);
      rule(m.hidden > 0, "the model's hidden size is 0");
      rule(m.vocab > 0, "the model's vocabulary is empty");
      rule(m.context > 0, "the model's context is 0");
    }
  }

  void cluster() {
    const Cluster& c = plan.cluster;
    rule(c.nodes > 0 && c.gpusPerNode > 0, "the cluster has no devices");
    rule(c.nodes <= mostDevices && c.gpusPerNode <= mostDevices && c.devices() <= mostDevices,
         "the cluster has {} nodes of {} devices, at most {} devices", c.nodes, c.gpusPerNode,
         mostDevices);
    rule(!c.nodeTypes.empty(), "the cluster has no class of nodes");
    std::uint64_t nodes = 0;
    for (const NodeType& part : c.nodeTypes) {
      nodes += part.nodes;
      device(part.device);
    }
    rule(nodes == c.nodes, "classes hold {} nodes, the cluster {}", nodes, c.nodes);
    if (!verifyNetwork(c, broken))
      return;
    rule(c.levels == linkLevels(c), "the link levels are not those of the network");
    std::uint64_t inner = 0;
    Level below = Level::Gpu;
    for (const LinkLevel& level : c.levels) {
      rule(level.level > below, "level {} stands outside level {}", name(level.level), name(below));
      below = level.level;
      rule(level.devices > inner,
           "level {} holds {} devices, no more than the {} of the level below", name(level.level),
           level.devices, inner);
      rule(level.bandwidth > 0, "level {} has no bandwidth", name(level.level));
      inner = level.devices;
    }
    rule(inner >= c.devices(), "the outermost level holds {} of {} devices", inner, c.devices());
  }

  void device(const Device& d) {
    for (const double share : {d.sustainedMatmul, d.sustainedLowPrecision, d.sustainedFp8Gradients,
                               d.sustainedAttention, d.sustainedMemory})
      rule(share > 0 && share <= 1, "device {} sustains {} of what it has", d.name, share);
    rule(d.contention >= 0 && d.contention < 1, "device {} loses {} of its rate", d.name,
         d.contention);
  }

  void layout() {
    const Layout& l = plan.layout;
    rule(l.batch <= mostSequences && l.microBatch <= mostSequences && l.devices <= mostDevices,
         "batch, micro-batch or devices is above {}", mostSequences);
    rule(l.chunks <= mostChunks, "a rank has {} chunks of at most {}", l.chunks, mostChunks);
    rule(l.recompute.layers <= mostLayers, "recompute groups {} layers of at most {}",
         l.recompute.layers, mostLayers);
    rule(l.gradientBucket == 0 || l.gradientBucket >= leastBucket,
         "a bucket of gradients holds {} bytes, at least {} are needed", l.gradientBucket,
         leastBucket);
    for (const Compression& c : l.compression)
      rule(c.density > 0 && c.density <= 1 && c.bits > 0 && c.bits <= 16 && c.block > 0 &&
               c.rank > 0 && c.rank <= mostElements && c.block <= mostElements,
           "gradients are compressed to {} of them, {} bits in blocks of {}, factors of {}",
           c.density, c.bits, c.block, c.rank);
    for (const std::uint64_t cost : l.microBatchCosts)
      rule(cost > 0 && cost <= mostMicroBatchCost, "a micro-batch costs {} times another", cost);
    for (const auto* axes : {&l.mesh.axes, &l.mesh.experts})
      for (const AxisRequest& axis : *axes)
        rule(axis.size <= mostDevices && (axis.size > 0 || axis.rest),
             "axis {} is asked for with {} ranks", name(axis.axis), axis.size);
    // `resolve-mesh` reports zeros in a file; after it there are none.
    if (plan.mesh.axes.empty())
      return;
    rule(l.vocabMultiple > 0, "the vocabulary multiple is 0");
    rule(l.recompute.layers > 0, "recompute groups 0 layers");
    rule(l.batch > 0 && l.microBatch > 0 && l.chunks > 0, "batch, micro-batch or chunks is 0");
  }

  /// What is trained. A layer list has no parts, matrices or tokens.
  void training() {
    const Layout& l = plan.layout;
    const bool matrices =
        l.optimizer == OptimizerKind::Muon || l.optimizer == OptimizerKind::Adafactor;
    rule(!plan.model.isLayerList() || (!matrices && l.fineTuning.empty() && l.documents.empty()),
         "a layer list has fine-tuning, documents or an optimizer of matrices");
    for (const Documents& documents : l.documents)
      rule(documents.length > 0 && documents.length <= plan.model.context,
           "a document has {} tokens, a sequence {}", documents.length, plan.model.context);
    for (const FineTuning& tuning : l.fineTuning)
      for (const Adapters& lora : tuning.adapters)
        rule(lora.rank > 0 && lora.rank <= mostElements && !lora.modules.empty(),
             "adapters of rank {} on {} modules", lora.rank, lora.modules.size());
  }

  void expression(const std::vector<AssertionNode>& nodes, const std::string& source) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const AssertionNode& node = nodes[i];
      std::size_t operands = 2;
      if (node.operation == Operation::Constant || node.operation == Operation::Result)
        operands = rowFunctionOf(node) ? node.operands.size() : 0;
      else if (node.operation == Operation::Not || node.operation == Operation::Negate)
        operands = 1;
      else if (node.operation == Operation::If ||
               (node.operation == Operation::In && node.text == ".."))
        operands = 3;
      const bool open = node.operation == Operation::In && node.text != "..";
      rule(open ? !node.operands.empty() : node.operands.size() == operands,
           "node {} of an assertion has {} operands", i, node.operands.size());
      for (const std::uint64_t operand : node.operands)
        rule(operand < i, "node {} of an assertion uses node {}, which follows it", i, operand);
      rule(node.begin <= node.end && node.end <= source.size() && node.anchor <= source.size(),
           "node {} of an assertion is outside its source", i);
      rule(readDimension(node.dimension).has_value(),
           "node {} of an assertion has a dimension `{}` that is none", i, node.dimension);
    }
  }

  void assertions() {
    for (const Assertion& a : plan.assertions)
      expression(a.nodes, a.source);
  }

  bool hasRun(const std::string& wanted) const {
    return std::any_of(plan.runs.begin(), plan.runs.end(),
                       [&](const Run& run) { return run.name == wanted; });
  }

  void runs() {
    for (const Run& run : plan.runs) {
      rule(!run.name.empty(), "a run has no name");
      rule(run.budget.value_or(0) >= 0, "run `{}` has a budget below 0", run.name);
      for (const RunPhase& phase : run.phases)
        rule(phase.batch > 0, "phase {} of run `{}` has no batch", phase.index, run.name);
    }
  }

  void spaces() {
    for (const Space& space : plan.spaces) {
      rule(!space.name.empty(), "a search or a study has no name");
      rule(space.run.empty() || (space.kind == SpaceKind::Study && hasRun(space.run)),
           "{} `{}` is of run `{}`, which the plan does not have", name(space.kind), space.name,
           space.run);
      rule(space.keep > 0, "search `{}` keeps nothing", space.name);
      rule(space.steps > 0 && space.until >= 0, "study `{}` has no step or no half width",
           space.name);
      rule(space.sampling.kind == SamplingKind::Random
               ? space.sampling.points > 0 && space.sampling.points <= space.candidates()
               : space.sampling.kind == SamplingKind::Grid ||
                     llvm::all_of(space.open,
                                  [&](const OpenField& field) {
                                    return field.size() == space.open.front().size();
                                  }),
           "study `{}` has other points than its fields give", space.name);
      for (const OpenField& field : space.open)
        rule(!field.path.empty() && field.first <= field.last && field.last < UINT64_MAX &&
                 field.range == field.values.empty(),
             "a field of `{}` has no path or no candidate", space.name);
      for (const Assertion& constraint : space.constraints)
        expression(constraint.nodes, constraint.source);
      for (const Objective& objective : space.objectives)
        expression(objective.nodes, objective.source);
      for (const DerivedOutput& derived : space.derived)
        rule(derived.dimension == "Bool" || readDimension(derived.dimension).has_value(),
             "`{}` of `{}` has a dimension `{}` that is none", derived.name, space.name,
             derived.dimension);
    }
  }

  void framework() {
    const Framework& f = plan.framework;
    rule(!f.name.empty() || (f.version.empty() && f.filled.empty()),
         "a framework without a name has a version or fills fields in");
    for (const FilledField& field : f.filled)
      rule(!field.path.empty() && !field.value.empty(), "framework {} fills in nothing", f.name);
  }

  void launches() {
    for (const Launch& l : plan.launches) {
      rule(!l.name.empty() && hasRun(l.run), "a launch has no name or no run");
      rule(l.mounts.count("") == 0 && l.environment.count("") == 0,
           "launch `{}` has a mount or a variable without a name", l.name);
    }
  }

  void chunks() {
    if (plan.chunks.empty())
      return;
    const Placement& at = plan.placement;
    const std::uint64_t pipeline = plan.mesh.size(Axis::Pipeline);
    rule(at.ranks == pipeline && at.chunks == plan.layout.chunks,
         "the placement has {} chunks on each of {} ranks, needed {} on {}", at.chunks, at.ranks,
         plan.layout.chunks, pipeline);
    rule(plan.chunks.size() == at.stageReplicas(), "{} chunks, needed {} stages × {}",
         plan.chunks.size(), pipeline, plan.layout.chunks);
    if (!broken.empty())
      return;
    const std::uint64_t stages = at.stages();
    std::uint64_t layer = 0, predictions = 0;
    for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
      const Chunk& c = plan.chunks[i];
      const Placement::ChunkLocation place = at.locationOf(i % stages, i / stages);
      rule(c.rank == place.rank && c.chunk == place.chunk,
           "chunk {} is chunk {} of rank {}, its place gives chunk {} of rank {}", i, c.chunk,
           c.rank, place.chunk, place.rank);
      if (i % stages == 0)
        layer = predictions = 0;
      rule(c.firstLayer == layer, "chunk {} begins at layer {}, the one before ends at {}", i,
           c.firstLayer, layer);
      layer += c.layers;
      predictions += c.predictionLayers;
      const bool list = plan.model.isLayerList(), last = i % stages + 1 == stages;
      rule(c.embedding == (i % stages == 0 && !list),
           "chunk {} has the embedding in the wrong place", i);
      rule(c.head == (last && !list), "chunk {} has the head in the wrong place", i);
      if (!last)
        continue;
      rule(layer == plan.model.layers(), "chunks hold {} layers, the model has {}", layer,
           plan.model.layers());
      rule(predictions == plan.model.predictionLayers,
           "chunks hold {} prediction layers, the model has {}", predictions,
           plan.model.predictionLayers);
    }
    if (plan.costs.empty())
      return;
    rule(plan.costs.size() == plan.chunks.size(), "{} costs for {} chunks", plan.costs.size(),
         plan.chunks.size());
    for (std::size_t i = 0; i < std::min(plan.costs.size(), plan.chunks.size()); ++i)
      rule(plan.costs[i].rank == plan.chunks[i].rank && plan.costs[i].chunk == plan.chunks[i].chunk,
           "cost {} belongs to another chunk", i);
    for (const ChunkCost& cost : plan.costs)
      rule(cost.use.empty() || cost.use.size() == 2,
           "a cost has {} uses of parameters, dense ones and experts are 2", cost.use.size());
  }

  void collectives() {
    for (std::size_t i = 0; i < plan.collectives.size(); ++i) {
      const Collective& c = plan.collectives[i];
      rule(plan.groups.has(c.group), "collective {} names group {} of {}", i, c.group.index(),
           plan.groups.size());
      rule(c.rank < plan.mesh.size(Axis::Pipeline) && c.chunk < plan.layout.chunks,
           "collective {} belongs to chunk {} of rank {}", i, c.chunk, c.rank);
      rule(c.bytesPerLevel.size() == plan.cluster.levels.size(),
           "collective {} counts {} levels of {}", i, c.bytesPerLevel.size(),
           plan.cluster.levels.size());
    }
  }

  void memory() {
    if (plan.memory.empty())
      return;
    const std::uint64_t stages = plan.mesh.size(Axis::Pipeline);
    rule(plan.memory.size() == stages, "memory of {} ranks, needed {}", plan.memory.size(), stages);
    for (std::size_t i = 0; i < plan.memory.size(); ++i)
      rule(plan.memory[i].rank == i, "memory {} belongs to rank {}", i, plan.memory[i].rank);
    for (const RankMemory& m : plan.memory)
      rule(m.nodeType < plan.cluster.nodeTypes.size(),
           "pipeline rank {} has the memory of class {} of {}", m.rank, m.nodeType,
           plan.cluster.nodeTypes.size());
  }

  const Plan& plan;
  std::vector<std::string>& broken;
};

} // namespace

std::vector<std::string> ir::verify(const Plan& plan) {
  std::vector<std::string> broken;
  Verifier(plan, broken).run();
  return broken;
}
