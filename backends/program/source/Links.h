//===- Links.h - The communicators of one rank ------------------------------------------------===//
//
// Each group has a communicator, which is made by splitting the world. Its color is the group's
// first rank, which stands for the coordinates on the other axes. Its key is the rank's index in
// the group. Each directed link to a pipeline neighbour has one communicator for activations and
// one for gradients, because a waiting send would block all later messages of its communicator. In
// V-shaped placements both kinds of message go in both directions.
#pragma once
#include "Mesh.h"
#include "Transport.h"
#include <vector>

namespace twin {

class Links {
public:
  Links(const Plan& plan, Transport& transport);

  int group(std::size_t g) const { return groups[g]; }
  /// The communicator of all ranks that differ only in the pipeline axis, ordered by pipeline rank.
  int pipeline() const { return pipelineCommunicator; }
  /// The communicator of the link to the next rank (`up`) or to the previous one, around the ring.
  /// It is `none` if the pipeline has no such message. With two ranks the other rank is always the
  /// next one.
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
  /// The class of a link. Links of one class have no rank in common, so one call of `split` makes
  /// the communicators of all.
  unsigned classOf(std::uint64_t sender) const;
  void makeClass(unsigned which, bool up, bool forward);

  const Plan& plan;
  Transport& transport;
  std::uint64_t me; ///< pipeline rank
  std::vector<int> groups;
  int pipelineCommunicator = Transport::none;
  /// communicators of links, by direction, by kind of message, and by whether this rank receives
  int ends[2][2][2];
};

} // namespace twin
