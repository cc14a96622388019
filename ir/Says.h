#pragma once
//===- Says.h - Whether a file writes a field of a layout -------------------------------------===//
#include "ir/Plan.h"
#include <algorithm>

namespace dpl::ir {

/// Whether the file writes the field; what the library or the framework fills in is not written.
inline bool says(const Plan& plan, const std::string& field) {
  const auto& filled = plan.framework.filled;
  return plan.layout.ranges.count(field) != 0 &&
         std::none_of(filled.begin(), filled.end(),
                      [&](const FilledField& f) { return f.path == field; });
}

} // namespace dpl::ir
