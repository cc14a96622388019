//===- Check.cpp - Whether the PyTorch module runs a plan -------------------------------------===//
#include "backends/FirstLayers.h"
#include "backends/TorchPipelining.h"
#include "backends/pytorch/Pytorch.h"
#include "ir/Names.h"

using namespace dpl;
using namespace dpl::pytorch;

namespace dpl::pytorch {
namespace rule {
#define DPL_RULES "backends/pytorch/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule
constexpr Release releases[] = {"2.11"};
extern const Target target;
const Target target{"pytorch",
                    "PyTorch",
                    "module that trains a small model of the plan's shape",
                    releases,
                    rule::all,
                    check,
                    render,
                    TargetRole::Framework,
                    {},
                    {},
                    [](const ir::Layout& l) { return torchScheduleOf(l).has_value(); },
                    true};
} // namespace dpl::pytorch

namespace {

void checkModel(const ir::Plan& plan, Findings& findings) {
  const std::uint64_t tensor = plan.mesh.size(ir::Axis::Tensor);
  if (plan.model.parallelNorms > 0)
    findings.report<rule::ParallelBlocks>("model.blocks");
  if (const ir::FineTuning* tuning = plan.layout.fineTuningOrNull()) {
    const char* field = tuning->adapters.empty() ? "frozen" : "lora";
    findings.report<rule::FineTuning>(field, field);
  } else if (!plan.layout.documents.empty()) {
    findings.report<rule::FineTuning>("documents", "documents");
  }
  for (const ir::LayerType& layer : plan.model.layerTypes) {
    if (layer.attention.kind == ir::AttentionKind::None) {
      findings.report<rule::LayerParts>("model.layer", "attention");
      return;
    }
    if (layer.feedForward.kind == ir::FeedForwardKind::None) {
      findings.report<rule::LayerParts>("model.layer", "feed-forward part");
      return;
    }
    if (const RecentBlock recent = recentBlockOf(plan.model); recent.words) {
      findings.report<rule::RecentBlocks>(recent.field, recent.words);
      return;
    }
    if (layer.attention.kind == ir::AttentionKind::Grouped &&
        layer.attention.kvHeads % tensor != 0) {
      findings.report<rule::KvHeads>("mesh.tensor", layer.attention.kvHeads, tensor);
      return;
    }
  }
}

void checkPipeline(const ir::Plan& plan, Findings& findings) {
  const std::uint64_t pipeline = plan.mesh.size(ir::Axis::Pipeline);
  const std::uint64_t batches = plan.mesh.microBatches;
  const std::optional<TorchSchedule> schedule = torchScheduleOf(plan.layout);
  if (pipeline > 1 && !schedule)
    findings.report<rule::Schedule>("schedule", ir::name(plan.layout.schedule),
                                    whatTorchLacks(plan.layout));
  if (schedule && schedule->fillsPipeline && batches < pipeline)
    findings.report<rule::PipelineStages>("batch", pipeline, batches);
  std::vector<bool> filled(pipeline, false);
  // Another check refuses schedules with stage replicas, so only the chunks of one direction are
  // checked.
  const auto chunks = llvm::ArrayRef<ir::Chunk>(plan.chunks)
                          .take_front(plan.chunks.size() / plan.placement.directions());
  for (const ir::Chunk& c : chunks) {
    if (c.layers > 0 || c.embedding || c.head)
      filled[c.rank] = true;
    if (c.embedding != (&c == &chunks.front()) || c.head != (&c == &chunks.back())) {
      findings.report<rule::StageEnds>("split");
      return;
    }
  }
  for (std::uint64_t rank = 0; rank < pipeline; ++rank)
    if (!filled[rank])
      findings.report<rule::EmptyStage>("split", rank);
}

/// Checks overlap options that the file sets. Defaults are not checked.
void checkOverlap(const ir::Layout& layout, Findings& findings) {
  const ir::Overlap& overlap = layout.overlap;
  const std::optional<TorchSchedule> schedule = torchScheduleOf(layout);
  const bool waits = schedule && schedule->awaitsSends;
  for (const auto& [field, wanted] :
       {std::pair("gradients", overlap.gradients), std::pair("parameters", overlap.parameters),
        std::pair("pipeline", overlap.pipeline && waits), std::pair("tensor", overlap.tensor),
        std::pair("experts", overlap.experts)}) {
    const std::string path = std::string("overlap.") + field;
    if (wanted && layout.ranges.count(path) != 0)
      findings.report<rule::UnsupportedOverlap>(path, field);
  }
}

void checkMessages(const ir::Plan& plan, Findings& findings) {
  if (plan.layout.gradientBucket > 0)
    findings.report<rule::GradientBucket>("gradient_bucket_size");
  if (plan.layout.recompute.inAdvance)
    findings.report<rule::RecomputeInAdvance>("recompute.in_advance");
  const std::uint64_t tensor = plan.mesh.size(ir::Axis::Tensor);
  if (plan.mesh.size(ir::Axis::Pipeline) > 1 && plan.layout.shard.scattersMessages(tensor))
    findings.report<rule::ScatteredMessages>("shard.messages", tensor);
}

} // namespace

void dpl::pytorch::check(const TargetRequest& request, Findings& findings) {
  const ir::Plan& plan = request.plan;
  if (plan.model.kind != "decoder") { // the other rules apply to decoders only
    findings.report<rule::ModelKind>("", plan.model.name, plan.model.kind);
    return;
  }
  if (const std::uint64_t processes = plan.cluster.nodes * plan.cluster.gpusPerNode;
      plan.mesh.devices != processes)
    findings.report<rule::WorldSize>("mesh", plan.mesh.devices, processes, plan.cluster.nodes,
                                     plan.cluster.gpusPerNode);
  checkModel(plan, findings);
  checkPipeline(plan, findings);
  checkOverlap(plan.layout, findings);
  checkMessages(plan, findings);
}
