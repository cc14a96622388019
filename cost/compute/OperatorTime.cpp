//===- OperatorTime.cpp - Roofline time of an operator and of a layer -------------------------===//
#include "cost/compute/OperatorTime.h"
#include "cost/compute/PolicyOperators.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <optional>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

double dpl::cost::gemmEfficiency(double rows, double columns, double depth, double saturation) {
  double factor = 1;
  for (double d : {rows, columns, depth})
    if (d > 0)
      factor *= d / (d + saturation);
  return factor;
}

double dpl::cost::sustainedRate(const OperatorCost& op, const Device& device) {
  const bool matmul = op.kind == OperatorCost::OperatorKind::Matmul;
  if (!matmul && op.kind != OperatorCost::OperatorKind::Attention)
    return 0;
  const double peak = static_cast<double>(device.peakOf(op.type)) * device.speed;
  const double saturation = static_cast<double>(device.efficiencyHalfSize);
  // A fused kernel walks the sequence in tiles; only that dimension can be short.
  if (!matmul)
    return peak * device.sustainedAttention * gemmEfficiency(op.m, 0, 0, 2 * saturation);
  return peak * (bitsOf(op.type) <= 8 ? device.sustainedLowPrecision : device.sustainedMatmul) *
         gemmEfficiency(op.m, op.n, op.k, saturation);
}

namespace {
bool hasWork(const Work& work) { return work.bytes > 0 || work.flop > 0 || work.seconds > 0; }

/// Bytes per second.
double bandwidthOf(const Device& device) {
  return static_cast<double>(device.memoryBandwidth) / 8 * device.sustainedMemory * device.speed;
}

/// Seconds at the operator's sustained rate and the device's bandwidth.
double timeOn(const OperatorCost& op, const Work& work, double executed, const Device& device,
              double rate, double bandwidth) {
  if (op.kind == OperatorCost::OperatorKind::Stated)
    return work.seconds / device.speed;
  const double compute = rate > 0 ? work.flop * executed / rate : 0;
  const double memory = bandwidth > 0 ? work.bytes / bandwidth : 0;
  return std::max(compute, memory);
}
} // namespace

double dpl::cost::operatorTime(const OperatorCost& op, const Work& work, double executed,
                               llvm::ArrayRef<Device> devices) {
  double slowest = 0;
  if (hasWork(work))
    for (const Device& device : devices)
      slowest = std::max(slowest, timeOn(op, work, executed, device, sustainedRate(op, device),
                                         bandwidthOf(device)));
  return slowest;
}

const Work& dpl::cost::workOf(const OperatorCost& op, GradientDirection direction) {
  return direction == GradientDirection::Forward         ? op.forward
         : direction == GradientDirection::BackwardInput ? op.backwardInput
                                                         : op.backwardWeight;
}

/// Transformer Engine (_2X_ACC_DGRAD and _2X_ACC_WGRAD of 1.7, fp8_gemm_dgrad and fp8_gemm_wgrad of
/// recipes of 2.8), torchao and XLA (issue 6168) accumulate fp8 gradients in registers every few
/// steps, because Hopper's tensor cores keep about 14 bits of a sum (arXiv 2412.19437, section
/// 3.5.2). GEMMs with scales for blocks do so in all directions, because each block has a factor of
/// its own (section 3.3.2). Other devices have no such mode.
double dpl::cost::executedOf(const OperatorCost& op, GradientDirection direction,
                             const Device& device) {
  const double masked =
      direction == GradientDirection::BackwardInput ? op.executedBackward : op.executed;
  const bool split = (direction != GradientDirection::Forward || op.blockScaled) &&
                     op.kind == OperatorCost::OperatorKind::Matmul && op.type == DataType::FP8 &&
                     device.computesIn(DataType::FP8) == DataType::FP8;
  return split ? masked / device.sustainedFp8Gradients : masked;
}

