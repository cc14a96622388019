#pragma once
//===- LeaveOut.h - Collectives of machines whose links are known from other rows -------------===//
#include "driver/calibrate/Fit.h"
#include "driver/score/Statistics.h"

namespace dpl::score {

/// Of the bus bandwidth of rows below and from 1 MiB: predicted over measured, less one.
struct BySize {
  std::vector<double> small, large;
};

/// Rows that have a value of the label.
struct HeldOutValue {
  BySize others;    ///< with the facts that all other rows give
  BySize sameSweep; ///< with those that two rows of the same sweep give, without these two
};

/// One machine, group and operation, in order of size.
struct SizeSweep {
  std::string value; ///< of the label
  std::vector<MeasuredCollective> collectives;
  std::vector<double> errors; ///< as HeldOutValue::sameSweep
};

struct HeldOutResult {
  std::string label;
  std::map<std::string, HeldOutValue> values;
  std::vector<SizeSweep> sweeps;                ///< those of five rows or more
  std::map<std::string, std::uint64_t> skipped; ///< rows of the tables that are not, by reason
};

/// Predicts the rows of each value of a label from the others: shares that links reach and what a
/// call takes are fitted to them, from a machine of which nothing is known; what the transport adds
/// and the harness stay as stated. Fails after a report where a table cannot be read or has no
/// collective with the label.
FailureOr<HeldOutResult> leaveOut(llvm::ArrayRef<std::string> tables, const std::string& label,
                                  const ScoreOptions& options, SourceManager& sources,
                                  DiagnosticEngine& diags);

std::string screenOf(const HeldOutResult& left, unsigned width);

} // namespace dpl::score
