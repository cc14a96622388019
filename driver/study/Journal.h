#pragma once
//===- Journal.h - The finished points of a study, on disk ------------------------------------===//
//
// Each finished point is appended as a line of JSON, so that a run that is killed loses no finished
// point. The next run drops an incomplete last line, which a kill or a full disk may leave.
#include "driver/study/PointRunner.h"

namespace dpl::study {

/// Identifies the study to which the points of a folder belong.
struct JournalHeader {
  std::string study, layout;
  std::string key; ///< hash of the files, settings and compiler that produced the points
  std::uint64_t points = 0, outputs = 0; ///< numbers of points and outputs of the study
  std::uint64_t figures = 0;             ///< number of figures that expressions over several rows
                                         ///< read
};

class Journal {
public:
  Journal() = default;
  Journal(Journal&& other) noexcept { *this = std::move(other); }
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  /// Begins or continues the journal in a folder, which is created if it does not exist. Fails,
  /// after a report, if the folder contains something else, or if another process writes to it.
  static FailureOr<Journal> open(const std::string& folder, const JournalHeader& header,
                                 DiagnosticEngine& diags);
  /// The points in the folder of another run, for merging.
  static FailureOr<std::vector<StudyPoint>>
  read(const std::string& folder, const JournalHeader& header, DiagnosticEngine& diags);

  /// The points that an earlier run has finished.
  std::vector<StudyPoint> releaseKnown() { return std::move(known); }
  LogicalResult append(const StudyPoint& point, DiagnosticEngine& diags);
  /// Replaces the journal by one that has these points, in this order.
  LogicalResult finish(llvm::ArrayRef<StudyPoint> points, DiagnosticEngine& diags);

private:
  std::string path, header;
  std::vector<StudyPoint> known;
  int file = -1;
};

} // namespace dpl::study
