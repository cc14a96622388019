//===- MemoryRows.cpp - The memory of a device ------------------------------------------------===//
#include "cost/compute/LayerCost.h"
#include "cost/compute/OptimizerRow.h"
#include "cost/memory/OutsideTensors.h"
#include "cost/memory/RankMemory.h"
#include "cost/memory/SegmentReplay.h"
#include "cost/programs/Compression.h"
#include "cost/schedules/Schedule.h"
#include "figures/Rows.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using ir::Axis;
using ir::real;

namespace {
const ir::RankMemory& rankOf(const FigureContext& f) { return f.plan.memory[f.instance->index]; }

/// Whether the rank has routed experts whose axes are in an expert grid.
bool hasExpertGrid(const FigureContext& f) {
  return !f.plan.mesh.expertAxes.empty() &&
         llvm::any_of(f.costsOf(rankOf(f).rank),
                      [](const ir::ChunkCost* cost) { return cost->expertParameters > 0; });
}

double exchanged(const FigureContext& f) { return cost::bufferBytes(f.plan).messages(); }
} // namespace

Traced figures::optimizerElement(const FigureContext& f) {
  TracedSum sum;
  sum.plus(f("bytes_per_element.master_weights"));
  if (const double moments = cost::momentsOf(f.layout); moments > 0)
    sum.plus(moments, f("bytes_per_element.moments"));
  return sum.all.has() ? sum.all : FigureContext::counted(0);
}

Traced figures::momentElement(const FigureContext& f) {
  if (cost::optimizerRow(f.layout.optimizer).bits > 0)
    return FigureContext::counted(cost::momentBits(f.layout) / 8)
        .because("bytes of one element of each moment with its share of block constants");
  return f.declared(cost::momentBits(f.layout) / 8, "layout.precision.moments");
}

double figures::adapterParameters(const FigureContext& f) {
  const ir::FineTuning* tuning = f.layout.fineTuningOrNull();
  return tuning && !tuning->adapters.empty()
             ? cost::modelParameters(f.model, f.layout).all - cost::totalParameters(f.model)
             : 0;
}

double figures::paddedShare(const FigureContext& f) {
  if (f.layout.documents.empty() || f.layout.documents.front().packed)
    return 0;
  return 1 - real(f.layout.documents.front().length) / real(f.model.context);
}

Traced figures::usedCount(const FigureContext& f, double cost::UsedParameters::*part) {
  double sum = 0;
  if (!f.layout.fineTuning.empty())
    for (const ir::ChunkCost* cost : f.costsOf(rankOf(f).rank))
      sum += cost::allParameters(f.layout, *cost).*part;
  return sum > 0 ? FigureContext::counted(sum) : FigureContext::none();
}

Traced figures::checkpointBytes(const FigureContext& f) {
  if (!cost::tracksUse(f.layout))
    return f("model.parameters") *
           (f("bytes_per_element.parameters") + f("bytes_per_element.optimizer"));
  const cost::UsedParameters all = cost::modelParameters(f.model, f.layout);
  const double bits =
      all.trained * (real(bitsOf(f.layout.precision.parameters)) + cost::masterBits(f.layout)) +
      all.moments * cost::momentBits(f.layout);
  return FigureContext::counted(bits / 8).because("bytes of trained weights and their state");
}

namespace {
/// Bytes of weights that are trained in different ways; MemoryModel adds up those of each.
Traced byUse(std::uint64_t bytes) {
  return FigureContext::counted(real(bytes)).because("bytes by the use of each weight");
}
} // namespace

bool figures::hasMessages(const FigureContext& f) {
  const cost::BufferBytes bytes = cost::bufferBytes(f.plan);
  return bytes.pipeline > 0 || bytes.gathered > 0;
}

namespace {
Traced wholeResidual(const FigureContext& f) {
  return f.over(f("sequences_per_micro_batch") * f("model.context") * f("model.hidden") *
                    f("bytes_per_element.activations"),
                Axis::Context);
}
} // namespace

Traced figures::gatheredInputs(const FigureContext& f) {
  if (cost::bufferBytes(f.plan).gathered == 0)
    return FigureContext::none();
  return f.declared(real(f.layout.buffers.gathered), "layout.buffers.sequence_gather_buffers") *
         wholeResidual(f);
}

