#pragma once
//===- Accelerate.h - Configuration and launch files for Accelerate ---------------------------===//
#include "backends/Target.h"
#include "backends/deepspeed/DeepspeedLayout.h"
#include "support/Json.h"

namespace dpl::accelerate {

/// What Accelerate hands the work to.
enum class PlugIn : std::uint8_t {
  None,         ///< one process
  DataParallel, ///< DistributedDataParallel of PyTorch
  FullySharded, ///< FSDP2 of PyTorch, with tensor and context parallelism
  DeepSpeed,    ///< with the ds_config.json of that target
  Megatron,     ///< Megatron-LM
  Missing       ///< none of them does what the plan asks
};
const char* nameOf(PlugIn plugIn);

/// The degrees are counted as DeepSpeed counts them.
struct AccelerateLayout : deepspeed::DeepspeedLayout {
  explicit AccelerateLayout(const ir::Plan& plan);
  PlugIn plugIn = PlugIn::Missing;
  /// Replicas, shards, context and tensor are Accelerate's own mesh.
  bool hasMesh() const;
};

/// The request that a plan run by DeepSpeed makes of that target.
TargetRequest deepspeedRequest(const TargetRequest& request);
/// Of a plan that is run by Megatron-LM the request for what its model is.
TargetRequest megatronRequest(const ir::Plan& plan);
/// The model for `MegatronLMPlugin(other_megatron_args=…)`, by attribute of its arguments.
Json otherMegatronArguments(const ir::Plan& plan);
/// What every plug-in but DeepSpeed makes of the number formats, by field of `precision`: the
/// formats that it can be given, the one that it takes by default first.
struct Formats {
  std::vector<ir::DataType> parameters, gradients, reduce;
};
Formats formatsOf(const AccelerateLayout& layout);
/// Layers of the last stage where it alone has another number; 0 for equal stages, none otherwise.
std::optional<std::uint64_t> lastStageOf(const AccelerateLayout& layout);

/// Whether it runs the schedule of a layout.
bool runsSchedule(const ir::Layout& layout);
void check(const TargetRequest& request, Findings& findings);
/// `accelerate.yaml`, `launch.sh` and `plan.json`, with DeepSpeed `ds_config.json` too.
std::vector<EmittedFile> render(const TargetRequest& request);

/// The text of accelerate.yaml.
std::string yamlFile(const TargetRequest& request, const AccelerateLayout& layout);
/// Where Accelerate does otherwise than the plan's defaults, one sentence each.
std::vector<std::string> differencesOf(const AccelerateLayout& layout);
/// What of the plan is left to the training script, one sentence each.
std::vector<std::string> dutiesOf(const AccelerateLayout& layout);

} // namespace dpl::accelerate
