#pragma once
//===- RowFunctions.h - The rows of the study that is being checked ---------------------------===//
#include "support/Number.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl::sema {

/// The properties of a study on which functions over its rows, such as `marginal`, depend.
struct RowsOfStudy {
  struct VariedField {
    std::string path; ///< as written
    std::optional<Dimension>
        dimension;        ///< dimension of the values; empty if a value is not a number
    std::size_t size = 0; ///< number of values
  };
  std::vector<VariedField> fields;
  bool inOrder = true; ///< false if the points are drawn at random

  /// The first field that has several values; null if there is none.
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
