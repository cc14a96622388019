#pragma once
//===- Algorithm.h - Collectives as the steps they are made of --------------------------------===//
//
// One description of each algorithm: a row of ir/Algorithms.def and a file beside this one that
// gives its phases, each of which can name every message it sends. Times and bytes come from the
// phases; a test runs the messages of every row and checks that each rank ends with what the
// collective promises.
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// Where the ranks of a group are: how many of them are inside one unit of each level, innermost
/// first (Group::inside). Ranks are contiguous by unit.
struct GroupShape {
  llvm::ArrayRef<std::uint64_t> inside;
  llvm::ArrayRef<ir::TorusRanks> torus = {}; ///< Group::torus: of those inside the first level
  llvm::ArrayRef<std::uint64_t> order = {};  ///< Group::order
  std::uint64_t ranks() const { return inside.empty() ? 1 : inside.back(); }
  /// Ranks inside one of the units that a level joins.
  std::uint64_t below(std::size_t level) const { return level == 0 ? 1 : inside[level - 1]; }
  /// Ranks that peer directly at a level.
  std::uint64_t widthAt(std::size_t level) const { return inside[level] / below(level); }
  /// The outermost level that the group crosses.
  std::uint64_t spannedLevel() const;
};
/// The shape of a group of a plan.
inline GroupShape shapeOf(const ir::Group& group) {
  return {group.inside, group.torus, group.order};
}

/// One message: `pieces` of the phase's part, counted in units of part / Pattern::slices.
struct AlgorithmMessage {
  std::uint64_t from = 0, to = 0;
  std::uint64_t firstSlice = 0, slices = 0;
  bool adds = false; ///< the receiver adds; else it overwrites
  /// The switch makes the copies: of one piece the sender has one message, whoever receives it.
  bool copiedInSwitch = false;
};
using MessageSink = llvm::function_ref<void(const AlgorithmMessage&)>;

/// What a phase over a whole group puts on the links of one level, as shares of what a rank sends.
struct LevelLoad {
  double average = 0; ///< of a rank, for the bytes that are counted
  double port = 0;    ///< of the busiest port, which sets the pace
  /// Of the steps, those in which the message that all wait for crosses these links.
  double hops = 0;
};

// What patterns have in common, as their `steps`, `slices` and `sent` say it.
inline std::uint64_t once(std::uint64_t /*ranks*/) { return 1; }
inline std::uint64_t oneOfEach(std::uint64_t ranks) { return ranks; }
inline double wholeShare(std::uint64_t /*ranks*/, double share) { return share; }
inline std::uint64_t halved(std::uint64_t n) { return (n + 1) / 2; }
/// ⌈log2 n⌉.
inline std::uint64_t halvings(std::uint64_t n) {
  std::uint64_t count = 0;
  for (; n > 1; n = halved(n))
    ++count;
  return count;
}
/// All but its own slice.
inline double otherSlices(std::uint64_t n, double share) {
  return static_cast<double>(n - 1) * (share / static_cast<double>(n));
}

/// How `ranks` peers exchange the part of the buffer that enters a phase.
struct Pattern {
  /// Messages a rank sends one after the other.
  std::uint64_t (*steps)(std::uint64_t ranks);
  /// Share of the buffer that the busiest rank sends in all steps; `share` of it enters the phase.
  double (*sent)(std::uint64_t ranks, double share);
  /// Pieces that the part is cut into.
  std::uint64_t (*slices)(std::uint64_t ranks);
  /// Every message of one step, ranks counted 0 … ranks−1 within the phase.
  void (*messages)(std::uint64_t ranks, std::uint64_t step, MessageSink sink);
  /// Of a phase over the whole group, which crosses all levels up to the spanned one; null for a
  /// pattern that stays inside one level.
  LevelLoad (*load)(const GroupShape& shape, std::size_t level);
  bool inSwitch = false; ///< by switches that add and copy
  /// Over the whole group, as many run side by side as a unit has ranks, each through a port of its
  /// own: a message has all ports of the units that it leaves and enters.
  bool sideBySide = false;
  /// To the first of its ranks or from it: of a unit the first rank alone has peers in others.
  bool rooted = false;
  /// On a torus messages go past devices that are no neighbours of their sender.
  bool farther = false;
  /// To all peers at once, where others send to one after the other.
  bool atOnce = false;
};

