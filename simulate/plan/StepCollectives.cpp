//===- StepCollectives.cpp - Collectives of a simulated step: who meets, when they begin and end
//-===//
#include "simulate/plan/StepRun.h"
#include <cassert>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

void StepRun::issue(std::uint32_t unit, std::size_t stream, const PendingCollective& open) {
  StreamState& of = all[unit].stream[stream];
  of.open.push_back(open);
  of.open.back().number = of.issued++;
  of.open.back().issued = all[unit].clock;
  if (of.open.size() == 1)
    arrive(unit, stream);
}

/// Calls of a stream come one after the other: the first that is open arrives at its meeting when
/// the one before has ended.
void StepRun::arrive(std::uint32_t unit, std::size_t stream) {
  StreamState& of = all[unit].stream[stream];
  while (!of.open.empty()) {
    const PendingCollective& open = of.open.front();
    of.arrived = std::max(of.free, open.ready);
    if (of.free > open.ready)
      of.cause = of.origin, of.late = std::min(of.late, of.free - open.ready);
    else
      of.cause = {unit, std::min(open.issued, of.arrived)}, of.late = 0;
    if (open.rendezvous == StepShape::alone) {
      hasBegun(unit, stream, of.arrived, of.cause);
      if (traffic)
        return runAlone(unit, stream);
      hasEnded(unit, stream,
               of.arrived + open.time +
                   (drawn.delays ? drawn.delays->ofRank(unit, *open.what, open.times) : 0));
      continue;
    }
    Rendezvous& meeting = rendezvous[open.rendezvous];
    meeting.ready = std::max(meeting.ready, of.arrived);
    meeting.arrived.push_back(unit);
    if (meeting.arrived.size() == shape.sizeOf(open.rendezvous))
      runRendezvous(open.rendezvous);
    return;
  }
}

/// What all the others waited for; of several at once what the first did.
StepRun::WaitOrigin StepRun::lastOf(llvm::ArrayRef<std::uint32_t> units, std::size_t stream) const {
  std::uint32_t last = units.front();
  for (const std::uint32_t unit : units)
    if (all[unit].stream[stream].arrived > all[last].stream[stream].arrived)
      last = unit;
  return all[last].stream[stream].cause;
}

/// Who called last, and with it made the others go on.
StepRun::WaitOrigin StepRun::wakerOf(llvm::ArrayRef<std::uint32_t> units,
                                     std::size_t stream) const {
  return {units.back(), all[units.back()].stream[stream].open.front().issued};
}

void StepRun::hasBegun(std::uint32_t unit, std::size_t stream, std::uint64_t begins,
                       const WaitOrigin& origin) {
  SimulatedRank& u = all[unit];
  StreamState& of = u.stream[stream];
  of.late += begins - of.arrived;
  of.arrived = begins, of.origin = origin;
  for (IssuedCollective& collective : u.issued)
    if (collective.stream == stream && collective.number == of.open.front().number)
      collective.begin = begins, collective.peerWait = of.late, collective.origin = origin;
}

void StepRun::hasEnded(std::uint32_t unit, std::size_t stream, std::uint64_t end) {
  SimulatedRank& u = all[unit];
  StreamState& of = u.stream[stream];
  const std::uint32_t number = of.open.front().number;
  of.open.erase(of.open.begin());
  of.free = end, of.busy += end - of.arrived;
  for (IssuedCollective& collective : u.issued)
    if (collective.stream == stream && collective.number == number)
      collective.end = end;
}

void StepRun::wakeIssuer(std::uint32_t unit, const WaitOrigin& waker) {
  SimulatedRank& u = all[unit];
  if (u.wait != WakeReason::Collective)
    return;
  u.woken = true, u.waker = waker;
  wake(unit);
}

void StepRun::runRendezvous(std::uint32_t number) {
  Rendezvous& meeting = rendezvous[number];
  const std::uint64_t begins = meeting.ready;
  meeting.ready = 0;
  const std::size_t stream = StepShape::streamOf(number);
  const auto units = std::move(meeting.arrived);
  meeting.arrived.clear();
  const WaitOrigin origin = noted ? lastOf(units, stream) : WaitOrigin();
  const PendingCollective& called = all[units.back()].stream[stream].open.front();
  const WaitOrigin waker = wakerOf(units, stream);
  const std::uint64_t late =
      drawn.delays && !traffic
          ? drawn.delays->ofRendezvous(number, units, *called.what, called.times)
          : 0;
  for (const std::uint32_t unit : units) {
    const std::uint64_t time = all[unit].stream[stream].open.front().time + late;
    hasBegun(unit, stream, begins, origin);
    if (!traffic)
      hasEnded(unit, stream, begins + time);
    wakeIssuer(unit, waker);
  }
  if (traffic) {
    meeting.arrived = units;
    return runMessages(number);
  }
  for (const std::uint32_t unit : units)
    arrive(unit, stream);
}

// ---- as messages

std::uint32_t StepRun::deviceOf(std::uint32_t unit) const {
  return shape.detail == Detail::Folded ? unit : shape.devicesOf(unit).front();
}

void StepRun::runMessages(std::uint32_t number) {
  const Rendezvous& meeting = rendezvous[number];
  const std::size_t stream = StepShape::streamOf(number);
  const StreamState& of = all[meeting.arrived.front()].stream[stream];
  const PendingCollective& open = of.open.front();
  llvm::SmallVector<std::uint32_t, 16> devices(meeting.arrived.size());
  for (const std::uint32_t unit : meeting.arrived)
    devices[shape.placeOf(unit, open.what->group)] = deviceOf(unit);
  traffic->begin(network->messagesOf(*open.what, false), open.times, devices, of.arrived, now,
                 atRendezvous | number);
}

void StepRun::runAlone(std::uint32_t unit, std::size_t stream) {
  const StreamState& of = all[unit].stream[stream];
  const PendingCollective& open = of.open.front();
  traffic->begin(network->messagesOf(*open.what, true), open.times, {deviceOf(unit)}, of.arrived,
                 now, ofRank | (std::uint64_t{unit} * streams + stream));
}

void StepRun::ended(std::uint64_t ticket, std::uint64_t at) {
  const auto which = static_cast<std::uint32_t>(ticket & numbers);
  if ((ticket & (atRendezvous | ofRank)) == 0)
    return deliver(which);
  llvm::SmallVector<std::uint32_t, 16> units;
  std::size_t stream = which % streams;
  if ((ticket & ofRank) != 0) {
    units.push_back(which / streams);
  } else {
    stream = StepShape::streamOf(which);
    units.append(rendezvous[which].arrived.begin(), rendezvous[which].arrived.end());
    rendezvous[which].arrived.clear();
  }
  const WaitOrigin waker = wakerOf(units, stream);
  for (const std::uint32_t unit : units) {
    hasEnded(unit, stream, at);
    wakeIssuer(unit, waker);
  }
  for (const std::uint32_t unit : units)
    arrive(unit, stream);
}
