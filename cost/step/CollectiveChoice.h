#pragma once
//===- CollectiveChoice.h - Which algorithm runs a collective of which size -------------------===//
//
// The choice that the passes make for each size that the layout sends, at every other size too.
#include "ir/Plan.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dpl::cost {

/// What runs a collective. `protocol` is null where the cluster's library has none.
struct AlgorithmUse {
  ir::Algorithm algorithm = ir::Algorithm::Ring;
  const char* protocol = nullptr;
  /// "ring, LL128"
  std::string text() const;
  friend bool operator==(const AlgorithmUse& a, const AlgorithmUse& b) {
    return a.algorithm == b.algorithm && a.protocol == b.protocol; // of one table of protocols
  }
  friend bool operator!=(const AlgorithmUse& a, const AlgorithmUse& b) { return !(a == b); }
};

/// Sizes of a rank's whole buffer that run as one choice; the next range begins at `last` + 1. The
/// last one holds every size beyond.
struct ChoiceRange {
  std::uint64_t first = 0, last = 0;
  AlgorithmUse choice;
};

/// One size.
struct ChoicePoint {
  std::uint64_t bytes = 0; ///< the whole buffer of a rank, as nccl-tests counts
  std::uint64_t count = 0; ///< of one device in a step of the layout; 0: it sends no such size
  AlgorithmUse choice;
  double seconds = 0;                ///< in a running step
  double busBandwidth = 0;           ///< bytes/s, as nccl-tests defines it
  double alone = 0;                  ///< the same with the network to itself
  std::optional<AlgorithmUse> other; ///< the fastest other algorithm
  double otherSeconds = 0;           ///< its time
  std::vector<double> sent;          ///< bytes of one device, by Cluster::levels
  std::optional<std::size_t> link;   ///< the busiest class, by index into Network::links
  double busy = 0;                   ///< share of the time in which that class carries it
};

/// One kind of collective in all groups that lie alike.
struct CollectiveChoices {
  ir::CollectiveKind kind{};
  std::vector<std::string> groups; ///< "data", "data+context": names of Plan::groups
  std::uint64_t rank = 0;  ///< the first pipeline rank; others stand apart where their links differ
  bool everyRank = true;   ///< all that run it have these links
  std::uint64_t ranks = 0; ///< of one group
  /// Of one group in one scale-up domain; 0 where groups lie unevenly over domains.
  std::uint64_t inDomain = 0;
  ir::Level spans{};
  double secondsOfStep = 0; ///< of one device in a step, the sum over its calls, hidden or not
  std::vector<ChoiceRange> ranges;
  std::vector<ChoicePoint> points; ///< powers of two and the sizes that the layout sends, rising
};

/// What a sweep over sizes is of. Lives no longer than what it refers to.
struct ChoiceRequest {
  const ir::Cluster& cluster;
  ir::CollectiveKind kind{};
  llvm::ArrayRef<std::uint64_t> inside; ///< Group::inside
  llvm::ArrayRef<ir::LinkLevel> levels;
  llvm::ArrayRef<std::uint64_t> nodeTypes;   ///< of nodes, whose ports they are
  llvm::ArrayRef<ir::TorusRanks> torus = {}; ///< Group::torus
  llvm::ArrayRef<std::uint64_t> order = {};  ///< Group::order
};
ChoicePoint choiceAt(const ChoiceRequest& request, std::uint64_t bytes);
/// Sizes are tried four times an octave, and each change between two of them is found to the byte:
/// what is chosen in a narrower range alone is missed.
std::vector<ChoiceRange> choiceRanges(const ChoiceRequest& request);
/// Powers of two from 1 KiB to 16 GiB.
std::vector<ChoicePoint> choicePoints(const ChoiceRequest& request);

/// Of every collective that the layout runs, in the order of the plan's groups and kinds. The plan
/// is complete.
std::vector<CollectiveChoices> collectiveChoices(const ir::Plan& plan);

} // namespace dpl::cost
