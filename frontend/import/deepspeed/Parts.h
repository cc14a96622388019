#pragma once
//===- Parts.h - The keys of a ds_config.json -------------------------------------------------===//
#include "frontend/import/settings/SettingsReader.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::imports::deepspeed {

inline constexpr const char* without[] = {
#include "frontend/import/deepspeed/Without.def"
};

inline constexpr settings::Default defaults[] = {
#define DEFAULT(PATH, VALUE) {PATH, VALUE},
#include "frontend/import/deepspeed/Defaults.def"
};

/// Top-level keys of DeepSpeed 0.19 or an earlier release that the tables above do not have.
inline constexpr const char* parts[] = {"optimizer",
                                        "scheduler",
                                        "torch_autocast",
                                        "data_types",
                                        "bfloat16",
                                        "expert_parallel",
                                        "sequence_parallel_size",
                                        "communication_data_type",
                                        "data_efficiency",
                                        "weight_quantization",
                                        "datastates_ckpt",
                                        "domino",
                                        "compression_training",
                                        "amp",
                                        "sparse_attention",
                                        "sparse_gradients",
                                        "progressive_layer_drop",
                                        "curriculum_learning",
                                        "eigenvalue",
                                        "elasticity",
                                        "quantize_training",
                                        "graph_harvesting",
                                        "zero_allow_offload",
                                        "cpu_offload"};

inline bool isKnownPart(llvm::StringRef key) {
  const auto names = [&](llvm::StringRef path) { return path.split('.').first == key; };
  return llvm::any_of(parts, names) || llvm::any_of(without, names) ||
         llvm::any_of(defaults, [&](const settings::Default& d) { return names(d.path); });
}

} // namespace dpl::imports::deepspeed
