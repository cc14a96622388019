#pragma once
//===- PipelineMessages.h - Point-to-point messages of a step ---------------------------------===//
//
// A message is a flow over the link between two neighbours, or with a network one over all links
// that it crosses.
#include "simulate/plan/SimulatedRanks.h"
#include "simulate/plan/StepContext.h"
#include "simulate/plan/StepPrograms.h"

namespace dpl::simulation {

class PipelineMessages {
public:
  static constexpr std::uint64_t never = UINT64_MAX;
  PipelineMessages(StepContext& step, SimulatedRanks& ranks)
      : step(step), ranks(ranks),
        flows(std::vector<double>(2 * step.shape.simulatedRanks(), 1.0), step.queue) {}

  void begin();
  /// When the input of a port was there; `never` until then.
  std::uint64_t arrivalOf(std::uint32_t rank, const ActionPort& port, std::uint64_t microBatch) {
    return arrival[slotOf(rank, port, microBatch)];
  }
  /// Who sent it, where waits are noted.
  WaitOrigin originOf(std::uint32_t rank, const ActionPort& port, std::uint64_t microBatch) {
    return origins.empty() ? WaitOrigin() : origins[slotOf(rank, port, microBatch)];
  }
  /// The output of a port leaves at `at`.
  void send(std::uint32_t rank, const ActionPort& port, std::uint64_t microBatch, std::uint64_t at);
  /// Whether the rank has to wait for what it has sent.
  bool holdsSender(std::uint32_t rank) const { return sends[rank] > 0; }

  /// Takes an event that is not one of StepMessages.
  void handle(const simulate::Event& event);
  /// The message of that ticket has arrived.
  void deliver(std::uint32_t number);
  /// Messages that began while their link carried another one.
  std::uint64_t shared() const { return flows.shared() - sharedBefore; }

private:
  struct PipelineSend {
    std::uint32_t from = 0, to = 0, link = 0;
    std::size_t slot = 0; ///< of the receiver's arrivals
    std::uint64_t time = 0;
    std::uint64_t sentAt = 0; ///< when its sender had it
  };
  std::size_t slotOf(std::uint32_t rank, const ActionPort& port, std::uint64_t microBatch) const {
    return std::size_t{rank} * StepPrograms::slots(step.plan()) + port.slot + microBatch;
  }
  void arrived(const PipelineSend& message, std::uint64_t at);

  static constexpr std::uint64_t delivered = std::uint64_t{1}
                                             << 32; ///< of events: ends, not begins
  StepContext& step;
  SimulatedRanks& ranks;
  simulate::Flows flows;
  std::uint64_t sharedBefore = 0;
  std::vector<std::uint64_t> arrival; ///< by rank and slot
  std::vector<WaitOrigin> origins;    ///< of what arrived, where waits are noted
  std::vector<std::uint32_t> sends;   ///< for which a rank waits, by rank
  std::vector<PipelineSend> messages; ///< by number
  std::vector<std::uint32_t> unused;  ///< numbers
};

} // namespace dpl::simulation
