//===- CandidateSearch.cpp - The best candidates of a space, and a certificate ----------------===//
#include "planner/search/CandidateSearch.h"
#include "support/Threads.h"
#include <algorithm>
#include <tuple>

using namespace dpl;
using namespace dpl::planner;

namespace {
/// Tolerance for rounding, because a bound is a sum of doubles.
constexpr double rounding = 1 - 1e-6;
/// The number of candidates that are screened or executed before their results are used. It does
/// not depend on the number of threads, so that the same candidates are always executed.
constexpr std::uint64_t screenedAtOnce = 4096, executedAtOnce = 16;

class Search {
public:
  Search(const CandidateSearchOptions& options, CandidateJudge& judge)
      : options(options), judge(judge) {}

  CandidateSearchResult run() {
    screen();
    execute();
    return std::move(out);
  }

private:
  struct Remaining {
    double step; ///< lower bound in seconds
    std::uint64_t candidate;
    bool operator<(const Remaining& o) const {
      return std::tie(step, candidate) < std::tie(o.step, o.candidate);
    }
  };

  void count(CandidateFate fate, const std::string& rule) { ++out.counts[{fate, rule}]; }

  void report() {
    if (options.progress)
      options.progress(done, options.candidates,
                       out.ranked.empty() ? std::nullopt
                                          : std::optional(out.ranked.front().objectives.front()));
  }

  void screen() {
    std::vector<ScreenedCandidate> found;
    for (std::uint64_t begin = 0; begin < options.candidates; begin += screenedAtOnce) {
      const std::uint64_t n = std::min(screenedAtOnce, options.candidates - begin);
      found.assign(n, {});
      onThreads(n, options.threads, [&](unsigned worker, std::uint64_t i) {
        found[i] = judge.screen(begin + i, worker);
      });
      for (std::uint64_t i = 0; i < n; ++i)
        if (found[i].fate) {
          count(*found[i].fate, found[i].rule);
          missByBound(found[i], begin + i);
          ++done;
        } else {
          remaining.push_back({found[i].step, begin + i});
        }
      report();
    }
    // Candidates with low bounds first, so that good ones are found early.
    if (options.byStep)
      std::sort(remaining.begin(), remaining.end());
  }

  /// Whether the bound excludes a candidate: it is slower than the last one that gets a rank.
  bool isExcluded(const Remaining& one) const {
    return options.byStep && out.ranked.size() == options.keep &&
           one.step * rounding > out.ranked.back().objectives.front();
  }

  void execute() {
    std::vector<JudgedCandidate> found;
    std::size_t next = 0;
    while (next < remaining.size() && !isExcluded(remaining[next])) {
      const std::uint64_t n = std::min<std::uint64_t>(executedAtOnce, remaining.size() - next);
      found.assign(n, {});
      onThreads(n, options.threads, [&](unsigned worker, std::uint64_t i) {
        found[i] = judge.judge(remaining[next + i].candidate, worker);
      });
      for (std::uint64_t i = 0; i < n; ++i)
        take(remaining[next + i].candidate, std::move(found[i]));
      next += n, done += n;
      report();
    }
    // The remaining candidates are in the order of their bounds.
    if (next < remaining.size()) {
      out.counts[{CandidateFate::StepBound, ""}] += remaining.size() - next;
      out.leastExcluded = remaining[next].step;
    }
    if (!out.ranked.empty()) {
      out.counts[{CandidateFate::Ranked, ""}] = ranked;
    } else if (nearestBound) {
      // It was not executed, so it is judged now to find its excess.
      JudgedCandidate judged = judge.judge(nearestBound->candidate, 0);
      if (judged.fate != CandidateFate::Ranked)
        miss({nearestBound->candidate, judged.fate, std::move(judged.rule), judged.miss});
    }
  }

  void take(std::uint64_t candidate, JudgedCandidate judged) {
    if (judged.fate != CandidateFate::Ranked) {
      count(judged.fate, judged.rule);
      miss({candidate, judged.fate, std::move(judged.rule), judged.miss});
      return;
    }
    ++ranked;
    RankedCandidate one{candidate, std::move(judged.objectives)};
    const auto at = std::upper_bound(
        out.ranked.begin(), out.ranked.end(), one,
        [&](const RankedCandidate& a, const RankedCandidate& b) { return isBetter(a, b); });
    out.ranked.insert(at, std::move(one));
    if (out.ranked.size() > options.keep)
      out.ranked.pop_back();
  }

  bool isBetter(const RankedCandidate& a, const RankedCandidate& b) const {
    for (std::size_t i = 0; i < options.maximize.size(); ++i)
      if (a.objectives[i] != b.objectives[i])
        return (a.objectives[i] > b.objectives[i]) == options.maximize[i];
    return a.candidate < b.candidate;
  }

  /// Keeps the candidate with the smallest excess of a bound: over a `require`, otherwise over
  /// memory.
  void missByBound(const ScreenedCandidate& screened, std::uint64_t candidate) {
    const CandidateFate fate = *screened.fate;
    if (fate != CandidateFate::RequireBound && fate != CandidateFate::MemoryBound)
      return;
    const auto key = [](CandidateFate of, double byHowMuch) {
      return std::pair(of != CandidateFate::RequireBound, byHowMuch);
    };
    if (!nearestBound || key(fate, screened.miss) < key(nearestBound->fate, nearestBound->miss))
      nearestBound = MissedCandidate{candidate, fate, screened.rule, screened.miss};
  }

  void miss(MissedCandidate one) {
    const auto key = [](const MissedCandidate& of) {
      const int kind = of.fate == CandidateFate::Required   ? 0
                       : of.fate == CandidateFate::TooLarge ? 1
                                                            : 2;
      return std::tuple(kind, of.miss, of.candidate);
    };
    if (!out.nearest || key(one) < key(*out.nearest))
      out.nearest = std::move(one);
  }

  const CandidateSearchOptions& options;
  CandidateJudge& judge;
  std::vector<Remaining> remaining; ///< candidates that have to be executed
  std::uint64_t done = 0, ranked = 0;
  std::optional<MissedCandidate> nearestBound; ///< nearest of the candidates that a bound excluded
  CandidateSearchResult out;
};
} // namespace

std::uint64_t CandidateSearchResult::count(CandidateFate fate) const {
  std::uint64_t sum = 0;
  for (const auto& [key, n] : counts)
    sum += key.first == fate ? n : 0;
  return sum;
}

CandidateSearchResult dpl::planner::searchCandidates(const CandidateSearchOptions& options,
                                                     CandidateJudge& judge) {
  return Search(options, judge).run();
}
