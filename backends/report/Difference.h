#pragma once
//===- Difference.h - Two plans side by side --------------------------------------------------===//
#include "figures/Figures.h"

namespace dpl {
class Json;
}

namespace dpl::report {

/// One of the two: a complete plan, and what it is called in the table.
struct Side {
  const ir::Plan& plan;
  std::string name;
};

/// The fields that differ and the figures that follow, each with both values; of figures the change
/// as a share of the first. Facts that are declared stand among the fields alone.
std::string renderDifference(const Side& first, const Side& second, unsigned width);

/// The same with every figure, those of ranks and stages too; numbers in base units.
Json differenceJson(const Side& first, const Side& second);

} // namespace dpl::report
