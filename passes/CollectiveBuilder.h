#pragma once
//===- CollectiveBuilder.h - Collects the collectives of one chunk and what of them shows -----===//
#include "cost/CostModel.h"
#include <optional>

namespace dpl {

/// Index of the group whose axes larger than 1 are exactly these; nothing when all of them are 1.
std::optional<std::uint64_t> groupWith(const ir::Plan& plan, const std::vector<ir::Axis>& axes);
std::optional<std::uint64_t> groupNamed(const ir::Plan& plan, const std::string& name);

/// Layers of a chunk that full recomputation runs again: all with `uniform`, the first with
/// `block`.
std::uint64_t recomputedLayers(const ir::Recompute& r, std::uint64_t layers);

/// Bytes of a message between two pieces of the model: b·s·h, divided by tensor with sequence
/// parallelism; of a layer list the output of its largest layer.
double boundaryBytes(const ir::Plan& plan, const cost::Division& d);
/// The level of the links between two pipeline ranks.
std::uint64_t levelBetween(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);

/// How often a collective runs in one micro-batch.
struct Counts {
  double forward = 0, backward = 0, recompute = 0;
};

/// Computation that one collective runs beside, in seconds; `least` is the share of the collective
/// that shows even so.
struct Hiding {
  double seconds = 0, least = 1;
};

class CollectiveBuilder {
public:
  CollectiveBuilder(ir::Plan& plan, const ir::Chunk& chunk, double contention)
      : plan(plan), chunk(chunk), contention(contention) {}

  /// A collective inside the micro-batches. Returns the seconds of one.
  double add(ir::CollectiveKind kind, ir::CollectivePurpose purpose, std::uint64_t group,
             double bytes, Counts counts, Hiding hiding);
  /// A collective of the step, `count` times. One that is not overlapped shows whole.
  void addOnce(ir::CollectiveKind kind, ir::CollectivePurpose purpose, std::uint64_t group,
               double bytes, double count, bool overlapped);
  /// Messages of the pipeline; the schedule says what of them shows.
  void addMessage(std::uint64_t group, double bytes, double count, std::uint64_t level,
                  bool overlapped);
  /// Writes the exposed times to the chunk.
  void store(ir::ChunkCost& cost) const;

private:
  /// Bytes and counts; nothing of time.
  ir::Collective of(ir::CollectiveKind kind, ir::CollectivePurpose purpose, std::uint64_t group,
                    double bytes, double count) const;
  ir::Plan& plan;
  const ir::Chunk& chunk;
  double contention;
  double forward = 0, backward = 0, recompute = 0; ///< exposed seconds of a micro-batch
};

} // namespace dpl
