#pragma once
//===- StudyPoints.h - The combinations of candidates that a study takes ----------------------===//
#include "ir/Space.h"

namespace dpl::study {

class StudyPoints {
public:
  explicit StudyPoints(const ir::Space& space) : space(space) {}

  std::uint64_t size() const { return space.points(); }
  /// Of each open field the index of its candidate. Random points are the first of one permutation
  /// of the grid, which the sampling's seed alone decides.
  std::vector<std::uint64_t> at(std::uint64_t point) const;

private:
  const ir::Space& space;
};

} // namespace dpl::study
