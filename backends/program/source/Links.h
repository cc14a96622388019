//===- Links.h - The communicators of one rank ------------------------------------------------===//
//
// One for each group, made by splitting the world: color is the group's first rank, which stands
// for the coordinates on the other axes, key the place in the group. And one for each directed link
// to a neighbour in the pipeline: a schedule sends and receives in both directions at once, and a
// send that waits on a communicator would hold up all that follows on it.
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
  /// `none` where the pipeline has no such link.
  int out(bool forward) const { return ends[forward][0]; }
  int in(bool forward) const { return ends[forward][1]; }

private:
  bool exists(std::uint64_t sender, bool forward) const;
  std::uint64_t receiverOf(std::uint64_t sender, bool forward) const;
  /// Links of one class share no rank, so that one split makes them all.
  unsigned classOf(std::uint64_t sender) const;
  void makeClass(unsigned which, bool forward);

  const Plan& plan;
  Transport& transport;
  std::uint64_t me; ///< pipeline rank
  std::vector<int> groups;
  int pipelineCommunicator = Transport::none;
  int ends[2][2] = {{Transport::none, Transport::none}, {Transport::none, Transport::none}};
};

} // namespace twin
