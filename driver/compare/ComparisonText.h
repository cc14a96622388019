#pragma once
//===- ComparisonText.h - A comparison as a screen and as JSON --------------------------------===//
#include "driver/compare/Comparison.h"
#include "support/Json.h"

namespace dpl::compare {

/// The names that the output of a comparison contains.
struct ComparisonOf {
  std::string layout;
  std::vector<std::string> traces;
};

std::string screenOf(const Comparison& comparison, const ComparisonOf& of, unsigned width);
/// The comparison as JSON, "dplc.compare.1" (docs/guide/compare-with-measurements.md).
Json jsonOf(const Comparison& comparison, const ComparisonOf& of);

} // namespace dpl::compare
