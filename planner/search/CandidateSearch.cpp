//===- CandidateSearch.cpp - The best candidates of a space, and a certificate ----------------===//
#include "planner/search/CandidateSearch.h"
#include "planner/Bound.h"
#include "planner/search/Ranking.h"
#include "support/Threads.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <tuple>

using namespace dpl;
using namespace dpl::planner;

namespace {
/// The number of candidates that are screened or executed before their results are used. It does
/// not depend on the number of threads, so that the same candidates are always executed.
constexpr std::uint64_t screenedAtOnce = 4096, executedAtOnce = 16;

/// The order of candidates that a bound excluded: those over the limit of a `require` come before
/// those over memory.
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
        exclude([this](const OrderedCandidates::Excluded& one) { takeExcluded(one); }),
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
    double exact = 0; ///< executed step in seconds; 0 if it is unknown
    bool operator<(const Remaining& o) const {
      return std::tie(step, candidate) < std::tie(o.step, o.candidate);
    }
  };

  std::uint64_t candidateAt(std::uint64_t i) const {
    return i * options.shards + options.shard - 1;
  }

  void report() {
    const std::vector<RankedCandidate>& best = ranking.ranked();
    if (!options.progress)
      return;
    SearchProgress now{done, size, std::nullopt, std::nullopt};
    if (!best.empty())
      now.best = best.front().objectives.front();
    if (byStep())
      now.least = leastLeft();
    options.progress(now);
  }

  bool isStopped() {
    stopped = stopped || (options.stop && options.stop());
    return stopped;
  }

  /// A lower bound of the step of all candidates that are left.
  double leastLeft() const {
    return std::min(leastOrdered(), next < remaining.size()
                                        ? remaining[next].step
                                        : std::numeric_limits<double>::infinity());
  }

  /// Drops the candidates of a batch that were not judged because the search was stopped.
  void dropUnsearched() {
    const std::size_t before = out.executed.size();
    llvm::erase_if(out.executed, [](const ExecutedCandidate& one) {
      return one.judged.fate == CandidateFate::Unsearched;
    });
    out.unsearched += before - out.executed.size();
    stopped = stopped || before > out.executed.size();
  }

  /// Counts the candidates that have no outcome when the search is stopped.
  void countUnsearched() {
    out.leastUnsearched = byStep() && allScreened ? leastLeft() : 0;
    if (screenEnded)
      return;
    if (options.ordered && byStep()) {
      const OrderedCandidates::Excess excess =
          options.ordered->excess([&](const OrderedCandidates::Bounded&) { ++out.unsearched; });
      out.unsearched += excess.bounded;
    }
    out.unsearched += remaining.size() - next;
  }

  void screen() {
    std::vector<std::uint64_t> others;
    if (options.ordered) {
      options.ordered->screen(exclude);
      others = options.ordered->others();
      if (!byStep() && !isStopped())
        options.ordered->boundAll(exclude, [&](const OrderedCandidates::Bounded& one) {
          remaining.push_back({one.step, one.memory, one.candidate});
        });
    }
    // The candidates that it neither excluded nor passed on are not known one by one.
    if (options.ordered && isStopped()) {
      allScreened = false, screenEnded = true;
      out.unsearched = size - done;
      return;
    }
    const std::uint64_t all = options.ordered ? others.size() : size;
    const auto numberOf = [&](std::uint64_t i) {
      return options.ordered ? others[i] : candidateAt(i);
    };
    std::vector<ScreenedCandidate> found;
    for (std::uint64_t begin = 0; begin < all; begin += screenedAtOnce) {
      if (isStopped()) {
        out.unsearched += all - begin, allScreened = false;
        break;
      }
      const std::uint64_t n = std::min(screenedAtOnce, all - begin);
      found.assign(n, {});
      onThreads(n, options.threads, [&](unsigned worker, std::uint64_t i) {
        found[i] = judge.screen(numberOf(begin + i), worker);
      });
      for (std::uint64_t i = 0; i < n; ++i)
        if (found[i].fate) {
          ++out.screened[{*found[i].fate, found[i].rule}];
          missByBound({numberOf(begin + i), *found[i].fate, found[i].rule, found[i].miss});
          ++done;
        } else {
          remaining.push_back({found[i].step, found[i].memory, numberOf(begin + i)});
        }
      report();
    }
    // Candidates with low bounds come first, so that good ones are found early.
    if (options.byStep)
      std::sort(remaining.begin(), remaining.end());
    else if (options.ordered)
      llvm::sort(remaining,
                 [](const Remaining& a, const Remaining& b) { return a.candidate < b.candidate; });
  }

  /// Whether candidates are executed in the order of their steps.
  bool byStep() const { return options.byStep && !options.pareto; }

  /// Counts candidates that `ordered` excludes. Candidates excluded alone keep their bound, because
  /// other shards may find a layout that is faster than it.
  void takeExcluded(const OrderedCandidates::Excluded& one) {
    if (one.count == 0)
      return;
    done += one.count;
    const bool alone = one.fate != CandidateFate::Illegal && one.fate != CandidateFate::Condition;
    if (alone && byStep())
      out.executed.push_back({one.candidate, one.step, 0, {one.fate, one.rule, {}, one.miss}});
    else
      out.screened[{one.fate, one.rule}] += one.count;
    missByBound({one.candidate, one.fate, one.rule, one.miss});
  }

  void execute() {
    std::vector<Remaining> batch;
    while (!isStopped() && fillBatch(batch)) {
      const std::size_t first = out.executed.size();
      for (const Remaining& one : batch)
        out.executed.push_back({one.candidate, one.step, one.memory, {}, one.exact});
      onThreads(batch.size(), options.threads, [&](unsigned worker, std::uint64_t i) {
        ExecutedCandidate& one = out.executed[first + i];
        if (options.stop && options.stop())
          one.judged.fate = CandidateFate::Unsearched;
        else
          one.judged = judge.judge(one.candidate, worker);
      });
      dropUnsearched();
      for (std::size_t i = first; i < out.executed.size(); ++i)
        if (const ExecutedCandidate& one = out.executed[i];
            one.judged.fate == CandidateFate::Ranked)
          ranking.add({one.candidate, one.judged.objectives});
      done += batch.size();
      report();
    }
    if (stopped)
      countUnsearched();
    else if (options.ordered && byStep())
      takeExcess();
    // Its excess is only known after it is executed.
    if (ranking.ranked().empty() && out.nearestBound && !stopped)
      out.nearestJudged = judge.judge(out.nearestBound->candidate, 0);
  }

  /// The step that a candidate may have to get a rank, in seconds.
  double limit() const {
    const std::vector<RankedCandidate>& best = ranking.ranked();
    return byStep() && best.size() == options.keep ? best.back().objectives.front()
                                                   : std::numeric_limits<double>::infinity();
  }

  double leastOrdered() const {
    return options.ordered && byStep() ? options.ordered->leastStep()
                                       : std::numeric_limits<double>::infinity();
  }

  /// Fills `batch` with the candidates that are executed next; false if there are none. Steps of
  /// ordered candidates are known, so no more of them are judged than can get a rank.
  bool fillBatch(std::vector<Remaining>& batch) {
    batch.clear();
    std::uint64_t wanted = std::max<std::uint64_t>(
        1, options.keep - std::min(options.keep, std::uint64_t{ranking.ranked().size()}));
    while (batch.size() < executedAtOnce && !isStopped()) {
      const double least = leastOrdered();
      const bool screened = next < remaining.size();
      const double step = screened ? remaining[next].step : std::numeric_limits<double>::infinity();
      if (least <= step && least < std::numeric_limits<double>::infinity() &&
          least * boundRounding <= limit()) {
        if (wanted == 0)
          break;
        if (const auto found = options.ordered->next(std::min(limit(), step), exclude))
          batch.push_back({found->step, 0, found->candidate, found->exact}), --wanted;
        continue;
      }
      if (!screened)
        break;
      const Remaining& one = remaining[next++];
      if (!ranking.excludes(one.step, one.memory))
        batch.push_back(one);
      else
        ++out.excluded,
            out.leastExcluded = std::min(out.leastExcluded.value_or(one.step), one.step);
    }
    return !batch.empty();
  }

  /// Counts the ordered candidates that were not judged because their steps are too long.
  void takeExcess() {
    const OrderedCandidates::Excess excess =
        options.ordered->excess([&](const OrderedCandidates::Bounded& one) {
          out.executed.push_back(
              {one.candidate, one.step, 0, {CandidateFate::Slower, "", {}, 0}, one.exact});
        });
    out.excluded += excess.bounded;
    if (excess.leastBound)
      out.leastExcluded =
          std::min(out.leastExcluded.value_or(*excess.leastBound), *excess.leastBound);
  }

  /// Keeps the candidate that exceeds the limit of a bound by the least.
  void missByBound(MissedCandidate one) {
    if (one.fate != CandidateFate::RequireBound && one.fate != CandidateFate::MemoryBound)
      return;
    if (!out.nearestBound || boundKey(one) < boundKey(*out.nearestBound))
      out.nearestBound = std::move(one);
  }

  const CandidateSearchOptions& options;
  CandidateJudge& judge;
  Ranking ranking;
  const std::function<void(const OrderedCandidates::Excluded&)> exclude;
  const std::uint64_t size;         ///< candidates of the shard
  std::vector<Remaining> remaining; ///< candidates that have to be executed
  std::size_t next = 0;             ///< index of the first that was not executed
  std::uint64_t done = 0;
  bool stopped = false, allScreened = true;
  bool screenEnded = false; ///< the search was stopped before ordered candidates had bounds
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
    if (part.unsearched > 0)
      out.counts[{CandidateFate::Unsearched, ""}] += part.unsearched,
          out.leastUnsearched = part.leastUnsearched; // one process is stopped, not shards
    for (const ExecutedCandidate& one : part.executed) {
      const CandidateFate fate = one.judged.fate;
      if (ranking.excludes(one.step, one.memory))
        exclude(1, one.step);
      else if (one.exact > 0 && ranking.excludes(one.exact, 0))
        ++out.counts[{CandidateFate::Slower, ""}];
      else
        ++out.counts[{fate, one.judged.rule}];
      if (fate >= CandidateFate::TooLarge || fate == CandidateFate::Illegal)
        if (fate != CandidateFate::Ranked && fate != CandidateFate::Slower)
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
