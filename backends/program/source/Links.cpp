//===- Links.cpp - The communicators of one rank ----------------------------------------------===//
#include "Links.h"

namespace twin {

Links::Links(const Plan& plan, Transport& transport)
    : plan(plan), transport(transport), me(pipelineRankOf(plan, transport.rank())) {
  for (const Group& group : plan.groups) {
    const Membership m = membershipIn(plan, group, transport.rank());
    groups.push_back(transport.split(Transport::world,
                                     m.member ? static_cast<int>(m.base) : Transport::none,
                                     static_cast<int>(m.index), false));
  }
  if (plan.pipelineRanks < 2)
    return;
  const std::uint64_t base = transport.rank() - me * plan.pipelineStride;
  pipelineCommunicator =
      transport.split(Transport::world, static_cast<int>(base), static_cast<int>(me), false);
  for (const bool forward : {true, false})
    for (unsigned which = 0; which < 3; ++which)
      makeClass(which, forward);
}

bool Links::exists(std::uint64_t sender, bool forward) const {
  // The last rank sends on to the first where a rank holds several chunks.
  return plan.chunksPerRank > 1 || (forward ? sender + 1 < plan.pipelineRanks : sender > 0);
}

std::uint64_t Links::receiverOf(std::uint64_t sender, bool forward) const {
  return (sender + (forward ? 1 : plan.pipelineRanks - 1)) % plan.pipelineRanks;
}

unsigned Links::classOf(std::uint64_t sender) const {
  return plan.pipelineRanks % 2 == 1 && sender + 1 == plan.pipelineRanks ? 2 : sender % 2;
}

void Links::makeClass(unsigned which, bool forward) {
  bool any = false;
  std::uint64_t sender = plan.pipelineRanks; // of the link that this rank is on
  for (std::uint64_t s = 0; s < plan.pipelineRanks; ++s)
    if (classOf(s) == which && exists(s, forward)) {
      any = true;
      if (s == me || receiverOf(s, forward) == me)
        sender = s;
    }
  if (!any)
    return;
  const bool outside = sender == plan.pipelineRanks, sends = sender == me;
  const int made =
      transport.split(pipelineCommunicator, outside ? Transport::none : static_cast<int>(sender),
                      sends ? 0 : 1, true);
  if (!outside)
    ends[forward][sends ? 0 : 1] = made;
}

} // namespace twin
