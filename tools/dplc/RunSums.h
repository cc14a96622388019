#pragma once
//===- RunSums.h - Runs whose phases have several layouts -------------------------------------===//
#include "frontend/Frontend.h"
#include "support/Json.h"
#include <map>
#include <optional>

namespace dpl::tool {

/// Sums time and cost over all plans of a file, by run. They are needed because the screen of a
/// plan shows only the phases with its layout.
class RunSums {
public:
  void add(const ir::Plan& plan);
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