namespace {
/// Seconds of the host for one launch on the slowest of the devices.
double launchOf(llvm::ArrayRef<Device> devices) {
  std::uint64_t longest = 0;
  for (const Device& device : devices)
    longest = std::max(longest, device.launch);
  return toSeconds(longest);
}

/// Seconds of the kernels of each direction on the slowest device.
struct KernelTimes {
  double forward = 0, input = 0, weight = 0;
};
/// `bandwidths`: bytes per second of each device.
KernelTimes kernelsOf(const OperatorCost& op, llvm::ArrayRef<Device> devices,
                      llvm::ArrayRef<double> bandwidths) {
  KernelTimes slowest;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& device = devices[i];
    const double rate = sustainedRate(op, device);
    const auto add = [&](double& time, GradientDirection direction, const Work& work) {
      if (hasWork(work))
        time = std::max(
            time, timeOn(op, work, executedOf(op, direction, device), device, rate, bandwidths[i]));
    };
    add(slowest.forward, GradientDirection::Forward, op.forward);
    add(slowest.input, GradientDirection::BackwardInput, op.backwardInput);
    add(slowest.weight, GradientDirection::BackwardWeight, op.backwardWeight);
  }
  return slowest;
}

/// Host time of the launches of a direction; one launch takes `launch`.
double launchTime(const OperatorCost& op, const Work& work, double launch) {
  const bool none =
      (work.bytes <= 0 && work.flop <= 0) || op.kind == OperatorCost::OperatorKind::Stated;
  return none ? 0 : launch * op.kernels;
}
} // namespace

double dpl::cost::operatorTime(const OperatorCost& op, GradientDirection direction,
                               llvm::ArrayRef<Device> devices) {
  const Work& work = workOf(op, direction);
  double slowest = 0;
  for (const Device& device : devices)
    slowest = std::max(slowest, operatorTime(op, work, executedOf(op, direction, device), device));
  return slowest;
}

double dpl::cost::launchTime(const OperatorCost& op, const Work& work,
                             llvm::ArrayRef<Device> devices) {
  return ::launchTime(op, work, launchOf(devices));
}

OperatorSum OperatorSum::split() const {
  OperatorSum r = *this;
  r.backwardInput = paced(inputKernels, inputHost);
  r.backwardWeight = paced(weightKernels, weightHost);
  r.idleBackward = r.backwardInput - inputKernels;
  r.idleWeight = r.backwardWeight - weightKernels;
  const auto as = [](double part, double was, double is) { return was > 0 ? part * is / was : 0; };
  r.expertsInput = as(expertsInput, backwardInput, r.backwardInput);
  r.expertsWeight = as(expertsWeight, backwardWeight, r.backwardWeight);
  return r;
}

namespace {
bool isSaved(const OperatorCost& op, const Recompute& r) {
  const std::optional<SavedOperator> output = outputOf(op);
  return output && r.saves(*output);
}

unsigned bitOf(ModuleKind m) { return 1U << static_cast<unsigned>(m); }

/// Bits of the modules that selective recomputation names, and of smaller modules inside them.
unsigned recomputedModules(const Recompute& r) {
  if (r.kind != RecomputeKind::Selective)
    return 0;
  unsigned again = 0;
  for (const ModuleKind m : r.modules)
    again |= bitOf(m);
  if ((again & bitOf(ModuleKind::Attention)) != 0)
    again |= bitOf(ModuleKind::CoreAttention) | bitOf(ModuleKind::MlaUp);
  if ((again & bitOf(ModuleKind::Moe)) != 0)
    again |= bitOf(ModuleKind::SharedExperts);
  return again;
}

/// The share of an operator that is recomputed if `modules` has the bits of recomputed modules.
double shareOf(const OperatorCost& op, const Recompute& recompute, bool all, unsigned modules) {
  if (!op.recomputable)
    return 0;
  if (all)
    return 1;
  if (recompute.kind == RecomputeKind::Saved)
    return isSaved(op, recompute) ? 0 : 1;
  // An activation is also recomputed with the module around it.
  if ((modules & bitOf(op.module)) != 0 ||
      (op.module == ModuleKind::Activation && (modules & bitOf(op.enclosing)) != 0))
    return 1;
  if ((modules & bitOf(ModuleKind::AlternateProducts)) == 0)
    return 0;
  // The policy's list of saved operators has GEMMs, attention and collectives; every other operator
  // is recomputed.
  return op.kind == OperatorCost::OperatorKind::Streaming && !isCast(op) ? 1 : op.alternate;
}
} // namespace

