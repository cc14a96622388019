//===- MemoryRows.cpp - The memory of a device ------------------------------------------------===//
#include "cost/compute/LayerCost.h"
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
const ir::RankMemory& rankOf(const Facts& f) { return f.plan.memory[f.instance->index]; }

/// Whether the rank has routed experts that are spread over a grid of their own.
bool hasExpertGrid(const Facts& f) {
  return !f.plan.mesh.expertAxes.empty() &&
         llvm::any_of(f.costsOf(rankOf(f).rank),
                      [](const ir::ChunkCost* cost) { return cost->expertParameters > 0; });
}

double exchanged(const Facts& f) { return cost::bufferBytes(f.plan).messages(); }
} // namespace

Traced figures::optimizerElement(const Facts& f) {
  Sum sum;
  sum.plus(f("bytes_per_element.master_weights"));
  sum.plus(f.layout.optimizer == ir::OptimizerKind::Sgd ? 1 : 2, f("bytes_per_element.moments"));
  return sum.all;
}

bool figures::hasMessages(const Facts& f) {
  const cost::BufferBytes bytes = cost::bufferBytes(f.plan);
  return bytes.pipeline > 0 || bytes.gathered > 0;
}

namespace {
Traced wholeResidual(const Facts& f) {
  return f.over(f("sequences_per_micro_batch") * f("model.context") * f("model.hidden") *
                    f("bytes_per_element.activations"),
                Axis::Context);
}
} // namespace

Traced figures::gatheredInputs(const Facts& f) {
  if (cost::bufferBytes(f.plan).gathered == 0)
    return Facts::none();
  return f.declared(real(f.layout.buffers.gathered), "layout.buffers.sequence_gather_buffers") *
         wholeResidual(f);
}

Traced figures::heldForGood(const Facts& f) {
  Sum sum;
  sum.plus(f.own("workspace"));
  sum.plus(f("memory.sequence_gather_buffers"));
  sum.plus(f.own("compression"));
  sum.plus(f.own("receive_buffers"));
  return sum.all;
}

double figures::receivedBytes(const Facts& f) {
  std::uint64_t bytes = 0;
  for (const cost::HeldChunk& chunk : cost::heldChunks(f.plan, rankOf(f).rank))
    bytes += ir::whole(cost::receivedBytes(f.plan, *chunk.chunk));
  return real(bytes);
}

double figures::compressionBytes(const Facts& f) {
  std::uint64_t bytes = 0;
  if (!f.layout.compression.empty())
    for (const cost::HeldChunk& chunk : cost::heldChunks(f.plan, rankOf(f).rank))
      bytes += ir::whole(cost::compressionBytes(f.plan, *chunk.chunk, *chunk.cost));
  return real(bytes);
}

Traced figures::residual(const Facts& f) {
  const Traced bytes = wholeResidual(f);
  return cost::divisionOf(f.plan).residualSplit() == 1 ? bytes : f.over(bytes, Axis::Tensor);
}

Traced figures::messages(const Facts& f) {
  Sum sum;
  const bool parts = cost::divisionOf(f.plan).scattersMessages;
  const Traced whole = f("memory.residual_stream");
  sum.plus(4, parts ? f.over(whole, Axis::Tensor) : whole);
  if (parts)
    sum.plus(2, whole);
  sum.plus(f("memory.dispatched_tokens"));
  return sum.all;
}

Traced figures::elements(const Facts& f, bool experts) {
  Sum sum;
  for (const ir::ChunkCost* cost : f.costsOf(rankOf(f).rank))
    sum.plus(f(f.stagePath(*cost) + (experts ? ".expert_parameters" : ".parameters")));
  if (experts)
    return hasExpertGrid(f) ? sum.all : Facts::none();
  if (!sum.all.has())
    return Facts::counted(0);
  return hasExpertGrid(f) ? (sum.all - f.own("expert_parameter_count"))
                                .because("parameters on a device, without routed experts")
                          : sum.all.because("parameters on a device");
}

namespace {
/// Elements × bytes of one, sharded over the data-parallel devices from this stage on.
Traced ofElements(const Facts& f, const char* element, unsigned shardStage) {
  const bool sharded = f.layout.shard.stage() >= shardStage;
  const std::uint64_t directions = f.plan.placement.directions();
  const auto overCopies = [&](const Traced& of) { // of each stage
    return sharded && directions > 1 ? of / real(directions) : of;
  };
  Traced all = overCopies(f.own("parameter_count"));
  if (sharded)
    all = f.over(f.over(all, Axis::Data), Axis::Context);
  if (Traced experts = f.own("expert_parameter_count"); experts.has())
    all = all + (sharded ? f.over(overCopies(experts), Axis::ExpertData) : experts);
  return all * f(element);
}
constexpr unsigned never = 4; // no stage shards it
} // namespace

