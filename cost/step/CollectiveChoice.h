#pragma once
//===- CollectiveChoice.h - The algorithm of a collective by size -----------------------------===//
//
// The compiler passes choose an algorithm and a protocol for the sizes of a layout. This file has
// the same choice for every size.
#include "ir/Plan.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dpl::cost {

/// The algorithm and protocol of a collective. `protocol` is null if the cluster's library has
/// none.
struct AlgorithmUse {
  ir::Algorithm algorithm = ir::Algorithm::Ring;
  const char* protocol = nullptr;
  /// "ring, LL128"
  std::string text() const;
  friend bool operator==(const AlgorithmUse& a, const AlgorithmUse& b) {
    // Both point into one table of protocols.
    return a.algorithm == b.algorithm && a.protocol == b.protocol;
  }
  friend bool operator!=(const AlgorithmUse& a, const AlgorithmUse& b) { return !(a == b); }
};

/// A range of sizes of a rank's whole buffer with one choice. The next range begins at `last` + 1;
/// the last range has no end.
struct ChoiceRange {
  std::uint64_t first = 0, last = 0;
  AlgorithmUse choice;
};

/// The choice at one size.
struct ChoicePoint {
  std::uint64_t bytes = 0; ///< whole buffer of a rank, as nccl-tests counts
  /// Collectives of one device in a step; 0 if the layout has none of this size.
  std::uint64_t count = 0;
  AlgorithmUse choice;
  double seconds = 0;                ///< time of the collective in a step
  double busBandwidth = 0;           ///< bytes/s, as nccl-tests defines it
  double alone = 0;                  ///< bus bandwidth without other traffic
  std::optional<AlgorithmUse> other; ///< the fastest other algorithm
  double otherSeconds = 0;           ///< time of `other`
  std::vector<double> sent;          ///< bytes that one device sends, by Cluster::levels
  std::optional<std::size_t> link;   ///< busiest link type, an index into Network::links
  double busy = 0;                   ///< share of the time in which this link type is busy
};

/// One kind of collective in all groups with the same placement.
struct CollectiveChoices {
  ir::CollectiveKind kind{};
  std::vector<std::string> groups; ///< "data", "data+context": names of Plan::groups
  std::uint64_t rank = 0;  ///< first pipeline rank; ranks with other links have their own entry
  bool everyRank = true;   ///< all pipeline ranks that run it have these links
  std::uint64_t ranks = 0; ///< size of one group
  /// Ranks of one group in one scale-up domain; 0 if their number differs between domains.
  std::uint64_t inDomain = 0;
  ir::Level spans{};
  double secondsOfStep = 0; ///< time of them all on one device, overlapped or not
  std::vector<ChoiceRange> ranges;
  std::vector<ChoicePoint> points; ///< powers of two and the sizes of the layout, rising
};

/// The collective, group and links of a sweep over sizes. It must not outlive what it refers to.
struct ChoiceRequest {
  const ir::Cluster& cluster;
  ir::CollectiveKind kind{};
  llvm::ArrayRef<std::uint64_t> inside; ///< Group::inside
  llvm::ArrayRef<ir::LinkLevel> levels;
  llvm::ArrayRef<std::uint64_t> nodeTypes;   ///< node types whose ports carry messages
  llvm::ArrayRef<ir::TorusRanks> torus = {}; ///< Group::torus
  llvm::ArrayRef<std::uint64_t> order = {};  ///< Group::order
};
ChoicePoint choiceAt(const ChoiceRequest& request, std::uint64_t bytes);
/// Tries four sizes per octave and finds each change between two of them to the byte. A choice that
/// holds only in a narrower range is missed.
std::vector<ChoiceRange> choiceRanges(const ChoiceRequest& request);
/// The choices at powers of two from 1 KiB to 16 GiB.
std::vector<ChoicePoint> choicePoints(const ChoiceRequest& request);

/// The choices of every collective of the layout, in the order of the plan's groups and kinds.
/// Relies on: a complete plan.
std::vector<CollectiveChoices> collectiveChoices(const ir::Plan& plan);

} // namespace dpl::cost