double dpl::cost::recomputedShare(const OperatorCost& op, const Recompute& recompute, bool all) {
  return shareOf(op, recompute, all, recomputedModules(recompute));
}

namespace {
/// Bytes that an operator saves. `again` is the share of the operator that is recomputed.
double savedOf(const OperatorCost& op, const Recompute& recompute, bool all, double again) {
  if (!all && recompute.kind == RecomputeKind::Saved)
    return isSaved(op, recompute) ? op.saved + op.internal + op.unsavedOutput : 0;
  // Of operators around a token exchange only the received tensor is saved.
  if (!all && op.exchanged && recompute.has(ModuleKind::AlternateProducts))
    return op.saved + op.unsavedOutput;
  if (again < 1)
    return op.saved * (1 - again) + op.internal;
  // The output of core attention is the input of the projection, which saves it unless all of
  // attention is recomputed.
  const bool keepsOutput =
      !all && op.module == ModuleKind::CoreAttention && !recompute.has(ModuleKind::Attention);
  return keepsOutput ? op.saved : 0;
}
} // namespace

double dpl::cost::savedBy(const OperatorCost& op, const Recompute& recompute, bool all) {
  return savedOf(op, recompute, all, recomputedShare(op, recompute, all));
}

bool dpl::cost::isOffloaded(const OperatorCost& op, const Recompute& recompute) {
  if (recompute.offloaded.empty())
    return false;
  const std::optional<SavedOperator> output = outputOf(op);
  return output && recompute.offloads(*output);
}

OperatorSum dpl::cost::sumOf(const std::vector<OperatorCost>& operators,
                             llvm::ArrayRef<Device> devices, const Recompute& recompute, bool all) {
  OperatorSum sum;
  sum.blocking = llvm::any_of(devices, [](const Device& d) { return d.launchBlocks; });
  double expertsHost = 0, expertsInputHost = 0, expertsWeightHost = 0, expertsAgainHost = 0;
  const double launch = launchOf(devices);
  const unsigned modules = recomputedModules(recompute);
  llvm::SmallVector<double, 4> bandwidths;
  for (const Device& device : devices)
    bandwidths.push_back(bandwidthOf(device));
  for (const OperatorCost& op : operators) {
    const KernelTimes kernels = kernelsOf(op, devices, bandwidths);
    const double host = ::launchTime(op, op.forward, launch),
                 inputHost = ::launchTime(op, op.backwardInput, launch),
                 weightHost = ::launchTime(op, op.backwardWeight, launch);
    sum.forward += kernels.forward, sum.forwardHost += host;
    sum.inputKernels += kernels.input, sum.inputHost += inputHost;
    sum.weightKernels += kernels.weight, sum.weightHost += weightHost;
    sum.forwardFlop += op.forward.flop;
    sum.backwardFlop += op.backwardInput.flop + op.backwardWeight.flop;
    sum.forwardBytes += op.forward.bytes;
    sum.backwardBytes += op.backwardInput.bytes + op.backwardWeight.bytes;
    if (op.module == ModuleKind::CoreAttention)
      sum.attention += kernels.forward, sum.attentionBackward += kernels.input;
    const double again = shareOf(op, recompute, all, modules);
    const double kept = savedOf(op, recompute, all, again);
    if (op.experts) {
      sum.experts += kernels.forward, sum.expertsInput += kernels.input;
      sum.expertsWeight += kernels.weight, sum.expertsRecompute += again * kernels.forward;
      expertsHost += host;
      expertsInputHost += inputHost, expertsWeightHost += weightHost;
      expertsAgainHost += again * host;
    }
    sum.saved += kept;
    sum.offloaded += !all && isOffloaded(op, recompute) ? kept : 0;
    if (again > 0) {
      sum.recompute += again * kernels.forward;
      sum.recomputeHost += again * host;
      sum.recomputeFlop += again * op.forward.flop;
      sum.restored += std::max(0.0, op.saved + op.internal - kept);
    }
  }
  const double onDevice = sum.inputKernels + sum.weightKernels;
  const double backward = sum.paced(onDevice, sum.inputHost + sum.weightHost);
  const double waits = onDevice > 0 ? backward / onDevice : 1;
  const double kernels = sum.forward, again = sum.recompute;
  sum.forward = sum.paced(kernels, sum.forwardHost);
  sum.recompute = sum.paced(again, sum.recomputeHost);
  sum.idleForward = sum.forward - kernels;
  sum.idleBackward = backward - onDevice;
  sum.idleRecompute = sum.recompute - again;
  sum.backwardInput = sum.inputKernels * waits;
  sum.backwardWeight = sum.weightKernels * waits;
  // If an action is launch-bound, so is each part of it.
  const auto pace = [&](double& part, double partHost, bool hostBound) {
    part = sum.blocking ? part + partHost : hostBound ? partHost : part;
  };
  pace(sum.experts, expertsHost, sum.forwardHost > kernels);
  pace(sum.expertsRecompute, expertsAgainHost, sum.recomputeHost > again);
  pace(sum.expertsInput, expertsInputHost, backward > onDevice);
  pace(sum.expertsWeight, expertsWeightHost, backward > onDevice);
  return sum;
}

