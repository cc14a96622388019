#pragma once
//===- LeaveOut.h - Errors of collectives predicted from other rows ---------------------------===//
#include "driver/calibrate/Fit.h"
#include "driver/score/Statistics.h"

namespace dpl::score {

/// The errors of the bus bandwidth (predicted / measured − 1): `small` below 1 MiB, `large` from it
/// on.
struct BySize {
  std::vector<double> small, large;
};

/// The errors of rows that have one value of the label.
struct HeldOutValue {
  BySize others;    ///< errors if parameters are fitted to the rows with other values
  BySize sameSweep; ///< errors if parameters are fitted to two rows of the sweep, which are left
                    ///< out
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
  std::map<std::string, std::uint64_t> skipped; ///< number of rows that were not used, by reason
};

/// For each value of a label, predicts its rows from the other rows. Link efficiencies and launch
/// times are fitted to the other rows, starting from those of a default machine. The transport and
/// the harness are not fitted. Fails, after a report, if a table cannot be read or has no
/// collective with the label.
FailureOr<HeldOutResult> leaveOut(llvm::ArrayRef<std::string> tables, const std::string& label,
                                  const ScoreOptions& options, SourceManager& sources,
                                  DiagnosticEngine& diags);

std::string screenOf(const HeldOutResult& left, unsigned width);

} // namespace dpl::score
