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

/// What became of a candidate.
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

/// What is known of a candidate before it is executed.
struct ScreenedCandidate {
  std::optional<CandidateFate> fate; ///< nothing: it has to be executed
  std::string rule;                  ///< what decided: a code, or the text of a `require`
  double step = 0;                   ///< lower bound, seconds; 0 where none is known
  /// Of a bound of memory or of a `require`: the share by which it exceeds what is allowed.
  double miss = 0;
};

/// What the compiler passes say of a candidate.
struct JudgedCandidate {
  CandidateFate fate = CandidateFate::Ranked;
  std::string rule;
  std::vector<double> objectives; ///< in the order of the search; of a ranked one
  /// How far it misses what refuses it: the share by which it exceeds memory or a limit.
  double miss = 0;
};

/// Who knows the candidates. Calls with different `worker` numbers may run at the same time; the
/// answers depend on the candidate alone.
class CandidateJudge {
public:
  virtual ~CandidateJudge() = default;
  virtual ScreenedCandidate screen(std::uint64_t candidate, unsigned worker) = 0;
  virtual JudgedCandidate judge(std::uint64_t candidate, unsigned worker) = 0;
};

struct CandidateSearchOptions {
  std::uint64_t candidates = 0; ///< they are 0 … candidates − 1
  std::vector<bool> maximize;   ///< by objective; the first decides, the next where it is equal
  /// Whether the first objective is the time of a step, so that lower bounds of it exclude.
  bool byStep = false;
  std::uint64_t keep = 1; ///< candidates that get a rank
  unsigned threads = 1;
  /// Hears what is done, how many candidates in all, and the best first objective so far.
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

struct CandidateSearchResult {
  /// Best first, at most `keep`. Equal ones are in the order of the candidates.
  std::vector<RankedCandidate> ranked;
  /// How many candidates have each fate, by what decided. All counts add up to the candidates.
  std::map<std::pair<CandidateFate, std::string>, std::uint64_t> counts;
  /// The least lower bound of the step among those that a bound excluded, seconds.
  std::optional<double> leastExcluded;
  /// Of those refused after execution the one that misses least: first by a `require`, then by
  /// memory, then by other rules.
  std::optional<MissedCandidate> nearest;

  std::uint64_t count(CandidateFate fate) const;
};

/// The same result for any number of threads.
CandidateSearchResult searchCandidates(const CandidateSearchOptions& options,
                                       CandidateJudge& judge);

} // namespace dpl::planner
