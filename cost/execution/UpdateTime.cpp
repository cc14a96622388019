//===- UpdateTime.cpp - The time of the optimizer step on one device --------------------------===//
#include "cost/compute/GatheredParameters.h"
#include "cost/compute/OperatorTime.h"
#include "cost/compute/OptimizerRow.h"
#include "cost/execution/Step.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Bytes of device memory that the update of one parameter accesses: the gradient is read and
/// cleared, master weights and moments are read and written, and the new parameter is written.
double updateBytes(const Layout& l, const UpdatedState& of) {
  const Precision& p = l.precision;
  const double state = masterBits(l) + of.moments / of.parameters * momentBits(l);
  return (2 * real(bitsOf(p.gradients)) + 2 * state + real(bitsOf(p.parameters))) / 8;
}

/// Seconds in which the host updates `parameters` parameters of each device, with `ofParameter`
/// bytes of traffic for each. Gradients cross the
/// host link unless actions have offloaded them, host memory does its part of the update, and new
/// parameters go back to the device if they are stored there.
double hostUpdate(const Plan& plan, double parameters, double ofParameter,
                  llvm::ArrayRef<Device> devices) {
  const Layout& l = plan.layout;
  const Precision& p = l.precision;
  const Offload offload = l.offloadSettings();
  const double cross = (offload.gradients && !sumsWhole(plan) ? 0 : real(bitsOf(p.gradients))) +
                       (offload.parameters ? 0 : real(bitsOf(p.parameters)));
  double slowest = 0;
  for (const Device& device : devices) {
    const HostLink& host = device.hostLink.front();
    slowest = std::max(
        slowest, parameters * (cross / real(host.bandwidth) + ofParameter * 8 / real(host.memory)));
  }
  return slowest;
}
} // namespace

/// With a sharded optimizer state a rank orthogonalizes its share of the matrices. With sharded
/// gradients it has a part of every matrix, gathers all of them, and orthogonalizes each.
UpdatedState dpl::cost::updatedState(const Plan& plan, const ChunkCost& c) {
  const unsigned stage = plan.layout.shard.stage();
  if (stage == 0) {
    const UsedParameters all = allParameters(plan.layout, c);
    return {all.trained, all.moments, all.orthogonalizationFlop};
  }
  UpdatedState updated;
  const double ways[] = {real(plan.stateRanks()), real(plan.expertStateRanks())};
  for (unsigned part = 0; part < 2; ++part) {
    const UsedParameters of = usedParameters(plan.layout, c, part);
    updated += {of.trained / ways[part], of.moments / ways[part],
                of.orthogonalizationFlop / (stage == 1 ? ways[part] : 1)};
  }
  return updated;
}

namespace {
/// Seconds of the Newton-Schulz iterations, in bf16 at the efficiency of a GEMM of the model's
/// width.
double orthogonalizationTime(const Plan& plan, double flop, llvm::ArrayRef<Device> devices) {
  OperatorCost op;
  op.kind = OperatorCost::OperatorKind::Matmul;
  op.m = op.n = op.k = real(plan.model.hidden);
  return flop > 0 ? operatorTime(op, {flop, 0}, 1, devices) : 0;
}
} // namespace

std::uint64_t dpl::cost::updateTime(const Plan& plan, const UpdatedState& updated,
                                    llvm::ArrayRef<Device> devices) {
  if (plan.layout.setsUpdateTime)
    return plan.layout.update;
  if (updated.parameters <= 0)
    return 0;
  OperatorCost update;
  update.kernels = 1;
  const double there = plan.layout.offloadSettings().optimizer;
  const double parameters = updated.parameters, each = updateBytes(plan.layout, updated);
  const double here = operatorTime(update, {0, (1 - there) * parameters * each}, 1, devices) +
                      orthogonalizationTime(plan, updated.orthogonalizationFlop, devices);
  return toPicoseconds(
      there > 0 ? std::max(here, hostUpdate(plan, there * parameters, each, devices)) : here);
}
