//===- Architectures.cpp - Finds architectures, and lists unsupported ones --------------------===//
#include "frontend/import/huggingface/Architectures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace dpl;
using namespace dpl::imports;

namespace {

/// The architecture of the text part, for multimodal models whose text part sets no `model_type`.
/// These are defaults of the configuration classes in transformers 5.23.
constexpr RenamedKey partKinds[] = {
    {"gemma3", "gemma3_text"},
    {"llama4", "llama4_text"},
    {"qwen2_vl", "qwen2_vl_text"},
    {"qwen2_5_vl", "qwen2_5_vl_text"},
    {"qwen3_vl", "qwen3_vl_text"},
    {"qwen3_vl_moe", "qwen3_vl_moe_text"},
    {"glm4v", "glm4v_text"},
    {"glm4v_moe", "glm4v_moe_text"},
    {"mistral3", "mistral"},
    {"llava", "llama"},
    {"llava_next", "llama"},
    {"kimi_k25", "deepseek_v3"},
    {"gemma3n", "gemma3n_text"},
    {"gemma4", "gemma4_text"},
    {"qwen3_5", "qwen3_5_text"},
    {"qwen3_5_moe", "qwen3_5_moe_text"},
    {"gemma4_unified", "gemma4_unified_text"},
    {"minimax_m3_vl", "minimax_m3_vl_text"},
    {"dots3_note", "dots3_note_text"},
    {"cohere_compass", "cohere_compass_text"},
};

constexpr const char* stateSpace =
    "layers with a state space of Mamba-1, or with state spaces alone";
constexpr const char* lightning =
    "most layers have linear (lightning) attention, with a state instead of scores";
constexpr const char* perLayer =
    "layers have embeddings of their own, and some share the keys and values of others";
constexpr const char* encoder = "it is not only a decoder";

constexpr UnsupportedArchitecture inexpressible[] = {
    {"bailing_moe_linear", lightning},
    {"mistral4", "queries are scaled by their position (llama_4_scaling)", "deepseek_v3",
     "without the scale of queries by their position"},
    {"deepseek_v4", "attention is to keys that are compressed and chosen by an indexer"},
    {"gemma3n_text gemma4_text", perLayer},
    {"longcat_flash", "layers have two attentions and experts without weights"},
    {"mamba mamba2 falcon_mamba jamba zamba zamba2", stateSpace},
    {"recurrent_gemma", "layers with a gated linear recurrence instead of attention"},
    {"rwkv", "a recurrence instead of attention"},
    {"mllama", "layers with cross-attention to an image"},
    {"gemma4_assistant gemma4_unified_assistant",
     "it drafts tokens from the states of another model"},
    {"bert roberta modernbert t5 mt5 bart whisper", encoder},
};

} // namespace

const Architecture* imports::findArchitecture(llvm::StringRef type) {
  for (const Architecture& a : architectures())
    if (type == a.type)
      return &a;
  return nullptr;
}

llvm::ArrayRef<RenamedKey> imports::textKinds() { return partKinds; }

llvm::StringRef imports::textKindOf(llvm::StringRef type) {
  for (const RenamedKey& kind : textKinds())
    if (type == kind.theirs)
      return kind.ours;
  return "";
}

llvm::SmallVector<llvm::StringRef, 8> UnsupportedArchitecture::types() const {
  llvm::SmallVector<llvm::StringRef, 8> out;
  llvm::SplitString(words, out);
  return out;
}

llvm::ArrayRef<UnsupportedArchitecture> imports::unsupportedArchitectures() {
  return inexpressible;
}

const UnsupportedArchitecture* imports::findUnsupportedArchitecture(llvm::StringRef type) {
  for (const UnsupportedArchitecture& kind : unsupportedArchitectures())
    if (llvm::is_contained(kind.types(), type))
      return &kind;
  return nullptr;
}
