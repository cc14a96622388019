#pragma once
//===- Journal.h - The finished points of a study, on disk ------------------------------------===//
//
// Each finished point is appended as a line of JSON, so that a killed run loses no finished point.
// A line without an end, from a kill or a full disk, is dropped by the next run.
#include "driver/study/PointRunner.h"

namespace dpl::study {

/// The study to which the points of a folder belong.
struct JournalHeader {
  std::string study, layout;
  std::string key; ///< hash of the files, settings and compiler that made the points
  std::uint64_t points = 0, outputs = 0; ///< numbers of points and outputs of the study
  std::uint64_t figures = 0;             ///< number of figures that expressions over rows read
};

class Journal {
public:
  Journal() = default;
  Journal(Journal&& other) noexcept { *this = std::move(other); }
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  /// Begins or continues the journal of a folder, which is created if it does not exist. Fails
  /// after a report if the folder contains anything else, or another process writes to it.
  static FailureOr<Journal> open(const std::string& folder, const JournalHeader& header,
                                 DiagnosticEngine& diags);
  /// The points of another run's folder, for merging.
  static FailureOr<std::vector<StudyPoint>>
  read(const std::string& folder, const JournalHeader& header, DiagnosticEngine& diags);

  /// The points that an earlier run finished.
  std::vector<StudyPoint> releaseKnown() { return std::move(known); }
  LogicalResult append(const StudyPoint& point, DiagnosticEngine& diags);
  /// Replaces the file by one with these points in order.
  LogicalResult finish(llvm::ArrayRef<StudyPoint> points, DiagnosticEngine& diags);

private:
  std::string path, header;
  std::vector<StudyPoint> known;
  int file = -1;
};

} // namespace dpl::study
