#pragma once
//===- Journal.h - The points of a study that are done, on disk -------------------------------===//
//
// A line of JSON a point, appended as points are done, so that a run that is killed loses none.
// What a full disk or a kill cut off has no line end and is dropped by the next run.
#include "driver/study/PointRunner.h"

namespace dpl::study {

/// What the points of a folder belong to.
struct JournalHeader {
  std::string study, layout;
  std::string key;                       ///< of the files, settings and compiler that made them
  std::uint64_t points = 0, outputs = 0; ///< how many
};

class Journal {
public:
  Journal() = default;
  Journal(Journal&& other) noexcept { *this = std::move(other); }
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  /// Begins or goes on with the journal of a folder, which is made where there is none. Fails after
  /// a report where the folder holds something else, or another process writes to it.
  static FailureOr<Journal> open(const std::string& folder, const JournalHeader& header,
                                 DiagnosticEngine& diags);
  /// The points of another run's folder, for merging.
  static FailureOr<std::vector<StudyPoint>>
  read(const std::string& folder, const JournalHeader& header, DiagnosticEngine& diags);

  /// Those that were done before.
  std::vector<StudyPoint> releaseKnown() { return std::move(known); }
  LogicalResult append(const StudyPoint& point, DiagnosticEngine& diags);
  /// Replaces what was appended by the same points in their order.
  LogicalResult finish(llvm::ArrayRef<StudyPoint> points, DiagnosticEngine& diags);

private:
  std::string path, header;
  std::vector<StudyPoint> known;
  int file = -1;
};

} // namespace dpl::study
