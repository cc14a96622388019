//===- Placement.cpp - Which part of the model each pipeline rank holds -----------------------===//
#include "ir/Placement.h"
#include <cassert>

using namespace dpl::ir;

Placement::Place Placement::placeOf(std::uint64_t stage, std::uint64_t direction) const {
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

Placement::Copy Placement::pieceOf(std::uint64_t rank, std::uint64_t chunk) const {
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

std::optional<Placement::Place> Placement::next(Place at) const {
  const Copy copy = pieceOf(at.rank, at.chunk);
  if (copy.stage + 1 == stages())
    return std::nullopt;
  return placeOf(copy.stage + 1, copy.direction);
}

std::optional<Placement::Place> Placement::previous(Place at) const {
  const Copy copy = pieceOf(at.rank, at.chunk);
  if (copy.stage == 0)
    return std::nullopt;
  return placeOf(copy.stage - 1, copy.direction);
}

std::uint64_t Placement::indexOf(std::uint64_t rank, std::uint64_t chunk) const {
  const Copy copy = pieceOf(rank, chunk);
  return copy.direction == 0 ? copy.stage : copy.direction * stages() + copy.stage;
}

bool Placement::runs(std::uint64_t direction, std::uint64_t microBatch,
                     std::uint64_t microBatches) const {
  if (directions() == 1)
    return true;
  const bool second = microBatch >= microBatches - microBatches / 2;
  return second == (direction == 1);
}
