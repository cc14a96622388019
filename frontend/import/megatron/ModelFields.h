#pragma once
//===- ModelFields.h - Fields of the model that a launch trains -------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

struct ModelText {
  std::string fields; ///< lines of a `model` block
  std::uint64_t layers, predictionLayers;
};
/// Reads the model. Absent options have the defaults of Megatron-LM's parser.
ModelText modelOf(LaunchOptions& launch);

/// The vocabulary size: `--padded-vocab-size`, otherwise `--vocab-size`.
std::uint64_t vocabularyOf(LaunchOptions& launch);
/// The name of a tokenizer that knows its vocabulary size and ignores `--vocab-size`; empty for
/// other tokenizers.
std::string countingTokenizer(LaunchOptions& launch);
/// The value of the field `norm`.
std::string normOf(LaunchOptions& launch);
/// The value of the field `positions`.
std::string positionsOf(LaunchOptions& launch);
/// The value of `dropout`; empty if all probabilities are 0. Megatron-LM's default is 0.1.
std::string dropoutOf(LaunchOptions& launch);

struct ActivationText {
  bool gated = false, swiglu = false;
  std::string fields; ///< text after a width, ", activation = …"; empty if it is the default
};
ActivationText activationOf(LaunchOptions& launch);

/// The fields of a `router`.
std::string routerOf(LaunchOptions& launch, std::uint64_t active);

} // namespace dpl::imports::megatron
