#pragma once
//===- Difference.h - Two plans side by side --------------------------------------------------===//
#include "figures/Figures.h"

namespace dpl {
class Json;
}

namespace dpl::report {

/// A field with the value that a file would set.
struct SideField {
  std::string path;  ///< "layout.shard.optimizer"
  std::string value; ///< "data"
  std::string name;  ///< the name alone of a choice or a block whose fields follow; else empty
};

/// One side of the comparison: a complete plan, its name in the table, and its fields.
struct ComparedPlan {
  const ir::Plan& plan;
  std::string name;
  std::vector<SideField> fields;
};

/// The fields that differ and the figures that follow, each with both values; of figures the change
/// as a share of the first. Facts that are declared stand among the fields alone.
std::string renderDifference(const ComparedPlan& first, const ComparedPlan& second, unsigned width);

/// The same with every figure, those of ranks and stages too; numbers in base units.
Json differenceJson(const ComparedPlan& first, const ComparedPlan& second);

} // namespace dpl::report
