//===- CandidateSearch.cpp - The best candidates of a space, and a certificate ----------------===//
#include "planner/search/CandidateSearch.h"
#include "support/Threads.h"
#include "llvm/ADT/STLExtras.h"
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

/// The candidates with a rank, in order.
class Ranking {
public:
  explicit Ranking(const CandidateSearchOptions& options) : options(options) {}

  const std::vector<RankedCandidate>& ranked() const { return all; }

  void add(RankedCandidate one) {
    if (options.pareto) {
      if (llvm::any_of(all, [&](const auto& other) { return isAtLeast(other, one); }))
        return;
      llvm::erase_if(all, [&](const auto& other) { return isAtLeast(one, other); });
    }
    const auto at = std::upper_bound(
        all.begin(), all.end(), one,
        [&](const RankedCandidate& a, const RankedCandidate& b) { return isBetter(a, b); });
    all.insert(at, std::move(one));
    if (!options.pareto && all.size() > options.keep)
      all.pop_back();
  }

  /// Whether lower bounds exclude a candidate: it is slower than the last one that gets a rank, or
  /// worse than one layout of the front in each objective.
  bool excludes(double step, double memory) const {
    if (!options.pareto)
      return options.byStep && all.size() == options.keep &&
             step * rounding > all.back().objectives.front();
    return llvm::any_of(all, [&](const RankedCandidate& one) {
      for (std::size_t i = 0; i < one.objectives.size(); ++i) {
        const double bound = options.bounds[i] == ObjectiveBound::Step     ? step
                             : options.bounds[i] == ObjectiveBound::Memory ? memory
                                                                           : 0;
        if (bound * rounding <= one.objectives[i])
          return false;
      }
      return true;
    });
  }

private:
  bool isBetter(const RankedCandidate& a, const RankedCandidate& b) const {
    for (std::size_t i = 0; i < options.maximize.size(); ++i)
      if (a.objectives[i] != b.objectives[i])
        return (a.objectives[i] > b.objectives[i]) == options.maximize[i];
    return a.candidate < b.candidate;
  }

  /// Whether `a` is as good as `b` in each objective, and in order of numbers where they are equal.
  bool isAtLeast(const RankedCandidate& a, const RankedCandidate& b) const {
    for (std::size_t i = 0; i < a.objectives.size(); ++i)
      if (options.maximize[i] ? a.objectives[i] < b.objectives[i]
                              : a.objectives[i] > b.objectives[i])
        return false;
    return a.objectives != b.objectives || a.candidate < b.candidate;
  }

  const CandidateSearchOptions& options;
  std::vector<RankedCandidate> all;
};

/// The order of candidates that a bound excluded: over a `require` first, then over memory.
auto boundKey(const MissedCandidate& of) {
  return std::tuple(of.fate != CandidateFate::RequireBound, of.miss, of.candidate);
}

/// The order of executed candidates that were refused.
auto missKey(const MissedCandidate& of) {
  const int kind = of.fate == CandidateFate::Required   ? 0
                   : of.fate == CandidateFate::TooLarge ? 1
                                                        : 2;
  return std::tuple(kind, of.miss, of.candidate);
}

class Search {
public:
  Search(const CandidateSearchOptions& options, CandidateJudge& judge)
      : options(options), judge(judge), ranking(options),
        size(options.candidates / options.shards +
             (options.candidates % options.shards >= options.shard ? 1 : 0)) {}

  SearchedPart run() {
    screen();
    execute();
    return std::move(out);
  }

private:
  struct Remaining {
    double step, memory; ///< lower bounds in seconds and bytes
    std::uint64_t candidate;
    bool operator<(const Remaining& o) const {
      return std::tie(step, candidate) < std::tie(o.step, o.candidate);
    }
  };

  std::uint64_t candidateAt(std::uint64_t i) const {
    return i * options.shards + options.shard - 1;
  }

  void report() {
    const std::vector<RankedCandidate>& best = ranking.ranked();
    if (options.progress)
      options.progress(
          done, size, best.empty() ? std::nullopt : std::optional(best.front().objectives.front()));
  }

  void screen() {
    std::vector<ScreenedCandidate> found;
    for (std::uint64_t begin = 0; begin < size; begin += screenedAtOnce) {
      const std::uint64_t n = std::min(screenedAtOnce, size - begin);
      found.assign(n, {});
      onThreads(n, options.threads, [&](unsigned worker, std::uint64_t i) {
        found[i] = judge.screen(candidateAt(begin + i), worker);
      });
      for (std::uint64_t i = 0; i < n; ++i)
        if (found[i].fate) {
          ++out.screened[{*found[i].fate, found[i].rule}];
          missByBound(found[i], candidateAt(begin + i));
          ++done;
        } else {
          remaining.push_back({found[i].step, found[i].memory, candidateAt(begin + i)});
        }
      report();
    }
    // Candidates with low bounds first, so that good ones are found early.
    if (options.byStep)
      std::sort(remaining.begin(), remaining.end());
  }

