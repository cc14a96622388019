//===- Bound.cpp - Lower bounds on the step time and memory of a layout -----------------------===//
#include "planner/Bound.h"
#include "cost/legality/Legality.h"
#include "cost/programs/LayerSegments.h"
#include "cost/schedules/Schedule.h"
#include "ir/Arithmetic.h"
#include "passes/BuildGroups.h"
#include <algorithm>
#include <limits>
#include <numeric>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;
using ir::Axis;
using ir::CollectiveKind;
using ir::real;

Bounds::ModuleBound& Bounds::ModuleBound::operator+=(const ModuleBound& o) {
  time += o.time, computed += o.computed, forward += o.forward, saved += o.saved,
      parameters += o.parameters, experts += o.experts;
  return *this;
}
Bounds::ModuleBound Bounds::ModuleBound::times(double n) const {
  return {n * time, n * computed, n * forward, n * saved, n * parameters, n * experts};
}

Bounds::Bounds(const ir::Plan& from, llvm::ArrayRef<OpenChoice> all)
    : plan(from), choices(all), probe(from), experts(hasExperts(from.model)),
      leastCost(ir::MicroBatchCosts(from.layout.microBatchCosts).least()) {
  probe.mesh.axes.resize(3), probe.mesh.expertAxes.resize(2);
  probe.mesh.axes[0].axis = Axis::Context, probe.mesh.axes[1].axis = Axis::Tensor;
  probe.mesh.axes[2] = {Axis::Pipeline, 1, 1, ir::Level::Gpu}; // for buffers of messages
  probe.mesh.expertAxes[0].axis = Axis::Expert;
  probe.mesh.expertAxes[1].axis = Axis::ExpertTensor;
  for (const ir::NodeType& c : plan.cluster.nodeTypes) {
    devices.push_back(c.device);
    setLaunchMode(devices.back(), plan.layout);
  }
  for (const ir::LayerType& c : plan.model.layerTypes) {
    parameters.push_back(parametersOf(plan.model, c));
    const ir::FeedForward& f = c.feedForward;
    if (f.kind == ir::FeedForwardKind::Experts)
      proportional = proportional && f.capacity <= 0 && f.popularity == ir::PopularityKind::Even;
  }
  for (const OpenChoice& choice : choices) {
    choice.write(probe.layout);
    const ScheduleInfo& schedule = scheduleInfo(choice.schedule);
    mostStage = std::max(mostStage, probe.layout.shard.stage());
    alternates = alternates || (schedule.pairs && plan.layout.overlap.experts && experts);
    twoWays = twoWays || pipelineOf(probe.layout, 1, 1).placement().directions() > 1;
    known.resize(std::max(known.size(), choice.recomputation + 1));
  }
  choices.front().write(probe.layout);
}

void Bounds::choose(std::size_t choice) {
  if (chosen != choice)
    choices[choice].write(probe.layout);
  chosen = choice;
}

std::size_t Bounds::divisions() const {
  std::size_t all = 0;
  for (const auto& ofRecomputation : known)
    all += ofRecomputation.size();
  return all;
}

std::uint64_t Bounds::microBatches(const LayoutCandidate& candidate) const {
  return plan.layout.batch / (candidate.microBatch * candidate.dataRanks());
}

/// Launch-bound idle time hides collectives first; only the rest of the collectives is exposed.
Bounds::ModuleBound Bounds::rowOf(const std::vector<OperatorCost>& operators,
                                  const ParameterCount& count,
                                  const RecomputeExposure& passes) const {
  ModuleBound row;
  row.time = row.computed = row.forward = std::numeric_limits<double>::infinity();
  for (const ir::Device& device : devices) {
    const OperatorSum sum = sumOf(operators, device, passes.recompute, passes.whole);
    const double idle = passes.fillsIdle && !sum.blocking
                            ? sum.idleForward + sum.idleBackward + sum.idleRecompute
                            : 0;
    const double computed = sum.forward + sum.backwardInput + sum.backwardWeight + sum.recompute;
    row.computed = std::min(row.computed, computed);
    row.forward = std::min(row.forward, sum.forward);
    row.time = std::min(row.time, computed + std::max(0.0, passes.exposed - idle));
    row.saved = sum.saved;
  }
  row.parameters = count.denseOn(division.tensor);
  row.experts = count.expertsOn(division);
  return row;
}

