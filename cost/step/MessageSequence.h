#pragma once
//===- MessageSequence.h - A collective of a plan as the messages of its algorithm
//-------------===//
//
// Stages one behind the other, each so many times. In a step a member waits for a latency and for
// what it sends and receives. Times are those of the algorithm's row on links that nobody else
// uses, and add up to what the plan says of the collective.
#include "ir/Plan.h"

namespace dpl::cost {

struct MemberMessage {
  std::uint32_t from = 0, to = 0; ///< members, in group order
  std::uint32_t level = 0;        ///< into Cluster::levels, whose links carry it
  double share = 1;               ///< of the time of a step's bytes; 1 for the busiest
  /// What of that time the links of this very level are taken for on average; the rest is what the
  /// row counts for messages of other levels through the same ports. Above 1 where one sends for
  /// all that the row spreads it over.
  double part = 1;
};

struct MessagePhase {
  std::uint64_t steps = 1;
  std::uint64_t time = 0;              ///< ps of all steps together
  double latency = 0;                  ///< share of the time of a step
  std::vector<MemberMessage> messages; ///< of each step
};

/// Of closed forms the messages of each phase, step by step. Phases of NCCL run at once, piece
/// behind piece: a stream from each member over each level that it uses, as long as its busiest
/// link is busy, behind the latencies. So do dispatchers of tokens. Where no level beyond the
/// domain gives a device less than its ports do, all of these are one: the port that it leaves
/// through. Where flows are hashed, a ring leaves units through the ports of their last domains.
struct MessageSequence {
  std::uint64_t time = 0; ///< ps
  std::uint32_t members = 1;
  std::vector<MessagePhase> phases;
  /// All members do the same in each step: one may stand for them.
  bool uniform = true;
};

/// For links that flows are hashed onto, or all even. Relies on: a complete plan and one of its
/// collectives.
MessageSequence messagesOf(const ir::Plan& plan, const ir::Collective& c, bool hashed);
/// One member with the busiest messages of each step, from it to itself.
MessageSequence ofOneMember(const MessageSequence& all);

} // namespace dpl::cost
