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

/// Counts or seconds of the passes of one micro-batch.
struct PerPass {
  double forward = 0, backward = 0, recompute = 0;
};

/// Computation that one collective runs beside, in seconds; `least` is the share of the collective
/// that shows even so. What hides behind kernels of its own also hides behind the time in which the
/// device waits for the host, of which there is one pool for all collectives of a layer.
struct Hiding {
  PerPass beside;
  double least = 1;
  bool idle = false;
};

class CollectiveBuilder {
public:
  CollectiveBuilder(ir::Plan& plan, const ir::Chunk& chunk, double contention)
      : plan(plan), chunk(chunk), contention(contention) {}

  /// Begins layers in whose passes the device waits so long for the host.
  void enter(const PerPass& idleSeconds) { idle = idleSeconds; }
  /// A collective inside the micro-batches, so often in each. Returns the seconds of one.
  double add(ir::CollectiveKind kind, ir::CollectivePurpose purpose, std::uint64_t group,
             double bytes, const PerPass& counts, const Hiding& hiding);
  /// Seconds that show so far, of a micro-batch.
  const PerPass& shown() const { return exposed; }
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
  PerPass exposed, idle;
};

} // namespace dpl