const ir::Group& Bounds::groupOf(Axis axis, std::uint64_t size, std::uint64_t stride) {
  const auto [found, isNew] = groups.try_emplace({size, stride});
  if (isNew) {
    ir::Mesh mesh;
    (axis >= Axis::ExpertData ? mesh.expertAxes
                              : mesh.axes) = {{axis, size, stride, ir::Level::Gpu}};
    found->second = makeGroup(mesh, plan.cluster, "", {axis}, false, LinkLoads::Omitted);
  }
  return found->second;
}

double Bounds::collective(CollectiveKind kind, double bytes, const ir::Group& group) const {
  return group.size < 2
             ? 0
             : collectiveCost(kind, bytes, cost::shapeOf(group), plan.cluster.levels).seconds;
}

/// A lower bound in seconds on the exposed collectives of one layer in all its actions; see
/// lower-collectives. Collectives are not exposed if actions of two micro-batches can overlap.
double Bounds::exposed(const ir::LayerType& c, bool recomputed) {
  const ir::FeedForward& f = c.feedForward;
  const bool routed = f.kind == ir::FeedForwardKind::Experts;
  const double again = recomputed ? 1 : 0;
  if (alternates)
    return 0;
  double seconds = 0;
  if (division.tensor > 1 && !plan.model.isLayerList()) {
    const double blocks = tensorBlocksOf(plan.model, c);
    const ir::Group& group = groupOf(Axis::Tensor, division.tensor, 1);
    const double hidden =
        division.tokens * real(plan.model.hidden) * activationBytes(division.compute);
    const bool divides = division.sequenceParallel;
    // Parameters are gathered in the number format of the GEMMs that read them.
    const double cast = std::min(1.0, real(bitsOf(division.compute)) / 16);
    const double ahead = divides ? collective(CollectiveKind::AllGather, cast * hidden, group) : 0;
    const double behind = collective(
        divides ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce, hidden, group);
    const double least = plan.layout.overlap.tensor ? 1 / real(division.tensor) : 1;
    seconds += blocks * (2 + again) * least * (ahead + behind);
    if (recomputed && stopsEarly(plan.model, c, division))
      seconds -= least * behind;
  }
  if (!routed)
    return seconds;
  const double rows = gatheredRows(f, division);
  if (division.expert > 1 && !plan.layout.overlap.experts) {
    const ir::Group& group = groupOf(Axis::Expert, division.expert, division.expertTensor);
    for (const TokenWay way : {TokenWay::Dispatch, TokenWay::Combine})
      seconds += (2 + again) * exchangeOf(plan.layout.kernels, f, way, tokenRowsOf(f, division),
                                          real(plan.model.hidden), cost::shapeOf(group),
                                          plan.cluster.levels)
                                   .cost.seconds;
  }
  if (division.expertTensor > 1) {
    const ir::Group& group = groupOf(Axis::ExpertTensor, division.expertTensor, 1);
    for (const CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter})
      seconds += (2 + again) * collective(kind, rows * real(plan.model.hidden) * 2, group);
  }
  return seconds;
}

void Bounds::set(const LayoutCandidate& candidate) {
  probe.layout.microBatch = candidate.microBatch;
  probe.layout.shard.sequence =
      candidate.sequenceParallel ? ir::ShardAxis::Tensor : ir::ShardAxis::None;
  probe.mesh.axes[0].size = candidate.context, probe.mesh.axes[1].size = candidate.tensor;
  probe.mesh.expertAxes[0].size = candidate.expert;
  probe.mesh.expertAxes[1].size = candidate.expertTensor;
  division = divisionOf(probe);
  if (mostStage == 3)
    division.weightRanks =
        0; // kept weights count as 0, because the number of ranks that share them is unknown
}

LayoutCandidate dpl::planner::divisionKeyOf(const LayoutCandidate& candidate) {
  LayoutCandidate shape = candidate;
  const std::uint64_t common = std::gcd(candidate.microBatch, std::uint64_t{candidate.context});
  shape.microBatch /= common, shape.context /= static_cast<std::uint32_t>(common);
  shape.data = shape.replica = 1;
  return shape;
}

std::size_t CandidateHash::operator()(const LayoutCandidate& p) const {
  std::uint64_t hash = p.sequenceParallel ? 1 : 0;
  for (const std::uint64_t degree :
       {std::uint64_t{p.pipeline}, std::uint64_t{p.data}, std::uint64_t{p.tensor},
        std::uint64_t{p.context}, std::uint64_t{p.expert}, std::uint64_t{p.expertTensor},
        p.microBatch})
    hash = (hash ^ degree) * 0x9e3779b97f4a7c15; // 2^64 over the golden ratio
  return hash ^ (hash >> 32);
}

