//===- SamplePlan.cpp - A small plan for tests of the plan and the passes ---------------------===//
#include "tests/unit/SamplePlan.h"
using namespace dpl;
using namespace dpl::test;

ir::Plan test::samplePlan() {
  ir::Plan plan;
  plan.name = "dense";
  plan.file = "dense.dpl";
  plan.model.name = "llm";
  plan.model.kind = "decoder";
  plan.model.hidden = 4096, plan.model.vocab = 32000, plan.model.context = 4096;
  ir::LayerType layer;
  layer.name = "layer";
  layer.attention.heads = 32, layer.attention.kvHeads = 8, layer.attention.headDim = 128;
  layer.feedForward.kind = ir::FeedForwardKind::Gated;
  layer.feedForward.width = 14336, layer.feedForward.gated = true;
  plan.model.layerTypes = {layer};
  plan.model.runs = {{0, 32}};

  ir::Cluster& cluster = plan.cluster;
  cluster.name = "pod";
  cluster.nodes = 2, cluster.gpusPerNode = 8;
  ir::NodeType nodes;
  nodes.nodes = 2;
  nodes.device.name = "h100";
  nodes.device.memory = 80ULL << 30;
  nodes.device.memoryBandwidth = 26'800'000'000'000;
  nodes.device.peak = {{ir::DataType::BF16, 989'400'000'000'000}};
  cluster.nodeTypes = {nodes};
  setNetwork(cluster, 1, {3'600'000'000'000, 2'000'000, 0.8}, {400'000'000'000, 5'000'000, 0.8});

  ir::Layout& layout = plan.layout;
  layout.name = "dense";
  layout.batch = 64;
  const auto axis = [](ir::Axis a, std::uint64_t size) {
    ir::AxisRequest request;
    request.axis = a, request.size = size;
    return request;
  };
  layout.mesh.axes = {axis(ir::Axis::Pipeline, 2), axis(ir::Axis::Data, 2),
                      axis(ir::Axis::Context, 2), axis(ir::Axis::Tensor, 2)};
  return plan;
}
