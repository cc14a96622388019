#pragma once
//===- StudyPoints.h - The combinations of candidates that a study runs -----------------------===//
#include "ir/Space.h"

namespace dpl::study {

class StudyPoints {
public:
  explicit StudyPoints(const ir::Space& space) : space(space) {}

  std::uint64_t size() const { return space.points(); }
  /// For each open field, the index of the candidate at a point. Random sampling uses the first
  /// points of a permutation of the grid, which depends only on the seed and on the size of the
  /// grid.
  std::vector<std::uint64_t> at(std::uint64_t point) const;

private:
  const ir::Space& space;
};

} // namespace dpl::study
