#pragma once
//===- LayoutRanking.h - The layouts of a file as the table of a search -----------------------===//
#include "backends/report/SearchTable.h"
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::tool {

/// Ranks the layouts that `dplc check --rank` checks by their step time.
class LayoutRanking {
public:
  explicit LayoutRanking(std::vector<std::string> figures) : figures(std::move(figures)) {}
  /// Adds a layout that fits.
  void add(const ir::Plan& plan);
  /// Adds a layout that cannot be run, with its first error.
  void addRefused(const ir::Plan& plan, const DiagInfo& error);
  bool empty() const { return names.empty(); }
  report::SearchTable table(const std::string& file) const;

private:
  struct TimedLayout {
    report::RankedLayout row;
    double step = 0; ///< step time in seconds
  };
  std::vector<std::string> figures; ///< columns of the table; none: the usual ones
  std::vector<std::string> names;   ///< names of all layouts, in the order of the file
  std::vector<TimedLayout> ranked;
  std::vector<std::pair<std::string, std::uint64_t>> refused; ///< number of layouts by rule
};

} // namespace dpl::tool
