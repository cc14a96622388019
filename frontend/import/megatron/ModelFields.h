#pragma once
//===- ModelFields.h - The model that a launch trains, and parts of its fields ----------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

struct ModelText {
  std::string fields; ///< lines of a `model` block
  std::uint64_t layers, predictionLayers;
};
/// Absent options have the defaults of Megatron-LM's parser.
ModelText modelOf(LaunchOptions& launch);

/// The tokens of the vocabulary: padded already, or as the launch has them.
std::uint64_t vocabularyOf(LaunchOptions& launch);
/// The tokenizer that counts its tokens itself and reads no `--vocab-size`; "" for another one.
std::string countingTokenizer(LaunchOptions& launch);
/// The value of `norm`.
std::string normOf(LaunchOptions& launch);
/// The value of `positions`.
std::string positionsOf(LaunchOptions& launch);
/// Fields of `dropout`; empty without any. Megatron-LM drops a tenth unless told otherwise.
std::string dropoutOf(LaunchOptions& launch);

struct ActivationText {
  bool gated = false, swiglu = false;
  std::string fields; ///< ", activation = …": behind the width, empty for the default
};
ActivationText activationOf(LaunchOptions& launch);

/// The fields of a `router`.
std::string routerOf(LaunchOptions& launch, std::uint64_t active);

} // namespace dpl::imports::megatron