double dpl::cost::residualBytes(const Model& m, const Division& d) {
  if (m.isLayerList())
    return 0;
  return activationBytes(d.compute) * d.tokens * static_cast<double>(m.hidden) / d.residualSplit();
}

unsigned dpl::cost::residualPoints(const Model& m, const LayerType& c, const Recompute& recompute) {
  const unsigned points = (c.mixes() ? 1U : 0U) + (c.hasFeedForward() ? 1U : 0U);
  const bool inputAlone =
      recompute.has(ModuleKind::AlternateProducts) || recompute.kind == RecomputeKind::Saved;
  return m.hasParallelBlocks(c) || inputAlone ? std::min(points, 1U) : points;
}

void dpl::cost::setLaunchMode(Device& device, const Layout& layout) {
  device.launchBlocks = layout.launchBlocking;
}

std::vector<Device> dpl::cost::pacingDevices(const Plan& plan, const RankNodeTypes& rankNodeTypes) {
  std::vector<Device> devices;
  for (const std::uint64_t c : rankNodeTypes.nodeTypes) {
    devices.push_back(plan.cluster.nodeTypes[c].device);
    setLaunchMode(devices.back(), plan.layout);
  }
  return devices;
}

HostLink dpl::cost::hostLinkOf(const Plan& plan, std::uint64_t rank) {
  HostLink slowest{~std::uint64_t{0}, ~std::uint64_t{0}};
  for (const std::uint64_t c :
       plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(rank)].nodeTypes) {
    const HostLink& link = plan.cluster.nodeTypes[c].device.hostLink.front();
    slowest.bandwidth = std::min(slowest.bandwidth, link.bandwidth);
    slowest.memory = std::min(slowest.memory, link.memory);
  }
  return slowest;
}

double dpl::cost::contentionOf(llvm::ArrayRef<Device> devices) {
  const auto slowest = [&](auto rateOf) {
    double least = rateOf(devices.front());
    for (const Device& device : devices.drop_front())
      least = std::min(least, rateOf(device));
    return least;
  };
  if (devices.size() == 1) // most lists have one device, and no rates to compare
    return devices.front().contention;
  double most = 0;
  for (const Device& device : devices) {
    // This device needs at most this share of the time of the slowest device, for any work.
    double share = 0;
    const auto work = [&](auto rateOf) {
      share = std::max(share, slowest(rateOf) / rateOf(device));
    };
    work([](const Device& d) { return real(d.memoryBandwidth) * d.sustainedMemory * d.speed; });
    for (const auto& one : device.peak) {
      const DataType type = one.first;
      if (llvm::all_of(devices, [&](const Device& d) { return d.peak.count(type) != 0; }))
        work([&](const Device& d) { return real(d.peak.at(type)) * d.sustainedMatmul * d.speed; });
    }
    most = std::max(most, device.contention - (1 - device.contention) * (1 - share) / share);
  }
  return most;
}
