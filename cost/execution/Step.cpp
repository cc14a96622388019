//===- Step.cpp - The step of a plan, executed ------------------------------------------------===//
#include "cost/execution/Step.h"
#include "cost/compute/GatheredUnits.h"
#include "cost/execution/SteadyState.h"
#include "cost/network/HeldLinks.h"
#include "cost/programs/ChunkBodies.h"
#include "cost/programs/MergedPass.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Bytes of device memory that the update of one parameter touches: gradient read and cleared,
/// master and moments read and written, the new parameter written.
double updateBytes(const Layout& l) {
  const Precision& p = l.precision;
  const double moments = l.optimizer == OptimizerKind::Sgd ? 1 : 2;
  const double state =
      (p.hasMaster ? real(bitsOf(p.master)) : 0) + moments * real(bitsOf(p.moments));
  return (2 * real(bitsOf(p.gradients)) + 2 * state + real(bitsOf(p.parameters))) / 8;
}

/// Seconds in which the host updates so many parameters of each device: their gradients come over
/// the link where no pass has sent them, the host's memory has its part of the update, and new
/// parameters go back to where they are.
double hostUpdate(const Plan& plan, double parameters, llvm::ArrayRef<Device> devices) {
  const Layout& l = plan.layout;
  const Precision& p = l.precision;
  const Offload away = l.away();
  const double cross = (away.gradients && !sumsWhole(plan) ? 0 : real(bitsOf(p.gradients))) +
                       (away.parameters ? 0 : real(bitsOf(p.parameters)));
  double slowest = 0;
  for (const Device& device : devices) {
    const HostLink& host = device.hostLink.front();
    slowest = std::max(slowest, parameters * (cross / real(host.bandwidth) +
                                              updateBytes(l) * 8 / real(host.memory)));
  }
  return slowest;
}

bool called(const Plan& plan, const ChunkProgram& program, std::uint64_t call) {
  for (const std::uint64_t body : program.bodies)
    for (const Block& block : plan.bodies[body].blocks)
      for (const Segment& s : block.segments)
        if (s.kind == SegmentKind::Call && s.call == call && !s.backward)
          return true;
  return false;
}

bool isGather(const Collective& c) { return c.purpose == CollectivePurpose::ParameterGather; }

/// Calls what no body runs: the collectives at the end of the step.
template <class Visit>
void visitAtEnd(const Plan& plan, const ChunkProgram& program, const Visit& visit) {
  for (std::uint64_t call = 0; call < program.collectives; ++call)
    if (const std::uint64_t c = program.firstCollective + call;
        plan.collectives[c].kind != CollectiveKind::SendReceive && !called(plan, program, call))
      visit(c);
}
} // namespace

double dpl::cost::shardedParameters(const Plan& plan, const ChunkCost& c) {
  return plan.layout.shard.stage() > 0
             ? real(c.parameters) / real(plan.stateRanks()) +
                   real(c.expertParameters) / real(plan.expertStateRanks())
             : real(c.parameters + c.expertParameters);
}

std::uint64_t dpl::cost::updateTime(const Plan& plan, double parameters,
                                    llvm::ArrayRef<Device> devices) {
  if (plan.layout.statesUpdate)
    return plan.layout.update;
  OperatorCost update;
  update.kernels = 1;
  const double there = plan.layout.away().optimizer;
  const double here =
      operatorTime(update, {0, (1 - there) * parameters * updateBytes(plan.layout)}, 1, devices);
  return toPicoseconds(there > 0 ? std::max(here, hostUpdate(plan, there * parameters, devices))
                                 : here);
}

