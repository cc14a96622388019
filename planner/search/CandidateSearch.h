#pragma once
//===- CandidateSearch.h - The best candidates of a space, and a certificate ------------------===//
//
// The engine of `dplc search`. It sees candidates as numbers from 0, asks a judge about each, and
// counts what became of every one. It does not know what a candidate is: the driver does.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dpl::planner {

/// The outcome of a candidate.
enum class CandidateFate : std::uint8_t {
  Illegal,      ///< a rule of the language, of `check-layout` or of an assertion refuses it
  Condition,    ///< a `require` that reads only fields removes it
  MemoryBound,  ///< a lower bound of its memory is more than a device has
  RequireBound, ///< a lower bound of a figure is more than a `require` allows
  StepBound,    ///< a lower bound of its step is above the last ranked candidate
  TooLarge,     ///< executed: it does not fit
  Refused,      ///< executed: the program that trains the layout refuses it
  Required,     ///< executed: a `require` that reads figures removes it
  Unranked,     ///< executed: an objective has no value
  Ranked,       ///< executed: it has a rank
};
constexpr std::size_t candidateFates = 10;

/// The result for a candidate before it is executed.
struct ScreenedCandidate {
  std::optional<CandidateFate> fate; ///< empty: the candidate has to be executed
  std::string rule;                  ///< the reason: a code, or the text of a `require`
  double step = 0;                   ///< lower bound of the step in seconds; 0 without one
  /// Relative excess over the device memory or over the limit of a `require`, if a bound excludes
  /// the candidate.
  double miss = 0;
  double memory = 0; ///< lower bound of the peak memory in bytes; 0 without one
};

/// The result for a candidate after all compiler passes.
struct JudgedCandidate {
  CandidateFate fate = CandidateFate::Ranked;
  std::string rule;
  std::vector<double> objectives; ///< values in the order of the search, if it is ranked
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

/// The lower bound of a candidate that also bounds an objective.
enum class ObjectiveBound : std::uint8_t { None, Step, Memory };

struct CandidateSearchOptions {
  std::uint64_t candidates = 0; ///< they are 0 … candidates − 1
  std::vector<bool> maximize;   ///< by objective; the next one decides between equal values
  /// Whether the first objective is the step time, so that its lower bounds exclude candidates.
  bool byStep = false;
  std::uint64_t keep = 1; ///< candidates that get a rank
  /// Whether all objectives are equally important: every candidate gets a rank that no other one
  /// equals or exceeds in all of them. `keep` does not apply.
  bool pareto = false;
  std::vector<ObjectiveBound> bounds; ///< by objective, with `pareto`
  unsigned threads = 1;
  /// Only every `shards`-th candidate is searched, from `shard`, which counts from 1.
  std::uint64_t shard = 1, shards = 1;
  /// Called with the number of finished candidates, the number of all, and the best first objective
  /// so far.
  std::function<void(std::uint64_t, std::uint64_t, std::optional<double>)> progress;
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

/// A candidate that was executed, and the lower bounds that it had.
struct ExecutedCandidate {
  std::uint64_t candidate = 0;
  double step = 0, memory = 0; ///< seconds and bytes; 0 without a bound
  JudgedCandidate judged;
};

/// What one process learned about its candidates.
struct SearchedPart {
  /// The number of candidates by outcome and reason that were not executed, without step bounds.
  std::map<std::pair<CandidateFate, std::string>, std::uint64_t> screened;
  std::vector<ExecutedCandidate> executed;
  std::uint64_t excluded = 0;          ///< candidates that bounds exclude against the ranked ones
  std::optional<double> leastExcluded; ///< their smallest bound of the step in seconds
  /// The nearest candidate that a bound excluded and, if the part ranks none, its result.
  std::optional<MissedCandidate> nearestBound;
  std::optional<JudgedCandidate> nearestJudged;
};

struct CandidateSearchResult {
  /// At most `keep` candidates, best first. Equal ones are in order of their numbers. With `pareto`
  /// the whole front; of candidates that are equal in all objectives it has the first.
  std::vector<RankedCandidate> ranked;
  /// The number of candidates by outcome and reason. The counts add up to all candidates. A
  /// candidate that was executed before a bound excluded it counts as excluded, so that the counts
  /// do not depend on the order of execution.
  std::map<std::pair<CandidateFate, std::string>, std::uint64_t> counts;
  /// The smallest lower bound of the step, in seconds, of the candidates that a bound excluded.
  std::optional<double> leastExcluded;
  /// The executed and refused candidate with the smallest excess: over a `require` if there is one,
  /// otherwise over memory, otherwise over another rule.
  std::optional<MissedCandidate> nearest;

  std::uint64_t count(CandidateFate fate) const;
};

/// Searches the candidates of the shard. The part does not depend on the number of threads.
SearchedPart searchPart(const CandidateSearchOptions& options, CandidateJudge& judge);
/// The result of all shards together, which is that of one search over all candidates.
CandidateSearchResult resultOf(const CandidateSearchOptions& options,
                               const std::vector<SearchedPart>& parts);
/// Searches all candidates. The result does not depend on the number of threads.
CandidateSearchResult searchCandidates(const CandidateSearchOptions& options,
                                       CandidateJudge& judge);

} // namespace dpl::planner
