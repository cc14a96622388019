//===- VHalf.cpp - Two chunks per rank, half of the activations of 1F1B -----------------------===//
//
// Qi et al., arXiv 2405.15362, section 3.2 has the offsets of the building block.
#include "cost/schedules/ControllableMemory.h"

using namespace dpl::cost;

namespace {
void generateAll(const PipelineShape& shape, llvm::ArrayRef<ChunkTime>, MakespanOf,
                 PerRankSchedules& out) {
  const auto p = static_cast<std::int64_t>(shape.ranks);
  const std::int64_t apart = p % 2 == 0 ? 3 : 0; // avoids two actions in one slot
  std::vector<BuildingBlock> blocks;
  for (std::int64_t i = 0; i < p; ++i)
    blocks.push_back({2 * i, 3 * p - i - 2, 3 * p + apart + 2 * i - 1, 6 * p + apart - i - 2});
  generateFromBlocks(blocks, shape.microBatches, out);
}
/// Half of the bubble of 1F1B, which is 6(p − 1) actions of a chunk, less the part that the gaps at
/// both ends absorb.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  const std::uint64_t p = shape.ranks;
  if (p < 3 || shape.microBatches < 2 * p || !actionsEquallyLong(each))
    return std::nullopt;
  return rankWork(shape, each) + (3 * p - (p % 2 == 0 ? 7 : 4)) * each.forward;
}
} // namespace

const ScheduleInfo dpl::cost::VHalfSchedule{
    .summary = "two chunks a rank, the second in reverse, half of the activations of 1F1B",
    .backward = BackwardSplit::Split,
    .legal = needsPipeline,
    .generateAll = generateAll,
    .exchanges = prefetchedReceives,
    .equalStages = equalStages};
