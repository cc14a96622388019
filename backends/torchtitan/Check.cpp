//===- Check.cpp - Whether torchtitan runs a plan: model, mesh, pipeline ----------------------===//
#include "backends/MeshOrder.h"
#include "backends/torchtitan/Rules.h"
#include "backends/torchtitan/Torchtitan.h"
#include "ir/Names.h"
#include "ir/SetInFile.h"

using namespace dpl;
using namespace dpl::torchtitan;

namespace dpl::torchtitan {
constexpr Release releases[] = {"0.2.2", "0.3.0"};
constexpr NeededVariable needs[] = {{"HF_ASSETS_PATH", "the folder of the tokenizer"}};
extern const Target target;
const Target target{"torchtitan",
                    "torchtitan",
                    "configuration (TOML, or a Python function) and launch script",
                    releases,
                    rule::all,
                    check,
                    render,
                    TargetRole::Framework,
                    needs,
                    {},
                    [](const ir::Layout& l) { return torchScheduleOf(l).has_value(); },
                    false,
                    true,
                    true};
} // namespace dpl::torchtitan

void dpl::torchtitan::check(const TargetRequest& request, Findings& findings) {
  const ir::Model& model = request.plan.model;
  if (model.kind != "decoder") { // the other rules apply to decoders only
    findings.report<rule::ModelKind>("", model.name, model.kind);
    return;
  }
  const TorchtitanLayout layout(request);
  checkModel(layout, findings);
  checkMesh(layout, findings);
  checkPipeline(layout, findings);
  checkLayout(layout, findings);
}

void dpl::torchtitan::checkModel(const TorchtitanLayout& s, Findings& findings) {
  const ir::Model& model = s.plan.model;
  if (!s.flavor)
    findings.report<rule::ModelFlavor>("", model.name, whyNoFlavor(model, s.request.release));
  if (model.predictionLayers > 0)
    findings.report<rule::PredictionLayers>("model.mtp_layers", model.predictionLayers);
  if (model.headTransform)
    findings.report<rule::ExtraParts>("model.head_transform", "a layer before the output head");
  if (model.tokenTypes > 0)
    findings.report<rule::ExtraParts>("model.token_types", "a table of token types");
  for (const ir::LayerType& layer : model.layerTypes)
    if (layer.feedForward.capacity > 0) {
      findings.report<rule::ExpertCapacity>("model.ffn");
      break;
    }
  if (s.flavor && model.context > s.flavor->longest)
    findings.report<rule::LongContext>("model.context", model.context, s.flavor->model,
                                       s.flavor->flavor, s.flavor->longest);
  const ir::Attention& a = model.layer(0).attention;
  const auto heads = [&](const char* what, std::uint64_t count) {
    if (count % s.tensor == 0)
      return;
    findings.report<rule::HeadsAtRun>("mesh.tensor", count, what, s.tensor);
    findings.report<rule::HeadsByTensor>("mesh.tensor", count, what, s.tensor);
  };
  heads("attention heads", a.heads);
  if (a.kind == ir::AttentionKind::Grouped && a.kvHeads != a.heads)
    heads("key-value heads", a.kvHeads);
  if (!s.plan.layout.fusedAttention)
    findings.report<rule::FusedAttention>("fused_attention");
}

namespace {

/// Checks how FSDP shards experts. It uses their first dimension, the number of experts, unless
/// there are more devices than experts. Then it uses the second dimension, which must divide
/// evenly. That is the width for the first and third matrix, and the hidden size for the second.
void checkExpertShards(const TorchtitanLayout& s, Findings& findings) {
  const std::uint64_t borrowed = s.shardDegree() * s.context * s.tensor;
  if (s.old && (s.expert == 1 || !s.sharded()))
    return; // 0.2 always uses the first dimension, or does not use FSDP here
  if (borrowed % (s.expert * s.expertTensor) != 0)
    return; // rule ExpertGrid reports this case
  const std::uint64_t shards = borrowed / (s.expert * s.expertTensor);
  // Without expert parallelism, 0.3 counts the devices of a mesh that contains all devices of a
  // pipeline stage.
  const std::uint64_t devices = s.expert > 1 ? shards * s.expert : s.replicateDegree() * borrowed;
  for (const ir::LayerType& layer : s.plan.model.layerTypes) {
    const ir::FeedForward& experts = layer.feedForward;
    if (experts.kind != ir::FeedForwardKind::Experts || devices <= experts.experts)
      continue;
    const std::uint64_t width = experts.width / s.expertTensor, hidden = s.plan.model.hidden;
    if (width % shards == 0 && hidden % shards == 0)
      continue;
    const bool wide = width % shards != 0;
    findings.report<rule::ExpertWidth>("mesh.experts", devices, experts.experts,
                                       wide ? "width" : "hidden size", wide ? width : hidden,
                                       shards);
    return;
  }
}

void checkExperts(const TorchtitanLayout& s, Findings& findings) {
  if (const ir::DispatchKind dispatch = s.plan.layout.kernels.dispatch;
      dispatch != ir::DispatchKind::AllToAll && ir::isSetInFile(s.plan, "kernels.token_dispatcher"))
    findings.report<rule::Dispatch>("kernels.token_dispatcher", ir::name(dispatch));
  if (s.expert > 1) {
    if (s.old && s.expertTensor != 1 && s.expertTensor != s.tensor)
      findings.report<rule::ExpertTensor>("mesh.experts.tensor", s.expertTensor, s.tensor);
    if (!s.old && s.expertTensor != 1)
      findings.report<rule::NoExpertTensor>("mesh.experts.tensor", s.expertTensor, s.expert,
                                            s.tensor, "release 0.3 has none");
    // In this case qwen3 shards nothing, but deepseek_v3 requires the mesh of the shards.
    if (!s.sharded() && s.flavor && s.flavor->latent())
      findings.report<rule::ExpertShards>("mesh.experts.expert", s.expert);
  } else if (s.expertTensor != s.tensor) {
    findings.report<rule::NoExpertTensor>("mesh.experts.tensor", s.expertTensor, s.expert, s.tensor,
                                          "it splits the experts over tensor then");
  }
  if (const std::uint64_t devices = s.shardDegree() * s.context * s.tensor;
      devices % (s.expert * s.expertTensor) != 0)
    findings.report<rule::ExpertGrid>("mesh.experts", devices, s.expert, s.expertTensor);
  for (const ir::LayerType& layer : s.plan.model.layerTypes)
    if (layer.feedForward.experts % s.expert != 0) {
      findings.report<rule::ExpertsByParallel>("mesh.experts.expert", layer.feedForward.experts,
                                               s.expert);
      break;
    }
  checkExpertShards(s, findings);
}

} // namespace

