#pragma once
//===- StageProgramsJson.h - Stage programs as JSON -------------------------------------------===//
#include "ir/Plan.h"

namespace dpl {
class Json;
}

namespace dpl::report {

/// The stage programs of a plan, each with its blocks of segments.
Json stageProgramsJson(const ir::Plan& plan);
/// Which bodies a chunk runs, and its collectives, which their calls name by their place.
Json chunkProgramsJson(const ir::Plan& plan, ir::ChunkId chunk);

} // namespace dpl::report
