//===- RandomModel.cpp - The model of a random plan -------------------------------------------===//
#include "tests/property/PlanMaker.h"
#include <numeric>

using namespace dpl;
using namespace dpl::test;
using namespace dpl::ir;

Attention PlanMaker::attention() {
  Attention a;
  a.heads = tensor * random.size({1, 2, 4});
  a.causal = !random.oneIn(6);
  if (random.oneIn(4)) {
    a.kind = AttentionKind::Latent;
    a.queryRank = random.size({0, 256}), a.kvRank = 128;
    a.nope = 64, a.rope = 32, a.value = 64;
    return a;
  }
  a.headDim = random.size({64, 128});
  // A divisor or a multiple of the tensor degree that divides the heads.
  a.kvHeads = random.oneIn(3) ? std::gcd(a.heads, random.size({1, 2, 4})) : a.heads;
  if (a.kvHeads % tensor != 0 && tensor % a.kvHeads != 0)
    a.kvHeads = 1;
  a.window = random.oneIn(6) ? plan.model.context / 2 : 0;
  a.sinks = facts.oneIn(8), a.softcap = facts.oneIn(8) ? 50 : 0;
  a.base = facts.oneIn(8) ? 10'000 : 0, a.scale = facts.oneIn(8) ? 0.0625 : 0;
  return a;
}

LayerType PlanMaker::dense(const char* name) {
  LayerType c;
  c.name = name;
  c.attention = attention();
  c.feedForward.width = tensor * 64 * random.size({4, 16, 56});
  c.feedForward.gated = random.oneIn(2);
  c.feedForward.kind = c.feedForward.gated ? FeedForwardKind::Gated : FeedForwardKind::Plain;
  c.feedForward.activation =
      facts.pick({Activation::Silu, Activation::Gelu, Activation::SquaredRelu});
  if (random.oneIn(10))
    c.attention.kind = AttentionKind::None;
  return c;
}

LayerType PlanMaker::routed() {
  LayerType c = dense("routed");
  FeedForward& f = c.feedForward;
  f.kind = FeedForwardKind::Experts;
  f.experts = expert * random.size({1, 2, 4});
  f.active = 1 + random.below(std::min<std::uint64_t>(f.experts, 4));
  f.shared = random.below(2), f.sharedWidth = f.shared * tensor * 128;
  f.imbalance = facts.oneIn(4) ? 1.5 : 1;
  f.router.score = facts.pick({RouterScore::Softmax, RouterScore::Sigmoid});
  f.router.balance = facts.pick({Balance::Unset, Balance::Auxiliary, Balance::Sequence});
  f.router.coefficient = 0.001, f.router.biasRate = facts.oneIn(2) ? 0.001 : 0;
  return c;
}

Recurrence PlanMaker::recurrence() {
  Recurrence r;
  r.kind = blocks.pick({RecurrenceKind::GatedDelta, RecurrenceKind::Lightning,
                        RecurrenceKind::Mamba2, RecurrenceKind::ShortConvolution});
  r.keyHeads = tensor * context * blocks.size({1, 2});
  r.heads = r.keyHeads * blocks.size({1, 2}), r.key = 64, r.value = blocks.size({64, 128});
  r.taps = 4, r.chunk = 64;
  switch (r.kind) {
  case RecurrenceKind::GatedDelta:
    r.channelDecay = blocks.oneIn(2), r.rank = blocks.size({0, 64});
    break;
  case RecurrenceKind::Lightning:
    r.keyHeads = r.heads, r.value = r.key, r.taps = 0;
    break;
  case RecurrenceKind::Mamba2:
    r.chunk = blocks.size({128, 256}), r.norm = !blocks.oneIn(4);
    break;
  case RecurrenceKind::ShortConvolution:
    r.heads = r.keyHeads = plan.model.hidden, r.key = r.value = r.chunk = 1, r.norm = false;
    break;
  }
  return r;
}

