//===- VHalf.cpp - Two chunks a rank, half of the activations of 1F1B -------------------------===//
//
// Qi et al., arXiv 2405.15362, section 3.2: the offsets of the building block.
#include "cost/schedules/ControllableMemory.h"

using namespace dpl::cost;

namespace {
void generateAll(const PipelineShape& shape, llvm::ArrayRef<ChunkTime>, MakespanOf,
                 PerRankSchedules& out) {
  const auto p = static_cast<std::int64_t>(shape.ranks);
  const std::int64_t apart = p % 2 == 0 ? 3 : 0; // so that no two passes meet in a slot
  std::vector<BuildingBlock> blocks;
  for (std::int64_t i = 0; i < p; ++i)
    blocks.push_back({2 * i, 3 * p - i - 2, 3 * p + apart + 2 * i - 1, 6 * p + apart - i - 2});
  generateFromBlocks(blocks, shape.microBatches, out);
}
/// Half of the 6(p − 1) that 1F1B waits for passes of a chunk, less what the gaps of the
/// beginning and the end take in.
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
