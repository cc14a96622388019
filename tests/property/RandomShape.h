#pragma once
//===- RandomShape.h - Random shapes of pipelines, with what their passes take ----------------===//
#include "cost/schedules/Schedule.h"
#include "ir/Names.h"
#include "tests/property/RandomPlan.h"
#include <fmt/format.h>

namespace dpl::test {

/// A shape that its row takes, with what chunks take: of some shapes all the same and messages
/// nothing.
struct RandomShape {
  cost::PipelineShape shape;
  std::vector<cost::ChunkTime> times;
  bool equal = false;

  explicit RandomShape(std::uint64_t seed) {
    Random random(seed);
    shape.kind = static_cast<ir::ScheduleKind>(seed % ir::scheduleCount);
    if (shape.kind == ir::ScheduleKind::Listed) // as other rows' lists are
      shape.kind = ir::ScheduleKind::Interleaved;
    do {
      shape.ranks = 1 + random.below(10);
      const std::uint64_t fixed = ir::chunksOf(shape.kind);
      shape.chunks = fixed > 0 ? fixed : 1 + random.below(4);
      shape.microBatches = 1 + random.below(4 * shape.ranks + 4);
      if (random.oneIn(2)) // what rows with turns take
        shape.microBatches = shape.ranks * (1 + random.below(4));
      shape.inFlight = 1 + random.below(2 * shape.ranks);
      if (shape.kind == ir::ScheduleKind::Interleaved && random.oneIn(2))
        shape.microBatchGroup = shape.ranks + random.below(2 * shape.ranks);
    } while (cost::scheduleInfo(shape.kind).legal(shape) != cost::ScheduleRule::Legal);
    Random advance(seed ^ 0xadfa); // so that the rest is as without it
    shape.inAdvance = cost::scheduleInfo(shape.kind).flushed() && advance.oneIn(4);
    equal = random.oneIn(2);
    const bool alike = random.oneIn(2); // forward, input and weight passes
    const cost::ChunkTime one = piece(random, alike);
    for (std::uint64_t i = 0; i < shape.placement().stageReplicas(); ++i) {
      times.push_back(equal ? one : piece(random, alike));
      if (equal)
        times.back().sendForward = times.back().sendBackward = 0;
      if (shape.inAdvance)
        times.back().recompute = equal && i > 0 ? times.front().recompute : advance.below(900);
    }
  }
  std::string name() const {
    return fmt::format("{} p {} v {} m {}{}", ir::name(shape.kind), shape.ranks, shape.chunks,
                       shape.microBatches, shape.inAdvance ? ", in advance" : "");
  }

private:
  static cost::ChunkTime piece(Random& random, bool alike) {
    cost::ChunkTime t;
    t.forward = 100 + random.below(900);
    t.weight = alike ? t.forward : 100 + random.below(900);
    t.backward = t.weight + (alike ? t.forward : 100 + random.below(900));
    t.unsplitBackward = t.backward;
    t.sendForward = random.below(200), t.sendBackward = random.below(200);
    return t;
  }
};

} // namespace dpl::test
