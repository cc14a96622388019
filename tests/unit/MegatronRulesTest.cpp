//===- MegatronRulesTest.cpp - One plan for each rule of Megatron-LM, which only it refuses ---===//
#include "MegatronPlans.h"
#include "backends/megatron/Rules.h"
#include <gtest/gtest.h>
#include <set>

using namespace dpl;
using namespace dpl::test;
using Rule = MegatronRule;

namespace {

constexpr ir::ShardAxis data = ir::ShardAxis::Data, none = ir::ShardAxis::None;

/// Another class of layers behind the first four.
template <class Change> ir::Plan twoClasses(const PlanSketch& sketch, Change change) {
  return changed(sketch, [&](ir::Plan& p) {
    p.model.layerTypes.push_back(p.model.layerTypes[0]);
    p.model.runs = {{0, 4}, {1, 4}};
    change(p.model.layerTypes[1]);
  });
}
ir::Attention& attention(ir::Plan& p) { return p.model.layerTypes[0].attention; }
ir::FeedForward& ffn(ir::Plan& p) { return p.model.layerTypes[0].feedForward; }

const Rule rules[] = {
    {"M1", [] { return changed({}, [](ir::Plan& p) { p.model.kind = "encoder"; }); }},
    {"M2",
     [] {
       return twoClasses({}, [](ir::LayerType& l) { l.attention.kind = ir::AttentionKind::None; });
     }},
    {"M3", [] { return twoClasses({}, [](ir::LayerType& l) { l.attention.sinks = true; }); }},
    {"M4", [] { return twoClasses({}, [](ir::LayerType& l) { l.feedForward.width = 1024; }); }},
    {"M5",
     [] {
       return twoClasses({}, [](ir::LayerType& l) {
         l.feedForward.kind = ir::FeedForwardKind::Plain, l.feedForward.gated = false;
       });
     }},
    {"M6", [] { return changed({}, [](ir::Plan& p) { p.model.headTransform = true; }); }},
    {"M7", [] { return changed({}, [](ir::Plan& p) { p.model.bias = true; }); }},
    {"M8",
     [] {
       return changed({.tensor = 2},
                      [](ir::Plan& p) { attention(p).heads = 15, attention(p).kvHeads = 1; });
     }},
    {"M9",
     [] {
       return changed({.tensor = 4},
                      [](ir::Plan& p) { attention(p).heads = 24, attention(p).kvHeads = 6; });
     }},
    {"M85",
     [] {
       return changed({.tensor = 3}, [](ir::Plan& p) {
         attention(p).heads = 6, attention(p).kvHeads = 1; // 8 × 64 columns
         p.model.context = 3072, ffn(p).width = 2880;
       });
     }},
    {"M10", [] { return changed({}, [](ir::Plan& p) { attention(p).kvHeads = 5; }); }},
    {"M11", [] { return changed({.tensor = 4}, [](ir::Plan& p) { ffn(p).width = 2818; }); }},
    {"M12",
     [] {
       return changed({.data = 4, .tensor = 2},
                      [](ir::Plan& p) { p.mesh.axes[2].stride = 1, p.mesh.axes[4].stride = 4; });
     }},
    {"M13", [] { return changed({}, [](ir::Plan& p) { p.cluster.gpusPerNode = 8; }); }},
    {"M14", [] { return planOf({.pipeline = 2, .data = 4, .context = 2, .dataOutside = true}); }},
    {"M15", [] { return changed({.context = 2}, [](ir::Plan& p) { p.model.context = 2050; }); }},
    {"M16", [] { return changed({.tensor = 4}, [](ir::Plan& p) { p.model.context = 2050; }); }},
    {"M17", [] { return changed({.data = 4}, [](ir::Plan& p) { p.layout.batch = 62; }); }},
    {"M18",
     [] {
       return changed({.pipeline = 2},
                      [](ir::Plan& p) { p.layout.schedule = ir::ScheduleKind::GPipe; });
     }},
    {"M19",
     [] {
       return changed({.pipeline = 2}, [](ir::Plan& p) {
         p.chunks[0].embedding = false, p.chunks[1].embedding = true;
       });
     }},
    {"M20",
     [] {
       return changed({.pipeline = 2}, [](ir::Plan& p) {
         p.layout.overlap.pipeline = true;
         p.layout.ranges["overlap.pipeline"] = {};
       });
     }},
    {"M21",
     [] {
       return changed({.pipeline = 2}, [](ir::Plan& p) {
         p.model.predictionLayers = 2;
         p.chunks[0].predictionLayers = p.chunks[1].predictionLayers = 1;
       });
     }},
    {"M22",
     [] {
       return changed({.pipeline = 2, .chunks = 2},
                      [](ir::Plan& p) { p.layout.overlap.pipeline = false; });
     }},
    {"M23", [] { return planOf({.pipeline = 4, .chunks = 2, .batch = 62}); }},
    {"M24",
     [] {
       return changed({.data = 4}, [](ir::Plan& p) {
         p.layout.shard = {};
         p.layout.shard.gradients = data;
       });
     }},
    {"M25",
     [] { return changed({.data = 4}, [](ir::Plan& p) { p.layout.shard.sequence = data; }); }},
    {"M79",
     [] {
       return changed({.data = 4}, [](ir::Plan& p) {
         p.layout.overlap.gradients = p.layout.overlap.parameters = false;
         p.layout.gradientBucket = 1 << 20;
       });
     }},
    {"M86",
     [] {
       return changed({.context = 2}, [](ir::Plan& p) {
         p.layout.communicationOptions = {ir::CommunicationOptions{}};
         p.layout.communicationOptions.front().keys = ir::KeyExchangeKind::Heads;
       });
     }},
    {"M78",
     [] {
       return changed({.pipeline = 2, .tensor = 2}, [](ir::Plan& p) {
         p.layout.shard.messages = ir::ShardAxis::Tensor;
         p.layout.shard.sequence = none;
       });
     }},
    {"M26",
     [] {
       return changed({.data = 4}, [](ir::Plan& p) {
         p.layout.shard.gradients = p.layout.shard.parameters = data;
         p.layout.shard.reshard = false;
       });
     }},
    {"M77",
     [] {
       return changed({.pipeline = 2, .data = 4},
                      [](ir::Plan& p) { p.layout.shard.gradients = data; });
     }},
    {"M28",
     [] {
       return changed({.data = 4},
                      [](ir::Plan& p) { p.layout.optimizer = ir::OptimizerKind::Sgd; });
     }},
    {"M93",
     [] {
       return changed({.data = 4},
                      [](ir::Plan& p) { p.layout.optimizer = ir::OptimizerKind::Adafactor; });
     }},
    {"M94",
     [] {
       return changed({.data = 4}, [](ir::Plan& p) {
         p.layout.optimizer = ir::OptimizerKind::Muon;
         p.layout.shard.gradients = p.layout.shard.parameters = data;
       });
     }},
    {"M95",
     [] {
       return changed({.data = 4}, [](ir::Plan& p) {
         p.layout.fineTuning.emplace_back().frozen = {ir::ModelPart::Embedding};
       });
     }},
    {"M96",
     [] { return changed({.data = 4}, [](ir::Plan& p) {
            p.layout.documents = {{512, true}};
          }); }},
    {"M29",
     [] { return changed({.data = 4}, [](ir::Plan& p) { p.layout.overlap.gradients = false; }); }},
    {"M30",
     [] {
       return changed({.tensor = 4}, [](ir::Plan& p) {
         p.layout.overlap.tensor = true;
         p.layout.shard.sequence = none;
       });
     }},
    {"M31",
     [] {
       return changed({.data = 4, .experts = 8},
                      [](ir::Plan& p) { p.layout.overlap.experts = true; });
     }},
    {"M32",
     [] {
       return changed({}, [](ir::Plan& p) { p.layout.precision.compute = ir::DataType::TF32; });
     }},
    {"M33",
     [] {
       return changed({}, [](ir::Plan& p) { p.layout.precision.parameters = ir::DataType::FP32; });
     }},
    {"M34",
     [] {
       return changed({}, [](ir::Plan& p) { p.layout.precision.reduce = ir::DataType::BF16; });
     }},
    {"M35", [] { return changed({}, [](ir::Plan& p) { p.layout.precision.hasMaster = false; }); }},
    {"M36",
     [] {
       return changed({}, [](ir::Plan& p) { p.layout.precision.moments = ir::DataType::TF32; });
     }},
    {"M37",
     [] { return changed({}, [](ir::Plan& p) { p.layout.precision.head = ir::DataType::FP32; }); }},
    {"M38",
     [] {
       return changed({.data = 4}, [](ir::Plan& p) {
         p.layout.precision.moments = ir::DataType::BF16;
         p.layout.shard.optimizer = none;
       });
     }},
    {"M87", [] { return changed({}, [](ir::Plan& p) { p.layout.offload = {{.layers = 2}}; }); }},
    {"M88",
     [] {
       return changed({.data = 4}, [](ir::Plan& p) {
         p.layout.offload = {{.optimizer = 0.5}};
         p.layout.precision.moments = ir::DataType::BF16;
       });
     }},
    {"M39",
     [] {
       return changed({.data = 4}, [](ir::Plan& p) {
         p.layout.precision.compute = p.layout.precision.parameters = ir::DataType::FP8;
         p.layout.shard.optimizer = none;
       });
     }},
    {"M40",
     [] {
       return changed({}, [](ir::Plan& p) {
         p.layout.precision.compute = ir::DataType::FP8;
         ffn(p).width = 2824;
       });
     }},
    {"M41",
     [] {
       return changed({}, [](ir::Plan& p) {
         p.layout.recompute.kind = ir::RecomputeKind::Selective;
         p.layout.recompute.modules = {ir::ModuleKind::Attention};
       });
     }},
    {"M42",
     [] {
       return changed({}, [](ir::Plan& p) {
         p.layout.recompute.kind = ir::RecomputeKind::Selective;
         p.layout.recompute.modules = {ir::ModuleKind::MlaUp};
       });
     }},
    {"M43",
     [] {
       return changed({.data = 4, .experts = 8, .expert = 4},
                      [](ir::Plan& p) { ffn(p).experts = 6; });
     }},
    {"M44",
     [] {
       return changed({.tensor = 2, .experts = 8},
                      [](ir::Plan& p) { p.layout.shard.sequence = none; });
     }},
    {"M45",
     [] {
       return changed({.tensor = 2, .experts = 8, .expertTensor = 2},
                      [](ir::Plan& p) { p.model.bias = p.model.qkvBias = true; });
     }},
    {"M47",
     [] {
       return changed({}, [](ir::Plan& p) {
         p.model.predictionLayers = p.chunks[0].predictionLayers = 1;
         p.model.positions = ir::PositionKind::Learned;
       });
     }},
    {"M48",
     [] {
       return changed({.data = 4, .experts = 8, .expert = 4}, [](ir::Plan& p) {
         p.layout.overlap.experts = true;
         p.layout.recompute.kind = ir::RecomputeKind::Selective;
         p.layout.recompute.modules = {ir::ModuleKind::Moe};
       });
     }},
    {"M49",
     [] {
       return changed({}, [](ir::Plan& p) {
         p.layout.optimizerSettings.learningRate = {true, ir::LearningRateKind::Cosine, 1e-5, 1e-4,
                                                    0};
       });
     }},
    {"M53", [] { return changed({}, [](ir::Plan& p) { attention(p).headDim = 65; }); }},
    {"M54",
     [] { return changed({.context = 2}, [](ir::Plan& p) { p.layout.fusedAttention = false; }); }},
    {"M55", [] { return changed({.context = 2}, [](ir::Plan& p) { attention(p).headDim = 20; }); }},
    {"M56",
     [] {
       return changed({.nodes = 2, .tensor = 16}, [](ir::Plan& p) {
         p.layout.overlap.tensor = true;
         p.mesh.axes.back().spans = ir::Level::Leaf;
       });
     }},
    {"M57",
     [] {
       return changed({}, [](ir::Plan& p) {
         p.layout.recompute.kind = ir::RecomputeKind::Full, p.layout.recompute.layers = 2;
         p.model.predictionLayers = p.chunks[0].predictionLayers = 1;
       });
     }},
    {"M80",
     [] {
       return changed({}, [](ir::Plan& p) {
         p.layout.precision.compute = ir::DataType::FP8;
         p.layout.precision.recipe = ir::Fp8Recipe::Rowwise;
       });
     }},
    {"M81",
     [] {
       return changed({}, [](ir::Plan& p) {
         p.layout.precision.compute = ir::DataType::FP8;
         p.layout.precision.recipe = ir::Fp8Recipe::Delayed;
         p.layout.recompute.kind = ir::RecomputeKind::Selective;
         p.layout.recompute.modules = {ir::ModuleKind::Norm};
       });
     }},
    {"M31",
     [] {
       return changed({.data = 4, .experts = 8, .expert = 4}, [](ir::Plan& p) {
         p.layout.overlap.experts = true;
         p.layout.kernels.dispatch = ir::DispatchKind::AllGather;
       });
     }},
    {"M84",
     [] {
       return changed({.data = 8}, [](ir::Plan& p) {
         p.layout.recompute.kind = ir::RecomputeKind::Full, p.layout.recompute.inAdvance = true;
       });
     }},
    {"M90",
     [] {
       return changed({.data = 4, .experts = 8, .expert = 4}, [](ir::Plan& p) {
         p.layout.graphs = true, p.layout.recompute.kind = ir::RecomputeKind::Full;
       });
     }},
    {"M92",
     [] {
       return changed({}, [](ir::Plan& p) {
         p.model.attentionDropout = 0.1, p.layout.graphs = true;
         p.layout.recompute.kind = ir::RecomputeKind::Selective;
         p.layout.recompute.modules = {ir::ModuleKind::CoreAttention};
       });
     }},
};
/// Those of one old release.

TEST(MegatronRuleTable, EachRule_AloneRefusesAPlanThatBreaksIt) {
  for (const auto& [code, plan] : rules)
    EXPECT_EQ(refusals(plan(), "0.19"), std::set<std::string>{code});
  for (const auto& [code, plan] : megatronFactRules())
    for (const char* release : {"0.15", "0.19"})
      EXPECT_EQ(refusals(plan(), release), std::set<std::string>{code});
  for (const auto& [code, plan] : megatronRulesOf016()) // 0.17 is the first release with Lion
    EXPECT_EQ(refusals(plan(), llvm::StringRef(code) == "M100" ? "0.17" : "0.16"),
              std::set<std::string>{code});
  for (const auto& [code, plan] : megatronRulesOf015())
    EXPECT_EQ(refusals(plan(), "0.15"), std::set<std::string>{code});
}
TEST(MegatronRuleTable, EachRule_HasSuchAPlan) {
  std::set<std::string> tested, all;
  const std::vector<Rule> ofFacts = megatronFactRules(), of016 = megatronRulesOf016(),
                          of015 = megatronRulesOf015();
  for (const llvm::ArrayRef<Rule> some : {llvm::ArrayRef(rules), llvm::ArrayRef(ofFacts),
                                          llvm::ArrayRef(of016), llvm::ArrayRef(of015)})
    for (const Rule& rule : some)
      tested.insert(rule.first);
  for (const RuleInfo& info : megatron::rule::all)
    all.insert(info.code);
  EXPECT_EQ(tested, all);
}
TEST(MegatronRuleTable, HybridEp_IsSince016) {
  const ir::Plan plan = changed({.data = 4, .experts = 8, .expert = 4}, [](ir::Plan& p) {
    p.layout.kernels.dispatch = ir::DispatchKind::HybridEp;
    p.layout.ranges["kernels.token_dispatcher"] = {};
  });
  EXPECT_EQ(refusals(plan, "0.15"), std::set<std::string>{"M50"});
  EXPECT_EQ(refusals(plan, "0.16"), std::set<std::string>{});
  ir::Plan open = plan; // the field is not set in the file
  open.layout.ranges.erase("kernels.token_dispatcher");
  EXPECT_EQ(refusals(open, "0.15"), std::set<std::string>{});
}
TEST(MegatronRuleTable, ARelease_HasItsOwnRules) {
  EXPECT_EQ(refusals(planOf({.tensor = 8}), "0.16"), std::set<std::string>{});
  EXPECT_EQ(refusals(megatronRulesOf016().back().second(), "0.17"), std::set<std::string>{});
  EXPECT_EQ(refusals(changed({.data = 4, .experts = 8, .expert = 4},
                             [](ir::Plan& p) {
                               p.layout.overlap.experts = true;
                               p.layout.recompute.kind = ir::RecomputeKind::Selective;
                               p.layout.recompute.modules = {ir::ModuleKind::Moe};
                             }),
                     "0.16"),
            std::set<std::string>{});
}

} // namespace
