#pragma once
//===- CollectiveLog.h - Logs of nccl-tests and rccl-tests ------------------------------------===//
#include "driver/collective/TimedCall.h"

namespace dpl::score {

/// Values that are used if a log does not contain them.
struct LogDefaults {
  std::optional<ir::CollectiveKind> kind;
  std::uint64_t ranks = 0, nodes = 0; ///< 0 if the log contains the number
};

/// Appends the rows of a log, which is text or JSON. Stops at the first error, after a report.
LogicalResult readCollectiveLog(std::uint32_t file, const LogDefaults& defaults,
                                SourceManager& sources, DiagnosticEngine& diags,
                                std::vector<CollectiveTiming>& rows);

} // namespace dpl::score
