//===- RandomLayout.cpp - The layout of a random plan -----------------------------------------===//
#include "cost/legality/Legality.h"
#include "ir/Names.h"
#include "tests/property/PlanMaker.h"

using namespace dpl;
using namespace dpl::test;
using namespace dpl::ir;

void PlanMaker::schedule() {
  Layout& l = plan.layout;
  do
    l.schedule = static_cast<ScheduleKind>(random.below(namesOf(ScheduleKind{}).size()));
  while (l.schedule == ScheduleKind::Listed);
  chunks = chunksOf(l.schedule);
  const bool odd = l.schedule == ScheduleKind::DualPipe && pipeline % 2 == 1;
  const bool versions = l.schedule == ScheduleKind::PipeDream;
  if ((chunks != 1 && pipeline == 1) || odd || (versions && pipeline == 1))
    l.schedule = ScheduleKind::OneForwardOneBackward, chunks = 1;
  if (chunks == 0)
    chunks = random.size({2, 3});
  if (l.schedule == ScheduleKind::ZeroBubbleAutomatic)
    l.inFlight = random.size({1, 2, 4, 8});
  l.chunks = chunks;
  l.microBatch = random.size({1, 1, 2});
  const bool inTurns =
      l.schedule == ScheduleKind::Interleaved || l.schedule == ScheduleKind::InterleavedZeroBubble;
  const bool halves = l.schedule == ScheduleKind::DualPipe;
  const std::uint64_t least = halves || l.schedule == ScheduleKind::DualPipeV ? 2 * pipeline : 1;
  const std::uint64_t passes = inTurns  ? pipeline * (1 + random.below(4))
                               : halves ? least + 2 * random.below(6)
                                        : least + random.below(12);
  if (l.schedule == ScheduleKind::Interleaved && random.oneIn(2)) {
    const std::uint64_t group = pipeline + random.below(passes - pipeline + 1);
    if (const std::uint64_t last = passes % group; last == 0 || last >= pipeline)
      l.group = group;
  }
  l.batch = l.microBatch * data * replica * passes;
  l.batchUnit = listed ? BatchUnitKind::Samples : BatchUnitKind::Sequences;
}

AxisRequest PlanMaker::axis(Axis a, std::uint64_t size) {
  AxisRequest request;
  request.axis = a, request.size = size;
  return request;
}

void PlanMaker::mesh() {
  MeshRequest& m = plan.layout.mesh;
  m.axes = {axis(Axis::Replica, replica), axis(Axis::Pipeline, pipeline), axis(Axis::Data, data),
            axis(Axis::Context, context), axis(Axis::Tensor, tensor)};
  if (random.oneIn(6)) // pipeline innermost of the outer axes: messages inside a node
    std::swap(m.axes[1], m.axes[2]);
  if (expert == 0)
    return;
  m.hasExperts = true;
  m.experts = {axis(Axis::ExpertData, data * context * tensor / (expert * expertTensor)),
               axis(Axis::Expert, expert), axis(Axis::ExpertTensor, expertTensor)};
}

void PlanMaker::split() {
  Layout& l = plan.layout;
  const std::uint64_t pieces = Placement{placementOf(l.schedule), pipeline, chunks}.stages();
  l.split =
      random.pick({SplitKind::Even, SplitKind::Balanced, SplitKind::ByFlop, SplitKind::Listed});
  if (l.split == SplitKind::ByFlop && facts.oneIn(2))
    l.split = SplitKind::ByParameters;
  if (l.split != SplitKind::Listed)
    return;
  l.splitLayers.assign(pieces, plan.model.layers() / pieces);
  for (std::uint64_t moves = random.below(pieces); moves > 0; --moves) {
    std::uint64_t& from = l.splitLayers[random.below(pieces)];
    if (from > 1) {
      --from;
      ++l.splitLayers[random.below(pieces)];
    }
  }
}

void PlanMaker::compression(Layout& l) {
  if (replica * data * context < 2 || !later.oneIn(5))
    return;
  Compression c;
  c.kind =
      later.pick({CompressionKind::Quantised, CompressionKind::TopK, CompressionKind::LowRank});
  if (listed || (l.shard.stage() > 0 && replica == 1))
    c.kind = CompressionKind::Quantised;
  c.density = later.between(0.001, 0.2), c.bits = later.size({1, 4, 8});
  c.rank = later.size({1, 4, 32});
  l.compression = {c};
}

