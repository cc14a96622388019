#pragma once
//===- Calibration.h - Facts of a network from collectives timed on it ------------------------===//
#include "driver/calibrate/CollectiveLog.h"
#include "driver/collective/Collective.h"

namespace dpl::score {

/// A field of the cluster that is fitted.
struct FittedFact {
  std::string path;       ///< "domain.efficiency"
  bool isTime = false;    ///< else a share
  double was = 0, is = 0; ///< s, of a time
  bool seen = false;      ///< some row depends on it; else it is left as it was
  std::string text(double value) const;
};

/// A measured collective beside what is predicted of it.
struct Residual {
  CollectiveTiming measured;
  double before = 0, after = 0; ///< s: with the facts as they were, and as they are
  cost::CollectiveCost cost;    ///< as they are
  double busBandwidth(double seconds) const;
  /// Of the bus bandwidth: predicted over measured, less one.
  double error(double seconds) const { return measured.seconds / seconds - 1; }
};

struct Calibration {
  std::vector<FittedFact> facts;
  std::vector<Residual> rows; ///< as the logs have them
};

/// Moves the facts of the cluster's links as little as the rows ask for, within what is physical.
/// Fails after a report where a row has ranks that the cluster does not.
FailureOr<Calibration> calibrate(const ir::Cluster& cluster, const std::string& name,
                                 llvm::ArrayRef<CollectiveTiming> rows, Harness harness,
                                 DiagnosticEngine& diags);

} // namespace dpl::score
