#pragma once
//===- Placement.h - The model chunks of each pipeline rank -----------------------------------===//
//
// A stage is a part of the model in model order. A *stage replica* is a stage with the direction in
// which its micro-batches travel; each chunk of a pipeline rank is one. Only bidirectional
// placements have two replicas of a stage, with the same parameters on two ranks.
#include "ir/Basics.h"
#include "ir/Ids.h"
#include <optional>

namespace dpl::ir {

/// The rank and chunk of each stage, for p ranks and v chunks per rank.
enum class PlacementKind : std::uint8_t {
  Linear,       ///< v = 1, stage s on rank s
  Looped,       ///< stage s is chunk s div p of rank s mod p
  VShaped,      ///< as Looped, but every second chunk traverses the ranks in reverse
  Bidirectional ///< v = 2, stage s on rank s, and a replica of it on rank p − 1 − s
};

struct Placement {
  PlacementKind kind = PlacementKind::Linear;
  std::uint64_t ranks = 1, chunks = 1;

  /// A chunk of a rank.
  struct ChunkLocation {
    std::uint64_t rank = 0, chunk = 0;
    friend bool operator==(ChunkLocation, ChunkLocation) = default;
  };
  /// The stage of a chunk. Direction 1 exists only in Bidirectional.
  struct StageReplica {
    std::uint64_t stage = 0, direction = 0;
    friend bool operator==(StageReplica, StageReplica) = default;
  };

  std::uint64_t directions() const { return kind == PlacementKind::Bidirectional ? 2 : 1; }
  /// Stages of the model.
  std::uint64_t stages() const { return stageReplicas() / directions(); }
  /// Chunks of all ranks.
  std::uint64_t stageReplicas() const { return ranks * chunks; }

  ChunkLocation locationOf(std::uint64_t stage, std::uint64_t direction = 0) const;
  std::uint64_t rankOf(std::uint64_t stage, std::uint64_t direction = 0) const {
    return locationOf(stage, direction).rank;
  }
  /// Whether the ranks of the last stage also have the first one.
  bool firstAndLastShareRanks() const {
    return directions() > 1 || rankOf(0) == rankOf(stages() - 1);
  }
  StageReplica stageReplicaOf(std::uint64_t rank, std::uint64_t chunk) const;
  /// The chunk that receives this chunk's activations, or sends them to it; nothing after the last
  /// and before the first stage. It may be on the same rank.
  std::optional<ChunkLocation> next(ChunkLocation at) const;
  std::optional<ChunkLocation> previous(ChunkLocation at) const;
  /// A chunk's index among all stage replicas, direction by direction in model order.
  ChunkId indexOf(std::uint64_t rank, std::uint64_t chunk) const;
  /// Whether a replica of this direction runs the micro-batch; two directions each run one half.
  bool runsMicroBatch(std::uint64_t direction, std::uint64_t microBatch,
                      std::uint64_t microBatches) const;

  template <class V> void fields(V& v) { v("kind", kind), v("ranks", ranks), v("chunks", chunks); }
};

} // namespace dpl::ir
