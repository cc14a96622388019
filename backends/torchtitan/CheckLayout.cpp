//===- CheckLayout.cpp - Shards, numbers and activations that torchtitan has ------------------===//
#include "backends/torchtitan/Rules.h"
#include "ir/Names.h"

using namespace dpl;
using namespace dpl::torchtitan;

namespace {

void checkShards(const TorchtitanLayout& s, Findings& findings) {
  const ir::Shard& shard = s.plan.layout.shard;
  const auto over = [](ir::ShardAxis axis) { return axis == ir::ShardAxis::Data; };
  if (s.zero > 0 && !(over(shard.parameters) && over(shard.gradients) && over(shard.optimizer))) {
    std::string found;
    for (const auto& [name, axis] : {std::pair("parameters", shard.parameters),
                                     {"gradients", shard.gradients},
                                     {"optimizer", shard.optimizer}})
      if (over(axis))
        found += (found.empty() ? "" : " and ") + std::string(name);
    findings.report<rule::ShardCombination>("shard", found);
  }
  // Only llama3 has this check; in other models its condition is never true.
  if (s.flavor && std::string(s.flavor->model) == "llama3" && s.replicateDegree() > 1 &&
      !s.sharded() && s.tensor * s.pipeline > 1)
    findings.report<rule::ReplicateAlone>("shard", s.replicateDegree(), s.tensor, s.pipeline);
  if (s.old && s.mixed() && !s.sharded() && s.tensor * s.pipeline > 1)
    findings.report<rule::MixedWithoutShards>("precision.compute",
                                              ir::name(s.plan.layout.precision.compute));
}

/// Checks the settings of release 0.2 that work only with some schedules.
void checkOldOverlap(const TorchtitanLayout& s, Findings& findings) {
  const ir::Overlap& overlap = s.plan.layout.overlap;
  const TorchSchedule schedule =
      s.pipeline > 1 && s.schedule ? *s.schedule : TorchSchedule{.name = ""};
  if (overlap.experts && (!schedule.pairsActions || s.expert == 1))
    findings.report<rule::ExpertOverlap>(
        "overlap.experts", "0.2 has with `schedule = dualpipe_v` and expert parallelism");
  else if (overlap.experts && s.plan.layout.recompute.kind != ir::RecomputeKind::None)
    findings.report<rule::ExpertOverlapRecompute>("overlap.experts");
  if (s.compiled() && schedule.splitsBackward)
    findings.report<rule::CompiledSchedule>(overlap.tensor ? "overlap.tensor" : "framework",
                                            ir::name(s.plan.layout.executedSchedule()));
}

void checkOverlap(const TorchtitanLayout& s, Findings& findings) {
  const ir::Overlap& overlap = s.plan.layout.overlap;
  const bool waits = s.plan.layout.launchBlocking; // the host waits for each kernel, so nothing
                                                   // overlaps
  if (s.dataRanks() > 1 && !overlap.gradients && !waits)
    findings.report<rule::GradientOverlap>("overlap.gradients", "gradients");
  if (s.sharded() && !overlap.parameters && !waits)
    findings.report<rule::GradientOverlap>("overlap.parameters", "parameters");
  if (s.old)
    checkOldOverlap(s, findings);
  else if (overlap.experts)
    findings.report<rule::ExpertOverlap>("overlap.experts", "0.3 has no setting for");
  if (overlap.tensor && !s.sequenceParallel())
    findings.report<rule::TensorOverlap>(
        "overlap.tensor", s.tensor > 1 ? "`shard.sequence = tensor`" : "tensor parallelism");
  const ir::Layout& layout = s.plan.layout;
  if (const ir::KeyExchangeKind keys = layout.communication().keys;
      s.context > 1 && keys != ir::KeyExchangeKind::Gathered &&
      layout.ranges.count("communication_options.context_exchange") != 0)
    findings.report<rule::KeyExchange>("communication_options.context_exchange", ir::name(keys));
  if (layout.gradientBucket > 0)
    findings.report<rule::GradientBucket>("gradient_bucket_size");
  if (s.pipeline > 1 && layout.shard.scattersMessages(s.tensor))
    findings.report<rule::ScatteredMessages>("shard.messages", s.tensor);
  if (s.pipeline > 1 && layout.ranges.count("overlap.pipeline") != 0 &&
      overlap.pipeline != s.overlapsSends())
    findings.report<rule::PipelineOverlap>("overlap.pipeline", overlap.pipeline ? "true" : "false",
                                           ir::name(layout.executedSchedule()),
                                           overlap.pipeline ? "are waited for before the next pass"
                                                            : "always overlap with computation");
}

bool allFp32(const ir::Precision& p) {
  using enum ir::DataType;
  return p.compute == FP32 && p.parameters == FP32 && p.gradients == FP32 && p.moments == FP32 &&
         (!p.hasMaster || p.master == FP32);
}

/// Whether compute is bf16 or fp8 with fp32 parameters. The fp32 shards are the master weights, and
/// the gathered parameters are bf16, so a plan may name either type.
bool mixedPrecision(const ir::Precision& p) {
  using enum ir::DataType;
  const bool master = p.hasMaster ? p.master == FP32 : p.parameters == FP32;
  return (p.compute == BF16 || p.compute == FP8) &&
         (p.parameters == BF16 || p.parameters == FP32) && p.gradients == FP32 &&
         p.moments == FP32 && master;
}

void checkNumbers(const TorchtitanLayout& s, Findings& findings) {
  const ir::Precision& p = s.plan.layout.precision;
  if (!allFp32(p) && !mixedPrecision(p) && !s.fullBf16()) {
    findings.report<rule::NumberFormats>(
        "precision", ir::name(p.compute), ir::name(p.parameters), ir::name(p.gradients),
        p.hasMaster ? ir::name(p.master) : "none", ir::name(p.moments));
    return; // the rules for other types depend on the compute type
  }
  if (p.reduce != ir::DataType::FP32 && s.dataRanks() * s.context > 1)
    findings.report<rule::ReduceFormat>("precision.reduce", ir::name(p.reduce));
  if (p.head != (s.float8() ? ir::DataType::BF16 : p.compute))
    findings.report<rule::HeadFormat>("precision.module.head", ir::name(p.head),
                                      ir::name(p.compute));
  // Release 0.3 scales by row only. If the plan's recipe is a default, this is a difference, not an
  // error.
  const bool written = s.plan.layout.ranges.count("precision.recipe") != 0;
  if (s.float8() && p.recipe != ir::Fp8Recipe::Rowwise &&
      (p.recipe != ir::Fp8Recipe::Tensorwise || (written && !s.old)))
    findings.report<rule::Recipe>("precision.recipe", ir::name(p.recipe),
                                  s.old ? "tensorwise or rowwise" : "rowwise");
  if (s.float8() && s.tensor > 1 && s.flavor && s.flavor->latent())
    findings.report<rule::LatentFloat8>("precision.compute", s.tensor, s.flavor->model);
}

void checkRecompute(const TorchtitanLayout& s, Findings& findings) {
  const ir::Recompute& r = s.plan.layout.recompute;
  if (r.inAdvance)
    findings.report<rule::RecomputeInAdvance>("recompute.in_advance");
  if (r.kind == ir::RecomputeKind::Selective && !s.byOperator())
    findings.report<rule::UnsupportedRecompute>("recompute", "selective of other modules");
  else if (r.kind == ir::RecomputeKind::Full &&
           (r.method != ir::RecomputeMethod::Uniform || r.layers != 1))
    findings.report<rule::UnsupportedRecompute>(
        "recompute",
        fmt::format("full with method {} and {} layers", ir::name(r.method), r.layers));
}

} // namespace

void dpl::torchtitan::checkLayout(const TorchtitanLayout& s, Findings& findings) {
  const ir::Layout& layout = s.plan.layout;
  checkShards(s, findings);
  checkOverlap(s, findings);
  checkNumbers(s, findings);
  checkRecompute(s, findings);
  if (layout.optimizer != ir::OptimizerKind::AdamW && layout.optimizer != ir::OptimizerKind::Adam)
    findings.report<rule::UnsupportedOptimizer>("optimizer", ir::name(layout.optimizer));
  if (!layout.fineTuning.empty()) {
    const char* field = layout.fineTuning.front().adapters.empty() ? "frozen" : "lora";
    findings.report<rule::FineTuning>(field, field);
  }
  if (!layout.documents.empty())
    findings.report<rule::Documents>("documents");
  if (layout.graphs && s.old)
    findings.report<rule::NoGraphs>("cuda_graphs");
  if (layout.graphs && s.pipeline > 1)
    findings.report<rule::GraphsPipeline>("cuda_graphs", s.pipeline);
  else if (layout.graphs && s.expert > 1)
    findings.report<rule::GraphsExperts>("cuda_graphs", s.expert);
}
