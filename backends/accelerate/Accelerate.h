#pragma once
//===- Accelerate.h - Configuration and launch files for Accelerate ---------------------------===//
#include "backends/Target.h"
#include "backends/deepspeed/DeepspeedLayout.h"
#include "support/Json.h"

namespace dpl::accelerate {

/// The plug-in with which Accelerate runs the training.
enum class PlugIn : std::uint8_t {
  None,         ///< no plug-in, for one process
  DataParallel, ///< DistributedDataParallel of PyTorch
  FullySharded, ///< FSDP2 of PyTorch, with tensor and context parallelism
  DeepSpeed,    ///< DeepSpeed, with the ds_config.json that the target `deepspeed` writes
  Megatron,     ///< Megatron-LM
  Missing       ///< no plug-in supports the plan
};
const char* nameOf(PlugIn plugIn);

/// A plan in Accelerate's terms. Degrees are counted as in DeepSpeed.
struct AccelerateLayout : deepspeed::DeepspeedLayout {
  explicit AccelerateLayout(const ir::Plan& plan);
  PlugIn plugIn = PlugIn::Missing;
  /// Whether Accelerate builds its own mesh of replicas, shards, context and tensor ranks.
  bool hasMesh() const;
};

/// The request by which the target `deepspeed` checks and writes a plan.
TargetRequest deepspeedRequest(const TargetRequest& request);
/// The request by which the target `megatron` checks the model of a plan.
TargetRequest megatronRequest(const ir::Plan& plan);
/// The model as attributes for `MegatronLMPlugin(other_megatron_args=…)`.
Json otherMegatronArguments(const ir::Plan& plan);
/// The number formats that a plug-in supports, for each field of `precision`. The first is its
/// default. The target `deepspeed` checks those of DeepSpeed.
struct Formats {
  std::vector<ir::DataType> parameters, gradients, reduce;
};
Formats formatsOf(const AccelerateLayout& layout);
/// Number of layers of the last stage if only that stage differs; 0 if all stages are equal; none
/// for other splits.
std::optional<std::uint64_t> lastStageOf(const AccelerateLayout& layout);

/// Whether the target runs the schedule of a layout.
bool runsSchedule(const ir::Layout& layout);
void check(const TargetRequest& request, Findings& findings);
/// Writes `accelerate.yaml`, `launch.sh` and `plan.json`, and `ds_config.json` for DeepSpeed.
std::vector<EmittedFile> render(const TargetRequest& request);

/// The text of accelerate.yaml.
std::string yamlFile(const TargetRequest& request, const AccelerateLayout& layout);
/// The differences between the plan's defaults and what Accelerate does, one sentence each.
std::vector<std::string> differencesOf(const AccelerateLayout& layout);
/// The parts of the plan that the training script must implement, one sentence each.
std::vector<std::string> dutiesOf(const AccelerateLayout& layout);

} // namespace dpl::accelerate
