//===- RunSums.cpp - Runs whose phases have several layouts -----------------------------------===//
#include "tools/dplc/RunSums.h"
#include "backends/report/Runs.h"
#include "figures/Figures.h"
#include "support/Number.h"
#include "support/Text.h"
#include "support/diagnostics/Cost.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::tool;

static std::string ofDimension(double value, const char* dimension) {
  return human(value, *dimensionNamed(dimension));
}

std::vector<RunShare> tool::sharesOf(const ir::Plan& plan) {
  std::vector<RunShare> shares;
  if (plan.runs.empty())
    return shares;
  const figures::Figures figures(plan);
  for (const ir::Run& run : plan.runs) {
    const auto of = [&](const char* column) {
      return figures.value(fmt::format("run[{}].{}", run.name, column));
    };
    const auto time = of("time"), cost = of("cost");
    RunShare& share = shares.emplace_back();
    share.run = run.name, share.layout = plan.layout.name;
    share.steps = of("steps").value_or(0), share.time = time.value_or(0);
    share.deviceTime = of("device_time").value_or(0), share.cost = cost.value_or(0);
    share.timed = time && std::isfinite(*time), share.priced = cost.has_value();
    if (run.budget)
      share.budget = *run.budget;
    share.atBudget = plan.layout.rangeOf("run." + run.name + ".budget");
  }
  return shares;
}

void RunSums::add(const std::vector<RunShare>& shares) {
  for (const RunShare& share : shares) {
    CurrencySum& sum = sums[share.run];
    sum.layouts.push_back("`" + share.layout + "`");
    sum.timed &= share.timed, sum.priced &= share.priced;
    sum.warned |= share.budget && share.cost > *share.budget;
    sum.steps += share.steps, sum.time += share.time;
    sum.deviceTime += share.deviceTime, sum.cost += share.cost;
    sum.budget = share.budget, sum.atBudget = share.atBudget;
  }
}

std::string RunSums::line(const std::string& run, unsigned width) const {
  const auto found = sums.find(run);
  if (found == sums.end() || found->second.layouts.size() < 2 || !found->second.timed)
    return "";
  const CurrencySum& sum = found->second;
  std::string out = fmt::format("phases of {} together: {} in {}, {} device-hours",
                                llvm::join(sum.layouts, " and "),
                                plural(static_cast<std::uint64_t>(sum.steps), "step"),
                                ofDimension(sum.time, "Duration"), report::hours(sum.deviceTime));
  if (sum.priced)
    out += ", " + ofDimension(sum.cost, "Money");
  else if (sum.budget)
    out += "; price not set, so that its budget is not compared";
  return "  " + wrapped(out, width - 2, 4, 2) + "\n";
}

void RunSums::checkBudgets(DiagnosticEngine& diags) const {
  for (const auto& [name, sum] : sums)
    if (sum.layouts.size() > 1 && sum.priced && !sum.warned && sum.budget && sum.cost > *sum.budget)
      (void)diags.report<diag::RunOverBudget>(sum.atBudget, name,
                                              fmt::format("{} with layouts {}",
                                                          ofDimension(sum.cost, "Money"),
                                                          llvm::join(sum.layouts, " and ")),
                                              ofDimension(*sum.budget, "Money"));
}

Json RunSums::json() const {
  Json out = Json::array();
  for (const auto& [name, sum] : sums)
    if (sum.layouts.size() > 1 && sum.timed)
      out.push_back({{"run", name},
                     {"layouts", sum.layouts.size()},
                     {"steps", static_cast<std::uint64_t>(sum.steps)},
                     {"time_s", sum.time},
                     {"device_hours", sum.deviceTime / 3600},
                     {"cost_usd", sum.priced ? Json(sum.cost) : Json()}});
  return out;
}

std::string tool::phasesElsewhere(const CompiledFile& file, const ir::Plan& plan, unsigned width) {
  std::string out;
  for (const ir::Run& run : plan.runs) {
    std::vector<std::string> others;
    for (const std::vector<ir::Plan>* plans : {&file.plans, &file.launched})
      for (const ir::Plan& other : *plans)
        if (&other != &plan &&
            llvm::any_of(other.runs, [&](const ir::Run& r) { return r.name == run.name; }))
          others.push_back("`" + other.layout.name + "`");
    const char* const what = others.size() > 1 ? "layouts" : "layout";
    if (!others.empty())
      out += wrapped(fmt::format("phases of run `{}` have {} {} too: `dplc check` sums them",
                                 run.name, what, llvm::join(others, ", ")),
                     width, 0) +
             "\n";
  }
  return out;
}
