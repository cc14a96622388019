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
constexpr std::uint64_t mostDraws = 200;
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

/// Whether the times in `one` are not significantly longer than those in `other`.
bool maybeAsShort(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> longer;
  for (std::size_t i = 0; i < one.size(); ++i)
    longer.push_back(one[i] - other[i]);
  const simulate::Sample sample(std::move(longer));
  return sample.mean() <= sample.halfWidth().value_or(0);
}
} // namespace

std::optional<BestInterval> dpl::simulation::bestInterval(const ir::Plan& plan, const DrawnRun& run,
                                                          const RunRequest& request,
                                                          llvm::ArrayRef<std::uint64_t> seeds) {
  const figures::Figures figures(plan);
  const auto expected = figures.value(fmt::format("run[{}].optimal_interval", run.name)),
             between = figures.value("failures.mtbf");
  if (!expected || !between || std::holds_alternative<simulate::TieredRun>(run.all) ||
      *expected > run.saved.work)
    return std::nullopt;
  BestInterval out;
  out.expected = *expected;
  out.young = simulate::youngInterval(run.saved.meanBlocked(), *between);
  out.daly = simulate::dalyInterval(run.saved.meanBlocked(), *between);
  const std::uint64_t draws = std::min(request.draws, mostDraws);
  std::vector<double> intervals;
  double events = 0;
  for (int i = -mostTwelfths; i <= mostTwelfths; ++i) {
    intervals.push_back(std::min(run.saved.work, *expected * std::exp2(i / 12.0)));
    events += 2 * static_cast<double>(draws * seeds.size()) * run.saved.work *
              (1 / intervals.back() + 1 / *between);
  }
  if (events > mostEvents)
    return std::nullopt;
  std::vector<std::vector<double>> times;
  for (const double interval : intervals)
    times.push_back(timesWith(run, interval, draws, seeds, request.threads));
  const auto mean = [](const std::vector<double>& of) { return simulate::Sample(of).mean(); };
  const auto best = std::min_element(
      times.begin(), times.end(), [&](const auto& a, const auto& b) { return mean(a) < mean(b); });
  out.drawn = out.least = out.most = intervals[static_cast<std::size_t>(best - times.begin())];
  for (std::size_t i = 0; i < intervals.size(); ++i)
    if (maybeAsShort(times[i], *best))
      out.least = std::min(out.least, intervals[i]), out.most = std::max(out.most, intervals[i]);
  return out;
}

std::string dpl::simulation::renderText(const BestInterval& best) {
  const auto time = [](double seconds) { return report::duration(seconds); };
  return fmt::format("  best interval   {} in these runs, {} to {} within their precision\n"
                     "  expected best   {}; Young's {}, Daly's {}\n",
                     time(best.drawn), time(best.least), time(best.most), time(best.expected),
                     time(best.young), time(best.daly));
}

Json dpl::simulation::renderJson(const BestInterval& best) {
  // Rounds to microseconds, as run times are rounded elsewhere.
  const auto seconds = [](double exact) { return std::round(exact * 1e6) / 1e6; };
  return {{"drawn_s", seconds(best.drawn)}, {"min_s", seconds(best.least)},
          {"max_s", seconds(best.most)},    {"expected_s", seconds(best.expected)},
          {"young_s", seconds(best.young)}, {"daly_s", seconds(best.daly)}};
}
