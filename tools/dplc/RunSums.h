#pragma once
//===- RunSums.h - Runs whose phases have several layouts -------------------------------------===//
#include "frontend/Frontend.h"
#include "support/Json.h"
#include <map>
#include <optional>

namespace dpl::tool {

/// What each run takes over all plans of a file: the screen of a plan shows the phases that have
/// its layout.
class RunSums {
public:
  void add(const ir::Plan& plan);
  /// Of a run with several layouts that are all predicted; nothing of another one.
  std::string line(const std::string& run, unsigned width) const;
  /// Warns where the layouts cost more together than the budget, and none of them does alone.
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
  std::map<std::string, CurrencySum> sums; ///< by the run's name
};

/// Lines that name the layouts with which runs of this plan go on in the file.
std::string phasesElsewhere(const CompiledFile& file, const ir::Plan& plan, unsigned width);

} // namespace dpl::tool
