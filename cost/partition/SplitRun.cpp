//===- SplitRun.cpp - Executes the splits of a plan -------------------------------------------===//
#include "cost/partition/SplitRun.h"
#include "cost/compute/LayerSpans.h"
#include "cost/execution/Proof.h"
#include "cost/execution/RankSchedules.h"
#include "cost/partition/MakeChunks.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Limits in ps of an action and of all actions of a rank. passes/LowerCollectives refuses plans
/// beyond them.
constexpr double longestAction = 0x1p52, longestStep = 0x1p60;

bool isTooLong(const Plan& plan, const ChunkPrograms& programs, const ChunkCost& cost) {
  double all = real(cost.forward) + real(cost.backwardInput) + real(cost.backwardWeight) +
               real(cost.recompute);
  for (std::uint64_t i = 0; i < programs.collectives; ++i)
    all += real(plan.collectives[programs.firstCollective + i].time);
  return all > longestAction;
}

std::uint64_t timeOfActions(const ChunkStep& step) {
  return step.time.forward + step.time.recompute + step.time.backward;
}

/// Limit of all actions of a step (forward, backward, weight gradient and recomputation) if their
/// order depends on times. Finding the order takes about 0.5 µs per action.
constexpr std::uint64_t mostStepActionsByTime = 4 * mostActionsByTime;

std::uint64_t stateOf(const RankMemory& m) { return m.parameters + m.gradients + m.optimizer; }
} // namespace

// A shorter step has at least twice the in-flight limit and four times as many micro-batches as
// ranks, so that most of it is in steady state, and a multiple of the number of micro-batch costs.
std::uint64_t dpl::cost::splitMicroBatches(const Plan& plan) {
  const PipelineShape shape = pipelineOf(plan);
  const std::uint64_t all = shape.microBatches,
                      few = mostActionsByTime / plan.placement.stageReplicas();
  if (!scheduleInfo(shape.kind).byTime || all <= few)
    return all;
  const std::uint64_t some = std::max({few, 4 * shape.ranks, 2 * std::min(shape.inFlight, all)});
  const std::uint64_t kinds = std::max<std::size_t>(1, plan.layout.microBatchCosts.size());
  return std::min(all, (some + kinds - 1) / kinds * kinds);
}

SplitRun::SplitRun(const Plan& plan)
    : work(plan), placed(plan), shape(pipelineOf(plan)), estimate(work), layers(work, estimate),
      lowering(work, estimate, layers), memory(placed) {
  shape.microBatches = splitMicroBatches(placed);
  // A plan that was lowered before has its own chunks.
  work.chunks.clear(), work.costs.clear(), work.chunkPrograms.clear();
  work.collectives.clear(), work.stagePrograms.clear();
  for (const RankNodeTypes& ranks : placed.mesh.rankNodeTypes)
    pacingDevicesOfRanks.push_back(pacingDevices(placed, ranks));
  placed.chunks =
      makeChunks(placed.model, LayerSplit(placed.placement.stages(), 0), placed.placement);
  for (const Chunk& chunk : placed.chunks)
    messages.push_back(messageTimes(placed, {chunk.rank, chunk.chunk}));
}

std::size_t SplitRun::lowered(const Chunk& chunk) {
  ChunkKind key{work.mesh.rankNodeTypesIndex(chunk.rank),
                chunk.embedding,
                chunk.head,
                gatheredMessages(work, chunk),
                {}};
  if (work.model.runs.size() < 2)
    key.layers = {{0, chunk.layers}};
  else
    forEachSpan(work.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
      key.layers.emplace_back(span.layerType, span.count);
    });
  const auto [found, isNew] = kinds.try_emplace(std::move(key), work.chunks.size());
  if (isNew) {
    work.chunks.push_back(chunk);
    work.costs.push_back(estimate.of(chunk));
    lowering.lower(found->second);
    if (isTooLong(work, work.chunkPrograms.back(), work.costs.back()))
      broken = true;
    steps.push_back(broken ? ChunkStep()
                           : chunkStep(work, work.chunkPrograms.back(), work.costs.back(),
                                       [](const Collective&) { return true; }));
  }
  return found->second;
}

const std::vector<ActionTime>& SplitRun::pairOf(std::size_t forward, std::size_t backward) {
  const auto [found, isNew] = pairs.try_emplace({forward, backward});
  if (!isNew)
    return found->second;
  const auto blocksOf = [&](std::size_t chunk, ActionKind kind) {
    return llvm::makeArrayRef(
        work.stagePrograms[*stageProgramOf(work, work.chunkPrograms[chunk], kind)].loops);
  };
  const MicroBatchCosts costs(work.layout.microBatchCosts);
  WrittenProgram merged;
  merge(blocksOf(forward, ActionKind::Forward), blocksOf(backward, ActionKind::Backward),
        layers.contentionOn(work.chunks[forward].rank), costs, merged);
  timesOfPair(
      merged.blocks(), [](const Segment&) { return true; }, costs, found->second);
  return found->second;
}

