//===- PipelineMessages.cpp - Point-to-point messages of a step -------------------------------===//
#include "simulate/plan/PipelineMessages.h"

using namespace dpl;
using namespace dpl::simulation;

void PipelineMessages::begin() {
  flows.clear();
  sharedBefore = flows.shared();
  const std::uint32_t count = step.shape.simulatedRanks();
  arrival.assign(std::size_t{count} * StepPrograms::slots(step.plan()), never);
  origins.assign(ranks.notes() ? arrival.size() : 0, {});
  sends.assign(count, 0);
}

void PipelineMessages::send(std::uint32_t rank, const ActionPort& port, std::uint64_t microBatch,
                            std::uint64_t at) {
  const std::uint32_t to = rank - step.shape.pipelineRankOf(rank) + port.rank;
  const PipelineSend message{rank,      to, 2 * rank + port.link, slotOf(to, port, microBatch),
                             port.time, at};
  if (!port.remote || port.time == 0)
    return arrived(message, at);
  sends[rank] += step.plan().layout.overlap.pipeline ? 0 : 1;
  if (unused.empty()) {
    unused.push_back(static_cast<std::uint32_t>(messages.size()));
    messages.emplace_back();
  }
  const std::uint32_t number = unused.back();
  unused.pop_back();
  messages[number] = message;
  const std::uint64_t begin = std::max(step.now, at);
  if (step.traffic)
    step.traffic->send(step.network->messagesOf(*port.what, false), step.deviceOf(rank),
                       step.deviceOf(to), message.link, begin, number);
  else
    step.queue.add(begin + (step.drawn.delays ? step.drawn.delays->ofMessage(rank) : 0),
                   simulate::EventPhase::Begins, number);
}

void PipelineMessages::arrived(const PipelineSend& message, std::uint64_t at) {
  arrival[message.slot] = at;
  if (!origins.empty())
    origins[message.slot] = {message.from, message.sentAt};
  ranks.wake(message.to, WakeReason::Input);
}

void PipelineMessages::handle(const simulate::Event& event) {
  if (simulate::Flows::isOwn(event)) {
    if (const auto done = flows.handle(event))
      deliver(static_cast<std::uint32_t>(*done));
  } else if (event.payload >= delivered) {
    deliver(static_cast<std::uint32_t>(event.payload - delivered));
  } else if (const PipelineSend& message = messages[event.payload]; step.without.sharing) {
    step.queue.add(step.now + message.time, simulate::EventPhase::Ends, delivered + event.payload);
  } else {
    flows.begin(step.now, {message.link}, static_cast<double>(message.time), event.payload);
  }
}

void PipelineMessages::deliver(std::uint32_t number) {
  const PipelineSend message = messages[number];
  unused.push_back(number);
  arrived(message, step.now);
  if (step.plan().layout.overlap.pipeline || --sends[message.from] > 0)
    return;
  ranks.waitUntil(message.from, step.now, {message.from, message.sentAt}, WaitFor::Message,
                  &SimulatedRankTimes::sending);
  ranks.wake(message.from, WakeReason::Sends);
}
