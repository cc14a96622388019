//===- Compressed.cpp - Gradient reductions with and without compression ----------------------===//
#include "cost/step/Compressed.h"
#include "cost/network/RankLinks.h"
#include "cost/programs/Compression.h"
#include "cost/programs/StateCollectives.h"
#include "ir/Arithmetic.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Sums the reductions of a chunk.
class ReductionSums final : public CollectiveBuilder {
public:
  ReductionSums(const Plan& plan, std::uint64_t rank) : plan(plan), rank(rank) {}

  TimedCollective inAction(CollectiveKind kind, CollectivePurpose purpose, GroupId group,
                           double bytes) override {
    return {{}, timeOf(kind, purpose, group, bytes)};
  }
  void atStepEnd(CollectiveKind kind, CollectivePurpose purpose, GroupId group, double bytes,
                 double count) override {
    if (purpose == CollectivePurpose::GradientReduce)
      seconds += toSeconds(timeOf(kind, purpose, group, bytes)) * count;
  }
  void add(const StateCollectives& state) {
    for (const auto& [reductions, times] :
         {std::pair(&state.reduce, state.full), std::pair(&state.last, std::uint64_t{1})})
      for (const auto& at : {reductions->shares, reductions->replicas})
        if (at)
          seconds +=
              toSeconds(at->time()) * real(times) *
              (at->selection == MicroBatchSelection::Every ? real(plan.microBatchesOfChunk()) : 1);
  }
  double seconds = 0;

private:
  std::uint64_t timeOf(CollectiveKind kind, CollectivePurpose purpose, GroupId group,
                       double bytes) const {
    const Group& g = plan.groups[group];
    const LinkLevels links = levelsFor(plan, purpose, g, rank);
    return toPicoseconds(collectiveCost(kind, bytes, shapeOf(g), links).seconds);
  }
  const Plan& plan;
  std::uint64_t rank;
};

double secondsOf(const Plan& plan, ChunkId chunk) {
  const Chunk& of = plan.chunks[chunk];
  ReductionSums reductions(plan, of.rank);
  for (const StateCollectives& state :
       stateCollectives(plan, of, plan.costs[chunk], stateGroups(plan), reductions))
    reductions.add(state);
  return reductions.seconds;
}
} // namespace

cost::CompressedSums cost::compressedSums(const Plan& plan, std::uint64_t rank) {
  Plan whole = plan;
  whole.layout.compression.clear();
  CompressedSums sums;
  for (std::size_t i = 0; i < plan.chunks.size(); ++i)
    if (plan.chunks[i].rank == rank) {
      sums.whole += secondsOf(whole, ChunkId(i)), sums.compressed += secondsOf(plan, ChunkId(i));
      const Payload payload = payloadOf(plan, plan.chunks[i], plan.costs[i]);
      sums.wholeBytes += payload.whole, sums.sentBytes += payload.sent;
    }
  return sums;
}
