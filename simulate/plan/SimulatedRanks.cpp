//===- SimulatedRanks.cpp - The clocks and waiting times of simulated ranks -------------------===//
#include "simulate/plan/SimulatedRanks.h"

using namespace dpl::simulation;

void SimulatedRanks::begin(llvm::ArrayRef<std::uint64_t> loaded) {
  all.assign(count, {});
  spent.assign(count, {});
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    if (!loaded.empty())
      waitUntil(rank, loaded[rank], {rank, 0}, WaitFor::Samples, &SimulatedRankTimes::loading);
    ready.push_back(rank);
  }
}

bool StepBarrier::cross(std::uint32_t rank) {
  if (arrived == count)
    return true;
  const std::uint64_t clock = ranks.clock(rank);
  if (arrived == 0 || clock > time || (clock == time && rank < last))
    time = clock, last = rank;
  ranks.suspend(rank, WakeReason::Barrier);
  if (++arrived < count)
    return false;
  for (std::uint32_t each = 0; each < count; ++each) {
    ranks.waitUntil(each, time, {last, time}, WaitFor::Barrier, &SimulatedRankTimes::barrier);
    ranks.wake(each, WakeReason::Barrier);
  }
  return false;
}
