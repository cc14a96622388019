#pragma once
//===- CandidateSearch.h - The best candidates of a space, and a certificate ------------------===//
//
// The engine of `dplc search`. It sees candidates as numbers from 0, asks a judge about each, and
// counts the outcomes. It does not know what a candidate is: the driver does.
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dpl::planner {

/// The outcome of a candidate.
enum class CandidateFate : std::uint8_t {
  Illegal,      ///< a rule of DPL, of `check-layout` or of an assertion refuses it
  Condition,    ///< a `require` that reads only fields removes it
  MemoryBound,  ///< a lower bound of its memory is more than a device has
  RequireBound, ///< a lower bound of a figure is more than a `require` allows
  StepBound,    ///< a lower bound of its step is above the last ranked candidate
  Unsearched,   ///< the search was stopped before it had an outcome
  TooLarge,     ///< executed: it does not fit
  Refused,      ///< executed: the program that trains the layout refuses it
  Required,     ///< executed: a `require` that reads figures removes it
  Unranked,     ///< executed: an objective has no value
  Slower,       ///< executed: its step is above that of the last ranked candidate
  Ranked,       ///< executed: it has a rank
};
constexpr std::size_t candidateFates = 12;

/// The result for a candidate before it is executed.
struct ScreenedCandidate {
  std::optional<CandidateFate> fate; ///< empty: the candidate has to be executed
  std::string rule;                  ///< the reason: a code, or the text of a `require`
  double step = 0;                   ///< lower bound of the step in seconds; 0 if there is none
  /// Relative excess over the device memory or over the limit of a `require`, if a bound excludes
  /// the candidate.
  double miss = 0;
  double memory = 0; ///< lower bound of the peak memory in bytes; 0 if there is none
};

/// The result for a candidate after all compiler passes.
struct JudgedCandidate {
  CandidateFate fate = CandidateFate::Ranked;
  std::string rule;
  std::vector<double> objectives; ///< values in the order of the search, if the candidate is ranked
  /// Relative excess over the memory or the limit that refuses it.
  double miss = 0;
};

/// Evaluates candidates. Calls with different `worker` numbers may run at the same time; the
/// results depend only on the candidate.
class CandidateJudge {
public:
  virtual ~CandidateJudge() = default;
  virtual ScreenedCandidate screen(std::uint64_t candidate, unsigned worker) = 0;
  virtual JudgedCandidate judge(std::uint64_t candidate, unsigned worker) = 0;
};

/// Candidates that are screened without the judge. If the first objective is the step, they are
/// handed out in the order of their steps, so that those that are slower than the last ranked
/// candidate are not judged.
class OrderedCandidates {
public:
  struct Excluded {
    std::uint64_t candidate = 0;
    CandidateFate fate = CandidateFate::Illegal;
    const std::string& rule;
    double miss = 0;
    std::uint64_t count = 1; ///< candidates with this outcome and reason
    double step = 0;         ///< lower bound of the step in seconds; 0 if there is none
  };
  using Exclude = llvm::function_ref<void(const Excluded&)>;
  /// A candidate with lower bounds in seconds and bytes.
  struct Bounded {
    std::uint64_t candidate = 0;
    double step = 0, memory = 0;
    double exact = 0; ///< executed step in seconds; 0 if it is unknown
  };
  using Visit = llvm::function_ref<void(const Bounded&)>;
  virtual ~OrderedCandidates() = default;
  /// The candidates that this class does not order, in increasing order; the judge screens them.
  virtual std::vector<std::uint64_t> others() const = 0;
  /// Excludes illegal candidates. Called once, before the other functions. It may end early if the
  /// search has to end; some candidates then have no outcome.
  virtual void screen(Exclude exclude) = 0;
  /// Bounds all remaining candidates, if the step does not order them. May end early too.
  virtual void boundAll(Exclude exclude, Visit visit) = 0;
  /// A lower bound on the step of all remaining candidates; infinite if there are none.
  virtual double leastStep() const = 0;
  /// The remaining candidate with the least step, if it is at most `limit` seconds.
  virtual std::optional<Bounded> next(double limit, Exclude exclude) = 0;
  /// What remains at the end: the candidates that were not handed out. Those that were executed are
  /// visited.
  struct Excess {
    std::uint64_t bounded = 0;
    std::optional<double> leastBound; ///< least lower bound of a step among them
  };
  virtual Excess excess(Visit executed) = 0;
};

/// The lower bound of a candidate that also bounds an objective.
enum class ObjectiveBound : std::uint8_t { None, Step, Memory };

/// How far a search is.
struct SearchProgress {
  std::uint64_t done = 0, all = 0; ///< candidates
  std::optional<double> best;      ///< first objective of the best candidate so far
  /// Lower bound in seconds of the step of all candidates that are left, if the step orders them.
  std::optional<double> least;
};

struct CandidateSearchOptions {
  std::uint64_t candidates = 0; ///< number of candidates; their numbers are 0 … candidates − 1
  std::vector<bool> maximize;   ///< whether an objective is maximized, by objective; equal values
                                ///< are decided by the next objective
  /// Whether the first objective is the step time, so that its lower bounds exclude candidates.
  bool byStep = false;
  std::uint64_t keep = 1; ///< candidates that get a rank
  /// Whether all objectives are equally important: every candidate gets a rank that no other one
  /// equals or exceeds in all of them. `keep` does not apply.
  bool pareto = false;
  std::vector<ObjectiveBound> bounds; ///< lower bounds that bound an objective, by objective; used
                                      ///< with `pareto`
  unsigned threads = 1;
  OrderedCandidates* ordered =
      nullptr; ///< ordered candidates of the same shard; null: the judge screens all candidates
  /// Only every `shards`-th candidate is searched, from `shard`, which counts from 1.
  std::uint64_t shard = 1, shards = 1;
  std::function<void(const SearchProgress&)> progress;
  /// Whether the search has to end now. What it has not searched is counted.
  std::function<bool()> stop;
};

struct RankedCandidate {
  std::uint64_t candidate = 0;
  std::vector<double> objectives;
};

/// A candidate that was executed and refused.
struct MissedCandidate {
  std::uint64_t candidate = 0;
  CandidateFate fate = CandidateFate::TooLarge;
  std::string rule;
  double miss = 0;
};

/// A candidate that was executed or excluded alone, and its lower bounds.
struct ExecutedCandidate {
  std::uint64_t candidate = 0;
  double step = 0, memory = 0; ///< lower bounds in seconds and bytes; 0 if there is none
  JudgedCandidate judged;
  double exact = 0; ///< executed step in seconds before all passes; 0 if it is unknown
};

/// The results of one process for its candidates.
struct SearchedPart {
  /// The number of candidates by outcome and reason that were not executed, without step bounds.
  std::map<std::pair<CandidateFate, std::string>, std::uint64_t> screened;
  std::vector<ExecutedCandidate> executed;
  std::uint64_t excluded = 0;          ///< candidates that bounds exclude against the ranked ones
  std::optional<double> leastExcluded; ///< their smallest bound of the step in seconds
  std::uint64_t unsearched = 0; ///< candidates without an outcome when the search was stopped
  double leastUnsearched = 0;   ///< their smallest bound of the step in seconds; 0 without one
  /// The nearest candidate that a bound excluded and, if the part ranks none, its result.
  std::optional<MissedCandidate> nearestBound;
  std::optional<JudgedCandidate> nearestJudged;
};

struct CandidateSearchResult {
  /// At most `keep` candidates, best first, and equal ones in the order of their numbers. With
  /// `pareto` it is the whole front; of candidates that are equal in all objectives only the first
  /// is kept.
  std::vector<RankedCandidate> ranked;
  /// The number of candidates by outcome and reason. The counts add up to all candidates. A
  /// candidate that was executed before a bound excluded it counts as excluded, so that the counts
  /// do not depend on the order of execution.
  std::map<std::pair<CandidateFate, std::string>, std::uint64_t> counts;
  /// The smallest lower bound of the step, in seconds, of the candidates that a bound excluded.
  std::optional<double> leastExcluded;
  double leastUnsearched = 0; ///< the same of those that were not searched; 0 without a bound
  /// The executed and refused candidate with the smallest excess: over a `require` if there is one,
  /// otherwise over memory, otherwise over another rule.
  std::optional<MissedCandidate> nearest;

  std::uint64_t count(CandidateFate fate) const;
};

/// Searches the candidates of the shard. The result does not depend on the number of threads.
SearchedPart searchPart(const CandidateSearchOptions& options, CandidateJudge& judge);
/// The result of all shards together, equal to that of one search over all candidates.
CandidateSearchResult resultOf(const CandidateSearchOptions& options,
                               const std::vector<SearchedPart>& parts);
/// Searches all candidates. The result does not depend on the number of threads.
CandidateSearchResult searchCandidates(const CandidateSearchOptions& options,
                                       CandidateJudge& judge);

} // namespace dpl::planner
