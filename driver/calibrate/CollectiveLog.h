#pragma once
//===- CollectiveLog.h - Logs of nccl-tests and rccl-tests ------------------------------------===//
#include "driver/collective/TimedCall.h"

namespace dpl::score {

/// Values for what a log does not contain; the log has priority.
struct LogDefaults {
  std::optional<ir::CollectiveKind> kind;
  std::uint64_t ranks = 0, nodes = 0; ///< 0: the log contains them
};

/// Appends the rows of a log, text or JSON. Reports the first error and stops.
LogicalResult readCollectiveLog(std::uint32_t file, const LogDefaults& defaults,
                                SourceManager& sources, DiagnosticEngine& diags,
                                std::vector<CollectiveTiming>& rows);

} // namespace dpl::score
