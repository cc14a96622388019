//===- MegatronPlans.cpp - Small finished plans for the tests of the Megatron target ----------===//
#include "MegatronPlans.h"
#include "backends/Target.h"

using namespace dpl;
using namespace dpl::test;

namespace {

using Sizes = std::vector<std::pair<ir::Axis, std::uint64_t>>;

/// Axes outermost first, with the strides that this order gives them.
std::vector<ir::MeshAxis> axesOf(const Sizes& sizes) {
  std::vector<ir::MeshAxis> axes;
  std::uint64_t stride = 1;
  for (auto it = sizes.rbegin(); it != sizes.rend(); ++it) {
    axes.insert(axes.begin(), {it->first, it->second, stride, ir::Level::Node});
    stride *= it->second;
  }
  return axes;
}

ir::Model modelOf(const PlanSketch& s) {
  ir::Model m;
  m.name = "small";
  m.kind = "decoder";
  m.hidden = 1024, m.vocab = 32000, m.context = 2048;
  ir::LayerType layer;
  layer.name = "layer";
  layer.attention.heads = 16, layer.attention.kvHeads = 4, layer.attention.headDim = 64;
  layer.feedForward.kind = ir::FeedForwardKind::Gated;
  layer.feedForward.gated = true;
  layer.feedForward.activation = ir::Activation::Silu;
  layer.feedForward.width = 2816;
  if (s.experts > 0) {
    layer.feedForward.kind = ir::FeedForwardKind::Experts;
    layer.feedForward.experts = s.experts;
    layer.feedForward.active = 2;
    layer.feedForward.router.balance = ir::Balance::Auxiliary;
    layer.feedForward.router.coefficient = 0.01;
  }
  m.layerTypes = {layer};
  m.runs = {{0, s.layerCount}};
  return m;
}

ir::Mesh meshOf(const PlanSketch& s) {
  using enum ir::Axis;
  ir::Mesh mesh;
  mesh.devices = s.replica * s.pipeline * s.data * s.context * s.tensor;
  mesh.microBatches = s.batch / (s.microBatch * s.replica * s.data);
  const std::uint64_t expertData = s.data * s.context * s.tensor / (s.expert * s.expertTensor);
  Sizes dense{{Pipeline, s.pipeline}, {Replica, s.replica}, {Data, s.data}};
  Sizes experts{{Pipeline, s.pipeline}, {Replica, s.replica}, {ExpertData, expertData}};
  if (s.dataOutside) {
    dense = {{Replica, s.replica}, {Data, s.data}, {Pipeline, s.pipeline}};
    experts = {{Replica, s.replica}, {ExpertData, expertData}, {Pipeline, s.pipeline}};
  }
  dense.insert(dense.end(), {{Context, s.context}, {Tensor, s.tensor}});
  experts.insert(experts.end(), {{Expert, s.expert}, {ExpertTensor, s.expertTensor}});
  mesh.axes = axesOf(dense);
  if (s.experts > 0)
    mesh.expertAxes = axesOf(experts);
  return mesh;
}

} // namespace

ir::Plan dpl::test::planOf(const PlanSketch& s) {
  ir::Plan plan;
  plan.name = "sketch";
  plan.file = "sketch.dpl";
  plan.hash = "0123456789abcdef";
  plan.model = modelOf(s);
  plan.mesh = meshOf(s);
  plan.cluster.nodes = s.nodes;
  plan.cluster.gpusPerNode = plan.mesh.devices / s.nodes;
  plan.cluster.nodeTypes.resize(1);
  plan.cluster.nodeTypes.front().nodes = s.nodes;
  plan.layout.name = plan.name;
  plan.layout.batch = s.batch;
  plan.layout.microBatch = s.microBatch;
  plan.layout.chunks = s.chunks;
  if (s.chunks > 1)
    plan.layout.schedule = ir::ScheduleKind::Interleaved;
  plan.layout.overlap.pipeline = s.chunks > 1;
  plan.layout.shard.optimizer = ir::ShardAxis::Data;
  if (s.tensor > 1)
    plan.layout.shard.sequence = ir::ShardAxis::Tensor;
  const std::uint64_t pieces = s.pipeline * s.chunks;
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < pieces; ++i) {
    ir::Chunk c;
    c.rank = i % s.pipeline, c.chunk = i / s.pipeline;
    c.firstLayer = first;
    c.layers = s.layers.empty() ? s.layerCount / pieces : s.layers[i];
    c.embedding = i == 0, c.head = i + 1 == pieces;
    first += c.layers;
    plan.chunks.push_back(c);
  }
  return plan;
}

std::set<std::string> test::refusals(const ir::Plan& plan, const char* release) {
  DiagnosticEngine diags;
  (void)check({*targetNamed("megatron"), plan, release, {}}, diags);
  std::set<std::string> codes;
  for (const Diagnostic& d : diags.diagnostics()) {
    const std::string& rule = d.notes.at(0).message; // rule `megatron.M17` (...)
    codes.insert(rule.substr(15, rule.find('`', 15) - 15));
  }
  return codes;
}
