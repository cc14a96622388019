#pragma once
//===- LeaveOut.h - Errors of collectives predicted from other rows ---------------------------===//
#include "driver/calibrate/Fit.h"
#include "driver/score/Statistics.h"

namespace dpl::score {

/// The errors of the bus bandwidth (predicted / measured − 1) of rows below and from 1 MiB.
struct BySize {
  std::vector<double> small, large;
};

/// The errors of the rows with one value of the label.
struct HeldOutValue {
  BySize others;    ///< errors with parameters fitted to all other rows
  BySize sameSweep; ///< errors with parameters fitted to two rows of the sweep; without these
};

/// The rows of one machine, group and operation, by size.
struct SizeSweep {
  std::string value; ///< value of the label
  std::vector<MeasuredCollective> collectives;
  std::vector<double> errors; ///< as in HeldOutValue::sameSweep
};

struct HeldOutResult {
  std::string label;
  std::map<std::string, HeldOutValue> values;
  std::vector<SizeSweep> sweeps;                ///< sweeps of at least five rows
  std::map<std::string, std::uint64_t> skipped; ///< other rows of the tables, by reason
};

/// Predicts the rows of each value of a label from the others. Link efficiencies and launch times
/// are fitted to the other rows, from a default machine. The transport and the harness keep their
/// values. Fails after a report if a table cannot be read or has no collective with the label.
FailureOr<HeldOutResult> leaveOut(llvm::ArrayRef<std::string> tables, const std::string& label,
                                  const ScoreOptions& options, SourceManager& sources,
                                  DiagnosticEngine& diags);

std::string screenOf(const HeldOutResult& left, unsigned width);

} // namespace dpl::score
