#pragma once
//===- Placement.h - Which part of the model each pipeline rank holds -------------------------===//
//
// A stage is a piece of the model in model order. A *copy* is a stage together with the direction
// in which its micro-batches travel; each chunk of a pipeline rank holds one copy. Only
// bidirectional placements have two copies of a stage: they hold the same parameters on two ranks.
#include "ir/Basics.h"
#include "ir/Ids.h"
#include <optional>

namespace dpl::ir {

/// With p ranks and v chunks a rank:
enum class PlacementKind : std::uint8_t {
  Linear,       ///< v = 1, stage s on rank s
  Looped,       ///< stage s is chunk s div p of rank s mod p
  VShaped,      ///< as looped, every second chunk runs through the ranks backwards
  Bidirectional ///< v = 2, stage s on rank s, and a copy of it on rank p − 1 − s
};

struct Placement {
  PlacementKind kind = PlacementKind::Linear;
  std::uint64_t ranks = 1, chunks = 1;

  /// A chunk of a rank.
  struct ChunkLocation {
    std::uint64_t rank = 0, chunk = 0;
    friend bool operator==(ChunkLocation, ChunkLocation) = default;
  };
  /// What a chunk of a rank holds. Direction 0 is the only one but for Bidirectional.
  struct StageReplica {
    std::uint64_t stage = 0, direction = 0;
    friend bool operator==(StageReplica, StageReplica) = default;
  };

  std::uint64_t directions() const { return kind == PlacementKind::Bidirectional ? 2 : 1; }
  /// Pieces that the model is cut into.
  std::uint64_t stages() const { return stageReplicas() / directions(); }
  /// Chunks of all ranks together.
  std::uint64_t stageReplicas() const { return ranks * chunks; }

  ChunkLocation locationOf(std::uint64_t stage, std::uint64_t direction = 0) const;
  std::uint64_t rankOf(std::uint64_t stage, std::uint64_t direction = 0) const {
    return locationOf(stage, direction).rank;
  }
  /// Whether the ranks with the last stage have the first one, too.
  bool firstAndLastShareRanks() const {
    return directions() > 1 || rankOf(0) == rankOf(stages() - 1);
  }
  StageReplica stageReplicaOf(std::uint64_t rank, std::uint64_t chunk) const;
  /// The chunk that takes what this one sends forward, or sent it: nothing after the last stage and
  /// before the first. It may be on the same rank.
  std::optional<ChunkLocation> next(ChunkLocation at) const;
  std::optional<ChunkLocation> previous(ChunkLocation at) const;
  /// A chunk's place among all copies, direction by direction in model order.
  ChunkId indexOf(std::uint64_t rank, std::uint64_t chunk) const;
  /// Whether a copy of this direction runs the micro-batch: two directions share them by halves.
  bool runsMicroBatch(std::uint64_t direction, std::uint64_t microBatch,
                      std::uint64_t microBatches) const;

  template <class V> void fields(V& v) { v("kind", kind), v("ranks", ranks), v("chunks", chunks); }
};

} // namespace dpl::ir
