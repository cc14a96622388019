#pragma once
//===- WorkingNodes.h - The numbers of nodes on which a run works -----------------------------===//
#include <algorithm>
#include <utility>
#include <vector>

namespace dpl::simulate {

/// The numbers of nodes on which a run works. If other nodes are missing, it uses the largest of
/// these numbers that are present, and the rest of the nodes is idle.
class WorkingNodes {
public:
  WorkingNodes() = default;
  /// Relies on: `counts` are in rising order and above 0.
  explicit WorkingNodes(std::vector<double> counts) : counts(std::move(counts)) {}
  /// The number of nodes that work while so many are present; 0 if the run waits.
  double of(double present) const {
    const auto above = std::upper_bound(counts.begin(), counts.end(), present);
    return above == counts.begin() ? 0 : *std::prev(above);
  }
  double all() const { return counts.empty() ? 0 : counts.back(); }
  bool shrinks() const { return counts.size() > 1; }

private:
  std::vector<double> counts;
};

} // namespace dpl::simulate