ChunkStep dpl::cost::chunkStep(const Plan& plan, const ChunkProgram& program, const ChunkCost& cost,
                               TakesTime takesTime) {
  const llvm::ArrayRef<Collective> own(plan.collectives.data() + program.firstCollective,
                                       program.collectives);
  const auto takes = [&](const Segment& s) { return takesTime(own[s.call]); };
  ChunkStep step;
  const auto clocksOf = [&](CostRatio cost) {
    PieceClocks clocks;
    const auto fill = [&](OperationKind kind, PassTime& of) {
      const auto body = bodyOf(plan, program, kind);
      if (body)
        of = timesOf(plan.bodies[*body].blocks, takes, cost);
      return body.has_value();
    };
    (void)fill(OperationKind::Forward, clocks.forward);
    const bool split = fill(OperationKind::BackwardInput, clocks.backward);
    (void)fill(OperationKind::BackwardWeight, clocks.weight);
    const bool whole = fill(OperationKind::Backward, split ? clocks.whole : clocks.backward);
    clocks.mixed = split && whole;
    (void)fill(OperationKind::Recomputation, clocks.recompute);
    return clocks;
  };
  setClocks(step, MicroBatchCosts(plan.layout.microBatchCosts), clocksOf);
  for (const std::uint64_t body : program.bodies)
    step.leaves = step.leaves || leavesCalls(plan.bodies[body]);
  visitAtEnd(plan, program, [&](std::uint64_t i) {
    const Collective& c = plan.collectives[i];
    if (takesTime(c))
      (isGather(c) ? step.gathers : step.reductions) += timeAtEnd(plan, c);
  });
  step.updated = shardedParameters(plan, cost);
  return step;
}

void dpl::cost::setClocks(ChunkStep& step, const MicroBatchCosts& costs,
                          llvm::function_ref<PieceClocks(CostRatio)> clocksOf) {
  step.clocks = clocksOf({});
  for (std::size_t kind = 0; !costs.equal() && kind < costs.kinds(); ++kind)
    step.byCost.push_back(clocksOf(costs.ratio(kind)));
  setPieceTime(step);
}

void dpl::cost::setPieceTime(ChunkStep& step) {
  step.time.forward = step.clocks.forward.every.alone();
  step.time.weight = step.clocks.weight.every.alone();
  step.time.backward = step.clocks.backward.every.alone() + step.time.weight;
  step.time.recompute = step.clocks.recompute.every.alone();
  step.time.whole = step.clocks.mixed ? step.clocks.whole.every.alone() : 0;
}

PieceTime dpl::cost::messageTimes(const Plan& plan, const Placement::Place& at) {
  const double bytes = boundaryBytes(plan, divisionOf(plan));
  const auto message = [&](const std::optional<Placement::Place>& to) {
    return !to || to->rank == at.rank
               ? 0
               : toPicoseconds(messageTime(bytes, messageLink(plan, at.rank, to->rank)));
  };
  PieceTime time;
  time.sendForward = message(plan.placement.next(at));
  time.sendBackward = message(plan.placement.previous(at));
  return time;
}

namespace {
/// Whether the data stream has something to do, or a micro-batch more than the others.
bool moves(const PassTime& p) {
  return !p.every.plain() || p.first != p.every || p.last != p.every;
}

bool sends(const Plan& plan, const ChunkProgram& program, TakesTime takesTime) {
  for (std::uint64_t i = 0; i < program.collectives; ++i)
    if (const Collective& c = plan.collectives[program.firstCollective + i];
        c.kind == CollectiveKind::SendReceive)
      return takesTime(c);
  return true;
}
} // namespace

void StepPieces::begin(std::size_t chunks) {
  steps.clear(), pieceTimes.clear(), pieceClocks.clear(), pairTimes.clear();
  steps.reserve(chunks), pieceTimes.reserve(chunks), pieceClocks.reserve(chunks);
  movesData = false;
}

void StepPieces::add(const ChunkStep& chunk) {
  steps.push_back(chunk);
  pieceTimes.push_back(chunk.time);
  if (chunk.byCost.empty())
    pieceClocks.push_back(chunk.clocks);
  pieceClocks.insert(pieceClocks.end(), chunk.byCost.begin(), chunk.byCost.end());
  movesData = movesData || !chunk.byCost.empty() || moves(chunk.clocks.forward) ||
              moves(chunk.clocks.backward) || moves(chunk.clocks.weight) ||
              moves(chunk.clocks.recompute);
}

void StepPieces::addPairs(std::size_t kinds,
                          llvm::function_ref<llvm::ArrayRef<PassTime>(std::size_t chunk)> timesOf) {
  pairTimes.reserve(steps.size() * kinds * kinds); // times may be of a chunk before
  for (std::size_t chunk = 0; chunk < steps.size(); ++chunk)
    for (const PassTime& time : timesOf(chunk))
      pairTimes.push_back(time);
  for (std::size_t piece = 0; piece < pieceClocks.size(); ++piece)
    pieceClocks[piece].pairs = &pairTimes[piece * kinds];
  movesData = true;
}

