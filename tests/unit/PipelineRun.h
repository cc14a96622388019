#pragma once
//===- PipelineRun.h - A row of Schedules.def, executed ---------------------------------------===//
#include "cost/execution/Executor.h"
#include "cost/execution/RankSchedules.h"
#include "ir/Names.h"
#include "tests/EachHolds.h"

namespace dpl::test {
using cost::ChunkTime;
using cost::PipelineShape;
using ir::ScheduleKind;

struct PipelineRun {
  PipelineShape shape;
  cost::PerRankSchedules lists;
  std::vector<llvm::ArrayRef<ir::ScheduledAction>> views;
  cost::Executor executor;
  cost::Execution result;
  PipelineRun(ScheduleKind kind, std::uint64_t p, std::uint64_t v, std::uint64_t m,
              const std::vector<ChunkTime>& times, bool overlapped = true)
      : shape{kind, p, v, m, p} {
    lists = perRankSchedules(shape, times);
    views.assign(lists.begin(), lists.end());
    result = executor.run(shape.placement(), m, views, times, overlapped);
  }
  std::uint64_t live(std::uint64_t rank) const {
    return cost::livePeak(lists[rank], eachHolds(shape.chunks, 1)).bytes;
  }
};
inline std::vector<ChunkTime> equal(std::uint64_t pieces, std::uint64_t f, std::uint64_t w,
                                    std::uint64_t c = 0) {
  return std::vector<ChunkTime>(pieces, ChunkTime{f, w, c, c, 0});
}
inline std::vector<ScheduleKind> rows() {
  std::vector<ScheduleKind> kinds;
  for (std::size_t i = 0; i < ir::scheduleCount; ++i)
    kinds.push_back(static_cast<ScheduleKind>(i));
  return kinds;
}
/// Shapes of a row that it takes.
template <class Visit> void forShapes(const Visit& visit) {
  for (const ScheduleKind kind : rows())
    for (const std::uint64_t p : {1, 2, 3, 4, 8})
      for (const std::uint64_t v : {1, 2, 3})
        for (const std::uint64_t m : {1, 2, 3, 4, 6, 8, 16, 24}) {
          if (const std::uint64_t fixed = ir::chunksOf(kind); fixed > 0 && v != fixed)
            continue;
          const PipelineShape shape{kind, p, v, m, p};
          if (cost::scheduleInfo(kind).legal(shape) == cost::ScheduleRule::Legal)
            visit(shape);
        }
}
inline std::string nameOf(const PipelineShape& s) {
  return std::string(ir::name(s.kind)) + " p " + std::to_string(s.ranks) + " v " +
         std::to_string(s.chunks) + " m " + std::to_string(s.microBatches);
}

} // namespace dpl::test
