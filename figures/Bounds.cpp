//===- Bounds.cpp - Figures of a plan that have bounds ----------------------------------------===//
#include "figures/Bounds.h"
#include "figures/Figures.h"
#include <fmt/format.h>

using namespace dpl;

namespace {
/// Parts of a step that are there in any case or not at all.
constexpr const char* parts[] = {
    "time.compute", "time.launch_bound", "time.recompute", "time.coding", "time.offload",
    "time.exposed", "time.bubble",       "time.optimizer", "time.jitter", "time.loading"};
/// Shares of a whole.
constexpr const char* shares[] = {"mfu",
                                  "hfu",
                                  "peak_share",
                                  "bubble_fraction",
                                  "bubble_fraction.span",
                                  "pipeline_utilisation",
                                  "communication_share",
                                  "routing.dropped"};
constexpr double rounding = 1e-9;
constexpr double shortest = 1e-11; ///< s: parts are rounded to whole ps
} // namespace

std::string figures::brokenBound(const ir::Plan& plan) {
  const Figures figures(plan);
  const double step = figures.value("step_time").value_or(0), slack = rounding * step + shortest;
  double sum = 0;
  for (const char* part : parts) {
    const double time = figures.value(part).value_or(0);
    if (!(time >= -slack))
      return fmt::format("`{}` is {:.4g} s", part, time);
    sum += time;
  }
  if (!(sum >= step - slack && sum <= step + slack))
    return fmt::format("the parts of its step of {:.9g} s come to {:.9g} s", step, sum);
  for (const char* share : shares)
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