Traced figures::state(const Facts& f, const char* element, std::uint64_t bytes,
                      unsigned shardStage) {
  Traced all = ofElements(f, element, shardStage);
  if (const double there = f.layout.away().optimizer; there > 0)
    all = all * f.declared(1 - there, "layout.offload.optimizer");
  return all.rounding(real(bytes));
}

Traced figures::weightVersions(const Facts& f) {
  const std::uint64_t versions = cost::weightVersions(cost::pipelineOf(f.plan), rankOf(f).rank);
  return versions > 1 ? f.counted(real(versions)) : f.none();
}

namespace {
constexpr const char* atTheHost = "they are in the memory of the host";
} // namespace

Traced figures::parameters(const Facts& f) {
  if (f.layout.away().parameters)
    return Facts::counted(0).because(atTheHost);
  const Traced each = ofElements(f, "bytes_per_element.parameters", 3),
               versions = f.own("weight_versions");
  const Traced one = cost::weightOrders(f.plan) == 2 ? 2 * each : each;
  return (versions.has() ? one * versions : one).rounding(real(rankOf(f).parameters));
}

Traced figures::gradients(const Facts& f) {
  if (f.layout.away().gradients)
    return Facts::counted(0).because(atTheHost);
  Sum sum;
  sum.plus(ofElements(f, "bytes_per_element.gradients", 2));
  if (f("bytes_per_element.gradient_buckets").has())
    sum.plus(ofElements(f, "bytes_per_element.gradient_buckets", never));
  return sum.all.rounding(real(rankOf(f).gradients));
}

Traced figures::update(const Facts& f) {
  if (rankOf(f).update == 0)
    return Facts::counted(0);
  Sum sum;
  if (f.layout.buffers.flatUpdate && f.layout.shard.stage() == 1 && f.plan.stateRanks() > 1) {
    sum.plus(ofElements(f, "bytes_per_element.parameters", 1));
    sum.plus(2, ofElements(f, "bytes_per_element.parameters", never));
  }
  if (f("bytes_per_element.optimizer_gradients").has()) {
    sum.plus(ofElements(f, "bytes_per_element.optimizer_gradients", 1));
    sum.plus(ofElements(f, "bytes_per_element.gradients", 1));
    if (f.layout.shard.stage() == 1) // those of other ranks are gone
      return (sum.all + ofElements(f, "bytes_per_element.gradients", 1) -
              ofElements(f, "bytes_per_element.gradients", never))
          .rounding(real(rankOf(f).update));
  }
  return sum.all.rounding(real(rankOf(f).update));
}

Traced figures::rankPeak(const Facts& f) {
  Traced passes = f.own("activations") + f.own("temporary");
  if (rankOf(f).update > 0)
    passes = max(passes, f.own("optimizer_step"));
  return f.own("parameters") + f.own("gradients") + f.own("optimizer") + f.own("buffers") + passes +
         f.own("non_tensor");
}

Traced figures::ofHolder(const Facts& f, const ir::RankMemory& rank, double value,
                         const char* column) {
  return f.declared(value, Facts::deviceField(f.cluster.classes[rank.nodeClass]) + "." + column);
}

namespace {
std::uint64_t outsideBytes(const Facts& f, const ir::RankMemory& rank) {
  return cost::outsideBytes(f.plan, cost::holderOf(f.plan, rank), rank.rank);
}
} // namespace

Traced figures::segments(const Facts& f) {
  const ir::RankMemory& rank = rankOf(f);
  const std::uint64_t outside = std::min(rank.usable, outsideBytes(f, rank));
  const auto segments = cost::segmentsOf(f.plan, rank, rank.usable - outside);
  return segments ? Facts::simulated(real(segments->held)) : Facts::none();
}

Traced figures::communicators(const Facts& f) {
  const std::uint64_t bytes = cost::communicatorBytes(f.plan);
  return bytes == 0 ? Facts::none() : Facts::counted(real(bytes));
}

Traced figures::pairs(const Facts& f) {
  const std::uint64_t pair = cost::pairBytes(f.plan);
  return pair == 0 ? Facts::none()
                   : Facts::counted(real(cost::neighboursOf(f.plan, rankOf(f).rank) * pair));
}

