#pragma once
//===- Accelerate.h - Configuration and launch files for Accelerate ---------------------------===//
#include "backends/Target.h"
#include "backends/deepspeed/DeepspeedLayout.h"
#include "support/Json.h"

namespace dpl::accelerate {

/// The plug-in that Accelerate runs the training with.
enum class PlugIn : std::uint8_t {
  None,         ///< none needed: one process
  DataParallel, ///< DistributedDataParallel of PyTorch
  FullySharded, ///< FSDP2 of PyTorch, with tensor and context parallelism
  DeepSpeed,    ///< DeepSpeed, with the ds_config.json of that target
  Megatron,     ///< Megatron-LM
  Missing       ///< no plug-in supports the plan
};
const char* nameOf(PlugIn plugIn);

/// The degrees, counted as in DeepSpeed.
struct AccelerateLayout : deepspeed::DeepspeedLayout {
  explicit AccelerateLayout(const ir::Plan& plan);
  PlugIn plugIn = PlugIn::Missing;
  /// Whether Accelerate builds its own mesh of replicas, shards, context and tensor ranks.
  bool hasMesh() const;
};

/// The request to the target `deepspeed`, for a plan that DeepSpeed runs.
TargetRequest deepspeedRequest(const TargetRequest& request);
/// The request to the target `megatron` for the model, for a plan that Megatron-LM runs.
TargetRequest megatronRequest(const ir::Plan& plan);
/// The model as `MegatronLMPlugin(other_megatron_args=…)`, by attribute name.
Json otherMegatronArguments(const ir::Plan& plan);
/// The number formats that a plug-in other than DeepSpeed supports, by field of `precision`. The
/// first is its default.
struct Formats {
  std::vector<ir::DataType> parameters, gradients, reduce;
};
Formats formatsOf(const AccelerateLayout& layout);
/// Layers of the last stage if only that one differs; 0 for equal stages, none otherwise.
std::optional<std::uint64_t> lastStageOf(const AccelerateLayout& layout);

/// Whether the target runs the schedule of a layout.
bool runsSchedule(const ir::Layout& layout);
void check(const TargetRequest& request, Findings& findings);
/// Writes `accelerate.yaml`, `launch.sh` and `plan.json`, and `ds_config.json` for DeepSpeed.
std::vector<EmittedFile> render(const TargetRequest& request);

/// The text of accelerate.yaml.
std::string yamlFile(const TargetRequest& request, const AccelerateLayout& layout);
/// The differences between the plan's defaults and Accelerate, one sentence each.
std::vector<std::string> differencesOf(const AccelerateLayout& layout);
/// The parts of the plan that the training script must implement, one sentence each.
std::vector<std::string> dutiesOf(const AccelerateLayout& layout);

} // namespace dpl::accelerate
