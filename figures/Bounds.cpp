//===- Bounds.cpp - Figures of a plan that have bounds ----------------------------------------===//
#include "figures/Bounds.h"
#include "figures/Figures.h"
#include "ir/FigureNames.h"
#include <fmt/format.h>

using namespace dpl;

namespace {
constexpr double rounding = 1e-9;
constexpr double shortest = 1e-11; ///< tolerance in seconds, because parts are rounded to whole ps
} // namespace

std::string figures::brokenBound(const ir::Plan& plan) {
  const Figures figures(plan);
  const double step = plan.step->step, slack = rounding * step + shortest;
  double sum = 0;
  for (const char* part : stepComponents()) {
    const double time = figures.value(part).value_or(0);
    if (!(time >= -slack))
      return fmt::format("`{}` is negative: {:.4g} s", part, time);
    sum += time;
  }
  if (!(sum >= step - slack && sum <= step + slack))
    return fmt::format("the parts of the step add up to {:.9g} s, the executed step takes {:.9g} s",
                       sum, step);
  for (const char* share : ir::shareFigures())
    if (const double of = figures.value(share).value_or(0);
        !(of >= -rounding && of <= 1 + rounding))
      return fmt::format("`{}` is {:.9g}", share, of);
  if (const double below = figures.value("time.below_peak").value_or(0); !(below >= -slack))
    return fmt::format("`time.below_peak` is {:.4g} s", below);
  const std::optional<double> hfu = figures.value("hfu"), mfu = figures.value("mfu");
  if (hfu && mfu && *hfu * (1 + rounding) < *mfu)
    return fmt::format("`hfu` is {:.9g}, below `mfu`, {:.9g}", *hfu, *mfu);
  return "";
}
