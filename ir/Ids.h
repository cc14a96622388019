#pragma once
//===- Ids.h - Ids of the elements of a plan --------------------------------------------------===//
#include "support/Id.h"

namespace dpl::ir {

struct Chunk;
struct ChunkCollective; ///< a collective, counted from the first one of its chunk
struct Collective;
struct Group;
struct ScheduledAction;
struct StageProgram;

using ChunkId = Id<Chunk>; ///< index into Plan::chunks, costs and chunkPrograms
using CollectiveId = Id<Collective>;
using GroupId = Id<Group>;
using StageProgramId = Id<StageProgram>;
using ActionId = Id<ScheduledAction>; ///< index into the schedule of one rank
/// ChunkPrograms::idOf converts it to a CollectiveId
using ChunkCollectiveId = Id<ChunkCollective>;

} // namespace dpl::ir
