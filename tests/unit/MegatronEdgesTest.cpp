//===- MegatronEdgesTest.cpp - What the rules of Megatron take at their edges -----------------===//
#include "MegatronPlans.h"
#include "backends/Target.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::test;

namespace {
ir::Attention& attention(ir::Plan& p) { return p.model.layerTypes[0].attention; }

/// The sizes that M40 names in a plan with fp8 compute.
std::vector<std::string> narrowSizes(ir::Plan plan) {
  plan.layout.precision.compute = ir::DataType::FP8;
  DiagnosticEngine diags;
  (void)check({*targetNamed("megatron"), plan, "0.19", {}}, diags);
  std::vector<std::string> out;
  for (const Diagnostic& d : diags.diagnostics())
    out.push_back(d.message);
  return out;
}
std::string refusedSize(const char* what) {
  return std::string("Megatron-LM refuses this plan: ") + what;
}

TEST(MegatronNarrowShapes, ShardsOfAttention_AreMultiplesToo) {
  // 16 heads of 20 over tensor 4: attention gives 80 = 5 × 16 columns; of 18, 72. One key-value
  // head a rank.
  const auto headsOf = [](std::uint64_t size) {
    return changed({.tensor = 4}, [size](ir::Plan& p) {
      for (ir::LayerType& layer : p.model.layerTypes)
        layer.attention.headDim = size;
    });
  };
  EXPECT_EQ(narrowSizes(headsOf(20)), std::vector<std::string>{});
  EXPECT_EQ(narrowSizes(headsOf(18)),
            (std::vector<std::string>{
                refusedSize("the width of attention on one tensor rank is 72, fp8 GEMMs "
                            "need a multiple of 16"),
                refusedSize("the width of queries, keys and values on one tensor rank is 108, "
                            "fp8 GEMMs need a multiple of 8")}));
}
TEST(MegatronNarrowShapes, AHeadOfKeysForSeveralTensorRanks_IsCut) {
  // SelfAttention cuts all columns of queries, keys and values: (16 + 2 × 1) × 56 over 8 ranks,
  // 126.
  const ir::Plan plan = changed({.tensor = 8}, [](ir::Plan& p) {
    for (ir::LayerType& layer : p.model.layerTypes)
      layer.attention.kvHeads = 1, layer.attention.headDim = 56;
  });
  EXPECT_EQ(narrowSizes(plan),
            std::vector<std::string>{
                refusedSize("the width of queries, keys and values on one tensor rank is 126, "
                            "fp8 GEMMs need a multiple of 8")});
}
TEST(MegatronNarrowShapes, LatentAttention_HasFiveMore) {
  const auto latentOf = [](std::uint64_t kvRank, std::uint64_t rope) {
    return changed({}, [=](ir::Plan& p) {
      ir::Attention& a = attention(p);
      a.kind = ir::AttentionKind::Latent;
      a.queryRank = 512, a.kvRank = kvRank, a.nope = 64, a.rope = rope, a.value = 64;
    });
  };
  EXPECT_EQ(narrowSizes(latentOf(256, 32)), std::vector<std::string>{});
  EXPECT_EQ(narrowSizes(latentOf(100, 30)),
            (std::vector<std::string>{
                refusedSize("`kv_lora_rank` is 100, fp8 GEMMs need a multiple of 16"),
                refusedSize("the width of compressed keys and values with their positions is 130, "
                            "fp8 GEMMs need a multiple of 8")}));
}
TEST(MegatronContext, Fp32_HasNoKernelForIt) {
  const auto inFp32 = [](std::uint64_t context) {
    return changed({.context = context}, [](ir::Plan& p) {
      ir::Precision& precision = p.layout.precision;
      precision.compute = precision.parameters = precision.head = ir::DataType::FP32;
      precision.hasMaster = false;
    });
  };
  EXPECT_EQ(refusals(inFp32(1), "0.19"), std::set<std::string>{});
  EXPECT_EQ(refusals(inFp32(2), "0.19"), std::set<std::string>{"M54"});
}
TEST(MegatronContext, Sinks_HaveNoKernelForIt) {
  const auto sinksOver = [](std::uint64_t context) {
    return changed({.context = context}, [](ir::Plan& p) { attention(p).sinks = true; });
  };
  EXPECT_EQ(refusals(sinksOver(1), "0.19"), std::set<std::string>{});
  EXPECT_EQ(refusals(sinksOver(2), "0.19"), std::set<std::string>{"M54"});
}
TEST(MegatronContext, LatentHeads_CountKeysAndValues) {
  const auto latentOf = [](std::uint64_t nope, std::uint64_t value) {
    return changed({.context = 2}, [=](ir::Plan& p) {
      ir::Attention& a = attention(p);
      a.kind = ir::AttentionKind::Latent;
      a.kvRank = 256, a.nope = nope, a.rope = 32, a.value = value;
    });
  };
  EXPECT_EQ(refusals(latentOf(64, 64), "0.19"), std::set<std::string>{});
  EXPECT_EQ(refusals(latentOf(60, 64), "0.19"), std::set<std::string>{"M55"});
  EXPECT_EQ(refusals(latentOf(64, 60), "0.19"), std::set<std::string>{"M55"});
}
TEST(MegatronRotary, OddPositionsOfLatentHeads_AreRefused) {
  EXPECT_EQ(refusals(changed({},
                             [](ir::Plan& p) {
                               ir::Attention& a = attention(p);
                               a.kind = ir::AttentionKind::Latent;
                               a.kvRank = 256, a.nope = 64, a.rope = 33, a.value = 64;
                             }),
                     "0.15"),
            std::set<std::string>{"M53"});
  EXPECT_EQ(refusals(changed({},
                             [](ir::Plan& p) {
                               attention(p).headDim = 65;
                               p.model.positions = ir::PositionKind::None;
                             }),
                     "0.15"),
            std::set<std::string>{});
}
TEST(MegatronOverlap, TensorInsideALargeDomain_IsTaken) {
  EXPECT_EQ(refusals(changed({.nodes = 2, .tensor = 16},
                             [](ir::Plan& p) {
                               p.layout.overlap.tensor = true;
                               p.mesh.axes.back().spans = ir::Level::Domain;
                             }),
                     "0.19"),
            std::set<std::string>{});
}
TEST(MegatronNarrowShapes, SharedExperts_AreOneLayer) {
  const auto sharedOf = [](std::uint64_t width) {
    return changed({.data = 4, .tensor = 2, .experts = 8, .expert = 4}, [width](ir::Plan& p) {
      for (ir::LayerType& layer : p.model.layerTypes)
        layer.feedForward.shared = 2, layer.feedForward.sharedWidth = width;
    });
  };
  EXPECT_EQ(narrowSizes(sharedOf(48)), std::vector<std::string>{});
  EXPECT_EQ(narrowSizes(sharedOf(24)),
            std::vector<std::string>{
                refusedSize("the width of shared experts on one tensor rank is 24, fp8 GEMMs "
                            "need a multiple of 16")});
}

TEST(MegatronReleases, MuonAndLion_AreOfTheReleasesWhoseParsersHaveThem) {
  const auto refused = [](ir::OptimizerKind optimizer, bool shards, const char* release) {
    return refusals(changed({.data = 4},
                            [&](ir::Plan& p) {
                              p.layout.optimizer = optimizer;
                              p.layout.shard.optimizer =
                                  shards ? ir::ShardAxis::Data : ir::ShardAxis::None;
                              p.layout.overlap.gradients = p.layout.overlap.parameters = shards;
                            }),
                    release);
  };
  const std::set<std::string> none, option{"M50"};
  EXPECT_EQ(refused(ir::OptimizerKind::Muon, false, "0.15"), option);
  EXPECT_EQ(refused(ir::OptimizerKind::Muon, false, "0.16"), none);
  EXPECT_EQ(refused(ir::OptimizerKind::Lion, false, "0.16"), option);
  EXPECT_EQ(refused(ir::OptimizerKind::Lion, false, "0.17"), none);
  EXPECT_EQ(refused(ir::OptimizerKind::Muon, true, "0.17"), (std::set<std::string>{"M98", "M99"}));
  EXPECT_EQ(refused(ir::OptimizerKind::Muon, true, "0.18"), none);
  EXPECT_EQ(refused(ir::OptimizerKind::Lion, true, "0.18"), none);
}

} // namespace
