//===- Check.cpp - Whether DeepSpeed runs a plan ----------------------------------------------===//
#include "backends/MeshOrder.h"
#include "backends/ScheduleAnswers.h"
#include "backends/deepspeed/Deepspeed.h"
#include "backends/deepspeed/Partition.h"
#include "ir/Names.h"
#include "ir/SetInFile.h"
#include "support/diagnostics/Targets.h"

using namespace dpl;
using namespace dpl::deepspeed;

namespace dpl::deepspeed {
namespace rule {
#define DPL_RULES "backends/deepspeed/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule
constexpr Release releases[] = {"0.19"};
extern const Target target;
const Target target{"deepspeed",
                    "DeepSpeed",
                    "ds_config.json, hostfile and launch script",
                    releases,
                    rule::all,
                    check,
                    render,
                    TargetRole::Framework,
                    {},
                    {},
                    runsSchedule};
} // namespace dpl::deepspeed

namespace {

void checkRanks(const DeepspeedLayout& s, Findings& findings) {
  if (!s.inOrder())
    findings.report<rule::RankOrder>("mesh", orderText(s.plan.mesh));
}

/// Checks Ulysses (runtime/sequence_parallel/ulysses_sp.py), which splits heads or sequences.
void checkContext(const DeepspeedLayout& s, Findings& findings) {
  if (s.context == 1)
    return;
  if (s.pipelined())
    findings.report<rule::PipelineContext>("mesh.context", s.context);
  else if (s.tensor > 1)
    findings.report<rule::TensorContext>("mesh.context", s.context, s.tensor);
  if (s.pipelined() || s.tensor > 1)
    return;
  if (const ir::Attention* a = s.attention) {
    const std::uint64_t kvHeads = a->kind == ir::AttentionKind::Latent ? a->heads : a->kvHeads;
    if (a->heads % s.context != 0)
      findings.report<rule::HeadsByContext>("mesh.context", a->heads, s.context);
    else if (kvHeads % s.context != 0 && s.context % kvHeads != 0)
      findings.report<rule::KvHeadsByContext>("mesh.context", kvHeads, s.context);
  }
}

/// Checks AutoTP, which distributes whole key-value heads (module_inject/tp_shard.py).
void checkTensor(const DeepspeedLayout& s, Findings& findings) {
  if (s.autoTensor() && s.attention && s.attention->kind == ir::AttentionKind::Grouped &&
      s.attention->kvHeads < s.tensor)
    findings.report<rule::FewKvHeads>("mesh.tensor", s.attention->kvHeads, s.tensor);
}

std::string countsOf(const StageStarts& parts) {
  std::string out;
  for (std::size_t i = 1; i < parts.size(); ++i)
    out += (i == 1 ? "" : "-") + std::to_string(parts[i] - parts[i - 1]);
  return out;
}

using enum ir::ScheduleKind;
constexpr ScheduleAnswers schedules = {
    {"1f1b", {OneForwardOneBackward}},
    {refuses,
     {GPipe, Interleaved, EagerOneForwardOneBackward, LoopedBreadthFirst, ZeroBubbleH1,
      ZeroBubbleH2, ZeroBubble1p, ZeroBubble2p, ZeroBubbleAutomatic, InterleavedZeroBubble,
      ZeroBubbleV, ZeroBubbleVTimed, VHalf, VMin, DualPipeV, DualPipe, PipeDream, Listed}}};

void checkPipeline(const DeepspeedLayout& s, Findings& findings) {
  const ir::Plan& plan = s.plan;
  if (!s.pipelined())
    return;
  if (s.zero >= 2)
    findings.report<rule::PipelineZero>("shard", s.zero == 2 ? "gradients" : "parameters", s.zero);
  if (plan.model.predictionLayers > 0)
    findings.report<rule::PredictionLayers>("model.mtp_layers", plan.model.predictionLayers);
  if (plan.layout.chunks > 1) { // whatever the placement
    findings.report<rule::Interleaved>("schedule", ir::name(plan.layout.schedule),
                                       plan.layout.chunks);
    return;
  }
  if (!runsSchedule(plan.layout))
    findings.report<rule::Schedule>("schedule", ir::name(plan.layout.schedule));
  if (!partitionMethodOf(plan)) {
    const StageStarts parts = partsOf(plan);
    std::vector<std::uint64_t> weights(parts.back(), 1);
    weights.front() = weights.back() = 0;
    findings.report<rule::PipelineSplit>("split", countsOf(parts),
                                         countsOf(partitionBalanced(weights, s.pipeline)),
                                         countsOf(partitionUniform(parts.back(), s.pipeline)));
  }
}

void checkShard(const DeepspeedLayout& s, Findings& findings) {
  const ir::Shard& shard = s.plan.layout.shard;
  using enum ir::ShardAxis;
  if (shard.sequence == Tensor && s.autoTensor())
    findings.report<rule::ShardSequence>("shard.sequence");
  if (s.plan.layout.gradientBucket > 0 && (s.zero == 0 || s.pipelined() || s.afterBackward()))
    findings.report<rule::GradientBucket>("gradient_bucket_size",
                                          s.pipelined() ? "in a pipeline"
                                          : s.zero == 0 ? "without sharding"
                                                        : "with bf16 parameters, "
                                                          "fp32 gradients and ZeRO stage 1");
  if (shard.parameters == Data && !shard.reshard)
    findings.report<rule::KeptParameters>("shard.reshard_after_forward");
  if (s.replica > 1 && s.zero > 0)
    findings.report<rule::ReplicaShards>("mesh.replica", s.replica);
}

/// Refuses overlap options that the file sets and DeepSpeed lacks. If such an option is a default,
/// this is a difference.
void checkOverlap(const DeepspeedLayout& s, Findings& findings) {
  const ir::Overlap& overlap = s.plan.layout.overlap;
  const auto refuse = [&](bool wanted, const char* field, const char* because) {
    const std::string path = std::string("overlap.") + field;
    if (wanted && s.plan.layout.ranges.count(path) != 0)
      findings.report<rule::UnsupportedOverlap>(path, field, because);
  };
  if (s.pipelined())
    refuse(overlap.gradients, "gradients", "in a pipeline, it reduces after the last micro-batch");
  else if (s.zero == 0)
    refuse(overlap.gradients, "gradients", "without sharding, it reduces after the backward pass");
  else if (s.afterBackward())
    refuse(overlap.gradients, "gradients",
           "with bf16 parameters, fp32 gradients and ZeRO stage 1, whose optimizer reduces after "
           "the backward pass");
  if (s.zero == 1 || s.zero == 2)
    refuse(overlap.parameters, "parameters",
           "below ZeRO stage 3, it gathers parameters at the end of the step");
  else if (s.zero == 3 && !overlap.gradients)
    refuse(overlap.parameters, "parameters",
           "without `overlap.gradients`, one setting controls both");
  if (s.pipelined())
    refuse(overlap.pipeline, "pipeline", "its sends and receives do not overlap");
  if (s.tensor > 1 && !s.autoTensor())
    refuse(overlap.tensor, "tensor", "in a pipeline, where the script splits the layers");
  refuse(overlap.experts, "experts", "it exchanges tokens without overlap");
}

void checkGradients(const DeepspeedLayout& s, Findings& findings) {
  const ir::Precision& p = s.plan.layout.precision;
  const auto wide = [](ir::DataType t) {
    return t == ir::DataType::FP32 || t == ir::DataType::FP16 || t == ir::DataType::BF16;
  };
  const bool known = p.gradients == ir::DataType::FP32 || p.gradients == p.parameters;
  if (!known || !wide(p.reduce))
    findings.report<rule::GradientTypes>(known ? "precision.reduce" : "precision.gradients",
                                         ir::name(p.gradients), ir::name(p.reduce),
                                         p.parameters == ir::DataType::FP32
                                             ? "fp32"
                                             : std::string("fp32 or ") + ir::name(p.parameters));
  else if (s.zero == 0 && p.gradients != p.parameters)
    findings.report<rule::GradientMix>("precision.gradients", ir::name(p.parameters),
                                       ir::name(p.gradients));
}

void checkState(const DeepspeedLayout& s, Findings& findings) {
  const ir::Precision& p = s.plan.layout.precision;
  if (p.parameters == ir::DataType::FP32) { // fp32 parameters are the master weights
    if (p.hasMaster && p.master != ir::DataType::FP32)
      findings.report<rule::MasterType>("precision.master_weights", ir::name(p.master), "fp32",
                                        "none");
    else if (p.moments != ir::DataType::FP32)
      findings.report<rule::MomentType>("precision.moments", ir::name(p.moments), "fp32");
    return;
  }
  if (!p.hasMaster || (p.master != ir::DataType::FP32 && p.master != p.parameters)) {
    findings.report<rule::MasterType>(
        "precision.master_weights", p.hasMaster ? ir::name(p.master) : "none",
        ir::name(p.parameters), std::string("fp32 or ") + ir::name(p.parameters));
  } else if (p.master == ir::DataType::FP32) {
    if (p.moments != ir::DataType::FP32)
      findings.report<rule::MomentType>("precision.moments", ir::name(p.moments), "fp32");
  } else if (s.zero == 0) {
    findings.report<rule::MasterSharding>("precision.master_weights", ir::name(p.master));
  } else if (p.gradients != p.master) {
    findings.report<rule::MasterGradients>("precision.gradients", ir::name(p.master),
                                           ir::name(p.gradients));
  } else if (p.master == ir::DataType::FP16 || p.moments != ir::DataType::BF16) {
    findings.report<rule::MasterState>("precision.master_weights", ir::name(p.master),
                                       ir::name(p.moments));
  }
}

void checkPrecision(const DeepspeedLayout& s, Findings& findings) {
  const ir::Precision& p = s.plan.layout.precision;
  if (p.compute != ir::DataType::FP32 && p.compute != ir::DataType::FP16 &&
      p.compute != ir::DataType::BF16) {
    findings.report<rule::ComputeType>("precision.compute", ir::name(p.compute));
    return; // the rules for other types depend on the compute type
  }
  if (p.parameters != p.compute && !s.autocast()) {
    findings.report<rule::ParameterType>("precision.parameters", ir::name(p.parameters),
                                         ir::name(p.compute), ir::name(p.compute));
    return;
  }
  if (p.head != p.compute)
    findings.report<rule::HeadPrecision>("precision.module.head", ir::name(p.head),
                                         ir::name(p.compute));
  checkGradients(s, findings);
  checkState(s, findings);
}

void checkExperts(const DeepspeedLayout& s, Findings& findings) {
  if (!s.routed)
    return;
  if (s.gathersExperts())
    (void)findings.warn<diag::LeafModules>("shard.parameters", "DeepSpeed")
        .help("it knows the blocks of Mixtral, Qwen2-MoE and Qwen3-MoE in Hugging Face's "
              "transformers; `leaf_module` of ds_config.json names the class of another");
  if (const ir::DispatchKind dispatch = s.plan.layout.kernels.dispatch;
      dispatch != ir::DispatchKind::AllToAll && ir::isSetInFile(s.plan, "kernels.token_dispatcher"))
    findings.report<rule::Dispatch>("kernels.token_dispatcher", ir::name(dispatch));
  if (s.pipelined()) {
    if (s.expertTensor != s.tensor)
      findings.report<rule::NativeExpertTensor>("mesh.experts.tensor", s.expertTensor, s.tensor);
    return;
  }
  if (s.expertTensor > 1)
    findings.report<rule::ExpertTensor>("mesh.experts.tensor", s.expertTensor);
  else if (s.tensor > 1 && s.expert == 1)
    findings.report<rule::ExpertFolding>("mesh.experts.expert", s.tensor);
  if (s.folded() && s.zero == 3)
    findings.report<rule::ExpertFoldingZero>("shard.parameters", s.tensor);
  if (const ir::Offload offload = s.plan.layout.offloadSettings();
      s.folded() && (offload.gradients || offload.parameters))
    findings.report<rule::ExpertFoldingOffload>("offload", s.tensor);
  if (s.context > 1 && s.tensor == 1)
    findings.report<rule::ExpertContext>("mesh.context", s.context);
  if (s.routed->capacity > 0)
    findings.report<rule::ExpertShape>("model.ffn", "with a capacity");
  if (!s.routed->gated)
    findings.report<rule::ExpertShape>("model.ffn", "without gates");
}

} // namespace

/// DEEPSPEED_OPTIMIZERS in runtime/config.py of DeepSpeed has Lion and Muon, and none in 8 bits.
static void checkTraining(const DeepspeedLayout& s, Findings& findings) {
  const ir::Layout& layout = s.plan.layout;
  using enum ir::OptimizerKind;
  if (layout.optimizer == AdamW8Bit || layout.optimizer == Adafactor)
    findings.report<rule::OptimizerKind>("optimizer", ir::name(layout.optimizer));
  if (layout.optimizer == Muon && (s.zero == 3 || s.pipelined() || s.tensor > 1))
    findings.report<rule::MuonLayout>("optimizer", s.zero == 3     ? "with sharded parameters"
                                                   : s.pipelined() ? "in a pipeline"
                                                                   : "with tensor ranks");
  if (layout.fineTuning.empty() || (!s.pipelined() && s.tensor == 1))
    return;
  const char* field = layout.fineTuning.front().adapters.empty() ? "frozen" : "lora";
  findings.report<rule::AdapterMesh>(field, field, s.pipelined() ? "pipeline" : "tensor",
                                     s.pipelined() ? s.pipeline : s.tensor);
}

bool dpl::deepspeed::runsSchedule(const ir::Layout& layout) {
  return answerFor(schedules, layout) != refuses;
}

void dpl::deepspeed::check(const TargetRequest& request, Findings& findings) {
  const DeepspeedLayout layout(request.plan);
  checkRanks(layout, findings);
  checkContext(layout, findings);
  checkTensor(layout, findings);
  checkPipeline(layout, findings);
  checkShard(layout, findings);
  checkTraining(layout, findings);
  checkOverlap(layout, findings);
  checkPrecision(layout, findings);
  checkExperts(layout, findings);
  if (request.plan.layout.graphs)
    findings.report<rule::Graphs>("cuda_graphs");
  if (request.plan.layout.recompute.inAdvance)
    findings.report<rule::RecomputeInAdvance>("recompute.in_advance");
}