void PlanMaker::mix(LayerType& c) {
  if (!blocks.oneIn(3))
    return;
  if (c.attention.kind == AttentionKind::Latent && blocks.oneIn(2))
    c.indexer = {{blocks.size({2, 8}), 64, blocks.size({16, 256})}};
  if (c.hasAttention() && blocks.oneIn(3))
    c.attention.gate = blocks.pick({AttentionGate::Element, AttentionGate::Head});
  if (c.attention.kind == AttentionKind::Grouped && blocks.oneIn(4))
    c.attention.value = 2 * c.attention.headDim;
  if (c.feedForward.shared > 0 && blocks.oneIn(2))
    c.feedForward.sharedGate = true;
  if (blocks.oneIn(2))
    c.recurrence = {recurrence()};
  if (!c.recurrence.empty() && !blocks.oneIn(3))
    c.attention.kind = AttentionKind::None, c.indexer.clear();
  const bool dense = c.feedForward.kind != FeedForwardKind::Experts;
  if (c.mixes() && dense && blocks.oneIn(4))
    c.feedForward.kind = FeedForwardKind::None;
}

void PlanMaker::transformer() {
  Model& m = plan.model;
  m.name = "model";
  m.kind = random.oneIn(6) ? "encoder" : "decoder";
  m.hidden = 128 * random.size({4, 8, 16, 40}), m.vocab = random.size({1000, 32000, 50257});
  m.context = 2 * context * tensor * random.size({32, 128, 256});
  m.norm = random.oneIn(2) ? NormKind::Rms : NormKind::Layer;
  m.positions = random.pick({PositionKind::Rotary, PositionKind::Learned, PositionKind::None});
  m.tiedEmbeddings = random.oneIn(3), m.bias = random.oneIn(3), m.qkvBias = m.bias;
  if (random.oneIn(4))
    m.qkNorm = facts.pick({QkNorm::Head, QkNorm::EachHead, QkNorm::Projection, QkNorm::L2});
  m.postNorms = facts.oneIn(8);
  m.normEpsilon = facts.oneIn(2) ? 1e-5 : 1e-6, m.normCentered = facts.oneIn(8);
  m.rotary.base = facts.oneIn(2) ? 10'000 : 500'000;
  m.rotary.scaling.kind = facts.pick({RotaryScalingKind::None, RotaryScalingKind::Yarn});
  m.tokenTypes = m.kind == "encoder" ? 2 : 0, m.headTransform = m.kind == "encoder";
  const std::uint64_t layers = pipeline * chunks * (1 + random.below(4));
  m.layerTypes = {dense("dense")};
  m.runs = {{0, layers}};
  if (random.oneIn(3)) {
    const std::uint64_t stage = data * context * tensor;
    expert = std::gcd(stage, random.size({1, 2, 4, 8}));
    expertTensor = std::gcd(stage / expert, random.size({1, 1, tensor > 1 ? 2 : 1}));
    m.layerTypes.push_back(routed());
    m.layerTypes[1].feedForward.width *= expertTensor;
    const std::uint64_t first = random.below(layers);
    m.runs = {{0, first}, {1, layers - first}};
    if (first == 0)
      m.runs.erase(m.runs.begin());
  } else if (layers > 1 && random.oneIn(4)) {
    m.layerTypes.push_back(dense("other"));
    m.runs = {{0, layers / 2}, {1, layers - layers / 2}};
  }
  for (LayerType& c : m.layerTypes)
    mix(c);
  if (m.kind == "decoder" && random.oneIn(8))
    m.predictionLayers = 1;
  if (facts.oneIn(6))
    m.parallelNorms = 1 + facts.below(2);
  m.hiddenDropout = facts.oneIn(6) ? 0.1 : 0, m.attentionDropout = facts.oneIn(6) ? 0.1 : 0;
}

void PlanMaker::layerList() {
  Model& m = plan.model;
  m.name = "model", m.kind = "layer_list";
  const std::uint64_t layers = pipeline * chunks * (1 + random.below(3));
  for (std::uint64_t i = 0; i < layers; ++i) {
    LayerType c;
    c.name = "layer" + std::to_string(i);
    c.attention.kind = AttentionKind::None, c.feedForward.kind = FeedForwardKind::None;
    c.listedParameters = random.below(5'000'000), c.listedForwardFlop = random.below(500'000'000);
    c.listedOutput = 1 + random.below(800'000), c.listedRead = random.below(800'000);
    if (facts.oneIn(3))
      c.stated = {.statesTimes = true,
                  .forward = facts.below(1'000'000'000),
                  .backward = facts.below(2'000'000'000),
                  .weight = facts.below(1'000'000'000),
                  .statesSaved = facts.oneIn(2),
                  .statesMessage = facts.oneIn(2),
                  .saved = facts.below(10'000'000),
                  .message = facts.below(10'000'000),
                  .tensor = {},
                  .jitter = {}};
    m.layerTypes.push_back(c);
    m.runs.push_back({i, 1});
  }
}
