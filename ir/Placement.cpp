//===- Placement.cpp - The model chunks of each pipeline rank ---------------------------------===//
#include "ir/Placement.h"
#include <cassert>

using namespace dpl::ir;

Placement::ChunkLocation Placement::locationOf(std::uint64_t stage, std::uint64_t direction) const {
  assert(stage < stages() && direction < directions());
  const std::uint64_t lap = stage / ranks, inside = stage % ranks;
  switch (kind) {
  case PlacementKind::Linear:
  case PlacementKind::Looped:
    return {inside, lap};
  case PlacementKind::VShaped:
    return {lap % 2 == 0 ? inside : ranks - 1 - inside, lap};
  case PlacementKind::Bidirectional:
    return {direction == 0 ? stage : ranks - 1 - stage, direction};
  }
  return {};
}

Placement::StageReplica Placement::stageReplicaOf(std::uint64_t rank, std::uint64_t chunk) const {
  assert(rank < ranks && chunk < chunks);
  switch (kind) {
  case PlacementKind::Linear:
  case PlacementKind::Looped:
    return {chunk * ranks + rank, 0};
  case PlacementKind::VShaped:
    return {chunk * ranks + (chunk % 2 == 0 ? rank : ranks - 1 - rank), 0};
  case PlacementKind::Bidirectional:
    return {chunk == 0 ? rank : ranks - 1 - rank, chunk};
  }
  return {};
}

std::optional<Placement::ChunkLocation> Placement::next(ChunkLocation at) const {
  const StageReplica replica = stageReplicaOf(at.rank, at.chunk);
  if (replica.stage + 1 == stages())
    return std::nullopt;
  return locationOf(replica.stage + 1, replica.direction);
}

std::optional<Placement::ChunkLocation> Placement::previous(ChunkLocation at) const {
  const StageReplica replica = stageReplicaOf(at.rank, at.chunk);
  if (replica.stage == 0)
    return std::nullopt;
  return locationOf(replica.stage - 1, replica.direction);
}

ChunkId Placement::indexOf(std::uint64_t rank, std::uint64_t chunk) const {
  const StageReplica replica = stageReplicaOf(rank, chunk);
  return ChunkId(replica.direction == 0 ? replica.stage
                                        : replica.direction * stages() + replica.stage);
}

bool Placement::runsMicroBatch(std::uint64_t direction, std::uint64_t microBatch,
                               std::uint64_t microBatches) const {
  if (directions() == 1)
    return true;
  const bool second = microBatch >= microBatches - microBatches / 2;
  return second == (direction == 1);
}
