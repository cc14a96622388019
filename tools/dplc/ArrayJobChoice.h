#pragma once
//===- ArrayJobChoice.h - The array job that `dplc emit slurm` writes -------------------------===//
#include "driver/study/ArrayJob.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// The job of `--study NAME --array N` or `--search NAME --array N`; nothing after a report.
std::optional<study::ArrayJobRequest> arrayJobOf(Session& session, const EmitOptions& options);

} // namespace dpl::tool
