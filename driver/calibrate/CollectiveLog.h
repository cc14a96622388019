#pragma once
//===- CollectiveLog.h - What nccl-tests and rccl-tests printed -------------------------------===//
#include "driver/collective/TimedCall.h"

namespace dpl::score {

/// What a log need not say; it has the last word where it does.
struct LogDefaults {
  std::optional<ir::CollectiveKind> kind;
  std::uint64_t ranks = 0, nodes = 0; ///< 0: the log says them
};

/// Appends the rows of a log, text or JSON. Stops after a report at the first thing that is wrong.
LogicalResult readCollectiveLog(std::uint32_t file, const LogDefaults& defaults,
                                SourceManager& sources, DiagnosticEngine& diags,
                                std::vector<CollectiveTiming>& rows);

} // namespace dpl::score
