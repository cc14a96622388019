//===- Shortlist.cpp - Layouts that the expected error cannot tell apart from the best --------===//
#include "tools/dplc/Shortlist.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <fmt/format.h>
#include <set>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// What the shortlist reads of each layout, after the columns of the table.
enum : std::size_t { Tensor, Pipeline, ZeroStage, Lower, Upper };
const std::vector<std::string> readFigures = {"mesh.tensor", "mesh.pipeline", "zero_stage",
                                              "step_time.lower", "step_time.upper"};

/// The fastest layout of each kind, in the order of ranks. `all` says whether no further layout can
/// join: the list is long enough, or the last layout is certainly slower.
std::vector<report::RankedLayout> kindsOf(const report::SearchTable& table, std::size_t columns,
                                          std::uint64_t length, bool& all) {
  std::vector<report::RankedLayout> out;
  std::set<std::array<double, 3>> kinds;
  const auto figure = [&](const report::RankedLayout& layout, std::size_t which) {
    return layout.figures[columns + which].value_or(0);
  };
  const double slowest = figure(table.layouts.front(), Upper);
  all = table.layouts.size() < table.keep;
  for (const report::RankedLayout& layout : table.layouts) {
    if (out.size() == length || figure(layout, Lower) > slowest) {
      all = true;
      break;
    }
    if (kinds.insert({figure(layout, Tensor), figure(layout, Pipeline), figure(layout, ZeroStage)})
            .second)
      out.push_back(layout);
  }
  all |= out.size() == length;
  return out;
}
} // namespace

FailureOr<report::SearchTable> tool::runShortlist(const ir::Plan& plan, const NamedBlock& block,
                                                  search::RunOptions options, std::uint64_t length,
                                                  const SourceManager& sources,
                                                  DiagnosticEngine& diags) {
  // A longer list of ranks is searched while kinds are missing.
  constexpr std::uint64_t perKind = 8, growth = 8, most = 4096;
  std::vector<std::string> columns = options.figures;
  if (columns.empty())
    columns = {"step_time", "step_time.interval", "measured_runs", "mfu", "memory.peak"};
  options.figures = columns;
  options.figures.insert(options.figures.end(), readFigures.begin(), readFigures.end());
  for (options.keep = perKind * length;; options.keep *= growth) {
    FailureOr<report::SearchTable> table = search::run(plan, block, options, sources, diags);
    if (table.failed() || table->layouts.empty())
      return table;
    bool all = false;
    std::vector<report::RankedLayout> kinds = kindsOf(*table, columns.size(), length, all);
    if (!all && options.keep < most)
      continue;
    table->layouts = std::move(kinds);
    for (report::RankedLayout& layout : table->layouts)
      layout.figures.resize(columns.size());
    table->figures.resize(columns.size());
    table->dimensions.resize(columns.size());
    return table;
  }
}

std::string tool::numberedFile(const std::string& path, std::size_t number) {
  const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
  const bool hasExtension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  const std::size_t at = hasExtension ? dot : path.size();
  return fmt::format("{}.{}{}", path.substr(0, at), number, path.substr(at));
}
