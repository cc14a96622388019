#pragma once
//===- StepMessages.h - Messages of a simulated step as flows ---------------------------------===//
//
// A collective runs the phases of its message sequence when all members have arrived. A message
// begins when both its members have completed all earlier steps. It waits for its latency, and then
// is a flow on the links of its route. The collective ends for all members with its last message.
#include "cost/step/MessageSequence.h"
#include "simulate/engine/Flows.h"
#include "simulate/plan/LinkRates.h"
#include "simulate/plan/MessageDelays.h"

namespace dpl::simulation {

/// A message sequence of a collective, prepared for simulation.
struct PreparedMessages {
  explicit PreparedMessages(cost::MessageSequence of);
  cost::MessageSequence sequence;
  struct PreparedPhase {
    std::uint64_t begin = 0, firstStep = 0;     ///< start in ps, and number of earlier steps in the
                                                ///< sequence
    std::uint32_t firstMessage = 0;             ///< number of earlier messages in the sequence
    std::vector<std::uint32_t> first, ofMember; ///< the messages of member m begin at
                                                ///< ofMember[first[m]]
  };
  std::vector<PreparedPhase> phases;
  std::uint64_t steps = 0;
  std::uint32_t messages = 0; ///< messages of all phases
  /// ps from the start of a phase to the start of one of its steps.
  std::uint64_t stepBegin(std::size_t stage, std::uint64_t step) const;
};

/// How messages share links.
struct Sharing {
  std::vector<bool> free; ///< by link type: whether its links are not shared
  bool queued = false;    ///< whether no link is shared, but pipeline messages of a link queue
  bool isFree(std::size_t of) const { return queued || (of < free.size() && free[of]); }
};

/// The load of links over a step, in time bins of equal length.
class LinkLoadHistory {
public:
  static constexpr std::size_t bins = 40;
  LinkLoadHistory(std::size_t links, std::uint64_t length);
  /// Adds work of a link between two times. What is later than the last bin is ignored.
  void add(std::uint32_t link, std::uint64_t from, std::uint64_t to, double work);
  double of(std::uint32_t link) const;
  llvm::ArrayRef<double> over(std::uint32_t link) const {
    return llvm::makeArrayRef(carried).slice(link * bins, bins);
  }
  double binLength() const { return length; }

private:
  double length; ///< ps per bin
  std::vector<double> carried;
};

class StepMessages {
public:
  StepMessages(const StepLinks& links, const Sharing& sharing, simulate::EventQueue& queue);

  void clear();
  /// Whether an event belongs to this class or to its flows.
  static bool isOwn(std::uint64_t payload) { return payload >= ownPayloads; }
  /// Handles an event. Returns true if a collective or message has ended, whose ticket is `ended`.
  bool handle(const simulate::Event& event);
  std::uint64_t ended() const { return done; }
  /// The time at which it ended. This can be in the past if it could have begun before its launch.
  std::uint64_t endedAt() const { return doneAt; }

  /// Runs a program `times` times from `begin` on. `devices` are those of the members, in group
  /// order. Tickets are below 2^32.
  void begin(const PreparedMessages& program, std::uint64_t times,
             llvm::ArrayRef<std::uint32_t> devices, std::uint64_t begin, std::uint64_t now,
             std::uint64_t ticket);
  /// Sends one pipeline message between two devices. `link` is the number of the directed pipeline
  /// link, for messages that queue.
  void send(const PreparedMessages& program, std::uint32_t from, std::uint32_t to,
            std::uint32_t link, std::uint64_t begin, std::uint64_t ticket);

  std::uint64_t messages() const { return sent; }
  /// By link type: messages that shared a link with another message or used a link of several
  /// devices. If pipeline messages queue in the plan, those that would have waited there.
  llvm::ArrayRef<std::uint64_t> shared() const { return met; }
  std::uint64_t events() const { return handled; }
  /// Records the load of links in `into` from now on.
  void record(LinkLoadHistory* into);
  /// Sets the random delays of messages and rates of links for the next steps; null if they do not
  /// vary.
  void vary(MessageDelays* messages, LinkRates* rates) { delays = messages, varying = rates; }

private:
  static constexpr std::uint64_t ownPayloads = std::uint64_t{1} << 40;
  static constexpr std::uint64_t starts = ownPayloads, begins = 2 * ownPayloads,
                                 changes = 4 * ownPayloads, numbers = ownPayloads - 1;
  struct MemberProgress {
    std::uint32_t stage = 0, pending = 0;
    std::uint64_t step = 0; ///< step within the phase
  };
  struct RunningCollective {
    const PreparedMessages* program = nullptr;
    std::uint64_t times = 1, ahead = 0, ticket = 0; ///< ahead: ps by which it could have begun
                                                    ///< before its launch
    std::uint32_t unfinished = 0;                   ///< members that have not completed all steps
    std::uint64_t aheadStep = 0;                    ///< step that it would have reached at its
                                                    ///< launch
    llvm::SmallVector<std::uint32_t, 8> devices;
    llvm::SmallVector<MemberProgress, 8> members;
    llvm::SmallVector<std::uint8_t, 16> ready; ///< for each message, how many of its two members
                                               ///< are ready
  };
  struct MessageFlow {
    std::uint32_t instance = 0, message = 0, stage = 0;
    std::uint32_t privateLink = none; ///< link that only this message uses, or `none`
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
  std::vector<std::uint64_t> freeAt; ///< by pipeline link: when it is free, if messages queue
  std::vector<std::uint64_t> met;
  StepLinks::LinkRoute path;
  std::uint64_t now = 0, sent = 0, handled = 0, done = 0, doneAt = 0;
  bool hasEnded = false;
  MessageDelays* delays = nullptr;
  LinkRates* varying = nullptr;
};

} // namespace dpl::simulation