/// Costs of layers and of both ends of the model on pipeline ranks with the same node types.
/// `beside`: bytes that a rank needs in addition to state and micro-batches.
StageCosts::RankCostSums SplitRun::kindCosts(std::size_t ranks, std::uint64_t& beside) {
  Chunk chunk;
  chunk.rank = work.mesh.rankNodeTypes[ranks].first;
  chunk.chunk = work.placement.chunks / 2; // the only chunk of a linear pipeline
  // Costs of an empty chunk do not count for layers.
  const std::uint64_t empty = timeOfActions(steps[lowered(chunk)]);
  const auto alone = [&](StageCosts::EndCost& out) {
    const std::size_t index = lowered(chunk);
    const ChunkCost& cost = work.costs[index];
    const RankMemory idle = memory.idle(chunk.rank, RankChunk{&cost, &chunk});
    out = {timeOfActions(steps[index]) - empty, stateOf(idle), cost.activationBytes,
           std::max(cost.temporaryBytes, cost.splitTemporaryBytes), cost.restoredBytes};
    beside = std::max(beside, idle.temporary);
  };
  StageCosts::RankCostSums kind;
  kind.time = kind.state = kind.saved = kind.restored = {0};
  std::vector<StageCosts::EndCost> classes(work.model.layerTypes.size());
  std::uint64_t first = 0, working = 0;
  for (const LayerRun& run : work.model.runs) {
    StageCosts::EndCost& layer = classes[run.layerType];
    chunk.firstLayer = first, chunk.layers = 1;
    alone(layer);
    working = std::max(working, layer.temporary);
    for (std::uint64_t i = 0; i < run.count; ++i) {
      kind.time.push_back(kind.time.back() + layer.time);
      kind.state.push_back(kind.state.back() + layer.state);
      kind.saved.push_back(kind.saved.back() + layer.saved);
      kind.restored.push_back(kind.restored.back() + layer.restored);
    }
    first += run.count;
  }
  if (work.model.isLayerList())
    return kind;
  chunk.layers = 0;
  chunk.firstLayer = 0, chunk.embedding = true;
  alone(kind.first);
  chunk.firstLayer = first, chunk.embedding = false, chunk.head = true;
  chunk.predictionLayers = work.model.predictionLayers;
  alone(kind.last);
  for (StageCosts::EndCost* end : {&kind.first, &kind.last})
    end->temporary -= std::min(end->temporary, working);
  beside += working;
  return kind;
}

std::optional<StageCosts> SplitRun::costs() {
  StageCosts out;
  out.placement = placed.placement, out.microBatches = placed.mesh.microBatches;
  out.hasEnds = !placed.model.isLayerList(), out.boundHolds = !mergesPairs(placed);
  std::vector<std::uint64_t> beside(placed.mesh.rankNodeTypes.size(), 0);
  for (std::size_t ranks = 0; ranks < beside.size(); ++ranks) {
    out.rankCostSums.push_back(kindCosts(ranks, beside[ranks]));
    const StageCosts::RankCostSums& kind = out.rankCostSums.back();
    const double all = real(kind.time.back()) + real(kind.first.time) + real(kind.last.time);
    if (broken || all * real(placed.mesh.microBatches) > longestStep)
      return std::nullopt;
  }
  placed.chunks =
      makeChunks(placed.model, equalCounts(out.layers(), out.stages()), placed.placement);
  stepChunks.begin(placed.chunks.size());
  for (const Chunk& chunk : placed.chunks)
    stepChunks.add(steps[lowered(chunk)]);
  if (broken) // such a chunk has no times by cost of a micro-batch
    return std::nullopt;
  (void)order();
  if (peaks.empty())
    return std::nullopt;
  for (std::uint64_t rank = 0; rank < placed.placement.ranks; ++rank) {
    const std::size_t ranks = placed.mesh.rankNodeTypesIndex(rank);
    const RankMemory empty = memory.idle(rank, {});
    const std::uint64_t taken = empty.reserved + empty.buffers + beside[ranks];
    out.rankCostSumsOf.push_back(ranks);
    out.room.push_back(empty.usable - std::min(empty.usable, taken));
  }
  std::vector<LivePeaks::ChunkMaxima> most;
  for (const LivePeaks& of : peaks)
    most.push_back(of.most());
  for (const Chunk& chunk : placed.chunks) {
    out.live.push_back(most[chunk.rank].live[chunk.chunk]);
    out.restored.push_back(most[chunk.rank].restored[chunk.chunk]);
  }
  for (std::uint64_t stage = 0; stage < out.stages(); ++stage)
    out.message.push_back(messages[stage].sendForward +
                          (stage + 1 < out.stages() ? messages[stage + 1].sendBackward : 0));
  return out;
}

