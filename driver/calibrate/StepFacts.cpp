//===- StepFacts.cpp - What measured steps determine of a machine -----------------------------===//
#include "driver/calibrate/StepFacts.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

namespace {
template <double ir::Device::*Share> double shareOf(const ir::Plan& plan) {
  return plan.cluster.device().*Share;
}
template <double ir::Device::*Share> void setShare(ir::Plan& plan, double value) {
  for (ir::NodeType& type : plan.cluster.nodeTypes)
    type.device.*Share = value;
}

double launchOverhead(const ir::Plan& plan) {
  return static_cast<double>(plan.cluster.device().launch) * 1e-12;
}
void setLaunchOverhead(ir::Plan& plan, double seconds) {
  for (ir::NodeType& type : plan.cluster.nodeTypes)
    type.device.launch = static_cast<std::uint64_t>(std::llround(seconds * 1e12));
}

double inStep(const ir::Plan& plan) {
  return plan.cluster.nodes > 1 ? plan.cluster.network.inStep : 0;
}
void setInStep(ir::Plan& plan, double value) {
  plan.cluster.network.inStep = value;
  plan.cluster.levels = ir::linkLevels(plan.cluster);
}

double domainEfficiency(const ir::Plan& plan) {
  const ir::LinkType* const link = plan.cluster.network.find(ir::LinkKind::ScaleUp);
  return link ? link->efficiency : 0;
}
void setDomainEfficiency(ir::Plan& plan, double value) {
  for (ir::LinkType& link : plan.cluster.network.links)
    if (link.kind == ir::LinkKind::ScaleUp) {
      // Reductions in switches use the same links.
      link.inSwitch = std::min(1.0, link.inSwitch * value / link.efficiency);
      link.efficiency = value;
    }
  plan.cluster.levels = ir::linkLevels(plan.cluster);
}

using ir::Device;
const StepFactKind kinds[] = {
    {"node.gpu.sustained.matmul", "GEMM efficiency", false, 1, 0.12,
     shareOf<&Device::sustainedMatmul>, setShare<&Device::sustainedMatmul>,
     "clocks and power limits (nvidia-smi -q -d PERFORMANCE), and shapes that are not multiples of "
     "64"},
    {"node.gpu.sustained.low_precision", "GEMM efficiency of 8 and 4 bits", false, 1, 0.15,
     shareOf<&Device::sustainedLowPrecision>, setShare<&Device::sustainedLowPrecision>,
     "whether layers run in the stated precision, clocks and power limits"},
    {"node.gpu.sustained.attention", "attention efficiency", false, 1, 0.3,
     shareOf<&Device::sustainedAttention>, setShare<&Device::sustainedAttention>,
     "the attention kernel that runs: a fused one, and for this device?"},
    {"node.gpu.sustained.memory", "memory efficiency", false, 1, 0.15,
     shareOf<&Device::sustainedMemory>, setShare<&Device::sustainedMemory>,
     "fusion of norms, activations and optimizer, ECC errors, and memory clocks"},
    {"node.gpu.launch_overhead", "launch time of a kernel", true, 1e-3, 0.4, launchOverhead,
     setLaunchOverhead, "the host: its clock, CPU binding, data loading, and CUDA_LAUNCH_BLOCKING"},
    {"collectives.in_step_efficiency", "network share in a running step", false, 1, 0.3, inStep,
     setInStep,
     "stragglers, congestion, port errors, and `dplc calibrate` with a log of nccl-tests"},
    {"domain.efficiency", "scale-up link efficiency", false, 1, 0.12, domainEfficiency,
     setDomainEfficiency, "NVLink errors (nvidia-smi nvlink -e), and whether NVLink is used"},
};
} // namespace

llvm::ArrayRef<StepFactKind> score::stepFactKinds() { return kinds; }
