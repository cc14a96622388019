#pragma once
//===- RunSums.h - Runs whose phases have several layouts -------------------------------------===//
#include "frontend/Frontend.h"
#include "support/Json.h"
#include <map>
#include <optional>

namespace dpl::tool {

/// The share of one plan in a run.
struct RunShare {
  std::string run, layout;
  double steps = 0, time = 0, deviceTime = 0, cost = 0;
  bool timed = true, priced = true; ///< whether time and cost are known
  std::optional<double> budget;     ///< of the whole run
  SourceRange atBudget;
};
/// The shares of a plan in all its runs.
std::vector<RunShare> sharesOf(const ir::Plan& plan);

/// Sums time and cost over all plans of a file, by run. They are needed because the screen of a
/// plan shows only the phases with its layout.
class RunSums {
public:
  void add(const ir::Plan& plan) { add(sharesOf(plan)); }
  void add(const std::vector<RunShare>& shares);
  /// A line about a run with several layouts that are all predicted; empty for other runs.
  std::string line(const std::string& run, unsigned width) const;
  /// Warns if the layouts of a run exceed its budget together, but none of them alone.
  void checkBudgets(DiagnosticEngine& diags) const;
  Json json() const;

private:
  struct CurrencySum {
    std::vector<std::string> layouts;
    double steps = 0, time = 0, deviceTime = 0, cost = 0;
    bool timed = true, priced = true, warned = false;
    std::optional<double> budget;
    SourceRange atBudget;
  };
  std::map<std::string, CurrencySum> sums; ///< by name of the run
};

/// Lines about the phases of this plan's runs that have other layouts.
std::string phasesElsewhere(const CompiledFile& file, const ir::Plan& plan, unsigned width);

} // namespace dpl::tool
