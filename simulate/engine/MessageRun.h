#pragma once
//===- MessageRun.h - Messages of ranks, step by step -----------------------------------------===//
//
// Each rank goes through numbered steps. A message of a step begins when both its ends have done
// all of their earlier steps, waits for its latency and crosses its links as a flow; a rank has
// done a step when all messages from and to it have ended. A rank without messages is done at once.
#include "simulate/engine/Flows.h"
#include <deque>

namespace dpl::simulate {

struct StepMessage {
  std::uint32_t from = 0, to = 0; ///< ranks, not the same
  double work = 0;                ///< above 0, in units of the links
};
using FlowRoute = llvm::SmallVector<std::uint32_t, Flows::mostLinks>;

/// What is sent, asked for step by step.
class MessageSource {
public:
  virtual ~MessageSource() = default;
  virtual std::uint32_t ranks() const = 0;
  virtual std::uint32_t steps() const = 0;
  /// Appends the messages of a step, below 2^30.
  virtual void messages(std::uint32_t step, std::vector<StepMessage>& out) const = 0;
  /// From when both ends are ready until the message with this number in its step is on its links.
  virtual std::uint64_t latency(std::uint32_t step, std::uint32_t number,
                                const StepMessage& message) const = 0;
  /// Appends the links that it crosses.
  virtual void route(std::uint32_t step, const StepMessage& message, FlowRoute& out) const = 0;
};

class MessageRun {
public:
  /// Capacities of all links, in units of work a unit of time.
  MessageRun(const MessageSource& program, std::vector<double> capacities);
  MessageRun(const MessageRun&) = delete; // its flows hold its queue
  MessageRun& operator=(const MessageRun&) = delete;

  /// When the last rank is done. Once.
  std::uint64_t run();

  std::uint64_t messages() const { return flows.begun(); }
  /// Of these, what began while one of its links carried another one.
  std::uint64_t shared() const { return flows.shared(); }
  std::uint64_t events() const { return handled; }
  /// Work that each link has carried.
  llvm::ArrayRef<double> carried() const { return work; }

private:
  /// A step that some rank has reached and not all have left.
  struct OpenStep {
    std::vector<StepMessage> messages;
    std::vector<std::uint8_t> ready;          ///< ends of each message that have come
    std::vector<std::uint32_t> first, ofRank; ///< messages of rank r: from first[r] on in ofRank
    std::uint32_t unfinished = 0;             ///< ranks that have done it
  };
  void fill(OpenStep& step, std::uint32_t number) const;
  OpenStep& step(std::uint32_t number);
  void leave(std::uint32_t number);
  /// Enters the step of the rank, and those behind it as long as it has no messages there.
  void advance(std::uint32_t rank);
  void begin(std::uint64_t payload);
  void end(std::uint64_t payload);

  const MessageSource& program;
  EventQueue queue;
  Flows flows;
  std::deque<OpenStep> open;
  std::vector<OpenStep> spare; ///< whose memory is used again
  std::uint32_t firstOpen = 0;
  std::vector<std::uint32_t> at, pending; ///< by rank: its step, and messages of it that go on
  std::vector<double> work;
  FlowRoute route;
  std::uint64_t now = 0, last = 0, handled = 0;
};

} // namespace dpl::simulate
