//===- StepCollectives.cpp - Rendezvous and begin of the collectives of a step ----------------===//
#include "simulate/plan/StepCollectives.h"

using namespace dpl;
using namespace dpl::simulation;

void StepCollectives::launch(std::uint32_t rank, ir::Stream stream, const ir::Collective& what,
                             std::uint64_t ready, std::uint64_t time, std::uint64_t times) {
  const auto number = static_cast<std::size_t>(stream);
  StreamsOfRank& of = streams.of(rank);
  if (of[number].launch(
          {step.shape.rendezvousOf(rank, what.group, stream), ready, time, &what, times},
          ranks.clock(rank)))
    arrive(rank, of, number);
}

/// Collectives of a stream run one after another. When one has ended, the first open one arrives at
/// its rendezvous.
void StepCollectives::arrive(std::uint32_t rank, StreamsOfRank& of, std::size_t number) {
  StreamState& stream = of[number];
  while (!stream.open.empty()) {
    const PendingCollective& open = stream.open.front();
    stream.arrive(rank);
    if (open.rendezvous == StepShape::alone) {
      of.hasBegun(number, stream.arrived, stream.cause);
      if (step.traffic)
        return runAlone(rank, number);
      CollectiveDelays* delays = step.drawn.delays;
      of.hasEnded(number, stream.arrived + open.time +
                              (delays ? delays->ofRank(rank, *open.what, open.times) : 0));
      continue;
    }
    Rendezvous& meeting = rendezvous[open.rendezvous];
    meeting.ready = std::max(meeting.ready, stream.arrived);
    meeting.arrived.push_back(rank);
    if (meeting.arrived.size() == step.shape.sizeOf(open.rendezvous))
      run(open.rendezvous);
    return;
  }
}

/// The cause for which all other members wait: that of the last arrival. Of equal ones, the first.
WaitOrigin StepCollectives::lastOf(llvm::ArrayRef<std::uint32_t> members,
                                   std::size_t stream) const {
  std::uint32_t last = members.front();
  for (const std::uint32_t member : members)
    if (streams.of(member, stream).arrived > streams.of(last, stream).arrived)
      last = member;
  return streams.of(last, stream).cause;
}

/// The last launch, after which the other members can continue.
WaitOrigin StepCollectives::wakerOf(llvm::ArrayRef<std::uint32_t> members,
                                    std::size_t stream) const {
  return {members.back(), streams.of(members.back(), stream).open.front().launched};
}

void StepCollectives::run(std::uint32_t number) {
  Rendezvous& meeting = rendezvous[number];
  const std::uint64_t begins = meeting.ready;
  meeting.ready = 0;
  const std::size_t stream = StepShape::streamOf(number);
  const auto members = std::move(meeting.arrived);
  meeting.arrived.clear();
  const WaitOrigin origin = ranks.notes() ? lastOf(members, stream) : WaitOrigin();
  const PendingCollective& called = streams.of(members.back(), stream).open.front();
  const WaitOrigin waker = wakerOf(members, stream);
  const std::uint64_t late =
      step.drawn.delays && !step.traffic
          ? step.drawn.delays->ofRendezvous(number, members, *called.what, called.times)
          : 0;
  for (const std::uint32_t member : members) {
    StreamsOfRank& of = streams.of(member);
    const std::uint64_t time = of[stream].open.front().time + late;
    of.hasBegun(stream, begins, origin);
    if (!step.traffic)
      of.hasEnded(stream, begins + time);
    streams.wake(member, waker);
  }
  if (step.traffic) {
    meeting.arrived = members;
    return runMessages(number);
  }
  for (const std::uint32_t member : members)
    arrive(member, streams.of(member), stream);
}

// ---- collectives as messages

void StepCollectives::runMessages(std::uint32_t number) {
  const Rendezvous& meeting = rendezvous[number];
  const StreamState& of = streams.of(meeting.arrived.front(), StepShape::streamOf(number));
  const PendingCollective& open = of.open.front();
  llvm::SmallVector<std::uint32_t, 16> devices(meeting.arrived.size());
  for (const std::uint32_t member : meeting.arrived)
    devices[step.shape.placeOf(member, open.what->group)] = step.deviceOf(member);
  step.traffic->begin(step.network->messagesOf(*open.what, false), open.times, devices, of.arrived,
                      step.now, atRendezvous | number);
}

void StepCollectives::runAlone(std::uint32_t rank, std::size_t stream) {
  const StreamState& of = streams.of(rank, stream);
  const PendingCollective& open = of.open.front();
  step.traffic->begin(step.network->messagesOf(*open.what, true), open.times, {step.deviceOf(rank)},
                      of.arrived, step.now,
                      ofRank | (std::uint64_t{rank} * StreamsOfRank::count + stream));
}

void StepCollectives::ended(std::uint64_t ticket, std::uint64_t at) {
  const auto which = static_cast<std::uint32_t>(ticket & numbers);
  llvm::SmallVector<std::uint32_t, 16> members;
  std::size_t stream = which % StreamsOfRank::count;
  if ((ticket & ofRank) != 0) {
    members.push_back(which / StreamsOfRank::count);
  } else {
    stream = StepShape::streamOf(which);
    members.append(rendezvous[which].arrived.begin(), rendezvous[which].arrived.end());
    rendezvous[which].arrived.clear();
  }
  const WaitOrigin waker = wakerOf(members, stream);
  for (const std::uint32_t member : members) {
    streams.of(member).hasEnded(stream, at);
    streams.wake(member, waker);
  }
  for (const std::uint32_t member : members)
    arrive(member, streams.of(member), stream);
}
