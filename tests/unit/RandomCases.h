#pragma once
//===- RandomCases.h - Random models, clusters and layouts that leave the mesh open -----------===//
#include "SamplePlan.h"
#include "tests/unit/Jitters.h"
#include <random>

namespace dpl::test {

/// A case for each seed, the same on every machine: mt19937 is specified, distributions are not.
class RandomCases {
public:
  explicit RandomCases(unsigned seed) : random(seed) {}

  ir::Plan plan() {
    ir::Plan p = samplePlan();
    p.layout.mesh.axes.clear();
    p.layout.mesh.automatic = true;
    model(p.model);
    cluster(p.cluster);
    layout(p);
    return p;
  }

  std::uint64_t below(std::uint64_t n) { return random() % n; }

private:
  template <class T> T one(std::initializer_list<T> of) { return of.begin()[below(of.size())]; }
  std::uint64_t one(std::initializer_list<int> of) {
    return static_cast<std::uint64_t>(of.begin()[below(of.size())]);
  }
  bool chance(unsigned percent) { return below(100) < percent; }

  void model(ir::Model& m) {
    m.hidden = one({1024, 2048, 4096, 8192});
    m.context = one({2048, 4096, 8192, 32768});
    m.vocab = one({32000, 50257, 128256});
    m.tiedEmbeddings = chance(20);
    ir::LayerClass& dense = m.classes[0];
    ir::Attention& a = dense.attention;
    a.headDim = one({64, 128});
    a.heads = m.hidden / a.headDim;
    a.kvHeads = chance(60) ? 8 : a.heads;
    if (chance(20)) {
      a.kind = ir::AttentionKind::Latent;
      a.queryRank = one({0, 1536}), a.kvRank = 512, a.nope = 128, a.rope = 64, a.value = 128;
    } else if (chance(15)) {
      a.window = 1024;
    }
    dense.feedForward.width = one({3, 4}) * m.hidden;
    m.runs = {{0, one({12, 16, 24, 32, 60, 80})}};
    if (chance(60))
      return;
    ir::LayerClass routed = dense;
    ir::FeedForward& f = routed.feedForward;
    f.kind = ir::FeedForwardKind::Experts;
    f.width = m.hidden / one({1, 2, 4});
    f.experts = one({8, 16, 64}), f.active = one({1, 2, 6});
    f.shared = one({0, 0, 1}), f.sharedWidth = f.width;
    m.classes.push_back(routed);
    m.runs.push_back({1, one({4, 16, 28})});
  }

  void cluster(ir::Cluster& c) {
    c.nodes = c.classes[0].nodes = one({1, 2, 4, 8, 16});
    ir::Device& d = c.classes[0].device;
    d.memory = one({24, 40, 80, 141}) << 30;
    d.sustainedMatmul = 0.75, d.sustainedAttention = 0.5, d.sustainedMemory = 0.8;
    d.saturation = one({0, 128}), d.launch = one({0, 2'000'000});
    d.contention = chance(50) ? 0.1 : 0;
    linkIn(c, ir::LinkKind::Network).bandwidth =
        static_cast<std::uint64_t>(one({100, 400})) * 1'000'000'000;
    linkIn(c, ir::LinkKind::Spine).taper = chance(20) ? 2 : 1;
    c.levels = ir::linkLevels(c);
    c.jitter = dpl::test::jitter(dpl::ir::JitterKind::LogNormal, chance(20) ? 0.02 : 0);
  }

  void layout(ir::Plan& p) {
    ir::Layout& l = p.layout;
    l.batch = one({64, 256, 1024});
    l.schedule = one({ir::ScheduleKind::OneForwardOneBackward, ir::ScheduleKind::GPipe,
                      ir::ScheduleKind::Interleaved});
    l.chunks = l.schedule == ir::ScheduleKind::Interleaved ? 2 : 1;
    l.split = chance(50) ? ir::SplitKind::Even : ir::SplitKind::Balanced;
    ir::Recompute& again = l.recompute;
    if (chance(40)) {
      again.kind = ir::RecomputeKind::Full;
      again.method = one({ir::RecomputeMethod::Uniform, ir::RecomputeMethod::Block});
      again.layers = one({1, 2});
    } else if (chance(40)) {
      again.kind = ir::RecomputeKind::Selective, again.modules = {ir::Module::CoreAttention};
    }
    const std::uint64_t stage = below(4);
    l.shard.optimizer = stage > 0 ? ir::ShardAxis::Data : ir::ShardAxis::None;
    l.shard.gradients = stage > 1 ? ir::ShardAxis::Data : ir::ShardAxis::None;
    l.shard.parameters = stage > 2 ? ir::ShardAxis::Data : ir::ShardAxis::None;
    l.overlap.tensor = chance(30), l.overlap.experts = chance(30);
    l.overlap.gradients = chance(80), l.overlap.pipeline = chance(80);
    l.graphs = chance(20),
    l.kernels.norm = chance(80) ? ir::KernelKind::Fused : ir::KernelKind::Separate;
    if (chance(30))
      l.microBatch = one({1, 2}), l.microBatchGiven = true;
    if (chance(30)) {
      l.shard.sequenceGiven = true;
      l.shard.sequence = one({ir::ShardAxis::None, ir::ShardAxis::Tensor});
    }
  }

  std::mt19937 random;
};

} // namespace dpl::test
