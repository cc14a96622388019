//===- TargetDevicesTest.cpp - Every target against every kind of device ----------------------===//
#include "backends/DeviceKind.h"
#include "backends/Target.h"
#include "tests/unit/CompiledPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
ir::Plan planOn(const std::string& device, const std::string& domain) {
  return test::completedPlan(
      "plan.dpl",
      fmt::format("import std.models\nimport std.devices\n"
                  "device {0} {{ memory = 96GiB, memory_bandwidth = 1200GB/s\n"
                  "  peak[bf16] = 275TFLOPS, peak[fp32] = 68TFLOPS\n"
                  "  sustained {{ matmul = 0.8, attention = 0.4, memory = 0.8 }} }}\n"
                  "cluster pod {{ nodes = 4, node {{ gpus = 4, gpu = {0} }}\n"
                  "  domain {{ {1}bandwidth = 300GB/s per gpu, latency = 1us }}\n"
                  "  nic {{ bandwidth = 100Gbps per nic }}\n  collectives = closed_form }}\n"
                  "layout plan for models.gpt2_small on pod {{ mesh {{ data = rest }}, batch = "
                  "64seq }}\n",
                  device, domain));
}
/// The targets that refuse a plan because of its devices.
std::vector<std::string> refusingDevices(const ir::Plan& plan) {
  std::vector<std::string> out;
  for (const Target* target : allTargets()) {
    DiagnosticEngine diags;
    (void)check({*target, plan, target->newest(), {}}, diags);
    if (llvm::any_of(diags.diagnostics(), [](const Diagnostic& d) {
          return llvm::StringRef(d.message).contains("runs on GPUs");
        }))
      out.emplace_back(target->name);
  }
  return out;
}
using Names = std::vector<std::string>;
} // namespace

TEST(TargetDevices, AreGpusForFrameworks_AndOfNvidiaForItsLibrary) {
  EXPECT_EQ(refusingDevices(planOn("h100_sxm_of_ours", "")), Names{});
  EXPECT_EQ(refusingDevices(planOn("mi355x", "")), (Names{"nccl", "nccl-tuner"}));
  const Names all = {"megatron",   "deepspeed", "accelerate", "nccl",
                     "torchtitan", "pytorch",   "nccl-tuner"};
  EXPECT_EQ(refusingDevices(planOn("tpu_v5p", "")), all);
  EXPECT_EQ(refusingDevices(planOn("trn2", "")), all);
  EXPECT_EQ(refusingDevices(planOn("chip", "nodes = 4, torus = [4, 4], ")), all)
      << "no GPUs are joined by a torus";
}

TEST(TargetDevices, AreKnownByTheirNames) {
  const ir::Cluster cluster;
  const auto kind = [&](const char* name) {
    ir::Device device;
    device.name = name;
    return kindOf(cluster, device);
  };
  for (const char* name : {"mi300x", "MI355X", "amd_mi250", "instinct_mi325x"})
    EXPECT_EQ(kind(name), DeviceKind::AmdGpu) << name;
  for (const char* name : {"tpu_v4", "TPU_v5e", "ironwood", "trillium"})
    EXPECT_EQ(kind(name), DeviceKind::Tpu) << name;
  for (const char* name : {"trainium2", "trn1"})
    EXPECT_EQ(kind(name), DeviceKind::Trainium) << name;
  for (const char* name : {"h100_sxm", "mine", "middle", "gpu", "a100_40"})
    EXPECT_EQ(kind(name), DeviceKind::Unknown) << name;
}
