//===- Check.cpp - Whether Accelerate runs a plan ---------------------------------------------===//
#include "backends/FirstLayers.h"
#include "backends/MeshOrder.h"
#include "backends/ScheduleAnswers.h"
#include "backends/accelerate/Accelerate.h"
#include "backends/deepspeed/Deepspeed.h"
#include "backends/megatron/Rules.h"
#include "ir/Names.h"
#include "ir/SetInFile.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::accelerate;

namespace dpl::accelerate {
namespace rule {
#define DPL_RULES "backends/accelerate/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule
constexpr Release releases[] = {"1.15"};
constexpr const char* sets[] = {"ACCELERATE_GRADIENT_ACCUMULATION_STEPS"};
extern const Target target;
const Target target{"accelerate",
                    "Accelerate",
                    "accelerate.yaml and launch script",
                    releases,
                    rule::all,
                    check,
                    render,
                    TargetRole::Framework,
                    {},
                    sets,
                    runsSchedule};
} // namespace dpl::accelerate

namespace {

void checkMesh(const AccelerateLayout& s, Findings& findings) {
  if (!s.inOrder())
    findings.report<rule::RankOrder>("mesh", orderText(s.plan.mesh.axes));
  if (s.expert > 1 && s.plugIn != PlugIn::Megatron)
    findings.report<rule::ExpertParallel>("mesh.experts.expert", s.expert, nameOf(s.plugIn));
  if (s.plugIn != PlugIn::FullySharded)
    return;
  if (s.data == 1 && s.replica > 1 && (s.tensor > 1 || s.context > 1))
    findings.report<rule::ReplicasOnly>("mesh.replica", s.replica);
  else if (s.data == 1 && s.context == 1 && s.plan.mesh.devices > 1)
    findings.report<rule::NothingToShardOver>("shard.parameters");
  if (s.attention && s.attention->kind == ir::AttentionKind::Grouped &&
      s.attention->kvHeads % s.tensor != 0)
    findings.report<rule::KvHeadsByTensor>("mesh.tensor", s.attention->kvHeads, s.tensor);
  if (s.plan.layout.shard.sequence == ir::ShardAxis::Tensor && s.tensor > 1)
    findings.report<rule::ShardSequence>("shard.sequence");
}

using enum ir::ScheduleKind;
constexpr ScheduleAnswers schedules = {
    {"1f1b", {OneForwardOneBackward}},
    {refuses,
     {GPipe, Interleaved, EagerOneForwardOneBackward, LoopedBreadthFirst, ZeroBubbleH1,
      ZeroBubbleH2, ZeroBubble1p, ZeroBubble2p, ZeroBubbleAutomatic, InterleavedZeroBubble,
      ZeroBubbleV, ZeroBubbleVTimed, VHalf, VMin, DualPipeV, DualPipe, PipeDream, Listed}}};

void checkMegatron(const AccelerateLayout& s, Findings& findings) {
  const ir::Layout& layout = s.plan.layout;
  const ir::Model& model = s.plan.model;
  if (model.isLayerList())
    findings.report<rule::MegatronModel>("", "the model is a list of layers");
  else if (s.attention && s.attention->kind == ir::AttentionKind::Latent)
    findings.report<rule::MegatronModel>("model.attention", "attention is latent");
  else if (model.predictionLayers > 0)
    findings.report<rule::MegatronModel>("model.mtp_layers", "the model has MTP layers");
  else if (const RecentBlock recent = recentBlockOf(model); recent.words)
    findings.report<rule::MegatronModel>(recent.field,
                                         fmt::format("the model has {}", recent.words));
  if (s.pipelined() && !runsSchedule(layout)) {
    findings.report<rule::Schedule>("schedule", ir::name(layout.schedule));
  } else if (s.pipelined() && !lastStageOf(s)) {
    const auto counts = llvm::map_range(s.plan.chunks, [](const ir::Chunk& c) { return c.layers; });
    findings.report<rule::StageSplit>("split", fmt::format("{}", fmt::join(counts, "-")));
  }
  if (s.pipelined() && layout.shard.scattersMessages(s.tensor))
    findings.report<rule::ScatteredMessages>("shard.messages", s.tensor);
  if (layout.recompute.kind != ir::RecomputeKind::Full)
    findings.report<rule::AlwaysRecomputes>("recompute", ir::name(layout.recompute.kind));
  if (s.replica > 1 && s.zero > 0)
    findings.report<rule::Replicas>("mesh.replica", s.replica);
}

/// The script makes the optimizer, except with Megatron-LM; DeepSpeed has rules of its own.
void checkTraining(const AccelerateLayout& s, Findings& findings) {
  const ir::Layout& layout = s.plan.layout;
  using enum ir::OptimizerKind;
  const ir::OptimizerKind kind = layout.optimizer;
  if (s.plugIn == PlugIn::Megatron && kind != AdamW && kind != Adam && kind != Sgd)
    findings.report<rule::OptimizerKind>("optimizer", ir::name(kind), nameOf(s.plugIn),
                                         "makes Adam or SGD");
  if (s.plugIn == PlugIn::FullySharded && (kind == Muon || kind == AdamW8Bit || kind == Adafactor))
    findings.report<rule::OptimizerKind>("optimizer", ir::name(kind), nameOf(s.plugIn),
                                         "gives it shards of weights, and it needs whole ones");
  if (layout.fineTuning.empty())
    return;
  const char* field = layout.fineTuning.front().adapters.empty() ? "frozen" : "lora";
  if (s.plugIn == PlugIn::Megatron)
    findings.report<rule::AdapterMesh>(field, field, "the Megatron-LM plug-in");
  else if (s.plugIn == PlugIn::FullySharded && s.tensor > 1)
    findings.report<rule::AdapterMesh>(field, field, fmt::format("tensor parallel {}", s.tensor));
}

std::string namesOf(const std::vector<ir::DataType>& types) {
  const auto names = llvm::map_range(types, [](ir::DataType type) { return ir::name(type); });
  return fmt::format("{}", fmt::join(names, " or "));
}

/// Checks number formats. If only the default of the plan differs from the plug-in's default, this
/// is a difference, not an error.
void checkPrecision(const AccelerateLayout& s, Findings& findings) {
  const ir::Precision& p = s.plan.layout.precision;
  if (p.compute != ir::DataType::FP32 && p.compute != ir::DataType::FP16 &&
      p.compute != ir::DataType::BF16) {
    findings.report<rule::ComputeType>("precision.compute", ir::name(p.compute));
    return;
  }
  const Formats formats = formatsOf(s);
  const auto need = [&](const char* field, ir::DataType found,
                        const std::vector<ir::DataType>& known) {
    if (!llvm::is_contained(known, found))
      findings.report<rule::NumberFormat>(std::string("precision.") + field, field, ir::name(found),
                                          nameOf(s.plugIn), namesOf(known));
  };
  const auto& written = s.plan.layout.ranges;
  need("parameters", p.parameters, formats.parameters);
  need("gradients", p.gradients, formats.gradients);
  if (written.count("precision.reduce") != 0)
    need("reduce", p.reduce, formats.reduce);
  need("moments", p.moments, {ir::DataType::FP32});
  if (p.hasMaster)
    need("master_weights", p.master, {ir::DataType::FP32});
  else if (p.parameters != ir::DataType::FP32)
    findings.report<rule::NumberFormat>("precision.master_weights", "master_weights", "none",
                                        nameOf(s.plugIn), "fp32");
  need("module.head", p.head, {p.compute});
}

/// Refuses overlap options that the file sets and the plug-in lacks. If such an option is a
/// default, this is a difference.
void checkOverlap(const AccelerateLayout& s, Findings& findings) {
  const ir::Overlap& overlap = s.plan.layout.overlap;
  const auto refuse = [&](const char* field, bool value, bool refused, const char* does) {
    const std::string path = std::string("overlap.") + field;
    if (value == refused && s.plan.layout.ranges.count(path) != 0)
      findings.report<rule::UnsupportedOverlap>(path, field, refused ? "true" : "false",
                                                nameOf(s.plugIn), does);
  };
  if (s.plugIn == PlugIn::Megatron) {
    refuse("gradients", overlap.gradients, true, "has no setting for it");
    if (s.zero > 0)
      refuse("parameters", overlap.parameters, true, "has no setting for it");
    if (s.pipelined())
      refuse("pipeline", overlap.pipeline, true, "has no setting for it");
  } else if (s.plugIn == PlugIn::FullySharded) {
    refuse("gradients", overlap.gradients, false, "always does");
    refuse("parameters", overlap.parameters, false, "always does");
  } else if (s.plugIn == PlugIn::DataParallel) {
    refuse("gradients", overlap.gradients, false, "always does");
  }
  refuse("tensor", overlap.tensor, true, "has no setting for it");
  refuse("experts", overlap.experts, true, "has no setting for it");
}

} // namespace

bool dpl::accelerate::runsSchedule(const ir::Layout& layout) {
  return answerFor(schedules, layout) != refuses;
}

void dpl::accelerate::check(const TargetRequest& request, Findings& findings) {
  const AccelerateLayout s(request.plan);
  if (s.plugIn == PlugIn::Missing) {
    findings.report<rule::NoPlugIn>("shard", s.zero == 2 ? "gradients" : "parameters", s.zero,
                                    s.pipelined() ? "pipeline" : "tensor",
                                    s.pipelined() ? s.pipeline : s.tensor);
    return;
  }
  checkMesh(s, findings);
  if (s.plugIn == PlugIn::DeepSpeed) {
    const TargetRequest inner = deepspeedRequest(request);
    Findings found = findings.within(inner);
    deepspeed::check(inner, found);
    findings.add(found);
    return;
  }
  if (s.plugIn == PlugIn::Megatron) {
    checkMegatron(s, findings);
    const TargetRequest inner = megatronRequest(request.plan);
    Findings found = findings.within(inner);
    const megatron::MegatronLayout layout(request.plan, inner.release);
    if (!request.plan.model.isLayerList()) {
      megatron::checkModel(layout, found);
      megatron::checkFacts(layout, found);
    }
    findings.add(found);
  }
  checkTraining(s, findings);
  checkPrecision(s, findings);
  checkOverlap(s, findings);
  if (request.plan.layout.gradientBucket > 0)
    findings.report<rule::GradientBucket>("gradient_bucket_size");
  if (request.plan.layout.graphs)
    findings.report<rule::Graphs>("cuda_graphs");
  if (request.plan.layout.recompute.inAdvance)
    findings.report<rule::RecomputeInAdvance>("recompute.in_advance");
  if (const ir::DispatchKind dispatch = request.plan.layout.kernels.dispatch;
      s.routed && dispatch != ir::DispatchKind::AllToAll &&
      ir::isSetInFile(request.plan, "kernels.token_dispatcher"))
    findings.report<rule::Dispatch>("kernels.token_dispatcher", ir::name(dispatch));
}