Traced figures::persistentBuffers(const FigureContext& f) {
  TracedSum sum;
  sum.plus(f.ofInstance("workspace"));
  sum.plus(f("memory.sequence_gather_buffers"));
  sum.plus(f.ofInstance("compression"));
  sum.plus(f.ofInstance("receive_buffers"));
  return sum.all;
}

double figures::receivedBytes(const FigureContext& f) {
  std::uint64_t bytes = 0;
  for (const cost::RankChunk& chunk : cost::rankChunks(f.plan, rankOf(f).rank))
    bytes += ir::whole(cost::receivedBytes(f.plan, *chunk.chunk));
  return real(bytes);
}

double figures::compressionBytes(const FigureContext& f) {
  std::uint64_t bytes = 0;
  if (!f.layout.compression.empty())
    for (const cost::RankChunk& chunk : cost::rankChunks(f.plan, rankOf(f).rank))
      bytes += ir::whole(cost::compressionBytes(f.plan, *chunk.chunk, *chunk.cost));
  return real(bytes);
}

Traced figures::residual(const FigureContext& f) {
  const Traced bytes = wholeResidual(f);
  return cost::divisionOf(f.plan).residualSplit() == 1 ? bytes : f.over(bytes, Axis::Tensor);
}

Traced figures::messages(const FigureContext& f) {
  TracedSum sum;
  const bool parts = cost::divisionOf(f.plan).scattersMessages;
  const Traced whole = f("memory.residual_stream");
  sum.plus(4, parts ? f.over(whole, Axis::Tensor) : whole);
  if (parts)
    sum.plus(2, whole);
  sum.plus(f("memory.dispatched_tokens"));
  return sum.all;
}

Traced figures::elements(const FigureContext& f, bool experts) {
  TracedSum sum;
  for (const ir::ChunkCost* cost : f.costsOf(rankOf(f).rank))
    sum.plus(f(f.stagePath(*cost) + (experts ? ".expert_parameters" : ".parameters")));
  if (experts)
    return hasExpertGrid(f) ? sum.all : FigureContext::none();
  if (!sum.all.has())
    return FigureContext::counted(0);
  return hasExpertGrid(f) ? (sum.all - f.ofInstance("expert_parameter_count"))
                                .because("parameters on a device, without routed experts")
                          : sum.all.because("parameters on a device");
}

namespace {
/// Bytes of state: elements × bytes per element, divided over the data-parallel devices if the ZeRO
/// stage is at least `shardStage`.
Traced ofElements(const FigureContext& f, const char* element, unsigned shardStage) {
  const bool sharded = f.layout.shard.stage() >= shardStage;
  const std::uint64_t directions = f.plan.placement.directions();
  const auto overCopies = [&](const Traced& of) { // divides by the replicas of each stage
    return sharded && directions > 1 ? of / real(directions) : of;
  };
  Traced all = overCopies(f.ofInstance("parameter_count"));
  if (sharded)
    all = f.over(f.over(all, Axis::Data), Axis::Context);
  if (Traced experts = f.ofInstance("expert_parameter_count"); experts.has())
    all = all + (sharded ? f.over(overCopies(experts), Axis::ExpertData) : experts);
  return all * f(element);
}
constexpr unsigned never = 4; // a `shardStage` above all ZeRO stages: the state is never sharded
} // namespace

Traced figures::state(const FigureContext& f, const char* element, std::uint64_t bytes,
                      unsigned shardStage) {
  if (cost::tracksUse(f.layout))
    return byUse(bytes);
  Traced all = ofElements(f, element, shardStage);
  if (const double there = f.layout.offloadSettings().optimizer; there > 0)
    all = all * f.declared(1 - there, "layout.offload.optimizer");
  return all.rounding(real(bytes));
}

Traced figures::weightVersions(const FigureContext& f) {
  const std::uint64_t versions = cost::weightVersions(cost::pipelineOf(f.plan), rankOf(f).rank);
  return versions > 1 ? f.counted(real(versions)) : f.none();
}

namespace {
constexpr const char* atTheHost = "they are in the memory of the host";
} // namespace

Traced figures::parameters(const FigureContext& f) {
  if (f.layout.offloadSettings().parameters)
    return FigureContext::counted(0).because(atTheHost);
  if (cost::tracksUse(f.layout))
    return byUse(rankOf(f).parameters);
  const Traced each = ofElements(f, "bytes_per_element.parameters", 3),
               versions = f.ofInstance("weight_versions");
  const Traced one = cost::weightOrders(f.plan) == 2 ? 2 * each : each;
  return (versions.has() ? one * versions : one).rounding(real(rankOf(f).parameters));
}

