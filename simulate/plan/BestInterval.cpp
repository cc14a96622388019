//===- BestInterval.cpp - The best checkpoint interval of drawn runs --------------------------===//
#include "simulate/plan/BestInterval.h"
#include "backends/report/Format.h"
#include "figures/Figures.h"
#include "support/Threads.h"
#include "support/math/SavedRun.h"
#include "support/math/Statistics.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::simulation;

namespace {
/// The largest exponent k of the intervals to try, which are the expected one times 2^(±k/12).
constexpr int mostTwelfths = 24;
constexpr std::uint64_t mostDraws = 200, leastDraws = 20;
constexpr double mostEvents = 2e8; ///< limit on the events of all trials

/// The run times of all draws with this checkpoint interval, in seconds.
std::vector<double> timesWith(DrawnRun run, double interval, std::uint64_t draws,
                              llvm::ArrayRef<std::uint64_t> seeds, unsigned threads) {
  std::visit(
      [&](auto& kind) {
        if constexpr (requires { kind.saved; })
          kind.saved.interval = interval;
        else
          kind.interval = interval;
      },
      run.all);
  std::vector<double> out(draws * seeds.size());
  onThreads(out.size(), threads, [&](unsigned, std::uint64_t i) {
    simulate::Draws numbers({seeds[i / draws], static_cast<std::uint32_t>(i % draws), 0, 0});
    out[i] =
        std::visit([&](const auto& kind) { return simulate::draw(kind, numbers); }, run.all).time;
  });
  return out;
}

/// Whether the times in `one` are significantly longer than those in `other`.
bool isLonger(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> longer;
  for (std::size_t i = 0; i < one.size(); ++i)
    longer.push_back(one[i] - other[i]);
  const simulate::Sample sample(std::move(longer));
  const std::optional<double> halfWidth = sample.halfWidth();
  return halfWidth && sample.mean() > *halfWidth;
}

/// The intervals to try, the shortest first.
std::vector<double> intervalsAround(double expected, double work) {
  std::vector<double> out;
  for (int i = -mostTwelfths; i <= mostTwelfths; ++i)
    out.push_back(std::min(work, expected * std::exp2(i / 12.0)));
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}
} // namespace

IntervalSearch dpl::simulation::bestInterval(const ir::Plan& plan, const DrawnRun& run,
                                             const RunRequest& request,
                                             llvm::ArrayRef<std::uint64_t> seeds) {
  const figures::Figures figures(plan);
  const auto expected = figures.value(fmt::format("run[{}].optimal_interval", run.name)),
             between = figures.value("failures.mtbf");
  if (!expected || !between)
    return {};
  if (std::holds_alternative<simulate::TieredRun>(run.all))
    return {std::nullopt, "is not searched: the checkpoints have several levels"};
  if (*expected > run.saved.work)
    return {std::nullopt, fmt::format("is not searched: the expected one, {}, is longer than the "
                                      "work of the run",
                                      report::duration(*expected))};
  const std::vector<double> intervals = intervalsAround(*expected, run.saved.work);
  double ofADraw = 0; // events
  for (const double interval : intervals)
    ofADraw +=
        2 * static_cast<double>(seeds.size()) * run.saved.work * (1 / interval + 1 / *between);
  const std::uint64_t draws =
      std::min({request.draws, mostDraws, static_cast<std::uint64_t>(mostEvents / ofADraw)});
  if (draws < std::min(request.draws, leastDraws))
    return {std::nullopt, fmt::format("is not searched: {} runs with each of {} intervals have "
                                      "more than {:.2g} checkpoints and failures",
                                      leastDraws * seeds.size(), intervals.size(), mostEvents)};
  std::vector<std::vector<double>> times;
  for (const double interval : intervals)
    times.push_back(timesWith(run, interval, draws, seeds, request.threads));
  const auto mean = [](const std::vector<double>& of) { return simulate::Sample(of).mean(); };
  const auto shortest = std::min_element(
      times.begin(), times.end(), [&](const auto& a, const auto& b) { return mean(a) < mean(b); });
  const auto best = static_cast<std::size_t>(shortest - times.begin());
  std::size_t least = best, most = best;
  while (least > 0 && (least == best || !isLonger(times[least], *shortest)))
    --least;
  while (most + 1 < times.size() && (most == best || !isLonger(times[most], *shortest)))
    ++most;
  BestInterval out;
  out.drawn = intervals[best], out.least = intervals[least], out.most = intervals[most];
  out.draws = draws;
  out.expected = *expected;
  out.young = simulate::youngInterval(run.saved.meanBlocked(), *between);
  out.daly = simulate::dalyInterval(run.saved.meanBlocked(), *between);
  return {out, ""};
}

std::string dpl::simulation::renderText(const IntervalSearch& search, std::uint64_t draws) {
  if (!search.best)
    return search.whyNot.empty() ? "" : fmt::format("  best interval   {}\n", search.whyNot);
  const BestInterval& best = *search.best;
  const auto time = [](double seconds) { return report::duration(seconds); };
  return fmt::format(
      "  best interval   {} in {} runs, within their precision between {} and {}\n"
      "  expected best   {}; Young's {}, Daly's {}\n",
      time(best.drawn),
      best.draws < draws ? fmt::format("the first {}", best.draws) : std::string("these"),
      time(best.least), time(best.most), time(best.expected), time(best.young), time(best.daly));
}

Json dpl::simulation::renderJson(const BestInterval& best) {
  // Rounds to microseconds, as run times are rounded elsewhere.
  const auto seconds = [](double exact) { return std::round(exact * 1e6) / 1e6; };
  return {{"drawn_s", seconds(best.drawn)},       {"min_s", seconds(best.least)},
          {"max_s", seconds(best.most)},          {"draws", best.draws},
          {"expected_s", seconds(best.expected)}, {"young_s", seconds(best.young)},
          {"daly_s", seconds(best.daly)}};
}
