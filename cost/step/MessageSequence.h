#pragma once
//===- MessageSequence.h - A collective as the messages of its algorithm ----------------------===//
//
// Phases follow one another, and each has a number of steps. In a step a member waits for a latency
// and for the messages that it sends and receives. The times are those of the algorithm on links
// without other traffic, and add up to the time of the collective in the plan.
#include "ir/Plan.h"

namespace dpl::cost {

struct MemberMessage {
  std::uint32_t from = 0, to = 0; ///< members in group order
  std::uint32_t level = 0;        ///< index into Cluster::levels, whose links carry the message
  double share = 1; ///< time of its bytes, relative to the busiest message of the step
  /// Average share of that time in which the links of this level are busy. In the rest of the time
  /// the same ports carry messages of other levels. The value is above 1 if one member sends the
  /// messages that the algorithm's cost spreads over several members.
  double part = 1;
};

struct MessagePhase {
  std::uint64_t steps = 1;
  std::uint64_t time = 0;              ///< ps of all steps
  double latency = 0;                  ///< share of the time of a step
  std::vector<MemberMessage> messages; ///< messages of one step
};

/// Closed-form algorithms have the messages of each phase, step by step. Phases of NCCL overlap,
/// slice after slice. They become one stream of messages from each member over each level that the
/// member uses: after the latencies, the stream lasts as long as its busiest link. Token
/// dispatchers are streams too. If no level outside the domain gives a device less bandwidth than
/// its ports, all these levels are represented by the port through which data leaves. With hashed
/// flows, a ring leaves a unit through the ports of its last domain.
struct MessageSequence {
  std::uint64_t time = 0; ///< ps
  std::uint32_t members = 1;
  std::vector<MessagePhase> phases;
  /// All members do the same in each step, so one can represent them.
  bool uniform = true;
};

/// `hashed`: flows are hashed onto links; otherwise they are spread evenly. Relies on: a complete
/// plan and one of its collectives.
MessageSequence messagesOf(const ir::Plan& plan, const ir::Collective& c, bool hashed);
/// One member that sends the busiest messages of each step to itself.
MessageSequence ofOneMember(const MessageSequence& all);

} // namespace dpl::cost
