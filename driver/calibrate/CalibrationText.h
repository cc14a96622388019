#pragma once
//===- CalibrationText.h - A calibration as a .dpl file, screen, JSON and picture -------------===//
#include "driver/calibrate/Calibration.h"
#include "support/Json.h"

namespace dpl::score {

/// The names that the output of a calibration contains.
struct CalibrationOf {
  std::string cluster; ///< name of the cluster: "clusters.dgx_h100", or "pod" in `file`
  std::string file;    ///< .dpl file that the output imports, "./a.dpl"; empty for the library
  std::string name;    ///< name of the calibrated cluster in the output
  std::vector<std::string> logs;
};

/// The parts of a .dpl file with the calibrated cluster, derived from the original: the comment,
/// the imports with the head of the block, and the lines of fitted fields.
std::string headOf(const Calibration& calibration, const CalibrationOf& of);
std::string importsOf(const CalibrationOf& of);
std::string clusterLines(const Calibration& calibration);
std::string fragmentOf(const Calibration& calibration, const CalibrationOf& of);
std::string screenOf(const Calibration& calibration, const CalibrationOf& of, unsigned width);
/// The calibration as JSON, "dplc.calibrate.1" (docs/guide/calibrate.md).
Json jsonOf(const Calibration& calibration, const CalibrationOf& of);
/// A plot of the bus bandwidth by size: rows as marks, predictions as lines, one colour per group.
std::string pictureOf(const Calibration& calibration, const CalibrationOf& of);

/// The rows of one collective with equal ranks and nodes, in the order of sizes.
struct ResidualGroup {
  std::string name; ///< name of the group: "all_reduce, 16 ranks on 2 nodes"
  std::vector<const Residual*> rows;
};
std::vector<ResidualGroup> groupsOf(const Calibration& calibration);

} // namespace dpl::score
