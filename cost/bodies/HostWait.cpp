//===- HostWait.cpp - What passes wait for the host's link ------------------------------------===//
#include "cost/bodies/HostWait.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

std::uint64_t dpl::cost::hostWait(const Plan& plan, const ChunkProgram& program, Turn turn) {
  const auto all = [](std::uint64_t) { return true; };
  const bool whole = bodyOf(plan, program, OperationKind::Backward).has_value();
  std::uint64_t wait = 0;
  for (const std::uint64_t index : program.bodies) {
    Body body = plan.bodies[index];
    if (body.blocks.empty() || (whole && body.kind == OperationKind::BackwardInput))
      continue;
    std::vector<Segment>& last = body.blocks.back().segments;
    if (last.back().part != ComputePart::Offload)
      continue;
    const std::uint64_t with = timeOf(body, turn, all).alone();
    last.pop_back();
    wait += with - timeOf(body, turn, all).alone();
  }
  return wait;
}

std::uint64_t dpl::cost::hostWait(const Plan& plan, std::uint64_t rank) {
  if (!plan.layout.offloads())
    return 0;
  const std::uint64_t runs = plan.microBatchesOfChunk();
  std::uint64_t wait = 0;
  for (const ChunkProgram& program : plan.programs)
    if (program.rank == rank)
      wait += runs == 1 ? hostWait(plan, program, {true, true})
                        : hostWait(plan, program, {true, false}) +
                              hostWait(plan, program, {false, true}) +
                              (runs - 2) * hostWait(plan, program);
  return wait;
}
