//===- Links.h - The communicators of one rank ------------------------------------------------===//
//
// One for each group, made by splitting the world: color is the group's first rank, which stands
// for the coordinates on the other axes, key the place in the group. And one for each directed link
// to a neighbour in the pipeline, for activations and for gradients: a schedule sends and receives
// in both directions at once, and a send that waits on a communicator would hold up all that
// follows on it. Where stages turn back at the last rank, both kinds of message go both ways.
#pragma once
#include "Mesh.h"
#include "Transport.h"
#include <vector>

namespace twin {

class Links {
public:
  Links(const Plan& plan, Transport& transport);

  int group(std::size_t g) const { return groups[g]; }
  /// All pipeline ranks that differ in nothing else, by pipeline rank.
  int pipeline() const { return pipelineCommunicator; }
  /// Links to the next rank (`up`) and to the one before, around the ring; `none` where the
  /// pipeline has no such message. Of two ranks the other one is the next.
  int out(bool up, bool forward) const { return ends[up][forward][0]; }
  int in(bool up, bool forward) const { return ends[up][forward][1]; }
  int to(std::uint64_t neighbour, bool forward) const {
    return out(neighbour == receiverOf(me, true), forward);
  }
  int from(std::uint64_t neighbour, bool forward) const {
    return in(me == receiverOf(neighbour, true), forward);
  }

private:
  bool exists(std::uint64_t sender, bool up, bool forward) const;
  std::uint64_t receiverOf(std::uint64_t sender, bool up) const {
    return (sender + (up ? 1 : plan.pipelineRanks - 1)) % plan.pipelineRanks;
  }
  /// Links of one class share no rank, so that one split makes them all.
  unsigned classOf(std::uint64_t sender) const;
  void makeClass(unsigned which, bool up, bool forward);

  const Plan& plan;
  Transport& transport;
  std::uint64_t me; ///< pipeline rank
  std::vector<int> groups;
  int pipelineCommunicator = Transport::none;
  /// By direction, kind of message, and whether this rank receives.
  int ends[2][2][2];
};

} // namespace twin
