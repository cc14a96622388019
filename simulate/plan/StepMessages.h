#pragma once
//===- StepMessages.h - The messages of a simulated step as flows -----------------------------===//
//
// A collective that all its members have come to runs the stages of its program. A message begins
// when both its ends have done all earlier steps, waits for its latency, and is a flow on the links
// that it crosses; the collective has ended for all of its members when its last message has.
#include "cost/step/MessageSequence.h"
#include "simulate/engine/Flows.h"
#include "simulate/plan/LinkRates.h"
#include "simulate/plan/MessageDelays.h"

namespace dpl::simulation {

/// A program as a run needs it.
struct PreparedMessages {
  explicit PreparedMessages(cost::MessageSequence of);
  cost::MessageSequence sequence;
  struct PreparedPhase {
    std::uint64_t begin = 0, firstStep = 0;     ///< ps; of all steps
    std::uint32_t firstMessage = 0;             ///< of all messages
    std::vector<std::uint32_t> first, ofMember; ///< messages of member m: from first[m] on
  };
  std::vector<PreparedPhase> phases;
  std::uint64_t steps = 0;
  std::uint32_t messages = 0; ///< of all stages
  /// ps from the beginning of a stage to that of one of its steps.
  std::uint64_t stepBegin(std::size_t stage, std::uint64_t step) const;
};

/// How links are shared.
struct Sharing {
  std::vector<bool> free; ///< classes of links whose messages have them to themselves
  bool queued = false;    ///< nothing is shared, and pipeline messages of a link wait in turn
  bool isFree(std::size_t of) const { return queued || (of < free.size() && free[of]); }
};

/// What links carried in a step, in bins of time.
class LinkLoadHistory {
public:
  static constexpr std::size_t bins = 40;
  LinkLoadHistory(std::size_t links, std::uint64_t length);
  /// What is behind the length is left out.
  void add(std::uint32_t link, std::uint64_t from, std::uint64_t to, double work);
  double of(std::uint32_t link) const;
  llvm::ArrayRef<double> over(std::uint32_t link) const {
    return llvm::makeArrayRef(carried).slice(link * bins, bins);
  }
  double binLength() const { return length; }

private:
  double length; ///< ps of a bin
  std::vector<double> carried;
};

class StepMessages {
public:
  StepMessages(const StepLinks& links, const Sharing& sharing, simulate::EventQueue& queue);

  void clear();
  /// Events of this class and its flows; all others are of somebody else.
  static bool isOwn(std::uint64_t payload) { return payload >= ownPayloads; }
  /// Takes an event; true when something has ended: `ended` has its ticket.
  bool handle(const simulate::Event& event);
  std::uint64_t ended() const { return done; }
  /// When it ended. It may have been before now, if it could have begun before it was asked for.
  std::uint64_t endedAt() const { return doneAt; }

  /// Runs a program `times` times from `begin` on among devices, which `members` gives in the order
  /// of the group. A ticket is below 2^32.
  void begin(const PreparedMessages& program, std::uint64_t times,
             llvm::ArrayRef<std::uint32_t> devices, std::uint64_t begin, std::uint64_t now,
             std::uint64_t ticket);
  /// One message of the pipeline between two devices; `link` is the directed one between neighbours
  /// where messages wait in turn.
  void send(const PreparedMessages& program, std::uint32_t from, std::uint32_t to,
            std::uint32_t link, std::uint64_t begin, std::uint64_t ticket);

  std::uint64_t messages() const { return sent; }
  /// What met another on a link of a class, or had a link that devices share, or would have waited
  /// for another in the plan, by class.
  llvm::ArrayRef<std::uint64_t> shared() const { return met; }
  std::uint64_t events() const { return handled; }
  /// What links carry from here on.
  void record(LinkLoadHistory* into);
  /// Messages of the steps that follow are late by these, and links vary so; null: nothing does.
  void vary(MessageDelays* messages, LinkRates* rates) { delays = messages, varying = rates; }

private:
  static constexpr std::uint64_t ownPayloads = std::uint64_t{1} << 40;
  static constexpr std::uint64_t starts = ownPayloads, begins = 2 * ownPayloads,
                                 changes = 4 * ownPayloads, numbers = ownPayloads - 1;
  struct MemberProgress {
    std::uint32_t stage = 0, pending = 0;
    std::uint64_t step = 0; ///< of the stage
  };
  struct RunningCollective {
    const PreparedMessages* program = nullptr;
    std::uint64_t times = 1, ahead = 0, ticket = 0; ///< ahead: ps that it could have run before
    std::uint32_t unfinished = 0;                   ///< members that have not ended
    std::uint64_t aheadStep = 0;                    ///< in which it is by then, of all
    llvm::SmallVector<std::uint32_t, 8> devices;
    llvm::SmallVector<MemberProgress, 8> members;
    llvm::SmallVector<std::uint8_t, 16> ready; ///< ends of each message that have come
  };
  struct MessageFlow {
    std::uint32_t instance = 0, message = 0, stage = 0;
    std::uint32_t privateLink = none; ///< link made for it
    double work = 0;
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  void countOnTheWay(const PreparedMessages& program, std::uint32_t from, std::uint32_t to);
  void start(std::uint32_t instance);
  void round(std::uint32_t instance);
  void enter(std::uint32_t instance, std::uint32_t member);
  void post(std::uint32_t instance, std::size_t stage, std::uint64_t step, std::uint32_t message);
  void launch(std::uint32_t moving);
  void arrive(std::uint32_t moving);
  void finish(std::uint32_t instance, std::uint64_t at);
  void changeRates();
  std::uint32_t makePrivateLink(double capacity);

  const StepLinks& links;
  const Sharing sharing;
  simulate::EventQueue& queue;
  simulate::Flows flows;
  std::vector<RunningCollective> instances;
  std::vector<MessageFlow> moving;
  std::vector<std::uint32_t> unusedInstances, unusedMoving, unusedLinks;
  std::vector<std::uint64_t> freeAt; ///< of pipeline links, if nothing is shared
  std::vector<std::uint64_t> met;
  StepLinks::LinkRoute path;
  std::uint64_t now = 0, sent = 0, handled = 0, done = 0, doneAt = 0;
  bool hasEnded = false;
  MessageDelays* delays = nullptr;
  LinkRates* varying = nullptr;
};

} // namespace dpl::simulation
