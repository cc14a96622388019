//===- PlanCandidate.cpp - The degrees of a plan ----------------------------------------------===//
#include "cost/legality/PlanCandidate.h"

using namespace dpl;
using namespace dpl::cost;
using ir::Axis;

LayoutCandidate cost::candidateOf(const ir::Plan& plan) {
  const auto size = [&](Axis axis) { return static_cast<std::uint32_t>(plan.mesh.size(axis)); };
  LayoutCandidate candidate;
  candidate.replica = size(Axis::Replica), candidate.pipeline = size(Axis::Pipeline);
  candidate.data = size(Axis::Data), candidate.context = size(Axis::Context);
  candidate.tensor = size(Axis::Tensor), candidate.expert = size(Axis::Expert);
  candidate.expertTensor = size(Axis::ExpertTensor);
  candidate.microBatch = plan.layout.microBatch;
  candidate.sequenceParallel = plan.layout.shard.sequence == ir::ShardAxis::Tensor;
  return candidate;
}