void PlanMaker::buffers(Layout& l) {
  l.kernels.rotary = facts.pick({KernelKind::Fused, KernelKind::Separate});
  l.kernels.activation = facts.pick({KernelKind::Fused, KernelKind::Separate});
  // Two fields that no longer exist were drawn here; the draws keep the plans of all seeds.
  (void)facts.oneIn(4), (void)facts.oneIn(4);
  l.kernels.loss = facts.pick({LossKind::Fused, LossKind::Compiled, LossKind::InPlace,
                               LossKind::Copied, LossKind::Eager, LossKind::Chunked});
  l.buffers.hasBuckets = facts.oneIn(4), l.buffers.hasMicroBatchGradients = facts.oneIn(4);
  l.buffers.saveGathered = facts.oneIn(4), l.buffers.flatUpdate = facts.oneIn(4);
  l.buffers.gathered = facts.below(3);
}

void PlanMaker::habits(Layout& l) {
  CommunicationOptions h;
  h.keys = later.pick({KeyExchangeKind::Ring, KeyExchangeKind::Gathered, KeyExchangeKind::Heads});
  if (h.keys == KeyExchangeKind::Gathered)
    h.keysRepeated = later.oneIn(2), h.keysCompiled = later.oneIn(2);
  h.stacked = later.oneIn(2), h.groupedExperts = later.oneIn(2), h.earlyStop = later.oneIn(2);
  if (later.oneIn(2))
    l.communicationOptions = {h};
}

void PlanMaker::dispatch() {
  Kernels& k = plan.layout.kernels;
  k.dispatch = facts.pick({DispatchKind::AllToAll, DispatchKind::DeepEp, DispatchKind::HybridEp,
                           DispatchKind::AllGather});
  k.dispatchFp8 = k.dispatch == DispatchKind::DeepEp && facts.oneIn(2);
  k.permutation = facts.pick({KernelKind::Fused, KernelKind::Separate});
  k.router = facts.pick({KernelKind::Fused, KernelKind::Separate});
  for (LayerType& c : plan.model.layerTypes)
    if (FeedForward& f = c.feedForward; f.kind == FeedForwardKind::Experts && f.experts % 2 == 0)
      f.router.groups = 2, f.router.groupLimit = 1 + facts.below(2);
}

void PlanMaker::unequalMicroBatches() {
  Layout& l = plan.layout;
  const std::uint64_t m = l.batch / (l.microBatch * data * replica);
  for (std::uint64_t left = m % 2 == 0 && facts.oneIn(2) ? m / 2 : m; left > 0; --left)
    l.microBatchCosts.push_back(1 + facts.below(facts.oneIn(4) ? 1000 : 4));
}

