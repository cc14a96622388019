#pragma once
//===- Statistics.h - Statistics of prediction errors -----------------------------------------===//
#include "driver/score/Scores.h"
#include <map>

namespace dpl::score {

/// Errors predicted / measured − 1.
struct Errors {
  std::size_t count = 0;
  double mean = 0, median = 0, p90 = 0; ///< mean, median and 90th percentile of the absolute errors
  double bias = 0;                      ///< mean of signed errors
  double within10 = 0;                  ///< share of the absolute errors that are at most 0.1
};
Errors errorsOf(std::vector<double> errors);

/// Errors by value of a label, sorted by value. Rows without a value are left out.
using ByValue = std::map<std::string, Errors>;

/// The errors of one quantity: of all rows, and by the values of each label.
struct QuantityErrors {
  Errors all;
  std::map<std::string, ByValue> byLabel;
};
/// The errors of the rows that the compiler accepts. Times count only if the plan is predicted to
/// fit.
QuantityErrors errorsOf(const Scores& scores, std::size_t quantity);

/// Errors of the bus bandwidth, below 1 MiB and from it on, by machine and operation.
struct CollectiveErrors {
  Errors small, large;
  std::map<std::string, Errors> smallBy, largeBy; ///< errors by machine and operation: "dgx_h100
                                                  ///< all_reduce"
};
CollectiveErrors collectiveErrors(const Scores& scores);

/// Counts of correct and wrong predictions of fit. A false fit is a run out of memory that was
/// predicted to fit.
struct Verdicts {
  std::size_t rightFits = 0, rightOutOfMemory = 0, falseFits = 0, falseOutOfMemory = 0;
  std::size_t all() const { return rightFits + rightOutOfMemory + falseFits + falseOutOfMemory; }
  double right() const;
};
void addVerdict(Verdicts& verdicts, RunOutcome ran, bool saidToFit);
/// Counts the verdicts. A row with both marks ran, and later was out of memory; if `bothMarks` is
/// set, it counts as out of memory.
Verdicts verdicts(const Scores& scores, bool bothMarks);
std::map<std::string, Verdicts> verdictsBy(const Scores& scores, llvm::StringRef label);

/// How good the first choice is in groups of runs, and how well pairs of runs are ordered.
struct ChoiceQuality {
  std::size_t groups = 0, runs = 0;
  Errors regret;               ///< measured time of the first choice, divided by that of the best
                               ///< run, − 1
  std::size_t outOfMemory = 0; ///< number of groups whose first choice is out of memory
  std::size_t pairs = 0;       ///< number of pairs in a group that have different times
  double ordered = 0;          ///< number of pairs in the right order; ties count half
};
struct ChoiceQualities {
  ChoiceQuality model;
  ChoiceQuality rule; ///< choice by a rule: least tensor, then least tensor × pipeline, then
                      ///< largest micro-batch
};
ChoiceQualities choices(const Scores& scores);

/// How often a shortlist of the layouts with the shortest predicted times, one of each kind, holds
/// the run with the shortest measured time; only groups with more layouts count.
struct ShortlistQuality {
  std::size_t length = 0, groups = 0;
  std::size_t held = 0;        ///< groups whose shortlist holds the fastest run
  std::size_t heldClosely = 0; ///< or a run that took at most 5 % longer
  double drawn = 0;            ///< expected share of groups, if layouts were drawn
};
/// For 3 and 5 layouts.
std::vector<ShortlistQuality> shortlists(const Scores& scores);

/// At most `most` rows with the largest absolute errors.
std::vector<const ScoredRow*> worst(const Scores& scores, std::size_t quantity, std::size_t most);

/// Networks and machines that no rule of a mapping understands, so that the library's are used, and
/// their rows, most frequent first.
std::vector<std::pair<std::string, std::vector<const ScoredRow*>>> unknownOf(const Scores& scores);

/// Reasons and their rows, most frequent first; optionally only of rows that ran, or only of
/// others.
std::vector<std::pair<std::string, std::vector<const ScoredRow*>>>
byReason(const Scores& scores, ScoredRow::ScoreState state, std::optional<bool> ran = std::nullopt);

} // namespace dpl::score
