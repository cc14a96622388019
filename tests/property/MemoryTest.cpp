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
