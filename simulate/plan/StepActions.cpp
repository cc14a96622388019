//===- StepActions.cpp - How passes of a simulated step begin and end, and their messages
//------===//
#include "ir/MergedProgram.h"
#include "simulate/plan/StepRun.h"

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

const StepRun::ChunkPort* StepRun::inputOf(std::uint32_t unit, const ScheduledAction& op) const {
  const ChunkPort& port = chunkOf(unit, op).input[op.forward() ? 0 : 1];
  return port.has && relaysMessage(op.kind) && !without.bubble ? &port : nullptr;
}

bool StepRun::beginAction(std::uint32_t unit) {
  SimulatedRank& u = all[unit];
  const auto& schedule = plan.schedule[shape.pipelineRankOf(unit)].actions;
  const std::size_t passes = schedule[u.action].kind == ActionKind::PairedForward ? 2 : 1;
  std::uint64_t from = u.clock;
  WaitOrigin origin;
  for (std::size_t i = 0; i < passes; ++i) {
    const ScheduledAction& op = schedule[u.action + i];
    const ChunkPort* port = inputOf(unit, op);
    if (!port)
      continue;
    const std::size_t slot = std::size_t{unit} * slots + port->slot + op.microBatch;
    const std::uint64_t at = arrival[slot];
    if (at == never) {
      u.wait = WakeReason::Input;
      return false;
    }
    if (noted && at > from)
      origin = origins[slot];
    from = std::max(from, at);
  }
  if (from > u.clock)
    noteWait(unit, u.clock, from, origin, WaitFor::Message);
  spent[unit].inputWait += from - u.clock;
  u.clock = from;
  u.begin = std::min(u.begin, from);
  enterProgram(unit);
  return true;
}

/// Of the operation that the unit has come to, and where they run merged of the one behind it.
void StepRun::enterProgram(std::uint32_t unit) {
  SimulatedRank& u = all[unit];
  const auto* op = &plan.schedule[shape.pipelineRankOf(unit)].actions[u.action];
  u.program = chunkOf(unit, *op).programs[static_cast<std::size_t>(op->kind)];
  u.block = u.segment = 0, u.iteration = 0, u.layers = {};
  u.began = u.clock;
  FirstLastTracker* const ofChunks = &firstLastTrackers[unit * plan.placement.chunks];
  u.firstLast = ofChunks[op->chunk].next(op->kind, runs);
  u.costs = costs.of(op->microBatch);
  if (!isMerged(*u.program))
    return;
  u.firstLast.last = ofChunks[op[1].chunk].next(op[1].kind, runs).last;
  u.costs.backward = costs.of(op[1].microBatch);
}

bool StepRun::endAction(std::uint32_t unit) {
  SimulatedRank& u = all[unit];
  const auto* op = &plan.schedule[shape.pipelineRankOf(unit)].actions[u.action++];
  if (op->kind == ActionKind::PairedForward) {
    // The outputs of both passes leave at the end.
    u.paired = true;
    if (!mergedProgram(plan, shape.pipelineRankOf(unit), *op)) {
      enterProgram(unit);
      return true;
    }
    ++op, ++u.action;
  }
  if (u.paired)
    send(unit, op[-1]);
  u.paired = false;
  send(unit, *op);
  if (u.sends > 0) {
    u.wait = WakeReason::Sends;
    return false;
  }
  return true;
}

void StepRun::send(std::uint32_t unit, const ScheduledAction& op) {
  SimulatedRank& u = all[unit];
  const ChunkPort& port = chunkOf(unit, op).output[op.forward() ? 0 : 1];
  if (!port.has || !relaysMessage(op.kind))
    return;
  const std::uint32_t to = unit - shape.pipelineRankOf(unit) + port.rank;
  PipelineSend message{to,        port.slot + op.microBatch,     unit,      2 * unit + port.link,
                       port.time, !plan.layout.overlap.pipeline, port.what, u.outputsLeft};
  if (!port.remote || port.time == 0) {
    arrived(message, u.outputsLeft);
    if (all[to].wait == WakeReason::Input)
      wake(to);
    return;
  }
  u.sends += message.awaited ? 1 : 0;
  if (unused.empty()) {
    unused.push_back(static_cast<std::uint32_t>(messages.size()));
    messages.emplace_back();
  }
  messages[unused.back()] = message;
  if (traffic)
    traffic->send(network->messagesOf(*port.what, false), deviceOf(unit), deviceOf(to),
                  message.link, std::max(now, u.outputsLeft), unused.back());
  else
    queue.add(std::max(now, u.outputsLeft) + (drawn.delays ? drawn.delays->ofMessage(unit) : 0),
              simulate::EventPhase::Begins, unused.back());
  unused.pop_back();
}

void StepRun::arrived(const PipelineSend& message, std::uint64_t at) {
  const std::size_t slot = std::size_t{message.to} * slots + message.slot;
  arrival[slot] = at;
  if (noted)
    origins[slot] = {message.from, message.sentAt};
}

void StepRun::deliver(std::uint32_t number) {
  const PipelineSend message = messages[number];
  unused.push_back(number);
  arrived(message, now);
  if (all[message.to].wait == WakeReason::Input)
    wake(message.to);
  SimulatedRank& from = all[message.from];
  if (!message.awaited || --from.sends > 0)
    return;
  if (now > from.clock) {
    noteWait(message.from, from.clock, now, {message.from, message.sentAt}, WaitFor::Message);
    spent[message.from].sending += now - from.clock;
    from.clock = now;
  }
  if (from.wait == WakeReason::Sends)
    wake(message.from);
}