void PlanMaker::layout() {
  Layout& l = plan.layout;
  if (random.oneIn(3) && plan.cluster.device().peak.count(DataType::FP8) > 0)
    l.precision.compute = DataType::FP8;
  else if (random.oneIn(6))
    l.precision.compute = l.precision.head = DataType::FP16;
  l.recompute.kind =
      random.pick({RecomputeKind::None, RecomputeKind::Selective, RecomputeKind::Full});
  if (l.recompute.kind == RecomputeKind::Selective)
    l.recompute.modules = {
        random.pick({ModuleKind::CoreAttention, ModuleKind::Mlp, ModuleKind::Moe})};
  if (l.recompute.kind == RecomputeKind::Full)
    l.recompute.method = random.pick({RecomputeMethod::Uniform, RecomputeMethod::Block});
  std::uint64_t stage = random.below(4);
  if (l.schedule == ScheduleKind::PipeDream) // whole weights of one rank
    stage = std::min<std::uint64_t>(stage, 1), plan.model.tiedEmbeddings = false;
  l.shard.optimizer = stage > 0 ? ShardAxis::Data : ShardAxis::None;
  l.shard.gradients = stage > 1 ? ShardAxis::Data : ShardAxis::None;
  l.shard.parameters = stage > 2 ? ShardAxis::Data : ShardAxis::None;
  l.shard.reshard = random.oneIn(2);
  if (tensor > 1 && random.oneIn(2))
    l.shard.sequence = ShardAxis::Tensor;
  l.optimizer = random.pick({OptimizerKind::AdamW, OptimizerKind::Adam, OptimizerKind::Sgd});
  Overlap& o = l.overlap;
  o.gradients = random.oneIn(2), o.parameters = random.oneIn(2), o.pipeline = random.oneIn(2);
  o.tensor = random.oneIn(2), o.experts = random.oneIn(2);
  l.fusedAttention = !random.oneIn(4),
  l.kernels.norm = random.oneIn(2) ? KernelKind::Fused : KernelKind::Separate;
  l.graphs = random.oneIn(5), l.postValidation = random.oneIn(6);
  buffers(l);
  if (facts.oneIn(3))
    l.shard.messages = ShardAxis::Tensor;
  if (facts.oneIn(4))
    l.gradientBucket = facts.size({1 << 20, 25 << 20, 400 << 20});
  compression(l);
  if (facts.oneIn(8))
    l.setsUpdateTime = true, l.update = facts.below(100'000'000'000);
  if (facts.oneIn(8))
    l.launchBlocking = true, o = {false, false, false, false, false};
  if (facts.oneIn(6))
    unequalMicroBatches();
  habits(l);
  l.buffers.hasWholeGradients = facts.oneIn(4), l.buffers.keepEndsGathered = facts.oneIn(4);
  if (l.recompute.kind == RecomputeKind::Selective && facts.oneIn(3))
    l.recompute.modules.push_back(ModuleKind::AlternateProducts);
  if (l.recompute.kind != RecomputeKind::None && facts.oneIn(3)) {
    l.recompute.inAdvance = true;
    l.recompute.inAdvance =
        cost::legal::allowsInAdvance(l) && cost::legal::recomputes(plan.model, l.recompute);
  }
  if (l.precision.compute == DataType::FP8 && facts.oneIn(2))
    l.precision.parameters = DataType::FP8;
  l.buffers.hasUpdateGradients = later.oneIn(4), l.buffers.keepMessages = later.oneIn(4);
  l.buffers.expandableSegments = later.oneIn(4);
  if (!plan.model.isLayerList())
    plan.model.embeddingNorm = plan.model.kind == "encoder" || later.oneIn(4);
  if (later.oneIn(5))
    l.offload = {{later.below(4), later.pick({0.0, 0.5, 1.0})}};
  if (later.oneIn(6) && !l.recompute.inAdvance) {
    using enum SavedOperator;
    l.recompute = {};
    l.recompute.kind = RecomputeKind::Saved;
    l.recompute.saved = {later.pick({QueryKeyValue, Context, Projection, Quantization})};
    if (later.oneIn(2))
      l.recompute.offloaded = {later.pick({Input, Up, Down})};
  }
  if (l.shard.stage() > 1 && later.oneIn(6))
    l.offload = {{.layers = later.below(4),
                  .optimizer = 1,
                  .gradients = true,
                  .parameters = l.shard.stage() > 2 && l.shard.reshard}};
}

void PlanMaker::training() {
  Layout& l = plan.layout;
  if (plan.model.isLayerList()) {
    if (tuned.oneIn(4))
      l.optimizer = tuned.pick({OptimizerKind::AdamW8Bit, OptimizerKind::Lion});
    return;
  }
  if (tuned.oneIn(4))
    l.optimizer = tuned.pick({OptimizerKind::Muon, OptimizerKind::AdamW8Bit,
                              OptimizerKind::Adafactor, OptimizerKind::Lion});
  l.muonTensorMode = tuned.pick({MuonTensorMode::Duplicated, MuonTensorMode::Blockwise});
  if (tuned.oneIn(4))
    l.documents = {{1 + tuned.below(plan.model.context), tuned.oneIn(2)}};
  if (!tuned.oneIn(4) || plan.model.predictionLayers > 0 || !l.compression.empty())
    return;
  FineTuning& out = l.fineTuning.emplace_back();
  using enum ModelPart;
  out.format = tuned.pick({FrozenFormat::Parameters, FrozenFormat::FP32, FrozenFormat::BF16,
                           FrozenFormat::Int8, FrozenFormat::NF4});
  out.doubleQuantization = tuned.oneIn(2);
  if (tuned.oneIn(2)) {
    out.frozen = {Embedding, Head, tuned.pick({Attention, Norm})};
    return;
  }
  out.frozen = {Embedding, Attention, FeedForward, Experts, Router, Norm, Head};
  Adapters& lora = out.adapters.emplace_back();
  lora.rank = 1 + tuned.below(16), lora.dropout = tuned.pick({0.0, 0.1});
  for (const AdapterModule module : {AdapterModule::Query, AdapterModule::Value,
                                     AdapterModule::Output, AdapterModule::Up, AdapterModule::Down})
    if (lora.modules.empty() || tuned.oneIn(2))
      lora.modules.push_back(module);
}
