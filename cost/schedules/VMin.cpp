//===- VMin.cpp - Two chunks per rank, about a third of the activations of 1F1B ---------------===//
//
// Qi et al., arXiv 2405.15362, section 3.2 has the offsets of the building block.
#include "cost/schedules/ControllableMemory.h"

using namespace dpl::cost;

namespace {
void generateAll(const PipelineShape& shape, llvm::ArrayRef<ChunkTime>, MakespanOf,
                 PerRankSchedules& out) {
  const auto p = static_cast<std::int64_t>(shape.ranks);
  const std::int64_t apart = p % 3 == 0 ? 2 : 0; // avoids two actions in one slot
  std::vector<BuildingBlock> blocks;
  for (std::int64_t i = 0; i < p; ++i)
    blocks.push_back({i, 2 * p - i - 1, 2 * p + apart + i, 4 * p + apart - i - 1});
  generateFromBlocks(blocks, shape.microBatches, out);
}
/// Two thirds of the bubble of 1F1B, which is 6(p − 1) actions of a chunk, less the part that the
/// gaps at both ends absorb.
std::optional<std::uint64_t> equalStages(const PipelineShape& shape, const ChunkTime& each) {
  const std::uint64_t p = shape.ranks;
  if (shape.microBatches < 2 * p || !actionsEquallyLong(each))
    return std::nullopt;
  return rankWork(shape, each) + (4 * p - (p % 3 == 0 ? 7 : 5)) * each.forward;
}
} // namespace

const ScheduleInfo dpl::cost::VMinSchedule{
    .summary = "two chunks a rank, the second in reverse, near a third of the activations of "
               "1F1B over many ranks",
    .backward = BackwardSplit::Split,
    .legal = needsPipeline,
    .generateAll = generateAll,
    .exchanges = prefetchedReceives,
    .equalStages = equalStages};
