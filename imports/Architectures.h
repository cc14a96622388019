#pragma once
//===- Architectures.h - The configuration classes of transformers that are known -------------===//
#include "imports/HuggingFaceFacts.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::imports {

enum class Family : std::uint8_t {
  Llama,
  Gemma,
  Nemotron,
  Gpt2,
  Mixtral,
  GptOss,
  QwenExperts,
  DeepSeek
};
/// Which layers attend to a window only.
enum class Windows : std::uint8_t { None, All, After, Alternating, FiveOfSix };

struct Architecture {
  const char* type; ///< `model_type`
  Family family;
  std::uint64_t vocab, hidden, width, layers, attentionHeads, kvHeads, headDim, context;
  bool tied = false, qkvBias = false, qkNorm = false;
  Windows windows = Windows::None;
  std::uint64_t window = 0;
  FactDefaults facts = {};
  const char* note = nullptr; ///< what of it the language does not say
};

constexpr std::uint64_t asManyAsHeads = 0; ///< of key-value heads, as a default

llvm::ArrayRef<Architecture> allArchitectures();

/// "llama, mistral, …".
std::string knownTypes();

} // namespace dpl::imports
