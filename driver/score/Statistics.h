#pragma once
//===- Statistics.h - What many errors come to ------------------------------------------------===//
#include "driver/score/Scores.h"
#include <map>

namespace dpl::score {

/// Of predicted / measured − 1.
struct Errors {
  std::size_t count = 0;
  double mean = 0, median = 0, p90 = 0; ///< of its size
  double bias = 0;                      ///< its mean with the sign
  double within10 = 0;                  ///< share of those of at most a tenth
};
Errors errorsOf(std::vector<double> errors);

/// The values of a label, sorted; what has none is left out.
using ByValue = std::map<std::string, Errors>;

/// Errors of one quantity: all, and by the values of each label.
struct QuantityErrors {
  Errors all;
  std::map<std::string, ByValue> byLabel;
};
/// Of the rows that the compiler takes; a time counts where the plan fits.
QuantityErrors errorsOf(const Scores& scores, std::size_t quantity);

/// Bus bandwidth below or from 1 MiB, by machine and operation.
struct CollectiveErrors {
  Errors small, large;
  std::map<std::string, Errors> smallBy, largeBy; ///< "dgx_h100 all_reduce"
};
CollectiveErrors collectiveErrors(const Scores& scores);

/// Does it fit? A run that is out of memory and is said to fit is a false fit.
struct Verdicts {
  std::size_t rightFits = 0, rightOutOfMemory = 0, falseFits = 0, falseOutOfMemory = 0;
  std::size_t all() const { return rightFits + rightOutOfMemory + falseFits + falseOutOfMemory; }
  double right() const;
};
void addVerdict(Verdicts& verdicts, RunOutcome ran, bool saidToFit);
/// A row with both marks ran and was out of memory later; `bothMarks` counts it as the latter.
Verdicts verdicts(const Scores& scores, bool bothMarks);
std::map<std::string, Verdicts> verdictsBy(const Scores& scores, llvm::StringRef label);

/// How well the first choice of a group of runs is made, and how often of two the faster is known.
struct ChoiceQuality {
  std::size_t groups = 0, runs = 0;
  Errors regret;               ///< measured time of the first choice over that of the best, − 1
  std::size_t outOfMemory = 0; ///< groups whose first choice was out of memory
  std::size_t pairs = 0;       ///< of runs of a group with different times
  double ordered = 0;          ///< pairs ordered right; a tie is half a pair
};
struct ChoiceQualities {
  ChoiceQuality model;
  ChoiceQuality rule; ///< least tensor, then least tensor × pipeline, then the largest micro-batch
};
ChoiceQualities choices(const Scores& scores);

/// Rows in the order of the size of their error, at most so many.
std::vector<const ScoredRow*> worst(const Scores& scores, std::size_t quantity, std::size_t most);

/// Reasons and how many rows have each, the most first; only rows that ran, or only the others,
/// where that is asked.
std::vector<std::pair<std::string, std::vector<const ScoredRow*>>>
byReason(const Scores& scores, ScoredRow::ScoreState state, std::optional<bool> ran = std::nullopt);

} // namespace dpl::score