namespace {
/// The first chunk whose merged pairs take what this one's do, or its own index.
std::size_t samePairs(const Plan& plan, std::size_t chunk, llvm::ArrayRef<std::size_t> sameSteps) {
  const auto other = [&](std::size_t i) {
    const ChunkProgram& program = pairedWith(plan, plan.programs[i]);
    return sameSteps[plan.placement.indexOf(program.rank, program.chunk)];
  };
  for (std::size_t i = 0; i < chunk; ++i)
    if (sameSteps[i] == sameSteps[chunk] && other(i) == other(chunk))
      return i;
  return chunk;
}
} // namespace

void StepPieces::addAll(const Plan& plan, TakesTime takesTime) {
  begin(plan.programs.size());
  // Of each the first chunk whose passes take what its do, but for its messages.
  std::vector<std::size_t> sameSteps;
  EqualChunks chunks(plan);
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    const ChunkProgram& program = plan.programs[i];
    const std::size_t equal = chunks.firstOf(i),
                      same = plan.programs[equal].bodies == program.bodies ? equal : i;
    sameSteps.push_back(same);
    ChunkStep step = same < i ? steps[same] : chunkStep(plan, program, plan.costs[i], takesTime);
    const PieceTime messages = sends(plan, program, takesTime)
                                   ? messageTimes(plan, {program.rank, program.chunk})
                                   : PieceTime();
    step.time.sendForward = messages.sendForward, step.time.sendBackward = messages.sendBackward;
    add(step);
  }
  if (plan.programs.empty() || !bodyOf(plan, plan.programs[0], OperationKind::PairedForward))
    return;
  const MicroBatchCosts costs(plan.layout.microBatchCosts);
  const std::size_t each = costs.kinds() * costs.kinds();
  std::vector<PassTime> times;
  addPairs(costs.kinds(), [&](std::size_t i) {
    if (const std::size_t same = samePairs(plan, i, sameSteps); same < i)
      return llvm::makeArrayRef(pairTimes).slice(same * each, each);
    const ChunkProgram& program = plan.programs[i];
    const auto takes = [&](const Segment& s) {
      return takesTime(plan.collectives[collectiveOf(plan, program, s)]);
    };
    times.clear();
    timesOfPair(plan.bodies[*bodyOf(plan, program, OperationKind::PairedForward)].blocks, takes,
                costs, times);
    return llvm::makeArrayRef(times);
  });
}

void StepPieces::mix(llvm::ArrayRef<const StepPieces*> ofChunk) {
  begin(ofChunk.size());
  for (std::size_t i = 0; i < ofChunk.size(); ++i) {
    const StepPieces& of = *ofChunk[i];
    const std::size_t kinds = of.pieceClocks.size() / of.steps.size();
    steps.push_back(of.steps[i]), pieceTimes.push_back(of.pieceTimes[i]);
    for (std::size_t kind = 0; kind < kinds; ++kind)
      pieceClocks.push_back(of.pieceClocks[i * kinds + kind]);
    movesData = movesData || of.movesData;
  }
}

llvm::ArrayRef<PieceClocks> StepPieces::clocks() const {
  return movesData ? llvm::ArrayRef<PieceClocks>(pieceClocks) : llvm::ArrayRef<PieceClocks>();
}

namespace {
/// ps of the data stream's calls in all passes of a chunk.
std::uint64_t streamsOf(const PieceClocks& clocks, std::uint64_t microBatches) {
  std::int64_t sum = 0;
  for (const PassTime* pass :
       {&clocks.forward, &clocks.backward, &clocks.weight, &clocks.recompute})
    sum += (static_cast<std::int64_t>(microBatches) - 1) * pass->every.streams + pass->only.streams;
  return static_cast<std::uint64_t>(sum);
}
} // namespace

RankTails dpl::cost::tailsOf(const Plan& plan, std::uint64_t microBatches,
                             llvm::ArrayRef<ChunkStep> chunks) {
  RankTails tails(plan.placement.ranks);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    RankTail& tail = tails[plan.chunks[i].rank];
    tail.leaves = tail.leaves || chunks[i].leaves;
    tail.reductions += chunks[i].reductions, tail.gathers += chunks[i].gathers;
    tail.updated += chunks[i].updated;
    if (plan.layout.postValidation)
      tail.streams += streamsOf(chunks[i].clocks, microBatches / plan.placement.directions());
  }
  return tails;
}

