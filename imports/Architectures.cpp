//===- Architectures.cpp - The configuration classes of transformers that are known -----------===//
//
// Defaults are those of the configuration classes of transformers 5.23
// (src/transformers/models/*/configuration_*.py); they are the same in 4.57 where both have the
// class.
#include "imports/Architectures.h"

using namespace dpl;
using namespace dpl::imports;

namespace {
constexpr const char* sharedGate = "the gate of the shared experts is not counted";

constexpr FactDefaults ofGemma{1e-6, 10'000, 1, "gelu_pytorch_tanh"};
constexpr FactDefaults ofGemma3{1e-6, 1'000'000, 1, "gelu_pytorch_tanh"};

constexpr Architecture architectures[] = {
    {"llama", Family::Llama, 32'000, 4096, 11'008, 32, 32, asManyAsHeads, 0, 2048},
    {"mistral", Family::Llama, 32'000, 4096, 14'336, 32, 32, 8, 0, 131'072, false, false, false,
     Windows::All, 4096},
    {"mixtral",
     Family::Mixtral,
     32'000,
     4096,
     14'336,
     32,
     32,
     8,
     0,
     131'072,
     false,
     false,
     false,
     Windows::All,
     0,
     {1e-5, 1'000'000}},
    {"qwen2", Family::Llama, 151'936, 4096, 22'016, 32, 32, 32, 0, 32'768, false, true, false,
     Windows::After, 4096},
    {"qwen3", Family::Llama, 151'936, 4096, 22'016, 32, 32, 32, 128, 32'768, false, false, true,
     Windows::After, 4096},
    {"qwen2_moe",
     Family::QwenExperts,
     151'936,
     2048,
     5632,
     24,
     16,
     16,
     0,
     32'768,
     false,
     true,
     false,
     Windows::After,
     4096,
     {},
     sharedGate},
    {"qwen3_moe", Family::QwenExperts, 151'936, 2048, 6144, 24, 32, 4, 0, 32'768, false, false,
     true, Windows::After, 4096},
    {"deepseek_v2", Family::DeepSeek, 102'400, 4096, 11'008, 32, 32, asManyAsHeads, 0, 2048},
    {"deepseek_v3", Family::DeepSeek, 129'280, 7168, 18'432, 61, 128, asManyAsHeads, 0, 4096},
    {"kimi_k2", Family::DeepSeek, 163'840, 7168, 18'432, 61, 64, asManyAsHeads, 0, 131'072},
    {"gemma", Family::Gemma, 256'000, 3072, 24'576, 28, 16, 16, 256, 8192, true, false, false,
     Windows::None, 0, ofGemma},
    {"gemma2", Family::Gemma, 256'000, 2304, 9216, 26, 8, 4, 256, 8192, true, false, false,
     Windows::Alternating, 4096, ofGemma},
    {"gemma3_text", Family::Gemma, 262'208, 2304, 9216, 26, 8, 4, 256, 131'072, true, false, true,
     Windows::FiveOfSix, 4096, ofGemma3},
    {"gpt_oss",
     Family::GptOss,
     201'088,
     2880,
     2880,
     36,
     64,
     8,
     64,
     131'072,
     false,
     false,
     false,
     Windows::Alternating,
     128,
     {1e-5, 150'000}},
    {"nemotron",
     Family::Nemotron,
     256'000,
     6144,
     24'576,
     32,
     48,
     asManyAsHeads,
     0,
     4096,
     false,
     false,
     false,
     Windows::None,
     0,
     {1e-5, 10'000, 0.5, "relu2"}},
    {"gpt2",
     Family::Gpt2,
     50'257,
     768,
     0,
     12,
     12,
     asManyAsHeads,
     0,
     1024,
     true,
     false,
     false,
     Windows::None,
     0,
     {1e-5, 10'000, 1, "gelu_new"}},
};
} // namespace

llvm::ArrayRef<Architecture> imports::allArchitectures() { return architectures; }

std::string imports::knownTypes() {
  std::string out;
  for (const Architecture& a : allArchitectures())
    out += (out.empty() ? "" : ", ") + std::string(a.type);
  return out;
}
