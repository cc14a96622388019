#pragma once
//===- Calibration.h - Network parameters from timed collectives ------------------------------===//
#include "driver/calibrate/CollectiveLog.h"
#include "driver/collective/Collective.h"

namespace dpl::score {

/// A field of the cluster with its old and its fitted value.
struct FittedFact {
  std::string path;       ///< path of the field: "domain.efficiency"
  bool isTime = false;    ///< whether it is a time; otherwise a share
  double was = 0, is = 0; ///< old and fitted value, in seconds if it is a time
  bool seen = false;      ///< whether some row depends on the field; if none does, it is unchanged
  std::string text(double value) const;
};

/// A measured collective and its prediction.
struct Residual {
  CollectiveTiming measured;
  double before = 0,
         after = 0;          ///< predicted time in s, with the old and with the fitted parameters
  cost::CollectiveCost cost; ///< cost with the fitted parameters
  double busBandwidth(double seconds) const;
  /// The error of the bus bandwidth, predicted / measured − 1, if `seconds` is the predicted time.
  double error(double seconds) const { return measured.seconds / seconds - 1; }
};

struct Calibration {
  std::vector<FittedFact> facts;
  std::vector<Residual> rows; ///< residuals in the order of the logs
};

/// Fits the parameters of the cluster's links to the rows, within physical limits and with the
/// smallest change. Fails, after a report, if a row has ranks that the cluster does not have.
FailureOr<Calibration> calibrate(const ir::Cluster& cluster, const std::string& name,
                                 llvm::ArrayRef<CollectiveTiming> rows, Harness harness,
                                 DiagnosticEngine& diags);

/// Refuses a calibration that needs links that no healthy machine has. Fails after a report.
LogicalResult judge(const Calibration& calibration, DiagnosticEngine& diags);

/// Gives the links of a plan the fitted parameters.
void setLinks(ir::Plan& plan, const Calibration& calibration);

} // namespace dpl::score
