//===- Links.cpp - The communicators of one rank ----------------------------------------------===//
#include "Links.h"
#include <algorithm>

namespace twin {

Links::Links(const Plan& plan, Transport& transport)
    : plan(plan), transport(transport), me(pipelineRankOf(plan, transport.rank())) {
  std::fill_n(&ends[0][0][0], 8, Transport::none);
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
  for (const bool up : {true, false})
    for (const bool forward : {true, false})
      for (unsigned which = 0; which < 3; ++which)
        makeClass(which, up, forward);
}

bool Links::exists(std::uint64_t sender, bool up, bool forward) const {
  const std::uint64_t receiver = receiverOf(sender, up);
  if (!up && receiver == receiverOf(sender, true))
    return false;
  const std::size_t n = plan.chunksPerRank;
  for (std::size_t i = sender * n; i < (sender + 1) * n; ++i) {
    const std::size_t towards = forward ? plan.chunks[i].next : plan.chunks[i].previous;
    if (towards != none && towards / n == receiver)
      return true;
  }
  return false;
}

unsigned Links::classOf(std::uint64_t sender) const {
  return plan.pipelineRanks % 2 == 1 && sender + 1 == plan.pipelineRanks ? 2 : sender % 2;
}

void Links::makeClass(unsigned which, bool up, bool forward) {
  bool any = false;
  std::uint64_t sender = plan.pipelineRanks; // sender of the link of this class that the rank is on
  for (std::uint64_t s = 0; s < plan.pipelineRanks; ++s)
    if (classOf(s) == which && exists(s, up, forward)) {
      any = true;
      if (s == me || receiverOf(s, up) == me)
        sender = s;
    }
  if (!any)
    return;
  const bool outside = sender == plan.pipelineRanks, sends = sender == me;
  const int made =
      transport.split(pipelineCommunicator, outside ? Transport::none : static_cast<int>(sender),
                      sends ? 0 : 1, true);
  if (!outside)
    ends[up][forward][sends ? 0 : 1] = made;
}

} // namespace twin
