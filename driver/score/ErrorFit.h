#pragma once
//===- ErrorFit.h - Intervals of predictions, fitted to measured runs -------------------------===//
//
// The weights of figures/ErrorModel.h maximize the likelihood of the errors, where an error has a
// Laplace distribution whose scale is the sum of weights × shares. The two factors of the interval
// are the 10 % and 90 % quantiles of errors over scale. All rows of one family together weigh as
// the square root of their number.
#include "driver/score/Scores.h"
#include "figures/ErrorModel.h"
#include "support/Json.h"

namespace dpl::score {

/// One measured value and its prediction.
struct Observation {
  std::string family;
  double ratio = 1; ///< measured / predicted
  figures::ErrorShares shares{};
  /// The input that was left out of the row, an index into `assumptions` from 1; 0: none.
  unsigned assumption = 0;
  bool framework = false; ///< the row states a framework
};

/// The runs of tables, and the same runs without each of the inputs that they state.
struct ErrorHistory {
  std::vector<Observation> steps, memory;
  std::map<figures::LayoutKind, std::uint64_t> runs; ///< measured steps by kind of layout
  double barely = 0;                                 ///< as figures::barelyShare
};
/// Fails after a report if a table cannot be read.
FailureOr<ErrorHistory> errorHistory(llvm::ArrayRef<std::string> tables,
                                     const ScoreOptions& options, SourceManager& sources,
                                     DiagnosticEngine& diags);

/// The value at which the weights of all smaller values reach `share` of the sum; 0 without values.
/// A pair is a value and its weight.
double weightedQuantile(std::vector<std::pair<double, double>> values, double share);

figures::ErrorModel fitErrors(llvm::ArrayRef<Observation> observations);

/// The quality of 80 % intervals over some rows.
struct IntervalQuality {
  std::size_t rows = 0;
  double covered = 0;   ///< share of measured values inside
  double halfWidth = 0; ///< median, as a share of the prediction
  /// Mean of ln(upper / lower), plus 10 times the distance of a value outside in logarithms.
  double score = 0;
  double constantScore = 0; ///< of one width for all rows
};
/// By kind of plan; the interval of each family's rows is fitted to all other families.
std::vector<std::pair<std::string, IntervalQuality>>
intervalsOfOthers(llvm::ArrayRef<Observation> observations);

std::string screenOf(const ErrorHistory& history, unsigned width);
/// "dplc.intervals.1" (docs/reference/score.md).
Json intervalsJson(const ErrorHistory& history);
/// figures/ErrorTable.def.
std::string errorTable(const ErrorHistory& history);

} // namespace dpl::score