/// Generates the schedules, whose order may depend on action times. Returns whether they were
/// executed.
bool SplitRun::order() {
  if (stored && !isByTime())
    return false;
  stored.reset(), peaks.clear(); // frees memory first: they may be large
  PerRankSchedules all =
      perRankSchedules(shape, isByTime() ? stepChunks.times() : llvm::ArrayRef<ChunkTime>());
  const std::vector<llvm::ArrayRef<ScheduledAction>> schedules(all.begin(), all.end());
  const MicroBatchCosts costs(placed.layout.microBatchCosts);
  if (!executor
           .run(placed.placement, shape.microBatches, schedules, stepChunks.times(),
                placed.layout.overlap.pipeline, stepChunks.clocks(), {}, costs)
           .completed)
    return true;
  peaks = peaksOf(shape, all, sumsWhole(placed), placed.layout.recompute);
  steadyTime = steadyTimeOf(all.front());
  stored = std::make_unique<StoredOrder>(placed.placement, shape.microBatches, std::move(all),
                                         executor, costs);
  actions = stored->operations();
  return true;
}

std::optional<SplitOutcome> SplitRun::execute(const LayerSplit& split) {
  placed.chunks = makeChunks(placed.model, split, placed.placement);
  stepChunks.begin(placed.chunks.size()), rankChunks.assign(placed.chunks.size(), {});
  llvm::SmallVector<std::size_t, 64> indices;
  for (const Chunk& chunk : placed.chunks)
    indices.push_back(lowered(chunk)); // this may move the costs
  for (std::size_t i = 0; i < indices.size(); ++i) {
    ChunkStep step = steps[indices[i]];
    step.time.sendForward = messages[i].sendForward;
    step.time.sendBackward = messages[i].sendBackward;
    stepChunks.add(step);
    const Chunk& chunk = placed.chunks[i];
    rankChunks[chunk.rank * shape.chunks + chunk.chunk] = {&work.costs[indices[i]], &chunk};
  }
  if (broken)
    return std::nullopt;
  if (mergesPairs(placed))
    stepChunks.addPairs(MicroBatchCosts(placed.layout.microBatchCosts).kinds(), [&](std::size_t i) {
      const Chunk& chunk = placed.chunks[i];
      const std::size_t other = placed.placement.indexOf(chunk.rank, 1 - chunk.chunk).index();
      return llvm::makeArrayRef(pairOf(indices[i], indices[other]));
    });
  const bool ran = order();
  if (!stored)
    return std::nullopt;
  const std::uint64_t step = ran ? executedStep(placed, shape.microBatches, stored->ranks(), steady,
                                                stepChunks, pacingDevicesOfRanks)
                                 : sweptStep(placed, shape.microBatches, *stored, steady,
                                             stepChunks, pacingDevicesOfRanks);
  return SplitOutcome{lacking(), step + afterExecuted()};
}

/// ps per micro-batch on the first rank, in the middle of the executed part of its schedule; 0 if
/// all micro-batches are executed.
double SplitRun::steadyTimeOf(const ActionList& schedule) const {
  const std::uint64_t begin = shape.microBatches / 4, end = shape.microBatches * 3 / 4;
  std::uint64_t from = 0, to = 0;
  for (std::size_t i = 0; !executesAll() && i < schedule.size(); ++i)
    if (schedule[i].chunk == 0 && (schedule[i].kind == ActionKind::Backward ||
                                   schedule[i].kind == ActionKind::BackwardInput)) {
      from = schedule[i].microBatch == begin ? executor.end(0, i) : from;
      to = schedule[i].microBatch == end ? executor.end(0, i) : to;
    }
  return to > from ? real(to - from) / real(end - begin) : 0;
}

/// ps of the micro-batches that were not executed: each takes as long as a middle one, and not less
/// than the work of the slowest rank.
std::uint64_t SplitRun::afterExecuted() {
  if (executesAll())
    return 0;
  std::vector<std::uint64_t> working(placed.placement.ranks, 0);
  for (std::size_t i = 0; i < placed.chunks.size(); ++i) {
    const ChunkTime& time = stepChunks.times()[i];
    working[placed.chunks[i].rank] += time.forward + time.recompute + time.backward;
  }
  const double each = std::max(real(*std::max_element(working.begin(), working.end())), steadyTime);
  return whole(real(placed.mesh.microBatches - shape.microBatches) * each);
}

std::uint64_t SplitRun::lacking() {
  std::uint64_t lacks = 0;
  for (std::uint64_t rank = 0; rank < placed.placement.ranks; ++rank) {
    const RankMemory of =
        memory.of(rank, llvm::makeArrayRef(rankChunks).slice(rank * shape.chunks, shape.chunks),
                  [&](const ChunkBytes& bytes) { return peaks[rank].of(bytes); });
    lacks += of.peak() > of.usable ? of.peak() - of.usable : 0;
  }
  return lacks;
}

std::uint64_t SplitRun::most() const {
  constexpr std::uint64_t many = 2048, allPasses = 1 << 20;
  const std::uint64_t each = std::max<std::size_t>(1, actions);
  if (!isByTime())
    return std::clamp(allPasses / each, least, many);
  return std::min(std::clamp(allPasses / 8 / each, least, many),
                  mostStepActionsByTime * least / each);
}
