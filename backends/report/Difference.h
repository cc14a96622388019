#pragma once
//===- Difference.h - Comparison of two plans -------------------------------------------------===//
#include "figures/Figures.h"

namespace dpl {
class Json;
}

namespace dpl::report {

/// A field and its value, as a file sets it.
struct SideField {
  std::string path;  ///< path of the field: "layout.shard.optimizer"
  std::string value; ///< value as text: "data"
  std::string name;  ///< name of a choice or block whose fields follow; empty for other fields
};

/// One side of the comparison: a complete plan, its name in the table, and its fields.
struct ComparedPlan {
  const ir::Plan& plan;
  std::string name;
  std::vector<SideField> fields;
};

/// The fields that differ and the figures that change, each with both values. Figures also have
/// their relative change. Declared facts are shown only as fields.
std::string renderDifference(const ComparedPlan& first, const ComparedPlan& second, unsigned width);

/// Only the part of `renderDifference` about fields.
std::string renderFieldDifference(const ComparedPlan& first, const ComparedPlan& second,
                                  unsigned width);

/// The comparison as JSON, with all figures, including those of ranks and stages, in base units.
Json differenceJson(const ComparedPlan& first, const ComparedPlan& second);

} // namespace dpl::report
