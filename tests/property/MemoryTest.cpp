//===- MemoryTest.cpp - Model states against an account of their own --------------------------===//
//
// Of random legal plans, every weight of every pipeline rank is written down as a matrix and where
// it lies, from the definitions of the layers, and its states are counted in whole numbers. Nothing
// of cost/ is called.
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
using Count = std::uint64_t;

/// Elements of one device, apart by the ranks over which ZeRO spreads their states.
struct Weights {
  Count dense = 0, experts = 0;
};

class Account {
public:
  explicit Account(const Plan& plan)
      : plan(plan), m(plan.model), t(plan.mesh.size(Axis::Tensor)), e(plan.mesh.size(Axis::Expert)),
        et(plan.mesh.size(Axis::ExpertTensor)), vocab((m.vocab + unit() - 1) / unit() * unit()) {}

  Weights of(Count rank) const {
    Weights w;
    bool hasTable = false, needsTable = false;
    for (const Chunk& chunk : plan.chunks) {
      if (chunk.rank != rank)
        continue;
      for (Count layer = 0; layer < chunk.layers; ++layer)
        add(w, m.layer(chunk.firstLayer + layer));
      if (m.isLayerList())
        continue;
      if (chunk.embedding) {
        hasTable = true;
        w.dense += vocab / t * m.hidden;
        w.dense += m.positions == PositionKind::Learned ? m.context * m.hidden : 0;
        w.dense += m.tokenTypes * m.hidden + (m.embeddingNorm ? norm(m.hidden) : 0);
      }
      if (chunk.head) {
        needsTable = m.tiedEmbeddings;
        w.dense += m.tiedEmbeddings ? 0 : vocab / t * m.hidden;
        w.dense += m.kind == "encoder" ? 0 : norm(m.hidden);
        if (m.headTransform)
          w.dense += m.hidden * m.hidden + norm(m.hidden) + (m.bias ? m.hidden + vocab / t : 0);
      }
      for (Count i = 0; i < chunk.predictionLayers; ++i) {
        add(w, m.layer(m.layers() - 1));
        w.dense += 2 * m.hidden * (m.hidden / t) + 3 * norm(m.hidden);
      }
    }
    w.dense += needsTable && !hasTable ? vocab / t * m.hidden : 0;
    return w;
  }

private:
  Count unit() const { return plan.layout.vocabMultiple * plan.mesh.size(Axis::Tensor); }
  Count norm(Count width) const { return m.norm == NormKind::Layer ? 2 * width : width; }

  void add(Weights& w, const LayerClass& c) const {
    if (m.isLayerList()) {
      w.dense += c.listedParameters;
      return;
    }
    const Count h = m.hidden, norms = (m.postNorms ? 2 : 1) * norm(h);
    const Attention& a = c.attention;
    if (a.kind != AttentionKind::None)
      w.dense += norms;
    if (a.kind == AttentionKind::Grouped) {
      const Count query = a.heads / t * a.headDim;
      const Count keyValue = 2 * (a.kvHeads > t ? a.kvHeads / t : 1) * a.headDim;
      w.dense += h * (query + keyValue) + query * h + (m.qkvBias ? query + keyValue : 0);
      w.dense += (m.bias ? h : 0) + (a.sinks ? a.heads / t : 0);
      if (m.qkNorm == QkNorm::Head)
        w.dense += 2 * norm(a.headDim);
      else if (m.qkNorm == QkNorm::EachHead || m.qkNorm == QkNorm::Projection)
        w.dense += norm(query) + norm(keyValue / 2);
    } else if (a.kind == AttentionKind::Latent) {
      const Count heads = a.heads / t;
      w.dense += a.queryRank * h + a.queryRank + h * (a.kvRank + a.rope) + a.kvRank;
      w.dense += (a.queryRank > 0 ? a.queryRank : h) * heads * (a.nope + a.rope);
      w.dense += a.kvRank * heads * (a.nope + a.value) + heads * a.value * h;
    }
    const FeedForward& f = c.feedForward;
    if (f.kind != FeedForwardKind::None)
      w.dense += m.parallelNorms == 1 && a.kind != AttentionKind::None ? norms - norm(h) : norms;
    if (f.kind == FeedForwardKind::Experts) {
      w.dense += h * f.experts + f.shared * block(f.sharedWidth / t, f.gated);
      w.experts += f.experts / e * block(f.width / et, f.gated);
    } else if (f.kind != FeedForwardKind::None) {
      w.dense += block(f.width / t, f.kind == FeedForwardKind::Gated);
    }
  }
  /// Of a part of a feed-forward block that has so much of its width.
  Count block(Count width, bool gated) const {
    const Count up = gated ? 2 : 1;
    return (up + 1) * m.hidden * width + (m.bias ? up * width + m.hidden : 0);
  }

