//===- ArchitectureRows.cpp - The rows of Architectures.def -----------------------------------===//
#include "frontend/import/huggingface/Architectures.h"

using namespace dpl;
using namespace dpl::imports;

namespace {

constexpr RenamedKey ofQwen[] = {{"layer_norm_epsilon", "rms_norm_eps"},
                                 {"kv_channels", "head_dim"},
                                 {"rotary_emb_base", "rope_theta"},
                                 {"rotary_pct", "partial_rotary_factor"},
                                 {"attn_dropout_prob", "attention_dropout"}};
constexpr RenamedKey ofGemma[] = {{"hidden_activation", "hidden_act"}};
constexpr RenamedKey ofStablelm[] = {{"norm_eps", "layer_norm_eps"},
                                     {"rope_pct", "partial_rotary_factor"}};
constexpr RenamedKey ofChatGlm[] = {
    {"num_layers", "num_hidden_layers"},
    {"padded_vocab_size", "vocab_size"},
    {"ffn_hidden_size", "intermediate_size"},
    {"seq_length", "max_position_embeddings"},
    {"multi_query_group_num", "num_key_value_heads"},
    {"kv_channels", "head_dim"},
    {"layernorm_epsilon", "rms_norm_eps"},
};
constexpr RenamedKey ofSeedOss[] = {{"residual_dropout", "hidden_dropout"}};
constexpr RenamedKey ofInternLm3[] = {{"qkv_bias", "attention_bias"}, {"bias", "mlp_bias"}};
constexpr RenamedKey ofBaichuan[] = {{"model_max_length", "max_position_embeddings"}};
constexpr Norm centeredRms{"rms", "rms_norm_eps", 1e-6, true};
constexpr Norm ofGlm{"rms", "rms_norm_eps", 1.5625e-7};
constexpr const char* behind =
    "norms are after attention and the feed-forward part instead of before them";
constexpr const char* behindAttention =
    "layers with attention have their norms after the blocks instead of before them";
constexpr const char* latentUnturned = "attention has no rotary positions";
constexpr const char* someUnturned =
    "layers without a window, or in `no_rope_layers`, have no rotary positions";
constexpr const char* noBiasAndUnturned =
    "its norms have no bias, and layers without a window have no rotary positions";
constexpr const char* meanOfExperts =
    "a LayerNorm has no bias, layers without a window have no rotary positions unless they are "
    "dense, and the mean of routed and shared experts is their sum";
constexpr const char* noBiasAndListed =
    "its norms have no bias, and layers whose `rope_parameters` are null have no rotary positions";
constexpr const char* chunked =
    "layers with a window attend within chunks of the window's size, which costs less for "
    "sequences of two windows or more; the others have no rotary positions and no norms of queries "
    "and keys";

constexpr RenamedKey ofGpt2[] = {
    {"n_layer", "num_hidden_layers"},           {"n_embd", "hidden_size"},
    {"n_head", "num_attention_heads"},          {"n_inner", "intermediate_size"},
    {"n_positions", "max_position_embeddings"}, {"activation_function", "hidden_act"},
    {"layer_norm_epsilon", "layer_norm_eps"},
};
constexpr RenamedKey ofGptNeo[] = {
    {"num_layers", "num_hidden_layers"},      {"num_heads", "num_attention_heads"},
    {"activation_function", "hidden_act"},    {"window_size", "sliding_window"},
    {"layer_norm_epsilon", "layer_norm_eps"}, {"resid_dropout", "hidden_dropout"},
};
constexpr RenamedKey ofStarcoder2[] = {{"norm_epsilon", "layer_norm_eps"},
                                       {"residual_dropout", "hidden_dropout"}};
constexpr RenamedKey ofNemotron[] = {{"norm_eps", "layer_norm_eps"},
                                     {"rope_percent", "partial_rotary_factor"}};
constexpr RenamedKey ofNeox[] = {{"rotary_pct", "partial_rotary_factor"},
                                 {"rotary_emb_base", "rope_theta"}};
constexpr RenamedKey ofFalcon[] = {
    {"n_layer", "num_hidden_layers"},         {"n_head", "num_attention_heads"},
    {"n_head_kv", "num_key_value_heads"},     {"num_kv_heads", "num_key_value_heads"},
    {"ffn_hidden_size", "intermediate_size"}, {"activation", "hidden_act"},
    {"layer_norm_epsilon", "layer_norm_eps"},
};
constexpr RenamedKey ofBloom[] = {
    {"n_layer", "num_hidden_layers"},         {"n_embed", "hidden_size"},
    {"n_head", "num_attention_heads"},        {"seq_length", "max_position_embeddings"},
    {"layer_norm_epsilon", "layer_norm_eps"},
};
constexpr RenamedKey ofMpt[] = {
    {"n_layers", "num_hidden_layers"},        {"d_model", "hidden_size"},
    {"n_heads", "num_attention_heads"},       {"max_seq_len", "max_position_embeddings"},
    {"layer_norm_epsilon", "layer_norm_eps"}, {"attn_config.kv_n_heads", "num_key_value_heads"},
    {"attn_config.alibi", "alibi"},           {"attn_config.qk_ln", "use_qk_norm"},
    {"attn_config.clip_qkv", "clip_qkv"},     {"attn_config.softmax_scale", "attention_multiplier"},
    {"attn_config.attn_type", "attn_type"},   {"attn_config.rope", "rope"},
    {"ffn_config.ffn_type", "ffn_type"},      {"attn_config.attn_pdrop", "attention_dropout"},
};
constexpr RenamedKey ofOpt[] = {{"ffn_dim", "intermediate_size"},
                                {"activation_function", "hidden_act"},
                                {"init_std", "initializer_range"},
                                {"dropout", "hidden_dropout"}};
constexpr Norm centeredLayer{"layer", "layer_norm_eps", 1e-5, true};

/// In architectures in which all layers have experts, `intermediate_size` is the width of one
/// expert.
constexpr RenamedKey oneWidth[] = {{"intermediate_size", "moe_intermediate_size"}};
constexpr RenamedKey ofCohereMoe[] = {{"intermediate_size", "moe_intermediate_size"},
                                      {"prefix_dense_intermediate_size", "intermediate_size"},
                                      {"num_shared_experts", "n_shared_experts"},
                                      {"expert_selection_fn", "scoring_func"}};
constexpr Norm layerOrRms{"layer", "layer_norm_eps", 1e-5, false, "rms_norm_eps"};
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

constexpr RenamedKey ofKimiLinear[] = {{"num_experts_per_token", "num_experts_per_tok"},
                                       {"num_shared_experts", "n_shared_experts"},
                                       {"num_expert_group", "n_group"},
                                       {"moe_renormalize", "norm_topk_prob"},
                                       {"moe_router_activation_func", "scoring_func"},
                                       {"layer_group_size", "full_attention_interval"},
                                       {"model_max_length", "max_position_embeddings"}};
constexpr RenamedKey ofNemotronH[] = {
    {"layer_norm_epsilon", "rms_norm_eps"},
    {"mlp_hidden_act", "hidden_act"},
    {"moe_shared_expert_intermediate_size", "shared_expert_intermediate_size"}};
constexpr RenamedKey ofFalconH1[] = {
    {"mamba_n_heads", "mamba_num_heads"}, {"mamba_d_head", "mamba_head_dim"},
    {"mamba_d_state", "ssm_state_size"},  {"mamba_n_groups", "n_groups"},
    {"mamba_d_conv", "conv_kernel"},      {"mamba_chunk_size", "chunk_size"},
    {"mamba_conv_bias", "use_conv_bias"}, {"projectors_bias", "attention_bias"}};
constexpr RenamedKey ofGranite4[] = {
    {"mamba_n_heads", "mamba_num_heads"},
    {"mamba_d_head", "mamba_head_dim"},
    {"mamba_d_state", "ssm_state_size"},
    {"mamba_n_groups", "n_groups"},
    {"mamba_d_conv", "conv_kernel"},
    {"mamba_chunk_size", "chunk_size"},
    {"mamba_conv_bias", "use_conv_bias"},
    {"intermediate_size", "moe_intermediate_size"},
    {"shared_intermediate_size", "shared_expert_intermediate_size"}};
constexpr RenamedKey ofLfm[] = {{"norm_eps", "rms_norm_eps"},
                                {"block_norm_eps", "rms_norm_eps"},
                                {"block_ff_dim", "intermediate_size"},
                                {"tie_embedding", "tie_word_embeddings"}};
constexpr RenamedKey withShared[] = {{"num_shared_experts", "n_shared_experts"},
                                     {"router_scaling_factor", "routed_scaling_factor"}};
constexpr RenamedKey ofMiniMax3[] = {
    {"intermediate_size", "moe_intermediate_size"},
    {"dense_intermediate_size", "intermediate_size"},
    {"shared_intermediate_size", "shared_expert_intermediate_size"}};
constexpr RenamedKey ofDots3[] = {
    {"shared_experts_intermediate_size", "shared_expert_intermediate_size"},
    {"moe_shared_expert_intermediate_size", "shared_expert_intermediate_size"},
    {"sliding_window_size", "sliding_window"}};
constexpr RenamedKey ofMiniCpm[] = {{"scale_emb", "embedding_multiplier"}};
constexpr RenamedKey ofExaone[] = {{"num_layers", "num_hidden_layers"},
                                   {"activation_function", "hidden_act"},
                                   {"layer_norm_epsilon", "rms_norm_eps"},
                                   {"embed_dropout", "hidden_dropout"}};
constexpr RenamedKey ofLaguna[] = {{"moe_routed_scaling_factor", "routed_scaling_factor"}};

constexpr const char* llama31 =
    "llama3 { factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0, "
    "original_context = 8192tok }";

constexpr Recurrent qwenDelta{.kind = Recurrent::GatedDelta};
constexpr Recurrent olmoDelta{.kind = Recurrent::GatedDelta, .ofAttention = true};
constexpr Recurrent kimiDelta{.kind = Recurrent::KimiDelta, .whole = 1, .first = 1};
constexpr Recurrent bailingDelta{.kind = Recurrent::KimiDelta, .interval = 6, .ranked = false};
constexpr Recurrent lightning{.kind = Recurrent::Lightning, .interval = 2, .whole = 1};
constexpr Recurrent lightningOf8{.kind = Recurrent::Lightning, .interval = 8};
constexpr Recurrent nemotronState{.kind = Recurrent::Mamba2};
constexpr Recurrent graniteState{
    .kind = Recurrent::Mamba2, .interval = 1'000'000, .state = 256, .groups = 1, .chunk = 256};
constexpr Recurrent falconState{.kind = Recurrent::Mamba2,
                                .parallel = true,
                                .state = 256,
                                .groups = 1,
                                .chunk = 256,
                                .norm = false,
                                .inner = 1024};
constexpr Recurrent bambaState{
    .kind = Recurrent::Mamba2, .interval = 1'000'000, .state = 256, .groups = 1, .chunk = 256};
constexpr Recurrent shortConvolution{.kind = Recurrent::ShortConvolution, .interval = 1};
constexpr Recurrent lfm3Convolution{
    .kind = Recurrent::ShortConvolution, .interval = 2, .whole = 1, .first = 1, .taps = 7};

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
constexpr RouterDefaults ofGlmRouter{.sigmoid = true,
                                     .fp32 = true,
                                     .bias = true,
                                     .sequence = true,
                                     .lossKey = "aux_loss_alpha",
                                     .loss = 0};
/// GLM's router with other scaling and groups.
constexpr RouterDefaults ofGlmTimes(double scaling, std::uint64_t groups = 1,
                                    std::uint64_t limit = 1) {
  RouterDefaults router = ofGlmRouter;
  router.scaling = scaling, router.groups = groups, router.limit = limit;
  return router;
}
constexpr RouterDefaults ofDots{.sigmoid = true,
                                .normalized = false,
                                .fp32 = true,
                                .bias = true,
                                .sequence = true,
                                .lossKey = "aux_loss_alpha",
                                .loss = 0};
constexpr RouterDefaults ofMiniMax{.sigmoid = true, .bias = true};
constexpr RouterDefaults ofMiniMax3Router{.sigmoid = true, .bias = true, .scaling = 2};
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
    .count = 128, .active = 8, .width = 1408, .shared = 1, .dense = 1, .router = ofGlmRouter};
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
constexpr Experts cohereExperts{.count = 8, .active = 2, .width = 22'528, .router = {.loss = 0}};
constexpr Experts granite{.count = 8, .active = 2, .width = 11'008, .router = chosen};
constexpr Experts ernie{
    .count = 64, .active = 6, .width = 1536, .shared = 2, .dense = 1, .router = ofErnieRouter};
constexpr Experts dots{.count = 128, .active = 6, .width = 1408, .router = ofDots};
constexpr Experts qwenNext{.count = 512,
                           .active = 10,
                           .width = 512,
                           .sharedWidth = 512,
                           .sharedGate = true,
                           .router = chosen};
constexpr Experts qwen35{.count = 256,
                         .active = 8,
                         .width = 512,
                         .sharedWidth = 512,
                         .sharedGate = true,
                         .router = chosen};
constexpr Experts kimiLinear{
    .count = 256, .active = 8, .width = 1024, .shared = 1, .dense = 1, .router = ofGlmTimes(2.446)};
constexpr Experts bailing{.count = 512,
                          .active = 8,
                          .width = 768,
                          .shared = 1,
                          .dense = 2,
                          .router = ofGlmTimes(2.5, 8, 4)};
constexpr Experts miniMax{.count = 8, .active = 2, .width = 14'336, .router = chosen};
constexpr Experts miniMax1{.count = 32, .active = 2, .width = 9216, .router = chosen};
constexpr Experts nemotronExperts{
    .count = 8, .active = 2, .width = 7688, .sharedWidth = 7688, .router = ofGlmRouter};
constexpr Experts granite4{
    .count = 8, .active = 2, .width = 11'008, .sharedWidth = 1024, .router = chosen};
constexpr Experts lfmExperts{
    .count = 32, .active = 4, .width = 1792, .dense = 2, .router = ofMiniMax};
constexpr Experts glmLite{
    .count = 64, .active = 4, .width = 1536, .shared = 1, .dense = 1, .router = ofGlmTimes(1.8)};
constexpr Experts glm5{
    .count = 256, .active = 8, .width = 2048, .shared = 1, .dense = 3, .router = ofGlmTimes(2.5)};
constexpr Experts solar{
    .count = 128, .active = 8, .width = 1280, .shared = 1, .router = ofGlmRouter};
constexpr Experts exaoneExperts{
    .count = 64, .active = 8, .width = 1024, .shared = 1, .dense = 1, .router = ofGlmTimes(2.5)};
constexpr Experts hunyuan3{
    .count = 192, .active = 8, .width = 1536, .shared = 1, .dense = 1, .router = ofGlmTimes(2.826)};
constexpr Experts lagunaExperts{
    .count = 256, .active = 8, .width = 512, .sharedWidth = 512, .dense = 1, .router = ofMiniMax};
constexpr Experts axk{.count = 192,
                      .active = 8,
                      .width = 2048,
                      .shared = 1,
                      .dense = 1,
                      .router = ofGlmTimes(2.5, 8, 4)};
constexpr Experts mellumExperts{.count = 64, .active = 8, .width = 896, .router = chosen};
constexpr Experts mimo{.count = 256, .active = 8, .width = 2048, .dense = 1, .router = ofGlmRouter};
constexpr Experts miniMax3{.count = 128,
                           .active = 4,
                           .width = 3072,
                           .sharedWidth = 3072,
                           .router = ofMiniMax3Router,
                           .cut = true};
constexpr Experts kolibri{
    .count = 384, .active = 6, .width = 512, .sharedWidth = 512, .router = {.normalized = false}};
constexpr Experts beamExperts{
    .count = 256, .active = 8, .width = 2560, .dense = 3, .router = ofGlmTimes(2.5, 8, 4)};
constexpr Experts flintExperts{.count = 256,
                               .active = 6,
                               .width = 512,
                               .sharedWidth = 1024,
                               .dense = 2,
                               .router = {.loss = 0.0005}};
constexpr Experts lara{
    .count = 128, .active = 4, .width = 512, .sharedWidth = 512, .router = chosen};
constexpr Experts sarvam{
    .count = 128, .active = 8, .width = 2048, .shared = 1, .dense = 1, .router = ofGlmRouter};
constexpr Experts sarvamSmall{
    .count = 128, .active = 6, .width = 1024, .shared = 1, .dense = 1, .router = ofGlmRouter};
constexpr Experts dots3{.count = 256,
                        .active = 8,
                        .width = 1536,
                        .sharedWidth = 1536,
                        .dense = 1,
                        .router = ofGlmRouter};
constexpr LatentSizes dots3Windows{1024, 1024, 192, 64, 128, 64};
constexpr Experts dbrx{.count = 4, .active = 1, .width = 3584, .router = {.loss = 0.01}};

constexpr Architecture rows[] = {
#define ARCHITECTURE(TYPE, ...) {.type = TYPE, __VA_ARGS__},
#include "frontend/import/huggingface/Architectures.def"
};

} // namespace

llvm::ArrayRef<Architecture> imports::architectures() { return rows; }
