//===- EarlierNames.cpp - Settings of torchtitan before 0.2 by the names of 0.2 ---------------===//
//
// Source: the history of torchtitan/config_manager.py and torchtitan/distributed/pipeline.py of
// pytorch/torchtitan up to v0.2.0.
#include "frontend/import/torchtitan/EarlierNames.h"
#include <algorithm>

using namespace dpl::imports;
using namespace dpl::imports::settings;

namespace {

struct RenamedSetting {
  const char *theirs, *ours;
};

constexpr RenamedSetting names[] = {
    {"training.batch_size", "training.local_batch_size"},
    {"training.data_parallel_replicate_degree", "parallelism.data_parallel_replicate_degree"},
    {"training.data_parallel_shard_degree", "parallelism.data_parallel_shard_degree"},
    {"training.tensor_parallel_degree", "parallelism.tensor_parallel_degree"},
    {"training.sequence_parallel_degree", "parallelism.tensor_parallel_degree"}, // it set both
    {"training.pipeline_parallel_degree", "parallelism.pipeline_parallel_degree"},
    {"training.context_parallel_degree", "parallelism.context_parallel_degree"},
    {"training.expert_parallel_degree", "parallelism.expert_parallel_degree"},
    {"training.fsdp_reshard_after_forward", "parallelism.fsdp_reshard_after_forward"},
    {"training.disable_loss_parallel", "parallelism.disable_loss_parallel"},
    {"training.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"},
    {"training.warmup_steps", "lr_scheduler.warmup_steps"},
    {"training.compile", "compile.enable"},
    {"experimental.pipeline_parallel_degree", "parallelism.pipeline_parallel_degree"},
    {"experimental.pipeline_parallel_schedule", "parallelism.pipeline_parallel_schedule"},
    {"experimental.pipeline_parallel_schedule_csv", "parallelism.pipeline_parallel_schedule_csv"},
    {"experimental.pipeline_parallel_microbatches", "parallelism.pipeline_parallel_microbatches"},
    {"experimental.pipeline_parallel_split_points", "parallelism.pipeline_parallel_split_points"},
    {"experimental.pipeline_parallel_layers_per_stage",
     "parallelism.pipeline_parallel_layers_per_stage"},
    {"experimental.context_parallel_degree", "parallelism.context_parallel_degree"},
    {"experimental.context_parallel_rotate_method", "parallelism.context_parallel_rotate_method"},
    {"experimental.tensor_parallel_degree", "parallelism.tensor_parallel_degree"},
    {"experimental.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"},
    {"lr_scheduler.lr_min", "lr_scheduler.min_lr_factor"},
    {"float8.recipe_name", "quantize.linear.float8.recipe_name"},
    {"float8.filter_fqns", "quantize.linear.float8.filter_fqns"},
};

/// Flags of the earliest releases for float8, which is an entry of the converters now.
constexpr const char* eights[] = {"training.enable_fp8_linear", "training.enable_float8_linear",
                                  "float8.enable_float8_linear"};

} // namespace

torchtitan::EarlierBehaviour dpl::imports::torchtitan::readEarlierNames(SettingsReader& set) {
  EarlierBehaviour out;
  out.batch = set.has("training.batch_size");
  // There was one degree of data ranks, and `data_parallel_type` said whether they shard.
  const bool copies = set.text("training.data_parallel_type", "fsdp") == "ddp";
  (void)set.rename("training.data_parallel_degree",
                   copies ? "parallelism.data_parallel_replicate_degree"
                          : "parallelism.data_parallel_shard_degree");
  for (const RenamedSetting& name : names)
    (void)set.rename(name.theirs, name.ours);
  // Values that end in `rmsnorm` choose a kernel of the RMS norm. The models are read with no other
  // norm.
  if (const std::string norm = set.text("model.norm_type", "rmsnorm");
      !llvm::StringRef(norm).endswith("rmsnorm"))
    set.unsupported("model.norm_type", "the models of torchtitan are read with RMS norms");
  for (const char* flag : eights)
    if (set.has(flag) && set.flag(flag, false) && !set.has("model.converters")) {
      SettingValue name, list;
      name.kind = SettingValue::SettingKind::Text, name.text = "float8", name.at = set.range(flag);
      list.kind = SettingValue::SettingKind::List, list.at = name.at;
      list.entries.push_back({"", std::move(name)});
      set.replace("model.converters", std::move(list));
    }
  return out;
}

std::vector<std::uint64_t> dpl::imports::torchtitan::earlierStages(std::uint64_t stages,
                                                                   std::uint64_t layers) {
  if (stages == 0 || stages > layers)
    return {};
  std::vector<std::uint64_t> out(stages, layers / stages);
  std::uint64_t more = layers % stages;
  for (std::size_t i = 1; i + 1 < stages && more > 0; ++i, --more)
    ++out[i];
  out.back() += more;
  return out;
}