const Bounds::DividedBounds& Bounds::divide(const LayoutCandidate& candidate) {
  LayoutCandidate key = divisionKeyOf(candidate);
  key.pipeline = 1;
  const auto [found, isNew] = known[choices[chosen].recomputation].try_emplace(key);
  DividedBounds& divided = found->second;
  if (!isNew)
    return divided;
  set(key);
  const ir::Model& m = plan.model;
  const ir::Recompute& r = probe.layout.recompute;
  const bool all = r.kind == ir::RecomputeKind::Full;
  // `block` recomputes some layers of each chunk: none count for time, all count for memory.
  const bool runsAgain = all && r.method == ir::RecomputeMethod::Uniform;
  const double input = residualBytes(m, division);
  for (std::size_t i = 0; i < m.layerTypes.size(); ++i) {
    const ir::LayerType& c = m.layerTypes[i];
    const std::vector<OperatorCost> operators = operatorsOf(m, c, division);
    const bool hostAhead = c.feedForward.kind != ir::FeedForwardKind::Experts;
    ModuleBound row =
        rowOf(operators, parameters[i], {r, runsAgain, exposed(c, runsAgain), hostAhead});
    row.saved = all ? input / real(std::max<std::uint64_t>(1, r.layers))
                    : row.saved + input * residualPoints(plan.model, c, r);
    if ((all && r.method == ir::RecomputeMethod::Block) ||
        plan.layout.offloadSettings().layers > 0 || !r.offloaded.empty())
      row.saved = 0; // the sharded part of it may be saved
    divided.layers.push_back(row);
    divided.temporary.push_back(temporaryOf(c, operators, input));
  }
  divided.buffers = bufferBytesOf(1), divided.pipelineBuffers = bufferBytesOf(2);
  if (m.isLayerList())
    return divided;
  const ir::Recompute none; // embedding and head are never recomputed
  divided.embedding =
      rowOf(embeddingOperators(m, division), embeddingParameters(m, division.vocab), {none});
  divided.head = rowOf(headOperators(m, division), headParameters(m, division.vocab), {none});
  if (m.predictionLayers > 0) {
    // The head is never recomputed. The operators that join it to the layer are recomputed only
    // with the whole layer.
    std::vector<OperatorCost> operators = operatorsOf(m, m.layer(m.layers() - 1), division);
    const auto add = [&](const std::vector<OperatorCost>& more, bool again) {
      for (const OperatorCost& op : more)
        operators.push_back(op), operators.back().recomputable = again;
    };
    add(predictionOperators(m, division), runsAgain), add(headOperators(m, division), false);
    divided.prediction =
        rowOf(operators, predictionParameters(m), {r, runsAgain}).times(real(m.predictionLayers));
  }
  return divided;
}

Bounds::ModuleBound Bounds::rowOf(const ir::Chunk& chunk, const DividedBounds& divided) const {
  ModuleBound row;
  std::uint64_t next = 0;
  for (const ir::LayerRun& run : plan.model.runs) {
    const std::uint64_t begin = std::max(next, chunk.firstLayer);
    const std::uint64_t end = std::min(next + run.count, chunk.firstLayer + chunk.layers);
    if (end > begin)
      row += divided.layers[run.layerType].times(real(end - begin));
    next += run.count;
  }
  if (chunk.embedding)
    row += divided.embedding;
  if (chunk.head)
    row += divided.head;
  if (chunk.predictionLayers > 0)
    row += divided.prediction;
  return row;
}

Bound Bounds::of(const LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split) {
  return boundOf(candidate, split, divide(candidate), 1);
}

namespace {
double tokensOf(const LayoutCandidate& candidate) {
  return real(candidate.microBatch) / real(candidate.context);
}

/// Whether two chunks are known to have the same layers and ends.
bool isAlike(const ir::Model& m, const ir::Chunk& a, const ir::Chunk& b) {
  return m.runs.size() == 1 && a.layers == b.layers && a.predictionLayers == b.predictionLayers &&
         a.embedding == b.embedding && a.head == b.head;
}

/// The number of mean micro-batches that a rank computes in all of its chunks.
double workOf(const PipelineShape& shape, double leastCost) {
  const std::uint64_t directions = shape.placement().directions();
  // With unequal micro-batches, those of one direction may be the cheapest.
  return real(shape.microBatches / directions) * (directions > 1 ? leastCost : 1);
}
} // namespace