Traced figures::gradients(const FigureContext& f) {
  if (f.layout.offloadSettings().gradients)
    return FigureContext::counted(0).because(atTheHost);
  if (cost::tracksUse(f.layout))
    return byUse(rankOf(f).gradients);
  TracedSum sum;
  sum.plus(ofElements(f, "bytes_per_element.gradients", 2));
  if (f("bytes_per_element.gradient_buckets").has())
    sum.plus(ofElements(f, "bytes_per_element.gradient_buckets", never));
  return sum.all.rounding(real(rankOf(f).gradients));
}

Traced figures::update(const FigureContext& f) {
  if (rankOf(f).update == 0)
    return FigureContext::counted(0);
  if (cost::tracksUse(f.layout))
    return byUse(rankOf(f).update);
  TracedSum sum;
  if (f.layout.buffers.flatUpdate && f.layout.shard.stage() == 1 && f.plan.stateRanks() > 1) {
    sum.plus(ofElements(f, "bytes_per_element.parameters", 1));
    sum.plus(2, ofElements(f, "bytes_per_element.parameters", never));
  }
  if (f("bytes_per_element.optimizer_gradients").has()) {
    sum.plus(ofElements(f, "bytes_per_element.optimizer_gradients", 1));
    sum.plus(ofElements(f, "bytes_per_element.gradients", 1));
    if (f.layout.shard.stage() == 1) // gradients of other shards are freed
      return (sum.all + ofElements(f, "bytes_per_element.gradients", 1) -
              ofElements(f, "bytes_per_element.gradients", never))
          .rounding(real(rankOf(f).update));
  }
  return sum.all.rounding(real(rankOf(f).update));
}

Traced figures::rankPeak(const FigureContext& f) {
  if (f.depth == Depth::Values)
    return FigureContext::simulated(real(rankOf(f).peak()));
  Traced passes = f.ofInstance("activations") + f.ofInstance("temporary");
  if (rankOf(f).update > 0)
    passes = max(passes, f.ofInstance("optimizer_step"));
  return f.ofInstance("parameters") + f.ofInstance("gradients") + f.ofInstance("optimizer") +
         f.ofInstance("buffers") + passes + f.ofInstance("non_tensor");
}

Traced figures::ofTightestDevice(const FigureContext& f, const ir::RankMemory& rank, double value,
                                 const char* column) {
  return f.declared(value,
                    FigureContext::deviceField(f.cluster.nodeTypes[rank.nodeType]) + "." + column);
}

namespace {
std::uint64_t outsideBytes(const FigureContext& f, const ir::RankMemory& rank) {
  return cost::outsideBytes(f.plan, cost::deviceOf(f.plan, rank), rank.rank);
}
} // namespace

Traced figures::segments(const FigureContext& f) {
  const ir::RankMemory& rank = rankOf(f);
  const std::uint64_t outside = std::min(rank.usable, outsideBytes(f, rank));
  const auto segments = cost::segmentsOf(f.plan, rank, rank.usable - outside);
  return segments ? FigureContext::simulated(real(segments->reserved)) : FigureContext::none();
}

Traced figures::communicators(const FigureContext& f) {
  const std::uint64_t bytes = cost::communicatorBytes(f.plan);
  return bytes == 0 ? FigureContext::none() : FigureContext::counted(real(bytes));
}

Traced figures::pairs(const FigureContext& f) {
  const std::uint64_t pair = cost::pairBytes(f.plan);
  return pair == 0
             ? FigureContext::none()
             : FigureContext::counted(real(cost::neighboursOf(f.plan, rankOf(f).rank) * pair));
}

namespace {
/// The memory of a rank outside the allocator, computed even if the device sets
/// `non_tensor_memory`.
Traced outsideOf(const FigureContext& f, const ir::RankMemory& rank) {
  const std::uint64_t context = cost::deviceOf(f.plan, rank).context;
  Traced all = context == f.plan.cluster.device().context
                   ? f("memory.cuda_context")
                   : ofTightestDevice(f, rank, real(context), "cuda_context");
  for (const std::string& path : {std::string("memory.communicators"),
                                  fmt::format("memory.rank[{}].p2p_communicators", rank.rank)})
    if (const Traced part = f(path); part.has())
      all = all + part;
  return all;
}
} // namespace

