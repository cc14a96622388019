#pragma once
//===- StageProgramsJson.h - Stage programs as JSON -------------------------------------------===//
#include "ir/Plan.h"

namespace dpl {
class Json;
}

namespace dpl::report {

/// The stage programs of a plan, each with its loops of segments.
Json stageProgramsJson(const ir::Plan& plan);
/// The stage programs that a chunk runs, and its collectives. Segments refer to a collective by its
/// index in this list.
Json chunkProgramsJson(const ir::Plan& plan, ir::ChunkId chunk);

} // namespace dpl::report
