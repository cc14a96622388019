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

/// Marks a field as written in the file, after a change has set it: targets drop an unsupported
/// default and refuse an unsupported request.
inline void markWritten(Plan& plan, const std::string& field) {
  plan.layout.ranges.try_emplace(field, plan.layout.rangeOf(field));
  std::erase_if(plan.framework.filled, [&](const FilledField& f) { return f.path == field; });
}

} // namespace dpl::ir