namespace {
/// Of a rank, whatever the device reserves.
Traced outsideOf(const Facts& f, const ir::RankMemory& rank) {
  const std::uint64_t context = cost::holderOf(f.plan, rank).context;
  Traced all = context == f.plan.cluster.device().context
                   ? f("memory.cuda_context")
                   : ofHolder(f, rank, real(context), "cuda_context");
  for (const std::string& path : {std::string("memory.communicators"),
                                  fmt::format("memory.rank[{}].p2p_communicators", rank.rank)})
    if (const Traced part = f(path); part.has())
      all = all + part;
  return all;
}
} // namespace

Traced figures::reservedOf(const Facts& f, const ir::RankMemory& rank) {
  const std::uint64_t stated = cost::holderOf(f.plan, rank).reserved;
  if (outsideBytes(f, rank) > stated)
    return outsideOf(f, rank);
  return ofHolder(f, rank, real(stated), "non_tensor_memory");
}

Traced figures::freeBlocks(const Facts& f) {
  const std::uint64_t blocks = cost::freeBlockBytes(f.plan, rankOf(f));
  return blocks == 0 ? Facts::none() : Facts::simulated(real(blocks));
}

Traced figures::reserved(const Facts& f) {
  if (const Traced blocks = f.own("free_blocks"); blocks.has())
    return outsideOf(f, rankOf(f)) + blocks;
  const Traced first = f("device.non_tensor_memory");
  return first.value() == real(rankOf(f).reserved) ? first : reservedOf(f, rankOf(f));
}

Traced figures::held(const Facts& f) {
  // Of one forward, one backward and one chunk a rank the count has a closed form.
  const ir::RankMemory& m = rankOf(f);
  const std::uint64_t p = f.plan.mesh.size(Axis::Pipeline);
  const double closed =
      real(std::min<std::uint64_t>(p - std::min(p, m.rank), f.plan.mesh.microBatches));
  if (f.layout.schedule != ir::ScheduleKind::OneForwardOneBackward || f.layout.chunks != 1 ||
      m.inFlight != closed)
    return Facts::simulated(m.inFlight);
  const Traced stages = f("mesh.pipeline");
  return min(m.rank == 0 ? stages : stages - real(m.rank), f("micro_batches"));
}

Traced figures::activations(const Facts& f) {
  Sum kept;
  for (const ir::ChunkCost* cost : f.costsOf(rankOf(f).rank))
    kept.plus(f(f.stagePath(*cost) + ".saved_activations"));
  const std::uint64_t directions = f.plan.placement.directions();
  const Traced each = directions == 1 ? kept.all : kept.all / real(directions);
  return (each * f.own("micro_batches_in_flight")).rounding(real(rankOf(f).activations));
}

Traced figures::wholeGradients(const Facts& f) {
  const std::uint64_t bytes = cost::wholeGradientsAtPeak(f.plan, rankOf(f).rank);
  return bytes > 0 ? Facts::counted(real(bytes)) : Facts::none();
}

Traced figures::restored(const Facts& f) {
  const std::uint64_t bytes = cost::restoredAtPeak(f.plan, rankOf(f).rank);
  return bytes > 0 ? Facts::counted(real(bytes)) : Facts::none();
}

Traced figures::working(const Facts& f) {
  const double bytes = real(rankOf(f).transient) - cost::gatheredBytes(f.plan, rankOf(f).rank) -
                       exchanged(f) - real(cost::wholeGradientsAtPeak(f.plan, rankOf(f).rank)) -
                       real(cost::restoredAtPeak(f.plan, rankOf(f).rank));
  return bytes > 1 ? Facts::counted(bytes) : Facts::none();
}

Traced figures::transient(const Facts& f) {
  Sum sum;
  sum.plus(f.own("action_temporary"));
  sum.plus(f.own("unsharded_units"));
  sum.plus(f.own("unsharded_gradients"));
  sum.plus(f.own("recomputed_activations"));
  sum.plus(f("memory.communication_buffers"));
  return sum.all.rounding(real(rankOf(f).transient));
}

Traced figures::memorySegments(const Facts& f) {
  const ir::RankMemory* worst = ir::tightest(f.plan.memory);
  return worst ? f(fmt::format("memory.rank[{}].segments", worst->rank)) : Facts::none();
}

Traced figures::memoryPeak(const Facts& f) {
  const ir::RankMemory* worst = ir::tightest(f.plan.memory);
  return worst ? f(fmt::format("memory.rank[{}].peak", worst->rank)) : Facts::none();
}
