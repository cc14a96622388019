//===- StepRun.cpp - One simulated step of all ranks ------------------------------------------===//
#include "simulate/plan/StepRun.h"
#include <cassert>

using namespace dpl;
using namespace dpl::simulation;

StepRun::StepRun(const StepShape& shape, const Ablation& without, const StepNetwork* network,
                 const Sharing& sharing)
    : step{shape, without, network}, ranks(shape.simulatedRanks()), streams(ranks, step.now),
      collectives(step, ranks, streams), messages(step, ranks),
      barrier(ranks, shape.simulatedRanks()),
      actions(step, ranks, streams, collectives, messages, barrier) {
  if (!network)
    return;
  Sharing of = sharing;
  if (without.sharing)
    of.free.assign(network->links.linkTypes().size(), true);
  step.traffic = std::make_unique<StepMessages>(network->links, of, step.queue);
}

void StepRun::begin(const StepDraws& draws) {
  step.drawn = draws, step.now = 0;
  step.queue.clear();
  if (step.traffic) {
    step.traffic->vary(draws.delays ? &draws.delays->messages() : nullptr, draws.rates);
    step.traffic->clear();
  }
  ranks.begin(draws.loaded);
  streams.begin(step.shape.simulatedRanks());
  messages.begin();
  barrier.begin();
  actions.begin();
}

std::uint64_t StepRun::run(const StepDraws& draws) {
  begin(draws);
  runReady();
  while (!step.queue.empty()) {
    const simulate::Event event = step.queue.pop();
    step.now = event.time();
    if (!step.traffic || !StepMessages::isOwn(event.payload)) {
      messages.handle(event);
    } else if (step.traffic->handle(event)) {
      const std::uint64_t ticket = step.traffic->ended();
      if (StepCollectives::isOwn(ticket))
        collectives.ended(ticket, step.traffic->endedAt());
      else
        messages.deliver(static_cast<std::uint32_t>(ticket));
    }
    runReady();
  }
  std::uint64_t time = 0;
  const bool postValidation = step.plan().layout.postValidation;
  latest = barrier.lastRank();
  for (std::uint32_t rank = 0; rank < step.shape.simulatedRanks(); ++rank) {
    assert(actions.isThrough(rank));
    const std::uint64_t end =
        postValidation ? ranks.clock(rank) - actions.firstBegin(rank) + ranks.times()[rank].loading
                       : ranks.clock(rank);
    if (end > time && postValidation)
      latest = rank;
    time = std::max(time, end);
  }
  return time;
}

StepRun::StepEnd StepRun::end() const {
  // If the optimizer step has no barrier, the step time is that of one rank.
  if (step.plan().layout.postValidation)
    return {latest, ranks.times()[latest].loading, actions.firstBegin(latest), ranks.clock(latest)};
  StepEnd out{latest, 0, 0, ranks.clock(latest)};
  for (std::uint32_t rank = 0; rank < step.shape.simulatedRanks(); ++rank)
    if (ranks.clock(rank) > out.time)
      out = {rank, 0, 0, ranks.clock(rank)};
  return out;
}

void StepRun::runReady() {
  while (const std::optional<std::uint32_t> rank = ranks.nextReady())
    actions.advance(*rank);
}
