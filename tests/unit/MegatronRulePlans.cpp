//===- MegatronRulePlans.cpp - Plans that one rule of Megatron-LM refuses ---------------------===//
#include "MegatronPlans.h"

using namespace dpl;
using namespace dpl::test;

namespace {
ir::Attention& attention(ir::Plan& p) { return p.model.layerTypes[0].attention; }
ir::FeedForward& ffn(ir::Plan& p) { return p.model.layerTypes[0].feedForward; }

/// A launch on data in which Megatron-LM misses nothing; its run is in the plan.
ir::Launch completeLaunch(ir::Plan& p) {
  ir::Launch launch;
  launch.name = "job";
  launch.data = "/data";
  launch.arguments = {"--tokenizer-type", "NullTokenizer", "--lr", "1e-4"};
  launch.run = "train";
  ir::Run run;
  run.name = "train";
  run.phases = {{0, 1'000'000, 100, p.layout.batch, 100}};
  run.optimizer = p.layout.optimizerSettings;
  p.runs = {run};
  return launch;
}
} // namespace

std::vector<MegatronRule> dpl::test::megatronFactRules() {
  return {
      {"M65",
       [] {
         return changed({}, [](ir::Plan& p) {
           p.model.rotary.scaling.kind = ir::RotaryScalingKind::Llama3;
           p.model.rotary.scaling.factor = 32; // of Llama 3.2
           p.model.rotary.scaling.fast = 4, p.model.rotary.scaling.original = 8192;
         });
       }},
      {"M66", [] { return changed({}, [](ir::Plan& p) { p.model.rotary.base = 10000.5; }); }},
      {"M67",
       [] {
         return changed({}, [](ir::Plan& p) {
           ir::Attention& a = attention(p);
           a.kind = ir::AttentionKind::Latent, a.kvHeads = a.heads;
           a.kvRank = 128, a.nope = a.value = 64, a.rope = 32;
           p.model.rotary.share = 0.5;
         });
       }},
      {"M68", [] { return changed({}, [](ir::Plan& p) { p.model.softcap = 30; }); }},
      {"M97",
       [] {
         return changed({}, [](ir::Plan& p) { attention(p).gate = ir::AttentionGate::Head; });
       }},
      {"M69",
       [] {
         return changed({}, [](ir::Plan& p) { ffn(p).activation = ir::Activation::GeluTanh; });
       }},
      {"M70",
       [] {
         return changed({.experts = 8}, [](ir::Plan& p) {
           p.model.layerTypes.push_back(p.model.layerTypes[0]);
           p.model.runs = {{0, 4}, {1, 4}};
           ir::FeedForward& dense = p.model.layerTypes[1].feedForward;
           dense.kind = ir::FeedForwardKind::Gated, dense.activation = ir::Activation::QuickGelu;
         });
       }},
      {"M71",
       [] {
         return changed({.experts = 8}, [](ir::Plan& p) {
           ffn(p).router.precision = ir::DataType::FP16, ffn(p).router.hasPrecision = true;
         });
       }},
      {"M72",
       [] {
         return changed({.experts = 8},
                        [](ir::Plan& p) { ffn(p).router.balance = ir::Balance::Unset; });
       }},
      {"M73", [] { return changed({.experts = 8}, [](ir::Plan& p) { ffn(p).active = 1; }); }},
      {"M74",
       [] { return changed({.experts = 8}, [](ir::Plan& p) { ffn(p).router.biasRate = 0.001; }); }},
      {"M75",
       [] {
         return changed({.experts = 8}, [](ir::Plan& p) {
           ffn(p).router.balance = ir::Balance::Sinkhorn, ffn(p).capacity = 1.25;
         });
       }},
      {"M76",
       [] {
         return changed({.experts = 8},
                        [](ir::Plan& p) { ffn(p).router.groups = ffn(p).router.groupLimit = 3; });
       }},
      {"M82",
       [] {
         return changed({.data = 4, .experts = 8}, [](ir::Plan& p) {
           p.layout.kernels.dispatch = ir::DispatchKind::DeepEp;
           p.layout.ranges["kernels.token_dispatcher"] = {};
         });
       }},
      {"M64",
       [] {
         return changed({.data = 4, .experts = 8, .expert = 4},
                        [](ir::Plan& p) { p.layout.graphs = p.layout.overlap.experts = true; });
       }},
      {"M89",
       [] {
         return changed({.data = 4, .experts = 8, .expert = 4}, [](ir::Plan& p) {
           p.layout.kernels.dispatch = ir::DispatchKind::DeepEp;
           p.layout.ranges["kernels.token_dispatcher"] = {};
           ffn(p).capacity = 1.25, ffn(p).padded = true;
         });
       }},
      {"M83",
       [] {
         return changed({.data = 4, .experts = 8, .expert = 4}, [](ir::Plan& p) {
           p.layout.kernels.dispatch = ir::DispatchKind::DeepEp;
           p.layout.kernels.dispatchFp8 = true;
         });
       }},
      {"M60",
       [] {
         return changed({}, [](ir::Plan& p) {
           ir::Launch launch = completeLaunch(p);
           launch.checkpoints = "/checkpoints";
           p.launches = {launch};
         });
       }},
      {"M61",
       [] {
         return changed({}, [](ir::Plan& p) {
           ir::Launch launch = completeLaunch(p);
           launch.arguments = {"--lr", "1e-4"};
           p.launches = {launch};
         });
       }},
      {"M62",
       [] {
         return changed({}, [](ir::Plan& p) {
           ir::Launch launch = completeLaunch(p);
           p.runs[0].phases.front().lastStep = 0;
           p.launches = {launch};
         });
       }},
      {"M63",
       [] {
         return changed({}, [](ir::Plan& p) {
           ir::Launch launch = completeLaunch(p);
           launch.arguments = {"--tokenizer-type", "NullTokenizer"};
           p.launches = {launch};
         });
       }},
  };
}

