//===- TorchtitanPlans.cpp - Plans of torchtitan's flavors, and what its target makes of them -===//
#include "TorchtitanPlans.h"

using namespace dpl;
using namespace dpl::test;

namespace {
TargetRequest requestFor(const ir::Plan& plan, const char* release) {
  return {*targetNamed("torchtitan"), plan, Release(release), {}};
}

/// The layers of a flavor with windows: every other one has it, all have what goes with it.
void addWindows(ir::Model& m, const torchtitan::Flavor& flavor) {
  m.bias = m.qkvBias = true;
  ir::LayerType& layer = m.layerTypes[0];
  layer.attention.sinks = true;
  layer.feedForward.activation = ir::Activation::QuickGelu;
  layer.feedForward.offset = 1, layer.feedForward.clamp = 7;
  m.layerTypes.push_back(layer);
  m.layerTypes[0].attention.window = flavor.window;
  m.runs.clear();
  for (std::uint64_t i = 0; i < flavor.layers; ++i)
    m.runs.push_back({i % 2, 1});
}
} // namespace

ir::Plan dpl::test::flavored(PlanSketch sketch, const char* name, const char* size) {
  const torchtitan::Flavor* flavor = nullptr;
  for (const torchtitan::Flavor& f : torchtitan::allFlavors())
    if (std::string(f.model) == name && std::string(f.flavor) == size)
      flavor = &f;
  sketch.layerCount = flavor->layers;
  ir::Plan plan = planOf(sketch);
  ir::Model& m = plan.model;
  m.hidden = flavor->hidden, m.vocab = flavor->vocab, m.context = 8192;
  m.tiedEmbeddings = flavor->tied;
  m.qkNorm = flavor->qkNorm ? ir::QkNorm::Head : ir::QkNorm::None;
  ir::LayerType& layer = m.layerTypes[0];
  layer.attention.heads = flavor->heads, layer.attention.kvHeads = flavor->kvHeads;
  layer.attention.headDim = flavor->headDim;
  layer.feedForward.width = flavor->experts > 0 ? flavor->expertWidth : flavor->width;
  if (flavor->experts > 0) {
    layer.feedForward.experts = flavor->experts, layer.feedForward.active = flavor->active;
    layer.feedForward.kind = ir::FeedForwardKind::Experts;
  }
  if (flavor->window > 0)
    addWindows(m, *flavor);
  ir::Shard& shard = plan.layout.shard;
  shard.parameters = shard.gradients = shard.optimizer = ir::ShardAxis::Data;
  plan.layout.recompute.kind = ir::RecomputeKind::Full;
  return plan;
}

std::string dpl::test::emitted(const ir::Plan& plan, const char* release, const std::string& file) {
  DiagnosticEngine diags;
  const FailureOr<std::vector<EmittedFile>> files = emit(requestFor(plan, release), diags);
  if (!files.failed())
    for (const EmittedFile& f : *files)
      if (f.path == file)
        return f.content;
  return "";
}

std::string dpl::test::refusal(const ir::Plan& plan, const char* release) {
  DiagnosticEngine diags;
  std::string out;
  if (check(requestFor(plan, release), diags).failed())
    for (const Diagnostic& d : diags.diagnostics()) {
      const std::string note = d.notes.at(0).message; // rule `torchtitan.T16` (…
      const std::size_t dot = note.find('.');
      out += (out.empty() ? "" : " ") + note.substr(dot + 1, note.find('`', dot) - dot - 1);
    }
  return out;
}
