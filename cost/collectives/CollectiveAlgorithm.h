#pragma once
//===- CollectiveAlgorithm.h - Collectives as the steps they are made of ----------------------===//
//
// One description of each algorithm: a list of phases, each of which can name every message it
// sends. Times and bytes come from the phases; a test runs the messages symbolically and checks
// that every rank ends with every contribution exactly once.
#include "ir/Plan.h"

namespace dpl::cost {

enum class PhaseKind : std::uint8_t {
  RingReduceScatter, ///< w ranks, w−1 steps of 1/w of the phase's part
  RingAllGather,     ///< the same, copying instead of adding
  TreeReduce,        ///< binomial tree to rank 0, ⌈log2 w⌉ steps of the whole part
  TreeBroadcast,     ///< its mirror
  Pairwise,          ///< all-to-all, w−1 steps of 1/w: step s sends to rank + s
  Exchange,          ///< all-to-all with every message posted at once: one step of (w−1)/w
  Direct,            ///< one message from rank 0 to rank 1
};

/// One phase among `ranks` peers of a level: the part of the message that enters it is `share` of
/// the whole buffer d.
struct Phase {
  PhaseKind kind = PhaseKind::RingReduceScatter;
  std::uint64_t ranks = 1;
  std::uint64_t stride = 1; ///< distance of its peers in group order
  std::uint64_t level = 0;  ///< index into Cluster::levels whose links carry it
  double share = 1;
  /// The phase runs over the whole group and crosses every level up to `level`: rings run side by
  /// side, one through each port of an inner unit, as multi-channel libraries do.
  bool flat = false;
  /// Messages a rank sends one after the other.
  std::uint64_t steps() const;
  /// Share of d that the busiest rank sends in one step (all steps are equal), and in all of them.
  double sentInStep() const;
  double sent() const;
};

/// One message: `pieces` of the phase's part, counted in units of part / pieceCount.
struct Message {
  std::uint64_t from = 0, to = 0;
  std::uint64_t firstPiece = 0, pieces = 0;
  bool adds = false; ///< the receiver adds; else it overwrites
};
/// Pieces that a phase's part is cut into.
std::uint64_t piecesOf(const Phase& phase);
/// Every message of one step, ranks counted 0 … ranks−1 within the phase.
std::vector<Message> messagesOf(const Phase& phase, std::uint64_t step);

/// The phases of an algorithm over a group, given the ranks of one group inside a unit of each
/// level (Group::inside). Empty for an algorithm that does not do this collective.
std::vector<Phase> phasesOf(ir::CollectiveKind kind, ir::Algorithm algorithm,
                            const std::vector<std::uint64_t>& inside);

} // namespace dpl::cost
