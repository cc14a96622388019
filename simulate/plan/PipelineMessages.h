#pragma once
//===- PipelineMessages.h - Point-to-point messages of a step ---------------------------------===//
//
// Without a network, a message is a flow on the link between two neighbours. With a network it is a
// flow on all links of its route.
#include "simulate/plan/SimulatedRanks.h"
#include "simulate/plan/StepContext.h"
#include "simulate/plan/StepPrograms.h"

namespace dpl::simulation {

class PipelineMessages {
public:
  static constexpr std::uint64_t never = UINT64_MAX;
  PipelineMessages(StepContext& step, SimulatedRanks& ranks)
      : step(step), ranks(ranks),
        flows(std::vector<double>(2UL * step.shape.simulatedRanks(), 1.0), step.queue) {}

  void begin();
  /// When the input arrived at a port; `never` if it has not arrived.
  std::uint64_t arrivalOf(std::uint32_t rank, const ActionPort& port, std::uint64_t microBatch) {
    return arrival[slotOf(rank, port, microBatch)];
  }
  /// The sender of that input; only known if waits are recorded.
  WaitOrigin originOf(std::uint32_t rank, const ActionPort& port, std::uint64_t microBatch) {
    return origins.empty() ? WaitOrigin() : origins[slotOf(rank, port, microBatch)];
  }
  /// Sends the output of a port at time `at`.
  void send(std::uint32_t rank, const ActionPort& port, std::uint64_t microBatch, std::uint64_t at);
  /// Whether the rank waits for one of its sends.
  bool holdsSender(std::uint32_t rank) const { return sends[rank] > 0; }

  /// Handles an event of these flows. Events of StepMessages are handled there.
  void handle(const simulate::Event& event);
  /// Delivers the message with this number, which StepMessages has sent.
  void deliver(std::uint32_t number);
  /// The number of messages that began while another message used their link.
  std::uint64_t shared() const { return flows.shared() - sharedBefore; }

private:
  struct PipelineSend {
    std::uint32_t from = 0, to = 0, link = 0;
    std::size_t slot = 0; ///< index in the receiver's arrivals
    std::uint64_t time = 0;
    std::uint64_t sentAt = 0; ///< time at which the output left
  };
  std::size_t slotOf(std::uint32_t rank, const ActionPort& port, std::uint64_t microBatch) const {
    return std::size_t{rank} * StepPrograms::slots(step.plan()) + port.slot + microBatch;
  }
  void arrived(const PipelineSend& message, std::uint64_t at);

  static constexpr std::uint64_t delivered = std::uint64_t{1}
                                             << 32; ///< flag of events: the message ends, otherwise
                                                    ///< it begins
  StepContext& step;
  SimulatedRanks& ranks;
  simulate::Flows flows;
  std::uint64_t sharedBefore = 0;
  std::vector<std::uint64_t> arrival; ///< arrival times, by rank and slot
  std::vector<WaitOrigin> origins;    ///< senders of arrived messages, if waits are recorded
  std::vector<std::uint32_t> sends;   ///< by rank: number of sends for which it waits
  std::vector<PipelineSend> messages; ///< messages by number
  std::vector<std::uint32_t> unused;  ///< free message numbers
};

} // namespace dpl::simulation
