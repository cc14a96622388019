#pragma once
//===- Algorithm.h - Collectives as phases of messages ----------------------------------------===//
//
// Each algorithm is a row of ir/Algorithms.def and a file in this folder. The file defines the
// algorithm's phases, which can list every message. Times and bytes are computed from the phases. A
// test runs the messages of every row and checks the result of the collective on each rank.
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// The position of a group's ranks: the number of ranks inside one unit of each level, innermost
/// first (Group::inside). Ranks are contiguous by unit.
struct GroupShape {
  llvm::ArrayRef<std::uint64_t> inside;
  llvm::ArrayRef<ir::TorusRanks> torus = {}; ///< Group::torus of the ranks inside the first level
  llvm::ArrayRef<std::uint64_t> order = {};  ///< Group::order
  std::uint64_t ranks() const { return inside.empty() ? 1 : inside.back(); }
  /// Ranks inside one of the units that a level connects.
  std::uint64_t below(std::size_t level) const { return level == 0 ? 1 : inside[level - 1]; }
  /// Number of inner units with ranks of the group inside one unit of a level. They exchange
  /// directly.
  std::uint64_t widthAt(std::size_t level) const { return inside[level] / below(level); }
  /// The outermost level that the group crosses.
  std::uint64_t spannedLevel() const;
};
/// The shape of a group of a plan.
inline GroupShape shapeOf(const ir::Group& group) {
  return {group.inside, group.torus, group.order};
}

/// One message: `slices` slices of the phase's part, each of size part / Pattern::slices.
struct AlgorithmMessage {
  std::uint64_t from = 0, to = 0;
  std::uint64_t firstSlice = 0, slices = 0;
  bool adds = false; ///< the receiver adds the message instead of overwriting
  /// The switch copies: the sender sends a slice once, for all receivers.
  bool copiedInSwitch = false;
};
using MessageSink = llvm::function_ref<void(const AlgorithmMessage&)>;

/// The load of a phase over a whole group on the links of one level, relative to what a rank sends.
struct LevelLoad {
  double average = 0; ///< mean over ranks, for byte counts
  double port = 0;    ///< load of the busiest port, which limits the rate
  /// Share of the steps in which the awaited message crosses these links.
  double hops = 0;
};

// Functions that patterns use as `steps`, `slices` and `sent`.
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
/// All slices except the rank's own.
inline double otherSlices(std::uint64_t n, double share) {
  return static_cast<double>(n - 1) * (share / static_cast<double>(n));
}

/// The exchange of the part of the buffer that enters a phase, between `ranks` peers.
struct Pattern {
  /// Number of steps that run one after another.
  std::uint64_t (*steps)(std::uint64_t ranks);
  /// Share of the buffer that the busiest rank sends in all steps, if `share` of it enters the
  /// phase.
  double (*sent)(std::uint64_t ranks, double share);
  /// Number of equal slices into which the pattern divides the part of the buffer.
  std::uint64_t (*slices)(std::uint64_t ranks);
  /// Visits every message of one step; ranks are 0 … ranks−1 within the phase.
  void (*messages)(std::uint64_t ranks, std::uint64_t step, MessageSink sink);
  /// Load of a phase over the whole group, which crosses all levels up to the spanned one. Null for
  /// a pattern inside one level.
  LevelLoad (*load)(const GroupShape& shape, std::size_t level);
  bool inSwitch = false; ///< switches add and copy
  /// In a phase over the whole group, as many instances run in parallel as a unit has ranks, each
  /// through its own port. Together they use all ports of the units that messages leave and enter.
  bool sideBySide = false;
  /// Data goes to or from the first rank; only the first rank of a unit has peers in other units.
  bool rooted = false;
  /// On a torus, messages pass devices that are not neighbours of their sender.
  bool farther = false;
  /// A rank sends to all peers at once instead of one after another.
  bool atOnce = false;
};

