#pragma once
//===- Ids.h - Names of the elements of a plan ------------------------------------------------===//
#include "support/Id.h"

namespace dpl::ir {

struct Chunk;
struct ChunkCollective; ///< a collective, counted from the first one of its chunk
struct Collective;
struct Group;
struct ScheduledAction;
struct StageProgram;

using ChunkId = Id<Chunk>; ///< of Plan::chunks, costs and chunkPrograms
using CollectiveId = Id<Collective>;
using GroupId = Id<Group>;
using StageProgramId = Id<StageProgram>;
using ActionId = Id<ScheduledAction>;          ///< of the schedule of one rank
using ChunkCollectiveId = Id<ChunkCollective>; ///< ChunkPrograms::idOf gives its CollectiveId

} // namespace dpl::ir