namespace {
/// Four data ranks with this optimizer.
ir::Plan optimizedBy(ir::OptimizerKind optimizer, bool shards, bool overlaps) {
  return changed({.data = 4}, [&](ir::Plan& p) {
    p.layout.optimizer = optimizer;
    p.layout.shard.optimizer = shards ? ir::ShardAxis::Data : ir::ShardAxis::None;
    p.layout.overlap.gradients = overlaps, p.layout.overlap.parameters = false;
  });
}
} // namespace

std::vector<MegatronRule> dpl::test::megatronRulesOf016() {
  using enum ir::OptimizerKind;
  return {
      {"M98", [] { return optimizedBy(Muon, true, false); }},
      {"M99", [] { return optimizedBy(Muon, false, true); }},
      {"M100", [] { return optimizedBy(Lion, true, true); }},
      {"M51",
       [] {
         return changed({.data = 4, .experts = 8, .expert = 4}, [](ir::Plan& p) {
           p.layout.overlap.experts = true;
           p.model.predictionLayers = p.chunks[0].predictionLayers = 1;
         });
       }},
      {"M50",
       [] {
         return changed({.data = 4}, [](ir::Plan& p) {
           p.layout.shard.gradients = p.layout.shard.parameters = ir::ShardAxis::Data;
           p.layout.precision.reduce = ir::DataType::BF16;
         });
       }},
  };
}

std::vector<MegatronRule> dpl::test::megatronRulesOf015() {
  return {
      {"M27",
       [] {
         return changed({.pipeline = 2, .data = 4},
                        [](ir::Plan& p) { p.layout.shard.gradients = ir::ShardAxis::Data; });
       }},
      {"M46", [] { return planOf({.tensor = 8}); }}, // 4 key-value heads
      {"M91",
       [] {
         return changed({}, [](ir::Plan& p) {
           p.layout.graphs = true, p.layout.recompute.kind = ir::RecomputeKind::Full;
         });
       }},
      {"M58",
       [] {
         return changed({}, [](ir::Plan& p) {
           p.layout.recompute.kind = ir::RecomputeKind::Full;
           p.layout.recompute.method = ir::RecomputeMethod::Block;
           p.model.predictionLayers = p.chunks[0].predictionLayers = 1;
         });
       }},
      {"M52",
       [] {
         return changed({.data = 4, .experts = 8, .expert = 4}, [](ir::Plan& p) {
           ir::Precision& precision = p.layout.precision;
           precision.compute = precision.parameters = precision.head = ir::DataType::FP16;
         });
       }},
  };
}
