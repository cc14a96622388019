//===- Architectures.cpp - Finds architectures, and lists unsupported ones --------------------===//
#include "frontend/import/huggingface/Architectures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace dpl;
using namespace dpl::imports;

namespace {

/// Text parts of multimodal models that do not set a `model_type`: defaults of the configuration
/// classes in transformers 5.23.
constexpr RenamedKey partKinds[] = {
    {"gemma3", "gemma3_text"},     {"llama4", "llama4_text"},
    {"qwen2_vl", "qwen2_vl_text"}, {"qwen2_5_vl", "qwen2_5_vl_text"},
    {"qwen3_vl", "qwen3_vl_text"}, {"qwen3_vl_moe", "qwen3_vl_moe_text"},
    {"glm4v", "glm4v_text"},       {"glm4v_moe", "glm4v_moe_text"},
    {"mistral3", "mistral"},       {"llava", "llama"},
    {"llava_next", "llama"},       {"kimi_k25", "deepseek_v3"},
    {"gemma3n", "gemma3n_text"},   {"gemma4", "gemma4_text"},
    {"qwen3_5", "qwen3_5_text"},   {"qwen3_5_moe", "qwen3_5_moe_text"},
};

constexpr const char* stateSpace = "layers with a state space (Mamba) instead of attention";
constexpr const char* delta = "three of four layers have attention by a gated delta rule, and the "
                              "queries of the others a gate";
constexpr const char* lightning =
    "most layers have linear (lightning) attention, with a state instead of scores";
constexpr const char* indexed =
    "an indexer chooses the tokens that each query attends to (DeepSeek sparse attention)";
constexpr const char* wholeContext = "with attention to the whole context and without the indexer";
constexpr const char* perLayer =
    "layers have embeddings of their own, and some share the keys and values of others";
constexpr const char* unequalHeads =
    "heads of layers with a window and of the others differ in size and number";
constexpr const char* encoder = "it is not only a decoder";

constexpr UnsupportedArchitecture inexpressible[] = {
    {"qwen3_next qwen3_5_text qwen3_5_moe_text", delta},
    {"kimi_linear", "three of four layers have attention by a gated delta rule"},
    {"minimax minimax_text_01 minimax_m1 bailing_moe_linear", lightning},
    {"mistral4", "queries are scaled by their position (llama_4_scaling)"},
    {"apertus", "xIELU, an activation with two learned slopes, is not in the language"},
    {"deepseek_v32 glm_moe_dsa", indexed, "deepseek_v3", wholeContext},
    {"deepseek_v4", "attention is to keys that are compressed and chosen by an indexer"},
    {"gemma3n_text", perLayer},
    {"gemma4_text", unequalHeads},
    {"longcat_flash", "layers have two attentions and experts without weights"},
    {"mamba mamba2 falcon_mamba nemotron_h jamba bamba zamba zamba2 granitemoehybrid", stateSpace},
    {"falcon_h1", "attention and a state space (Mamba) in parallel in each layer"},
    {"recurrent_gemma", "layers with a gated linear recurrence instead of attention"},
    {"rwkv", "a recurrence instead of attention"},
    {"lfm2 lfm2_moe", "layers with a short convolution instead of attention"},
    {"mllama", "layers with cross-attention to an image"},
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
