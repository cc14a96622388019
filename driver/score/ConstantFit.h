#pragma once
//===- ConstantFit.h - What fitted constants rest on ------------------------------------------===//
//
// The predicted step time of a row is t · Π fᵉ if each constant is multiplied by its factor f. The
// exponents e are measured: every row is predicted once more for each constant, with the constant
// 5 % larger. A fit minimizes the mean absolute logarithm of predicted / measured; all rows of one
// family together weigh as the square root of their number.
#include "driver/score/Statistics.h"

namespace dpl::score {

/// A row with a measured step, and how its prediction depends on the constants.
struct SensitiveRow {
  const ScoredRow* row = nullptr;
  double error = 0; ///< ln(predicted / measured)
  std::string family;
  std::array<double, constantCount> exponents{}; ///< of the constants that it rests on
};

struct ConstantHistory {
  Scores scores; ///< with the constants of the library
  std::vector<SensitiveRow> rows;
};
/// Fails after a report if a table cannot be read.
FailureOr<ConstantHistory> constantHistory(llvm::ArrayRef<std::string> tables,
                                           const ScoreOptions& options, SourceManager& sources,
                                           DiagnosticEngine& diags);

/// A fit changes no constant by more.
constexpr double mostFactor = 1.5;
/// The factors that fit the constants to the rows. A constant on which no row rests is left out.
using ConstantFactors = std::map<ConstantUse, double>;
ConstantFactors fitConstants(llvm::ArrayRef<const SensitiveRow*> rows);

/// A constant, and its values if it is fitted to all families and without one of them.
struct ConstantBasis {
  ConstantUse use;
  std::size_t rows = 0;
  std::set<std::string> families;
  double fitted = 0, least = 0, most = 0; ///< values, in the unit of the field
  bool atLimit = false;                   ///< the refit of all rows stops at `mostFactor` or at 1
};
std::vector<ConstantBasis> constantBases(const ConstantHistory& history);

/// The errors of the rows with one value of a label.
struct LeftOutSteps {
  std::string value;
  std::vector<double> library; ///< predicted / measured − 1 with the constants of the library
  std::vector<double> others;  ///< the same with constants fitted to all other rows
};
/// Empty if the label has fewer than two values. Constants on which no other row rests have the
/// geometric mean of their values on the other generations of devices.
FailureOr<std::vector<LeftOutSteps>> leaveOutSteps(const ConstantHistory& history,
                                                   const std::string& label,
                                                   llvm::ArrayRef<std::string> tables,
                                                   const ScoreOptions& options,
                                                   SourceManager& sources, DiagnosticEngine& diags);

std::string screenOfConstants(const ConstantHistory& history, unsigned width);
std::string screenOf(llvm::ArrayRef<LeftOutSteps> steps, const std::string& label, unsigned width);

} // namespace dpl::score
