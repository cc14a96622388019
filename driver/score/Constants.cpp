//===- Constants.cpp - Constants that were fitted to measured step times ----------------------===//
#include "driver/score/Constants.h"
#include "figures/ErrorModel.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr double millionths = 1e6;
constexpr std::size_t inStep = constantCount - 1; ///< the constant of networks

/// A field of a device, read and written as a number.
struct DeviceConstant {
  const char* name; ///< path below `cluster.node.gpu`
  double (*get)(const ir::Device& device);
  void (*set)(ir::Device& device, double value);
  bool (*isRead)(const ir::Plan& plan);
};

bool always(const ir::Plan&) { return true; }
bool hasLowPrecision(const ir::Plan& plan) {
  return ir::bitsOf(plan.layout.precision.compute) <= 8;
}
bool hasFp8(const ir::Plan& plan) {
  return plan.layout.precision.compute == ir::DataType::FP8 &&
         plan.cluster.device().sustainedFp8Gradients < 1;
}

const DeviceConstant deviceConstants[] = {
    {"launch_overhead", [](const ir::Device& d) { return static_cast<double>(d.launch) / 1e6; },
     [](ir::Device& d, double v) { d.launch = static_cast<std::uint64_t>(std::llround(v * 1e6)); },
     always},
    {"sustained.matmul", [](const ir::Device& d) { return d.sustainedMatmul; },
     [](ir::Device& d, double v) { d.sustainedMatmul = std::min(v, 1.0); }, always},
    {"sustained.low_precision", [](const ir::Device& d) { return d.sustainedLowPrecision; },
     [](ir::Device& d, double v) { d.sustainedLowPrecision = std::min(v, 1.0); }, hasLowPrecision},
    {"sustained.fp8_gradients", [](const ir::Device& d) { return d.sustainedFp8Gradients; },
     [](ir::Device& d, double v) { d.sustainedFp8Gradients = std::min(v, 1.0); }, hasFp8},
    {"sustained.attention", [](const ir::Device& d) { return d.sustainedAttention; },
     [](ir::Device& d, double v) { d.sustainedAttention = std::min(v, 1.0); }, always},
    {"sustained.memory", [](const ir::Device& d) { return d.sustainedMemory; },
     [](ir::Device& d, double v) { d.sustainedMemory = std::min(v, 1.0); }, always},
    {"sustained.efficiency_half_size",
     [](const ir::Device& d) { return static_cast<double>(d.efficiencyHalfSize); },
     [](ir::Device& d, double v) {
       d.efficiencyHalfSize = static_cast<std::uint64_t>(std::llround(v));
     },
     always},
    {"sustained.contention", [](const ir::Device& d) { return d.contention; },
     [](ir::Device& d, double v) { d.contention = std::min(v, 0.99); }, always},
    {"speed", [](const ir::Device& d) { return d.speed; },
     [](ir::Device& d, double v) { d.speed = v; },
     [](const ir::Plan& plan) { return plan.cluster.device().speed < 1; }},
};
static_assert(std::size(deviceConstants) == inStep);

/// Whether the row sets a field of the device, or the block around it.
bool isSet(const RowSettings& settings, llvm::StringRef field) {
  const std::string path = fmt::format("cluster.node.gpu.{}", field);
  for (llvm::StringRef of = path; of.count('.') > 2; of = of.rsplit('.').first)
    if (!settings[of].empty())
      return true;
  return false;
}

std::uint32_t inMillionths(double value) {
  return static_cast<std::uint32_t>(std::clamp(std::round(value * millionths), 0.0, 4e9));
}
} // namespace

const char* score::constantName(std::size_t constant) {
  return constant == inStep ? "in_step_efficiency" : deviceConstants[constant].name;
}

ConstantUse PlanConstants::use(std::size_t constant) const {
  return {constant, constant == inStep ? 0 : capability, values[constant]};
}

PlanConstants score::constantsOf(const ir::Plan& plan, const RowSettings& settings) {
  PlanConstants out;
  const ir::Device& device = plan.cluster.device();
  out.capability = static_cast<std::uint32_t>(std::lround(device.computeCapability * 10));
  if (!figures::assumes(plan, figures::ErrorSource::Device) && plan.cluster.nodeTypes.size() == 1)
    for (std::size_t i = 0; i < inStep; ++i)
      if (const DeviceConstant& c = deviceConstants[i]; c.isRead(plan) && !isSet(settings, c.name))
        out.values[i] = inMillionths(c.get(device));
  if (const double share = plan.cluster.network.inStep; plan.cluster.nodes > 1 && share < 1)
    out.values[inStep] = inMillionths(share);
  return out;
}

bool score::scaleConstants(ir::Plan& plan, const PlanConstants& constants,
                           const ConstantFactor& factor) {
  bool changed = false;
  for (std::size_t i = 0; i < constantCount; ++i) {
    if (constants.values[i] == 0)
      continue;
    const double by = factor(constants.use(i));
    if (std::abs(by - 1) < 1e-9)
      continue;
    changed = true;
    if (i < inStep) {
      for (ir::NodeType& type : plan.cluster.nodeTypes)
        deviceConstants[i].set(type.device, deviceConstants[i].get(type.device) * by);
      continue;
    }
    plan.cluster.network.inStep = std::min(1.0, plan.cluster.network.inStep * by);
    for (ir::LinkLevel& level : plan.cluster.levels)
      if (level.inStep < 1)
        level.inStep = plan.cluster.network.inStep;
  }
  return changed;
}