StepRun::StepRun(const Plan& plan)
    : plan(plan), lists(passesOf(plan)), tails(plan.placement.ranks) {
  if (!scheduleInfo(plan.layout.schedule).flushed())
    steady = std::make_unique<SteadyState>();
  for (const HeldRanks& ranks : plan.mesh.held)
    held.push_back(pacingDevices(plan, ranks));
  // Stage by stage, so that the ranks that hold copies call in one order.
  const std::uint64_t stages = plan.placement.stages(), directions = plan.placement.directions();
  for (std::uint64_t i = 0; i < plan.programs.size(); ++i)
    visitAtEnd(plan, plan.programs[i % directions * stages + i / directions],
               [&](std::uint64_t c) { atEnd.push_back(c); });
}

StepRun::~StepRun() = default;

void StepRun::run() {
  makePieces();
  if (!steady)
    (void)execute({});
  runTails();
}

OrderFlaw StepRun::prove() {
  makePieces();
  Proof proof;
  OrderFlaw flaw =
      proof.flawOf(plan.layout.schedule, plan.placement, plan.mesh.microBatches, lists, executor,
                   [&](llvm::ArrayRef<Stretch> order) { return execute(order); });
  if (flaw.text.empty())
    flaw = aboveLimit(plan.layout, lists);
  if (flaw.text.empty())
    runTails();
  return flaw;
}

void StepRun::makePieces() {
  pieces.addAll(plan, [](const Collective&) { return true; });
}

bool StepRun::execute(llvm::ArrayRef<Stretch> order) {
  return executor
      .run(plan.placement, plan.mesh.microBatches, lists, pieces.times(),
           plan.layout.overlap.pipeline, pieces.clocks(), order,
           MicroBatchCosts(plan.layout.microBatchCosts), order.empty())
      .completed;
}

std::uint64_t StepRun::start(std::uint64_t rank, std::size_t pass) const {
  return steady ? steady->start(rank, lists[rank][pass]) : executor.start(rank, pass);
}

std::uint64_t StepRun::end(std::uint64_t rank, std::size_t pass) const {
  return steady ? steady->end(rank, lists[rank][pass]) : executor.end(rank, pass);
}

std::uint64_t StepRun::sending(std::uint64_t rank) const {
  return steady ? steady->sending(rank) : executor.sending(rank);
}

/// Gathers of parameters come behind the update, reductions before the barrier that it waits for.
void StepRun::runTails() {
  if (steady)
    repeats = steady->run(plan, plan.mesh.microBatches, pieces.chunks(), held);
  const auto run = [&](std::uint64_t rank, bool gathers, std::uint64_t at) {
    for (const std::uint64_t i : atEnd) {
      const Collective& c = plan.collectives[i];
      if (c.rank != rank || gathers != isGather(c))
        continue;
      const std::uint64_t time = timeAtEnd(plan, c);
      tails[rank].push_back({OperationKind::Collective, i, at, time});
      at += time;
    }
    return at;
  };
  const RankTails left = tailsOf(plan, plan.mesh.microBatches, pieces.chunks());
  std::uint64_t barrier = 0;
  std::vector<std::uint64_t> reduced;
  for (std::uint64_t rank = 0; rank < tails.size(); ++rank) {
    tails[rank].clear();
    std::uint64_t at = steady ? steady->end(rank) : executor.end(rank);
    std::uint64_t done = at;
    if (left[rank].leaves)
      done = std::max(done, steady ? steady->dataEnd(rank) : executor.dataEnd(rank));
    if (plan.layout.postValidation && !steady) // without a flush it changes nothing
      done = std::max(done, executor.start(rank, 0) + left[rank].streams);
    if (left[rank].leaves || done > at)
      tails[rank].push_back({OperationKind::Wait, 0, at, done - at});
    at = done;
    reduced.push_back(run(rank, false, at));
    barrier = std::max(barrier, reduced.back());
  }
  for (std::uint64_t rank = 0; rank < tails.size(); ++rank) {
    const std::uint64_t update =
        updateTime(plan, left[rank].updated, held[plan.mesh.heldIndex(rank)]);
    const std::uint64_t begin = plan.layout.postValidation || steady ? reduced[rank] : barrier;
    tails[rank].push_back({OperationKind::Optimizer, 0, begin, update});
    run(rank, true, begin + update);
  }
}