/// One phase of a collective: `ranks` peers exchange messages on the links of one level (or of all
/// levels up to it if `flat`).
struct AlgorithmPhase {
  const Pattern* pattern = nullptr;
  std::uint64_t ranks = 1;
  /// Distance of peers in group order. In a phase over the whole group: distance of neighbours; the
  /// order goes around as often as needed.
  std::uint64_t stride = 1;
  std::uint64_t level = 0; ///< index into Cluster::levels; its links carry the phase
  double share = 1;        ///< share of the whole buffer that enters the phase
  bool flat = false;       ///< the phase is over the whole group, across every level up to `level`
  /// Order of peers over the whole group; empty: rank order.
  llvm::ArrayRef<std::uint64_t> order = {};
  std::uint64_t steps() const { return ranks < 2 ? 0 : pattern->steps(ranks); }
  double sent() const { return ranks < 2 ? 0 : pattern->sent(ranks, share); }
  /// The position of peer i in the group, if the first rank is among the peers.
  std::uint64_t place(std::uint64_t i) const {
    if (!order.empty())
      return i / order.size() * order.size() + order[i % order.size()];
    return flat ? i * stride % ranks + i * stride / ranks : i * stride;
  }
  /// Number of interleaved sets of peers, and number of ranks of the group that they cover
  /// together.
  std::uint64_t sets() const { return flat || pattern->rooted ? 1 : stride; }
  std::uint64_t period() const { return flat ? ranks : stride * ranks; }
};

/// The phases of one collective, stored inline: two for each level of a cluster and each dimension
/// of a torus.
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

/// NCCL's kind of hop, which decides its latency; see Protocols.h.
enum class HopKind : std::uint8_t { Ring, Tree, Switch, Network, Pat };

/// One row of the table of algorithms. It is used only for collectives of its kinds and groups of
/// at least two ranks. `phases` adds no phases if the group does not have the needed shape.
struct AlgorithmInfo {
  llvm::ArrayRef<ir::CollectiveKind> kinds;
  void (*phases)(ir::CollectiveKind kind, const GroupShape& shape, Phases& out);
  bool closedForm = true; ///< part of the closed-form library
  bool nccl = false;      ///< part of NCCL
  HopKind hop = HopKind::Ring;
  bool onlyStated = false;                             ///< used only if the cluster sets it
  double reached = 1;                                  ///< share of the bandwidth of NCCL's rings
  double (*serial)(const GroupShape& shape) = nullptr; ///< s that NCCL counts in addition to hops
  /// Requirements on a group and its links, as text; null if there are none.
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

/// The phases of an algorithm; empty if it cannot run this collective in this group.
Phases phasesOf(ir::CollectiveKind kind, ir::Algorithm algorithm, const GroupShape& shape);

// ---- parts of rows

/// Whether the collective has a part that leaves each rank a shard of the sum (reduces), and a part
/// that gathers shards (gathers). An all-reduce has both.
bool reduces(ir::CollectiveKind kind);
bool gathers(ir::CollectiveKind kind);

/// Messages between ring neighbours in n−1 steps, each with 1/n of the part. Receivers add
/// (ringReduceScatter) or copy (ringAllGather).
extern const Pattern ringReduceScatter, ringAllGather;

/// Each rank sends a slice to each other rank, one after another.
extern const Pattern exchangeOneByOne;

/// Messages up and down a pair of binary trees, each tree for one half of the part.
extern const Pattern doubleTreeReduce, doubleTreeBroadcast;

/// One phase over the whole group.
AlgorithmPhase wholeGroup(const Pattern& pattern, const GroupShape& shape);
enum class LevelOrder : std::uint8_t { Outward, Inward };
/// Adds a phase for each level that the group crosses. With `scatter`, only a rank's shard of the
/// inner levels enters a level.
void addPerLevel(Phases& out, const Pattern& pattern, const GroupShape& shape, LevelOrder sweep,
                 bool scatter);
/// Adds an all-reduce with `reduce` and `gather` inside scale-up domains, and double trees between
/// the ranks with the same shard in each domain. Messages of trees are counted on the outermost
/// links that the group crosses.
void addTreesOfShards(Phases& out, const Pattern& reduce, const Pattern& gather,
                      const GroupShape& shape);

} // namespace dpl::cost
