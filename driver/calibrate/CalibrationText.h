#pragma once
//===- CalibrationText.h - A calibration as a file, a screen, JSON and a picture --------------===//
#include "driver/calibrate/Calibration.h"
#include "support/Json.h"

namespace dpl::score {

/// What a calibration is of, as it is printed.
struct CalibrationOf {
  std::string cluster; ///< "clusters.dgx_h100", or "pod" of `file`
  std::string file;    ///< the .dpl file as the fragment imports it, "./a.dpl"; "" is the library
  std::string name;    ///< of the cluster that the fragment declares
  std::vector<std::string> logs;
};

/// A .dpl file with a cluster made from the other.
std::string fragmentOf(const Calibration& calibration, const CalibrationOf& of);
std::string screenOf(const Calibration& calibration, const CalibrationOf& of, unsigned width);
/// "dplc.calibrate.1" (docs/guide/calibrate.md).
Json jsonOf(const Calibration& calibration, const CalibrationOf& of);
/// Bus bandwidth over size: rows as marks, predictions as lines, a colour a group.
std::string pictureOf(const Calibration& calibration, const CalibrationOf& of);

/// The rows of one collective over as many ranks and nodes, in the order of their sizes.
struct ResidualGroup {
  std::string name; ///< "all_reduce, 16 ranks on 2 nodes"
  std::vector<const Residual*> rows;
};
std::vector<ResidualGroup> groupsOf(const Calibration& calibration);

} // namespace dpl::score