  void execute() {
    std::vector<const Remaining*> batch;
    std::size_t next = 0;
    while (fillBatch(next, batch)) {
      const std::size_t first = out.executed.size();
      for (const Remaining* one : batch)
        out.executed.push_back({one->candidate, one->step, one->memory, {}});
      onThreads(batch.size(), options.threads, [&](unsigned worker, std::uint64_t i) {
        ExecutedCandidate& one = out.executed[first + i];
        one.judged = judge.judge(one.candidate, worker);
      });
      for (std::size_t i = first; i < out.executed.size(); ++i)
        if (const ExecutedCandidate& one = out.executed[i];
            one.judged.fate == CandidateFate::Ranked)
          ranking.add({one.candidate, one.judged.objectives});
      done += batch.size();
      report();
    }
    // Its excess is only known after it is executed.
    if (ranking.ranked().empty() && out.nearestBound)
      out.nearestJudged = judge.judge(out.nearestBound->candidate, 0);
  }

  /// The candidates that are executed next; false if there are none.
  bool fillBatch(std::size_t& next, std::vector<const Remaining*>& batch) {
    batch.clear();
    for (; next < remaining.size() && batch.size() < executedAtOnce; ++next) {
      const Remaining& one = remaining[next];
      if (!ranking.excludes(one.step, one.memory)) {
        batch.push_back(&one);
        continue;
      }
      ++out.excluded;
      out.leastExcluded = std::min(out.leastExcluded.value_or(one.step), one.step);
    }
    return !batch.empty();
  }

  /// Keeps the candidate with the smallest excess of a bound.
  void missByBound(const ScreenedCandidate& screened, std::uint64_t candidate) {
    if (*screened.fate != CandidateFate::RequireBound &&
        *screened.fate != CandidateFate::MemoryBound)
      return;
    MissedCandidate one{candidate, *screened.fate, screened.rule, screened.miss};
    if (!out.nearestBound || boundKey(one) < boundKey(*out.nearestBound))
      out.nearestBound = std::move(one);
  }

  const CandidateSearchOptions& options;
  CandidateJudge& judge;
  Ranking ranking;
  const std::uint64_t size;         ///< candidates of the shard
  std::vector<Remaining> remaining; ///< candidates that have to be executed
  std::uint64_t done = 0;
  SearchedPart out;
};
} // namespace

std::uint64_t CandidateSearchResult::count(CandidateFate fate) const {
  std::uint64_t sum = 0;
  for (const auto& [key, n] : counts)
    sum += key.first == fate ? n : 0;
  return sum;
}

SearchedPart dpl::planner::searchPart(const CandidateSearchOptions& options,
                                      CandidateJudge& judge) {
  return Search(options, judge).run();
}

CandidateSearchResult dpl::planner::resultOf(const CandidateSearchOptions& options,
                                             const std::vector<SearchedPart>& parts) {
  CandidateSearchResult out;
  Ranking ranking(options);
  for (const SearchedPart& part : parts)
    for (const ExecutedCandidate& one : part.executed)
      if (one.judged.fate == CandidateFate::Ranked)
        ranking.add({one.candidate, one.judged.objectives});
  out.ranked = ranking.ranked();
  const auto exclude = [&](std::uint64_t n, double step) {
    if (n == 0)
      return;
    out.counts[{CandidateFate::StepBound, ""}] += n;
    out.leastExcluded = std::min(out.leastExcluded.value_or(step), step);
  };
  const auto miss = [&](std::uint64_t candidate, const JudgedCandidate& judged) {
    MissedCandidate one{candidate, judged.fate, judged.rule, judged.miss};
    if (!out.nearest || missKey(one) < missKey(*out.nearest))
      out.nearest = std::move(one);
  };
  const SearchedPart* nearest = nullptr; // the part with the nearest candidate by a bound
  for (const SearchedPart& part : parts) {
    for (const auto& [key, n] : part.screened)
      out.counts[key] += n;
    exclude(part.excluded, part.leastExcluded.value_or(0));
    for (const ExecutedCandidate& one : part.executed) {
      if (ranking.excludes(one.step, one.memory))
        exclude(1, one.step);
      else
        ++out.counts[{one.judged.fate, one.judged.rule}];
      if (one.judged.fate != CandidateFate::Ranked)
        miss(one.candidate, one.judged);
    }
    if (part.nearestBound &&
        (!nearest || boundKey(*part.nearestBound) < boundKey(*nearest->nearestBound)))
      nearest = &part;
  }
  if (out.ranked.empty() && nearest && nearest->nearestJudged &&
      nearest->nearestJudged->fate != CandidateFate::Ranked)
    miss(nearest->nearestBound->candidate, *nearest->nearestJudged);
  return out;
}

CandidateSearchResult dpl::planner::searchCandidates(const CandidateSearchOptions& options,
                                                     CandidateJudge& judge) {
  return resultOf(options, {searchPart(options, judge)});
}
