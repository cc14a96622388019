#pragma once
//===- MessageRun.h - Messages between ranks in numbered steps --------------------------------===//
//
// Each rank executes numbered steps. A message begins when both its ranks have completed all
// earlier steps. It waits for its latency, and then is a flow on its links. A rank completes a step
// when all its messages have ended, and immediately if it has none.
//
// In the first steps all ranks often have messages, each alone on its links, and all messages end
// at one time. Such common steps need no events. From the first other step on, everything is
// simulated event by event.
#include "simulate/engine/Flows.h"
#include <deque>
#include <utility>

namespace dpl::simulate {

struct StepMessage {
  std::uint32_t from = 0, to = 0; ///< sender and receiver, which differ
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
  /// The time from when both ranks are ready until message `number` begins as a flow.
  virtual std::uint64_t latency(std::uint32_t step, std::uint32_t number,
                                const StepMessage& message) const = 0;
  /// Appends the links of the message.
  virtual void route(std::uint32_t step, const StepMessage& message, FlowRoute& out) const = 0;
};

class MessageRun {
public:
  /// Link capacities are in units of work per unit of time.
  MessageRun(const MessageSource& program, std::vector<double> capacities);
  MessageRun(const MessageRun&) = delete; // the flows refer to the queue
  MessageRun& operator=(const MessageRun&) = delete;

  /// Returns when the last rank is done. May be called once.
  std::uint64_t run();

  std::uint64_t messages() const { return together + flows.begun(); }
  /// The number of messages that began while another message used one of their links.
  std::uint64_t shared() const { return flows.shared(); }
  /// The number of events: begins and ends of messages, and changes of rates.
  std::uint64_t events() const { return handled; }
  /// The work that each link has carried.
  llvm::ArrayRef<double> carried() const { return work; }

private:
  /// A step that some ranks have reached and some have not completed.
  struct OpenStep {
    std::vector<StepMessage> messages;
    std::vector<std::uint8_t> ready;          ///< for each message, how many of its two ranks are
                                              ///< ready
    std::vector<std::uint32_t> first, ofRank; ///< the messages of rank r begin at ofRank[first[r]]
    std::uint32_t unfinished = 0;             ///< number of ranks that have not completed the step
  };
  /// A step that all ranks begin at one time.
  struct CommonStep {
    std::vector<StepMessage> messages;
    std::vector<std::pair<std::uint32_t, double>> carried; ///< links that messages use, with the
                                                           ///< work on them
    std::vector<std::uint32_t> stepOfLink, stepOfRank;     ///< last step with messages, counted
                                                           ///< from 1, by link and by rank
  };
  /// Advances all ranks through the step if all its messages end at one time; otherwise changes
  /// nothing.
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
  std::vector<OpenStep> spare; ///< completed steps, whose memory is reused
  std::uint32_t firstOpen = 0;
  std::vector<std::uint32_t> at, pending; ///< by rank: current step, and number of unfinished
                                          ///< messages in it
  std::vector<double> work;
  FlowRoute route;
  std::uint64_t now = 0, last = 0, handled = 0;
  std::uint64_t together = 0; ///< number of messages that needed no events
};

} // namespace dpl::simulate
