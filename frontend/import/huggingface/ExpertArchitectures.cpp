//===- ExpertArchitectures.cpp - Architectures with routed experts ----------------------------===//
//
// Defaults are from the configuration classes of transformers 5.23
// (src/transformers/models/*/configuration_*.py), or from modeling_*.py. `deepseek` and `kimi_k2`
// are from the code released with the models. DeepSeek-V3's balancing, which no class sets, is from
// its paper (arXiv 2412.19437, section 4.2). GLM's head size, which the hidden size does not imply,
// is from its files.
#include "frontend/import/huggingface/Architectures.h"

using namespace dpl;
using namespace dpl::imports;

namespace {

/// If all layers have experts, `intermediate_size` is the width of one expert.
constexpr RenamedKey oneWidth[] = {{"intermediate_size", "moe_intermediate_size"}};
constexpr RenamedKey ofLlama4[] = {{"intermediate_size", "moe_intermediate_size"},
                                   {"intermediate_size_mlp", "intermediate_size"},
                                   {"interleave_moe_layer_step", "decoder_sparse_step"},
                                   {"no_rope_layers", "chunked_layers"},
                                   {"attention_chunk_size", "sliding_window"},
                                   {"no_rope_layer_interval", "sliding_window_pattern"}};
constexpr RenamedKey ofErnie[] = {{"moe_k", "num_experts_per_tok"},
                                  {"moe_num_experts", "num_experts"},
                                  {"moe_num_shared_experts", "n_shared_experts"},
                                  {"moe_layer_start_index", "first_k_dense_replace"},
                                  {"moe_layer_interval", "decoder_sparse_step"}};
constexpr RenamedKey ofDbrx[] = {{"n_layers", "num_hidden_layers"},
                                 {"d_model", "hidden_size"},
                                 {"n_heads", "num_attention_heads"},
                                 {"max_seq_len", "max_position_embeddings"},
                                 {"attn_config.kv_n_heads", "num_key_value_heads"},
                                 {"attn_config.clip_qkv", "clip_qkv"},
                                 {"attn_config.rope_theta", "rope_theta"},
                                 {"ffn_config.ffn_hidden_size", "moe_intermediate_size"},
                                 {"ffn_config.moe_num_experts", "num_experts"},
                                 {"ffn_config.moe_top_k", "num_experts_per_tok"},
                                 {"ffn_config.moe_loss_weight", "router_aux_loss_coef"}};

constexpr RouterDefaults chosen{};
constexpr RouterDefaults routerOfFile{.normalized = false};
constexpr RouterDefaults ofDeepSeek{
    .normalized = false, .fp32 = true, .sequence = true, .lossKey = "aux_loss_alpha"};
constexpr RouterDefaults ofDeepSeek3{.sigmoid = true,
                                     .fp32 = true,
                                     .bias = true,
                                     .sequence = true,
                                     .scaling = 2.5,
                                     .groups = 8,
                                     .limit = 4,
                                     .lossKey = "aux_loss_alpha",
                                     .loss = 0.0001};
constexpr RouterDefaults ofGlm{.sigmoid = true,
                               .fp32 = true,
                               .bias = true,
                               .sequence = true,
                               .lossKey = "aux_loss_alpha",
                               .loss = 0};
constexpr RouterDefaults ofDots{.sigmoid = true,
                                .normalized = false,
                                .fp32 = true,
                                .bias = true,
                                .sequence = true,
                                .lossKey = "aux_loss_alpha",
                                .loss = 0};
constexpr RouterDefaults ofMiniMax{.sigmoid = true, .bias = true};
constexpr RouterDefaults ofErnieRouter{.fp32 = true, .bias = true};

constexpr Experts mixtral{.count = 8, .active = 2, .width = 14'336, .router = chosen};
constexpr Experts qwen2{
    .count = 60, .active = 4, .width = 1408, .sharedWidth = 5632, .router = routerOfFile};
constexpr Experts qwen3{.count = 128, .active = 8, .width = 768, .router = routerOfFile};
constexpr Experts qwen3Vision{.count = 60, .active = 4, .width = 1408, .router = chosen};
constexpr Experts deepseek{
    .count = 64, .active = 6, .width = 1407, .shared = 2, .router = ofDeepSeek};
constexpr Experts deepseek3{
    .count = 256, .active = 8, .width = 2048, .shared = 1, .dense = 3, .router = ofDeepSeek3};
constexpr Experts kimi{
    .count = 384, .active = 8, .width = 2048, .shared = 1, .dense = 1, .router = ofDeepSeek3};
constexpr Experts glm4{
    .count = 128, .active = 8, .width = 1408, .shared = 1, .dense = 1, .router = ofGlm};
constexpr Experts gptOss{.count = 128, .active = 4, .width = 2880, .router = chosen, .cut = true};
constexpr Experts llama4{.count = 16,
                         .active = 1,
                         .width = 8192,
                         .shared = 1,
                         .router = {.sigmoid = true, .normalized = false}};
constexpr Experts miniMax2{.count = 256, .active = 8, .width = 1536, .router = ofMiniMax};
constexpr Experts phi{
    .count = 16, .active = 2, .width = 6400, .router = {.normalized = false, .jitter = 0.01}};
constexpr Experts olmo{
    .count = 64, .active = 8, .width = 2048, .router = {.normalized = false, .loss = 0.01}};
constexpr Experts granite{.count = 8, .active = 2, .width = 11'008, .router = chosen};
constexpr Experts ernie{
    .count = 64, .active = 6, .width = 1536, .shared = 2, .dense = 1, .router = ofErnieRouter};
constexpr Experts dots{.count = 128, .active = 6, .width = 1408, .router = ofDots};
constexpr Experts dbrx{.count = 4, .active = 1, .width = 3584, .router = {.loss = 0.01}};

constexpr Architecture rows[] = {
    {.type = "mixtral",
     .shape = {32'000, 4096, 0, 32, 32, 8, 0, 131'072},
     .renamed = oneWidth,
     .experts = &mixtral,
     .norm = at5,
     .base = 1e6,
     .windows = WindowedLayers::All},
    {.type = "qwen2_moe",
     .shape = {151'936, 2048, 5632, 24, 16, 16, 0, 32'768},
     .note = "the gate of the shared experts is not counted",
     .experts = &qwen2,
     .windows = WindowedLayers::After,
     .window = 4096,
     .qkvBias = always,
     .outputBias = false},
    {.type = "qwen3_moe",
     .shape = {151'936, 2048, 6144, 24, 32, 4, 0, 32'768},
     .experts = &qwen3,
     .windows = WindowedLayers::After,
     .window = 4096,
     .qkNorm = always},
    {.type = "qwen3_vl_moe_text",
     .shape = {151'936, 2048, 5632, 24, 16, 16, 128, 128'000},
     .experts = &qwen3Vision,
     .base = 500'000,
     .tied = tiedByDefault,
     .qkNorm = always},
    {.type = "deepseek",
     .shape = {102'400, 4096, 11'008, 30, 32, asManyAsHeads, 0, 2048},
     .experts = &deepseek},
    {.type = "deepseek_v2",
     .shape = {102'400, 4096, 11'008, 32, 32, asManyAsHeads, 0, 2048},
     .experts = &deepseek,
     .latent = true},
    {.type = "deepseek_v3",
     .shape = {129'280, 7168, 18'432, 61, 128, asManyAsHeads, 0, 4096},
     .experts = &deepseek3,
     .latent = true,
     .predictionLayers = 1},
    {.type = "kimi_k2",
     .shape = {163'840, 7168, 18'432, 61, 64, asManyAsHeads, 0, 131'072},
     .experts = &kimi,
     .latent = true},
    {.type = "glm4_moe",
     .shape = {151'552, 4096, 10'944, 46, 96, 8, 128, 131'072},
     .experts = &glm4,
     .norm = at5,
     .share = 0.5,
     .outputBias = false,
     .qkNorm = {"use_qk_norm"},
     .predictionLayers = 1},
    {.type = "glm4v_moe_text",
     .shape = {151'424, 4096, 10'944, 46, 96, 8, 128, 65'536},
     .experts = &glm4,
     .norm = at5,
     .share = 0.5,
     .qkvBias = {"attention_bias", true},
     .outputBias = false,
     .qkNorm = {"use_qk_norm"}},
    {.type = "gpt_oss",
     .shape = {201'088, 2880, 0, 36, 64, 8, 64, 131'072},
     .renamed = oneWidth,
     .experts = &gptOss,
     .norm = at5,
     .base = 150'000,
     .scaling = "yarn { factor = 32.0, original_context = 4096tok, truncate = false }",
     .windows = WindowedLayers::Even,
     .window = 128,
     .bias = {"attention_bias", true}},
    {.type = "llama4_text",
     .shape = {202'048, 5120, 16'384, 48, 40, 8, 128, 131'072},
     .note = "layers with a window attend within chunks of as many tokens, which takes less from "
             "twice that length on; the others have positions that do not turn and no norms of "
             "queries and keys",
     .renamed = ofLlama4,
     .experts = &llama4,
     .norm = at5,
     .base = 500'000,
     .windows = WindowedLayers::Pattern,
     .window = 8192,
     .pattern = 4,
     .qkNorm = {"use_qk_norm", true},
     .qkNormKind = "l2"},
    {.type = "minimax_m2",
     .shape = {200'064, 3072, 0, 62, 48, 8, 128, 196'608},
     .renamed = oneWidth,
     .experts = &miniMax2,
     .base = 5e6,
     .qkNorm = {"use_qk_norm", true},
     .qkNormKind = "projection"},
    {.type = "phimoe",
     .shape = {32'064, 4096, 0, 32, 32, 8, 0, 131'072},
     .note = "experts are chosen by a sparse mixer, without a softmax over all",
     .renamed = oneWidth,
     .experts = &phi,
     .norm = {"layer", "rms_norm_eps", 1e-5},
     .base = 1e6,
     .windows = WindowedLayers::All},
    {.type = "olmoe",
     .shape = {50'304, 2048, 0, 16, 16, asManyAsHeads, 0, 4096},
     .renamed = oneWidth,
     .experts = &olmo,
     .norm = at5,
     .qkNorm = always,
     .qkNormKind = "projection"},
    {.type = "granitemoe",
     .shape = {32'000, 4096, 0, 32, 32, asManyAsHeads, 0, 2048},
     .renamed = oneWidth,
     .experts = &granite,
     .attentionScale = 1},
    {.type = "ernie4_5_moe",
     .shape = {103'424, 2560, 12'288, 28, 20, 4, 0, 131'072},
     .renamed = ofErnie,
     .experts = &ernie,
     .norm = at5,
     .base = 500'000,
     .tied = tiedByDefault,
     .bias = {"use_bias"}},
    {.type = "dots1",
     .shape = {152'064, 4608, 10'944, 62, 32, 32, 0, 2048},
     .experts = &dots,
     .qkNorm = always},
    {.type = "dbrx",
     .shape = {32'000, 2048, 0, 24, 16, 1, 0, 2048},
     .note = "its norms have no bias",
     .renamed = ofDbrx,
     .experts = &dbrx,
     .norm = fixedLayer},
};

} // namespace

llvm::ArrayRef<Architecture> imports::expertArchitectures() { return rows; }
