#pragma once
//===- Sensitivity.h - How much the varied fields of a study change its first output ----------===//
#include "driver/study/Study.h"

namespace dpl::study {

/// The largest change of an output between two rows that differ in one field only, or with `zip` in
/// all fields.
struct FieldEffect {
  std::vector<std::size_t> fields;     ///< indices of the varied fields
  std::size_t lowest = 0, highest = 0; ///< rows with the lowest and the highest value
  double ratio = 1, difference = 0;    ///< of the highest and the lowest value
};
struct Sensitivity {
  std::size_t output = 0;
  bool ratios = true; ///< effects are compared by their ratios: all values are positive
  std::vector<FieldEffect> effects; ///< the largest effect first
};

/// The effects on the first output that is a number and changes. None if the points are drawn at
/// random, or if the results are those of a shard.
std::optional<Sensitivity> sensitivityOf(const Results& results);

/// One sentence: "step_time changes most with nodes: +49 % from 1 to 256".
std::string textOf(const Sensitivity& sensitivity, const Results& results);
Json json(const std::optional<Sensitivity>& sensitivity, const Results& results);

} // namespace dpl::study
