#pragma once
//===- MessageRun.h - Messages between ranks in numbered steps --------------------------------===//
//
// Each rank executes numbered steps. A message begins when both ends have completed all earlier
// steps. It waits for its latency, and then uses its links as a flow. A rank completes a step when
// all its messages have ended, and immediately if it has none.
//
// At first ranks often step together: all have messages, each alone on its links, and all end at
// one time. Such steps need no events. The first other step and all after it are simulated event by
// event.
#include "simulate/engine/Flows.h"
#include <deque>
#include <utility>

namespace dpl::simulate {

struct StepMessage {
  std::uint32_t from = 0, to = 0; ///< different ranks
  double work = 0;                ///< units of work of the links; above 0
};
using FlowRoute = llvm::SmallVector<std::uint32_t, Flows::mostLinks>;

/// The messages of a program, step by step.
class MessageSource {
public:
  virtual ~MessageSource() = default;
  virtual std::uint32_t ranks() const = 0;
  virtual std::uint32_t steps() const = 0;
  /// Appends the messages of a step, fewer than 2^30.
  virtual void messages(std::uint32_t step, std::vector<StepMessage>& out) const = 0;
  /// The time from when both ends are ready until the message of this number begins as a flow.
  virtual std::uint64_t latency(std::uint32_t step, std::uint32_t number,
                                const StepMessage& message) const = 0;
  /// Appends the links of the message.
  virtual void route(std::uint32_t step, const StepMessage& message, FlowRoute& out) const = 0;
};

class MessageRun {
public:
  /// Link capacities are in units of work per unit of time.
  MessageRun(const MessageSource& program, std::vector<double> capacities);
  MessageRun(const MessageRun&) = delete; // its flows refer to its queue
  MessageRun& operator=(const MessageRun&) = delete;

  /// Returns when the last rank is done. May be called once.
  std::uint64_t run();

  std::uint64_t messages() const { return together + flows.begun(); }
  /// The messages that began while another message used one of their links.
  std::uint64_t shared() const { return flows.shared(); }
  /// Each message begins and ends; rates that change are further events.
  std::uint64_t events() const { return handled; }
  /// The work that each link has carried.
  llvm::ArrayRef<double> carried() const { return work; }

private:
  /// A step that some ranks have reached and not all have completed.
  struct OpenStep {
    std::vector<StepMessage> messages;
    std::vector<std::uint8_t> ready;          ///< ready ends of each message
    std::vector<std::uint32_t> first, ofRank; ///< messages of rank r: ofRank from first[r] on
    std::uint32_t unfinished = 0;             ///< ranks that have not completed it
  };
  /// A step that all ranks begin at one time.
  struct CommonStep {
    std::vector<StepMessage> messages;
    std::vector<std::pair<std::uint32_t, double>> carried; ///< links with their work
    std::vector<std::uint32_t> stepOfLink, stepOfRank;     ///< last step with messages, from 1 on
  };
  /// Advances all ranks through the step if its messages end together; changes nothing otherwise.
  bool advanceTogether(CommonStep& step, std::uint32_t number);
  void fill(OpenStep& step, std::uint32_t number) const;
  OpenStep& step(std::uint32_t number);
  void leave(std::uint32_t number);
  /// Advances a rank to the next step, and through further steps without messages.
  void advance(std::uint32_t rank);
  void begin(std::uint64_t payload);
  void end(std::uint64_t payload);

  const MessageSource& program;
  EventQueue queue;
  Flows flows;
  std::deque<OpenStep> open;
  std::vector<OpenStep> spare; ///< recycled memory
  std::uint32_t firstOpen = 0;
  std::vector<std::uint32_t> at, pending; ///< step of each rank, and its unfinished messages
  std::vector<double> work;
  FlowRoute route;
  std::uint64_t now = 0, last = 0, handled = 0;
  std::uint64_t together = 0; ///< messages without events
};

} // namespace dpl::simulate
