#pragma once
//===- ModelFacts.h - What a launch says of a model beside its shape --------------------------===//
#include "frontend/import/megatron/Launch.h"

namespace dpl::imports::megatron {

/// The tokens of the vocabulary: padded already, or as the launch has them.
std::uint64_t vocabularyOf(Launch& launch);
/// The tokenizer that counts its tokens itself and reads no `--vocab-size`; "" for another one.
std::string countingTokenizer(Launch& launch);
/// The value of `norm`.
std::string normOf(Launch& launch);
/// The value of `positions`.
std::string positionsOf(Launch& launch);
/// Fields of `dropout`; empty without any. Megatron-LM drops a tenth unless told otherwise.
std::string dropoutOf(Launch& launch);

struct ActivationText {
  bool gated = false, swiglu = false;
  std::string fields; ///< ", activation = …": behind the width, empty for the default
};
ActivationText activationOf(Launch& launch);

/// The fields of a `router`.
std::string routerOf(Launch& launch, std::uint64_t active);

} // namespace dpl::imports::megatron
