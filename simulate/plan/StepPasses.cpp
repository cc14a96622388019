//===- StepPasses.cpp - How passes of a simulated step begin and end, and their messages --===//
#include "ir/MergedBody.h"
#include "simulate/plan/StepRun.h"

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

const StepRun::Port* StepRun::inputOf(std::uint32_t unit, const ScheduledOperation& op) const {
  const Port& port = pieceOf(unit, op).input[op.forward() ? 0 : 1];
  return port.has && passesOn(op.kind) && !without.bubble ? &port : nullptr;
}

bool StepRun::beginPass(std::uint32_t unit) {
  Unit& u = all[unit];
  const auto& list = plan.schedule[shape.pipelineRankOf(unit)].operations;
  const std::size_t passes = list[u.operation].kind == OperationKind::PairedForward ? 2 : 1;
  std::uint64_t from = u.clock;
  Origin origin;
  for (std::size_t i = 0; i < passes; ++i) {
    const ScheduledOperation& op = list[u.operation + i];
    const Port* port = inputOf(unit, op);
    if (!port)
      continue;
    const std::size_t slot = std::size_t{unit} * slots + port->slot + op.microBatch;
    const std::uint64_t at = arrival[slot];
    if (at == never) {
      u.wait = Wait::Input;
      return false;
    }
    if (noted && at > from)
      origin = origins[slot];
    from = std::max(from, at);
  }
  if (from > u.clock)
    noteWait(unit, u.clock, from, origin, WaitFor::Message);
  spent[unit].input += from - u.clock;
  u.clock = from;
  u.begin = std::min(u.begin, from);
  enterBody(unit);
  return true;
}

/// Of the operation that the unit has come to, and where they run merged of the one behind it.
void StepRun::enterBody(std::uint32_t unit) {
  Unit& u = all[unit];
  const auto* op = &plan.schedule[shape.pipelineRankOf(unit)].operations[u.operation];
  u.body = pieceOf(unit, *op).bodies[static_cast<std::size_t>(op->kind)];
  u.block = u.segment = 0, u.iteration = 0, u.layers = {};
  u.began = u.clock;
  PassTurns* const ofChunks = &turns[unit * plan.placement.chunks];
  u.turn = ofChunks[op->chunk].next(op->kind, runs);
  u.costs.fill(costs.of(op->microBatch));
  if (!isMerged(*u.body))
    return;
  u.turn.last = ofChunks[op[1].chunk].next(op[1].kind, runs).last;
  u.costs[1] = costs.of(op[1].microBatch);
}

bool StepRun::endPass(std::uint32_t unit) {
  Unit& u = all[unit];
  const auto* op = &plan.schedule[shape.pipelineRankOf(unit)].operations[u.operation++];
  if (op->kind == OperationKind::PairedForward) {
    // The outputs of both passes leave at the end.
    u.paired = true;
    if (!mergedBody(plan, shape.pipelineRankOf(unit), *op)) {
      enterBody(unit);
      return true;
    }
    ++op, ++u.operation;
  }
  if (u.paired)
    send(unit, op[-1]);
  u.paired = false;
  send(unit, *op);
  if (u.sends > 0) {
    u.wait = Wait::Sends;
    return false;
  }
  return true;
}

void StepRun::send(std::uint32_t unit, const ScheduledOperation& op) {
  Unit& u = all[unit];
  const Port& port = pieceOf(unit, op).output[op.forward() ? 0 : 1];
  if (!port.has || !passesOn(op.kind))
    return;
  const std::uint32_t to = unit - shape.pipelineRankOf(unit) + port.rank;
  Message message{to,        port.slot + op.microBatch,     unit,      2 * unit + port.link,
                  port.time, !plan.layout.overlap.pipeline, port.what, u.left};
  if (!port.remote || port.time == 0) {
    arrived(message, u.left);
    if (all[to].wait == Wait::Input)
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
    traffic->send(network->programOf(*port.what, false), deviceOf(unit), deviceOf(to), message.link,
                  std::max(now, u.left), unused.back());
  else
    queue.add(std::max(now, u.left) + (drawn.delays ? drawn.delays->ofMessage(unit) : 0),
              simulate::Phase::Begins, unused.back());
  unused.pop_back();
}

void StepRun::arrived(const Message& message, std::uint64_t at) {
  const std::size_t slot = std::size_t{message.to} * slots + message.slot;
  arrival[slot] = at;
  if (noted)
    origins[slot] = {message.from, message.left};
}

void StepRun::deliver(std::uint32_t number) {
  const Message message = messages[number];
  unused.push_back(number);
  arrived(message, now);
  if (all[message.to].wait == Wait::Input)
    wake(message.to);
  Unit& from = all[message.from];
  if (!message.awaited || --from.sends > 0)
    return;
  if (now > from.clock) {
    noteWait(message.from, from.clock, now, {message.from, message.left}, WaitFor::Message);
    spent[message.from].sending += now - from.clock;
    from.clock = now;
  }
  if (from.wait == Wait::Sends)
    wake(message.from);
}