Traced figures::reservedOf(const FigureContext& f, const ir::RankMemory& rank) {
  const std::uint64_t stated = cost::deviceOf(f.plan, rank).reserved;
  if (outsideBytes(f, rank) > stated)
    return outsideOf(f, rank);
  return ofTightestDevice(f, rank, real(stated), "non_tensor_memory");
}

Traced figures::freeBlocks(const FigureContext& f) {
  const std::uint64_t blocks = cost::freeBlockBytes(f.plan, rankOf(f));
  return blocks == 0 ? FigureContext::none() : FigureContext::simulated(real(blocks));
}

Traced figures::reserved(const FigureContext& f) {
  if (const Traced blocks = f.ofInstance("free_blocks"); blocks.has())
    return outsideOf(f, rankOf(f)) + blocks;
  const Traced first = f("device.non_tensor_memory");
  return first.value() == real(rankOf(f).reserved) ? first : reservedOf(f, rankOf(f));
}

Traced figures::persistentBytes(const FigureContext& f) {
  // For 1F1B with one chunk per rank, the number of micro-batches in flight has a closed form.
  const ir::RankMemory& m = rankOf(f);
  const std::uint64_t p = f.plan.mesh.size(Axis::Pipeline);
  const double closed =
      real(std::min<std::uint64_t>(p - std::min(p, m.rank), f.plan.mesh.microBatches));
  if (f.layout.schedule != ir::ScheduleKind::OneForwardOneBackward || f.layout.chunks != 1 ||
      m.inFlight != closed)
    return FigureContext::simulated(m.inFlight);
  const Traced stages = f("mesh.pipeline");
  return min(m.rank == 0 ? stages : stages - real(m.rank), f("micro_batches"));
}

Traced figures::activations(const FigureContext& f) {
  TracedSum kept;
  for (const ir::ChunkCost* cost : f.costsOf(rankOf(f).rank))
    kept.plus(f(f.stagePath(*cost) + ".saved_activations"));
  const std::uint64_t directions = f.plan.placement.directions();
  const Traced each = directions == 1 ? kept.all : kept.all / real(directions);
  return (each * f.ofInstance("micro_batches_in_flight")).rounding(real(rankOf(f).activations));
}

Traced figures::wholeGradients(const FigureContext& f) {
  const std::uint64_t bytes = cost::wholeGradientsAtPeak(f.plan, rankOf(f).rank);
  return bytes > 0 ? FigureContext::counted(real(bytes)) : FigureContext::none();
}

Traced figures::restored(const FigureContext& f) {
  const std::uint64_t bytes = cost::restoredAtPeak(f.plan, rankOf(f).rank);
  return bytes > 0 ? FigureContext::counted(real(bytes)) : FigureContext::none();
}

Traced figures::temporaryPeak(const FigureContext& f) {
  const double bytes = real(rankOf(f).temporary) - cost::gatheredBytes(f.plan, rankOf(f).rank) -
                       exchanged(f) - real(cost::wholeGradientsAtPeak(f.plan, rankOf(f).rank)) -
                       real(cost::restoredAtPeak(f.plan, rankOf(f).rank));
  return bytes > 1 ? FigureContext::counted(bytes) : FigureContext::none();
}

Traced figures::temporary(const FigureContext& f) {
  TracedSum sum;
  sum.plus(f.ofInstance("action_temporary"));
  sum.plus(f.ofInstance("unsharded_units"));
  sum.plus(f.ofInstance("unsharded_gradients"));
  sum.plus(f.ofInstance("recomputed_activations"));
  sum.plus(f("memory.communication_buffers"));
  return sum.all.rounding(real(rankOf(f).temporary));
}

Traced figures::memorySegments(const FigureContext& f) {
  const ir::RankMemory* worst = ir::tightest(f.plan.memory);
  return worst ? f(fmt::format("memory.rank[{}].segments", worst->rank)) : FigureContext::none();
}

Traced figures::memoryPeak(const FigureContext& f) {
  const ir::RankMemory* worst = ir::tightest(f.plan.memory);
  return worst ? f(fmt::format("memory.rank[{}].peak", worst->rank)) : FigureContext::none();
}