void dpl::torchtitan::checkMesh(const TorchtitanLayout& s, Findings& findings) {
  using enum ir::Axis;
  const ir::Mesh& mesh = s.plan.mesh;
  const ir::Cluster& cluster = s.plan.cluster;
  if (!hasOrder(mesh.axes, {Tensor, Context, Data, Replica, Pipeline}))
    findings.report<rule::RankOrder>("mesh", orderText(mesh.axes));
  else if (!hasOrder(mesh.expertAxes, {ExpertTensor, Expert, ExpertData, Replica, Pipeline}))
    findings.report<rule::RankOrder>("mesh.experts", orderText(mesh.expertAxes));
  if (const std::uint64_t processes = cluster.nodes * cluster.gpusPerNode;
      mesh.devices != processes)
    findings.report<rule::WorldSize>("mesh", mesh.devices, processes, cluster.nodes,
                                     cluster.gpusPerNode);
  if (s.experts)
    checkExperts(s, findings);
  const std::uint64_t tokens = s.plan.model.context;
  if (tokens % (s.tensor * 2 * s.context) != 0)
    findings.report<rule::SequenceDivisor>("model.context", tokens, s.tensor, s.context);
  if (const std::uint64_t parts =
          (s.sequenceParallel() ? s.tensor : 1) * (s.context > 1 ? 2 * s.context : 1);
      tokens % parts != 0)
    findings.report<rule::SequenceParts>("model.context", tokens, parts);
  if (s.context > 1 && s.flavor && s.flavor->flexAttention)
    findings.report<rule::ContextKernel>("mesh.context", s.context, s.flavor->model,
                                         s.flavor->flavor);
  if (s.context > 1 && s.flavor && s.flavor->window > 0)
    findings.report<rule::ContextVarlen>("mesh.context", s.context, s.flavor->model,
                                         s.flavor->flavor);
  if (s.old && s.tensor > 1 && !s.sequenceParallel())
    findings.report<rule::SequenceShard>("mesh.tensor", s.tensor);
}

void dpl::torchtitan::checkPipeline(const TorchtitanLayout& s, Findings& findings) {
  const ir::Layout& layout = s.plan.layout;
  if (const std::uint64_t sequences = s.localBatch();
      layout.batch % (sequences * s.dataRanks()) != 0)
    findings.report<rule::BatchByData>("batch", layout.batch, sequences, s.dataRanks());
  if (s.pipeline == 1)
    return;
  const std::uint64_t batches = s.plan.mesh.microBatches;
  if (!s.schedule)
    findings.report<rule::Schedule>("schedule", ir::name(layout.schedule), whatTorchLacks(layout));
  if (s.schedule && s.schedule->inRounds) {
    const std::uint64_t rounds = std::max<std::uint64_t>(1, batches / s.pipeline);
    if (batches % rounds != 0)
      findings.report<rule::InterleavedRounds>("batch", s.pipeline, batches, rounds);
  } else if (s.schedule && s.schedule->fillsPipeline && batches < s.pipeline) {
    findings.report<rule::PipelineStages>("batch", s.pipeline, batches);
  }
  if (s.flavor && std::string(s.flavor->model) == "qwen3")
    findings.report<rule::NoPipeline>("mesh.pipeline", s.pipeline, s.flavor->model);
  if (s.plan.model.tiedEmbeddings)
    findings.report<rule::TiedPipeline>("mesh.pipeline", s.pipeline);
  // Another check refuses schedules with stage replicas, so only the chunks of one direction are
  // checked.
  const auto chunks = llvm::ArrayRef<ir::Chunk>(s.plan.chunks)
                          .take_front(s.plan.chunks.size() / s.plan.placement.directions());
  for (const ir::Chunk& c : chunks) {
    if (c.layers == 0 && !c.embedding && !c.head)
      findings.report<rule::EmptyStage>("split", c.rank, c.chunk);
    if (c.embedding != (&c == &chunks.front()) || c.head != (&c == &chunks.back()))
      findings.report<rule::StageEnds>("split");
  }
}
