#pragma once
//===- ValueOf.h - A figure that a plan has to have -------------------------------------------===//
#include "figures/Figures.h"
#include <cmath>
#include <gtest/gtest.h>

namespace dpl::test {

/// Not a number, and the test fails, where the plan has no figure of that path.
inline double valueOf(const ir::Plan& plan, const char* path) {
  const std::optional<double> known = figures::Figures(plan).value(path);
  EXPECT_TRUE(known) << path;
  return known.value_or(std::nan(""));
}

} // namespace dpl::test
