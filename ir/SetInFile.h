#pragma once
//===- SetInFile.h - Whether a file writes a field of a layout --------------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::ir {

/// Whether the framework of the layout fills the field in.
inline bool isFilled(const Plan& plan, llvm::StringRef field) {
  return llvm::any_of(plan.framework.filled,
                      [&](const FilledField& filled) { return filled.path == field; });
}

/// Whether the file writes the field; what the library or the framework fills in is not written.
inline bool isSetInFile(const Plan& plan, std::string_view field) {
  return plan.layout.ranges.contains(field) && !isFilled(plan, field);
}

/// Marks a field as written in the file, after a change has set it: targets drop an unsupported
/// default and refuse an unsupported request.
inline void markSetInFile(Plan& plan, const std::string& field) {
  plan.layout.ranges.try_emplace(field, plan.layout.rangeOf(field));
  std::erase_if(plan.framework.filled, [&](const FilledField& f) { return f.path == field; });
}

} // namespace dpl::ir