  const Plan& plan;
  const Model& m;
  Count t, e, et, vocab;
};

/// Bytes of elements of so many bits, spread over ranks.
double bytes(double elements, unsigned bits, double ways) { return elements * bits / 8 / ways; }
} // namespace

TEST(Memory, ModelStates_AreThoseOfAnAccountByTensor) {
  Count plans = 0, ranks = 0;
  for (Count seed = 1; seed <= test::plansToMake(); ++seed) {
    Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed())
      continue;
    ++plans;
    const Account account(plan);
    const Precision& p = plan.layout.precision;
    const Shard& shard = plan.layout.shard;
    const Count copies = plan.placement.directions();
    const double all =
        static_cast<double>(copies * plan.mesh.size(Axis::Data) * plan.mesh.size(Axis::Context));
    const double ofExperts = plan.mesh.expertAxes.empty()
                                 ? all
                                 : static_cast<double>(copies * plan.mesh.size(Axis::ExpertData));
    const bool buckets = plan.layout.buffers.hasBuckets && shard.optimizer == ShardAxis::None;
    for (const RankMemory& memory : plan.memory) {
      const Weights w = account.of(memory.rank);
      const auto held = [&](unsigned bits, bool sharded) {
        return bytes(static_cast<double>(w.dense), bits, sharded ? all : 1) +
               bytes(static_cast<double>(w.experts), bits, sharded ? ofExperts : 1);
      };
      const unsigned moments = plan.layout.optimizer == OptimizerKind::Sgd ? 1 : 2;
      const double bucket = buckets ? bytes(all > 1 ? static_cast<double>(w.dense) : 0,
                                            bitsOf(plan.layout.buffers.buckets), 1) +
                                          bytes(ofExperts > 1 ? static_cast<double>(w.experts) : 0,
                                                bitsOf(plan.layout.buffers.buckets), 1)
                                    : 0;
      // Each part of each chunk is rounded.
      const double slack = static_cast<double>(4 * plan.placement.chunks);
      const std::string at = fmt::format("plan {} rank {}", seed, memory.rank);
      // arXiv 1806.03377: one version for each micro-batch that is live; several of a step share
      // it.
      const Count live = plan.mesh.size(Axis::Pipeline) - memory.rank - 1,
                  m = plan.mesh.microBatches;
      const Count versions = plan.layout.schedule == ScheduleKind::PipeDream
                                 ? 1 + live / m + (live % m > 0 ? 1 : 0)
                                 : 1;
      // Weights in 8 and 4 bits are there as they are and transposed, but for fp8 on Blackwell.
      const bool narrow = bitsOf(p.parameters) <= 8 && shard.parameters == ShardAxis::None;
      const bool blackwell = llvm::all_of(plan.cluster.classes, [](const NodeClass& c) {
        return c.device.peak.count(DataType::MXFP8) == 1;
      });
      const Count orders = narrow && !(p.parameters == DataType::FP8 && blackwell) ? 2 : 1;
      EXPECT_NEAR(static_cast<double>(memory.parameters),
                  plan.layout.away().parameters
                      ? 0
                      : static_cast<double>(versions * orders) *
                            held(bitsOf(p.parameters), shard.parameters == ShardAxis::Data),
                  slack)
          << at;
      EXPECT_NEAR(static_cast<double>(memory.gradients),
                  plan.layout.away().gradients
                      ? 0
                      : held(bitsOf(p.gradients), shard.gradients == ShardAxis::Data) + bucket,
                  slack)
          << at;
      const double there = plan.layout.away().optimizer; // in the memory of the host
      EXPECT_NEAR(static_cast<double>(memory.optimizer),
                  (1 - there) *
                      held((p.hasMaster ? bitsOf(p.master) : 0) + moments * bitsOf(p.moments),
                           shard.optimizer == ShardAxis::Data),
                  slack)
          << at;
      ++ranks;
    }
    if (testing::Test::HasFailure())
      break;
  }
  EXPECT_GE(plans, test::plansToMake() * 9 / 10);
  EXPECT_GE(ranks, 2 * plans);
}
