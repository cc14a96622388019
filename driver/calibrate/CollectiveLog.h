#pragma once
//===- CollectiveLog.h - What nccl-tests and rccl-tests printed -------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"

namespace dpl::score {

/// One collective that was timed alone.
struct Measured {
  ir::CollectiveKind kind = ir::CollectiveKind::AllReduce;
  std::uint64_t ranks = 0, nodes = 0;
  std::uint64_t bytes = 0; ///< as nccl-tests counts: the whole buffer of a rank
  double seconds = 0;      ///< out of place
  SourceRange where;
  std::uint64_t ofThread = 0; ///< devices that one thread launched on; 0: unsaid
};

/// What a log need not say; it has the last word where it does.
struct LogDefaults {
  std::optional<ir::CollectiveKind> kind;
  std::uint64_t ranks = 0, nodes = 0; ///< 0: the log says them
};

/// Appends the rows of a log, text or JSON. Stops after a report at the first thing that is wrong.
LogicalResult readCollectiveLog(std::uint32_t file, const LogDefaults& defaults,
                                SourceManager& sources, DiagnosticEngine& diags,
                                std::vector<Measured>& rows);

} // namespace dpl::score
