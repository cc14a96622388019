#pragma once
//===- HuggingFaceFacts.h - What a config.json says of a model beside its shape ---------------===//
#include "imports/JsonConfig.h"

namespace dpl::imports {

/// Defaults of a configuration class, where the file leaves a key out.
struct FactDefaults {
  double epsilon = 1e-6, base = 10'000, share = 1;
  const char* activation = "silu";
};

/// "rms { epsilon = 1.0e-6 }"; `kind` is rms or layer.
std::string normText(JsonConfig& config, const char* key, const char* kind, bool centered,
                     const FactDefaults& defaults);
/// The value of `positions` for rotary ones. A scaling that the language has not is reported.
std::string rotaryText(JsonConfig& config, const FactDefaults& defaults);
/// The name of an activation in the language; `key` holds its name in transformers.
std::string activationText(JsonConfig& config, const char* key, const FactDefaults& defaults);
/// The fields of a `router`: of DeepSeek's kind, or with a softmax and a loss.
std::string deepSeekRouter(JsonConfig& config, bool third);
std::string softmaxRouter(JsonConfig& config, bool normalized);

struct Architecture;
/// The fields that say norms, positions, initialisation and what Gemma does to embeddings and
/// logits, as far as they are not the language's defaults.
std::vector<std::string> factLines(JsonConfig& config, const Architecture& a, std::uint64_t hidden);

/// As the language writes it: always with a point.
std::string realText(double value);

} // namespace dpl::imports
