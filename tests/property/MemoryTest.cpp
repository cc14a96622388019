//===- MemoryTest.cpp - Model states against an account of their own --------------------------===//
//
// Of random legal plans the states of every pipeline rank are counted from its weights one by one.
// Nothing of cost/ is called.
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include "tests/property/WeightAccount.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::ir;
using test::Count;
using test::Weights;

namespace {
/// Bytes of elements of so many bits, spread over ranks.
double bytes(double elements, double bits, double ways) { return elements * bits / 8 / ways; }
} // namespace

TEST(Memory, ModelStates_AreThoseOfAnAccountByTensor) {
  Count plans = 0, ranks = 0;
  for (Count seed = 1; seed <= test::plansToMake(); ++seed) {
    Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed())
      continue;
    ++plans;
    const test::WeightAccount account(plan);
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
      const auto held = [&](double bits, bool sharded) {
        return bytes(static_cast<double>(w.dense), bits, sharded ? all : 1) +
               bytes(static_cast<double>(w.experts), bits, sharded ? ofExperts : 1);
      };
      // The same account holds where all weights are trained with state of one size.
      if (plan.layout.optimizer == OptimizerKind::Muon ||
          plan.layout.optimizer == OptimizerKind::Adafactor || !plan.layout.fineTuning.empty())
        continue;
      const bool one = plan.layout.optimizer == OptimizerKind::Lion ||
                       (plan.layout.optimizer == OptimizerKind::Sgd &&
                        plan.layout.optimizerSettings.momentum > 0);
      const bool narrowMoments = plan.layout.optimizer == OptimizerKind::AdamW8Bit;
      const double moments = one ? 1 : plan.layout.optimizer == OptimizerKind::Sgd ? 0 : 2;
      const double ofMoment = narrowMoments ? 8.125 : static_cast<double>(bitsOf(p.moments));
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
      const bool blackwell = llvm::all_of(plan.cluster.nodeTypes, [](const NodeType& c) {
        return c.device.peak.count(DataType::MXFP8) == 1;
      });
      const Count orders = narrow && !(p.parameters == DataType::FP8 && blackwell) ? 2 : 1;
      EXPECT_NEAR(static_cast<double>(memory.parameters),
                  plan.layout.offloadSettings().parameters
                      ? 0
                      : static_cast<double>(versions * orders) *
                            held(bitsOf(p.parameters), shard.parameters == ShardAxis::Data),
                  slack)
          << at;
      EXPECT_NEAR(static_cast<double>(memory.gradients),
                  plan.layout.offloadSettings().gradients
                      ? 0
                      : held(bitsOf(p.gradients), shard.gradients == ShardAxis::Data) + bucket,
                  slack)
          << at;
      const double there = plan.layout.offloadSettings().optimizer; // in the memory of the host
      EXPECT_NEAR(static_cast<double>(memory.optimizer),
                  (1 - there) * held((p.hasMaster ? static_cast<double>(bitsOf(p.master)) : 0) +
                                         moments * ofMoment,
                                     shard.optimizer == ShardAxis::Data),
                  slack)
          << at;
      ++ranks;
    }
    if (testing::Test::HasFailure())
      break;
  }
  EXPECT_GE(plans, test::plansToMake() * 9 / 10);
  EXPECT_GE(ranks, plans);
}

TEST(Memory, FreezingTheEnds_TakesTheirGradientsAndStateAlone) {
  Count plans = 0;
  for (Count seed = 1; seed <= test::plansToMake(); ++seed) {
    Plan plan = test::randomPlan(seed);
    if (plan.model.isLayerList() || plan.model.predictionLayers > 0 ||
        !plan.layout.compression.empty())
      continue;
    plan.layout.fineTuning.clear();
    Plan frozen = plan;
    frozen.layout.fineTuning.emplace_back().frozen = {ModelPart::Embedding, ModelPart::Head};
    DiagnosticEngine unheard;
    (void)runPipeline(plan, unheard, {}), (void)runPipeline(frozen, unheard, {});
    if (plan.memory.empty() || plan.memory.size() != frozen.memory.size() ||
        (plan.layout.split != SplitKind::Even && plan.layout.split != SplitKind::Listed))
      continue;
    ++plans;
    for (std::size_t rank = 0; rank < plan.memory.size(); ++rank) {
      const RankMemory &all = plan.memory[rank], &some = frozen.memory[rank];
      const std::string at = fmt::format("plan {} rank {}", seed, rank);
      EXPECT_LE(some.gradients, all.gradients) << at;
      EXPECT_LE(some.optimizer, all.optimizer) << at;
      EXPECT_LE(some.activations, all.activations) << at;
      EXPECT_LE(some.parameters, all.parameters) << at << ", versions are of trained weights";
    }
  }
  EXPECT_GE(plans, test::plansToMake() / 4);
}

TEST(Memory, AdaptersOfAllChunks_AreThoseOfTheModel) {
  Count plans = 0;
  for (Count seed = 1; seed <= 4 * test::plansToMake(); ++seed) {
    Plan plan = test::randomPlan(seed);
    const FineTuning* tuning = plan.layout.fineTuningOrNull();
    DiagnosticEngine unheard;
    if (!tuning || tuning->adapters.empty())
      continue;
    (void)runPipeline(plan, unheard, {});
    if (plan.costs.empty() || plan.mesh.size(Axis::Tensor) > 1 || !plan.mesh.expertAxes.empty())
      continue;
    ++plans;
    const Adapters& lora = tuning->adapters.front();
    double needed = 0, found = 0;
    for (Count i = 0; i < plan.model.layers(); ++i)
      needed += static_cast<double>(lora.rank) * test::WeightAccount(plan).adaptedSides(i, lora);
    for (const ChunkCost& cost : plan.costs)
      found += static_cast<double>(cost.use[0].adapters + cost.use[1].adapters);
    EXPECT_EQ(found / static_cast<double>(plan.placement.directions()), needed) << "plan " << seed;
  }
  EXPECT_GE(plans, 5U);
}