/// One phase among `ranks` peers of a level.
struct AlgorithmPhase {
  const Pattern* pattern = nullptr;
  std::uint64_t ranks = 1;
  /// Distance of its peers in group order; over the whole group that of neighbours, which go round
  /// as often as that takes.
  std::uint64_t stride = 1;
  std::uint64_t level = 0; ///< index into Cluster::levels whose links carry it
  double share = 1;        ///< of the whole buffer, what enters it
  bool flat = false;       ///< over the whole group, across every level up to `level`
  llvm::ArrayRef<std::uint64_t> order = {}; ///< of peers over the whole group; empty: theirs
  std::uint64_t steps() const { return ranks < 2 ? 0 : pattern->steps(ranks); }
  double sent() const { return ranks < 2 ? 0 : pattern->sent(ranks, share); }
  /// Of the peers with the first rank of the group, where peer i stands in it.
  std::uint64_t place(std::uint64_t i) const {
    if (!order.empty())
      return i / order.size() * order.size() + order[i % order.size()];
    return flat ? i * stride % ranks + i * stride / ranks : i * stride;
  }
  /// Sets of peers that begin beside each other, and ranks of the group that they fill together.
  std::uint64_t sets() const { return flat || pattern->rooted ? 1 : stride; }
  std::uint64_t period() const { return flat ? ranks : stride * ranks; }
};

/// The phases of one collective, held in place: two for each level that a cluster can have, and for
/// each dimension of a torus.
class Phases {
public:
  void add(const AlgorithmPhase& phase) { phases.push_back(phase); }
  const AlgorithmPhase* begin() const { return phases.begin(); }
  const AlgorithmPhase* end() const { return phases.end(); }
  std::size_t size() const { return phases.size(); }
  bool empty() const { return phases.empty(); }
  const AlgorithmPhase& operator[](std::size_t i) const { return phases[i]; }

private:
  llvm::SmallVector<AlgorithmPhase, 2 * (ir::linkLevelCount + ir::mostDimensions)> phases;
};

/// What NCCL calls a hop of an algorithm takes, by kind; see Protocols.h.
enum class HopKind : std::uint8_t { Ring, Tree, Switch, Network, Pat };

/// One row. It is asked for collectives of its kinds and groups of at least two ranks only, and
/// gives no phases where it needs another shape.
struct AlgorithmInfo {
  llvm::ArrayRef<ir::CollectiveKind> kinds;
  void (*phases)(ir::CollectiveKind kind, const GroupShape& shape, Phases& out);
  bool closedForm = true; ///< it is one of the closed forms
  bool nccl = false;      ///< NCCL has it
  HopKind hop = HopKind::Ring;
  bool onlyStated = false; ///< taken where the cluster names it, never chosen
  double reached = 1;      ///< share of what NCCL's rings reach of the links
  double (*serial)(const GroupShape& shape) = nullptr; ///< s that NCCL counts beside the hops
  /// What a group and its links must have for it; of a row that runs in every group null.
  const char* needs = nullptr;
  bool isIn(ir::CollectiveLibrary library) const {
    return library == ir::CollectiveLibrary::Nccl ? nccl : closedForm;
  }
  bool does(ir::CollectiveKind kind) const { return llvm::is_contained(kinds, kind); }
};
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) extern const AlgorithmInfo ROW;
#include "ir/Algorithms.def"

/// All rows, in the order of ir::Algorithm.
llvm::ArrayRef<const AlgorithmInfo*> algorithms();

/// The phases of an algorithm; none where it does not do this collective in this group.
Phases phasesOf(ir::CollectiveKind kind, ir::Algorithm algorithm, const GroupShape& shape);

// ---- what rows are made of

/// A reduction leaves each rank a shard of the sum; a gather brings the shards together.
bool reduces(ir::CollectiveKind kind);
bool gathers(ir::CollectiveKind kind);

/// Neighbours in a ring, n−1 steps of 1/n of the part: adding, and copying.
extern const Pattern ringReduceScatter, ringAllGather;

/// A piece to each rank, one after the other.
extern const Pattern exchangeOneByOne;

/// Up a pair of binary trees and down again, one for each half of the part.
extern const Pattern doubleTreeReduce, doubleTreeBroadcast;

/// One phase over the whole group.
AlgorithmPhase wholeGroup(const Pattern& pattern, const GroupShape& shape);
enum class LevelOrder : std::uint8_t { Outward, Inward };
/// One phase a level that the group crosses. When they `scatter`, what enters a level is the shard
/// of the levels inside it.
void addPerLevel(Phases& out, const Pattern& pattern, const GroupShape& shape, LevelOrder sweep,
                 bool scatter);
/// An all-reduce with `reduce` and `gather` among the ranks of a scale-up domain and double trees
/// between the ranks that hold the same shard in each domain. What a tree sends is put on the
/// outermost links that the group crosses.
void addTreesOfShards(Phases& out, const Pattern& reduce, const Pattern& gather,
                      const GroupShape& shape);

} // namespace dpl::cost