const LayoutCandidate& Bounds::boundedBy(const LayoutCandidate& wider,
                                         const LayoutCandidate& candidate) const {
  return proportional &&
                 planner::divisionKeyOf(wider).context <= planner::divisionKeyOf(candidate).context
             ? wider
             : candidate;
}

Bound Bounds::of(const LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split,
                 const LayoutCandidate& wider) {
  const LayoutCandidate& by = boundedBy(wider, candidate);
  return boundOf(candidate, split, divide(by), tokensOf(candidate) / tokensOf(by));
}

Bound Bounds::ofAny(const LayoutCandidate& candidate, const LayoutCandidate& wider) {
  const LayoutCandidate& by = boundedBy(wider, candidate);
  ir::Chunk whole;
  whole.layers = plan.model.layers(), whole.predictionLayers = plan.model.predictionLayers;
  whole.embedding = whole.head = true;
  const ModuleBound mean = rowOf(whole, divide(by)).times(1 / real(candidate.pipeline));
  const StateBytes state = stateOf(candidate, 1, mostStage);
  const double tokens = tokensOf(candidate) / tokensOf(by);
  // The two stage replicas of a rank run half of the micro-batches each.
  return {real(microBatches(candidate)) * (twoWays ? leastCost : 1) *
              (tokens < 1 ? tokens * mean.computed : mean.time),
          state.dense * mean.parameters + state.experts * mean.experts};
}

Bound Bounds::boundOf(const LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split,
                      const DividedBounds& divided, double tokens) {
  const std::uint64_t m = microBatches(candidate);
  const PipelineShape shape = pipelineOf(probe.layout, candidate.pipeline, m);
  ranks.assign(candidate.pipeline, {});
  for (std::vector<double>* least : {&before, &reached, &temporary})
    least->assign(candidate.pipeline, std::numeric_limits<double>::infinity());
  const ir::Placement placement = shape.placement();
  double sum = 0, forward = 0; // sums over earlier chunks of a direction
  const double work = workOf(shape, leastCost);
  const GatheredLayers gathered = gatheredOf(candidate, placement.directions());
  const bool holds = holdsRestored(shape.kind, probe.layout.recompute);
  const ir::Chunk* last = nullptr; // the chunk before, with its row and its temporary memory
  ModuleBound rowOfLast;
  double temporaryOfLast = 0;
  for (const ir::Chunk& chunk : split) {
    if (!last || !isAlike(plan.model, *last, chunk))
      rowOfLast = rowOf(chunk, divided),
      temporaryOfLast = leastTemporary(chunk, divided, gathered, holds);
    last = &chunk;
    ModuleBound row = rowOfLast;
    temporary[chunk.rank] = std::min(temporary[chunk.rank], temporaryOfLast);
    row.time = tokens < 1 ? tokens * row.computed : row.time;
    if (placement.stageReplicaOf(chunk.rank, chunk.chunk).stage == 0)
      sum = forward = 0;
    before[chunk.rank] = std::min(before[chunk.rank], sum);
    reached[chunk.rank] = std::min(reached[chunk.rank], forward);
    sum += row.time, forward += tokens * row.forward;
    row.saved *= tokens * real(inFlightAfterWarmup(shape, chunk.rank, chunk.chunk));
    ranks[chunk.rank] += row;
  }
  const StateBytes state = stateOf(candidate, placement.directions(), probe.layout.shard.stage());
  Bound bound;
  for (std::uint64_t r = 0; r < candidate.pipeline; ++r) {
    // The first micro-batch must reach the rank, and the last gradient must return. The first of
    // unequal micro-batches may be the cheapest. Without a flush neither counts, nor with
    // post-validation, where the step is the longest span of a rank. The return counts only with
    // whole backward passes, because weight gradients and recomputation in advance are not on its
    // path.
    const ScheduleInfo& schedule = scheduleInfo(shape.kind);
    const bool returns = !shape.inAdvance && schedule.backward == BackwardSplit::Whole;
    const bool waits = schedule.flushed() && !probe.layout.postValidation;
    const double comes = waits ? leastCost * (returns ? before[r] : reached[r]) : 0;
    bound.step = std::max(bound.step, comes + work * ranks[r].time);
    // Micro-batches in flight are counted while an action runs.
    const double atPeak = ranks[r].saved + tokens * temporary[r];
    bound.memory = std::max(bound.memory, state.dense * ranks[r].parameters +
                                              state.experts * ranks[r].experts + atPeak);
  }
  bound.memory += tokens * (candidate.pipeline > 1 ? divided.pipelineBuffers : divided.buffers);
  return bound;
}
