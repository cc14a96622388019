#pragma once
//===- Difference.h - Comparison of two plans -------------------------------------------------===//
#include "figures/Figures.h"

namespace dpl {
class Json;
}

namespace dpl::report {

/// A field and its value, as set in a file.
struct SideField {
  std::string path;  ///< "layout.shard.optimizer"
  std::string value; ///< "data"
  std::string name;  ///< bare name of a choice or block whose fields follow; otherwise empty
};

/// One side of the comparison: a complete plan, its name in the table, and its fields.
struct ComparedPlan {
  const ir::Plan& plan;
  std::string name;
  std::vector<SideField> fields;
};

/// The fields that differ and the figures that change, each with both values. Figures also show the
/// relative change. Declared facts are shown as fields only.
std::string renderDifference(const ComparedPlan& first, const ComparedPlan& second, unsigned width);

/// Only the fields.
std::string renderFieldDifference(const ComparedPlan& first, const ComparedPlan& second,
                                  unsigned width);

/// The same as JSON with all figures, including those of ranks and stages, in base units.
Json differenceJson(const ComparedPlan& first, const ComparedPlan& second);

} // namespace dpl::report
