#pragma once
//===- RowFunctions.h - The rows of the study that is being checked ---------------------------===//
#include "support/Number.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl::sema {

/// What functions over rows, such as `marginal`, have to know about the study.
struct RowsOfStudy {
  struct VariedField {
    std::string path; ///< as written
    std::optional<Dimension>
        dimension;        ///< dimension of the values; empty if a value is not a number
    std::size_t size = 0; ///< number of values
  };
  std::vector<VariedField> fields;
  bool inOrder = true; ///< false if the points are drawn at random

  /// The first field with several values; null if nothing varies.
  const VariedField* first() const {
    const auto several = llvm::find_if(fields, [](const auto& field) { return field.size > 1; });
    return fields.empty() ? nullptr : several == fields.end() ? &fields.front() : &*several;
  }
  const VariedField* named(llvm::StringRef path) const {
    const auto field = llvm::find_if(fields, [&](const auto& each) { return each.path == path; });
    return field == fields.end() ? nullptr : &*field;
  }
};

} // namespace dpl::sema
