//===- ModelFactsTest.cpp - Every fact of a model has its place everywhere --------------------===//
//
// That a value of it changes a file, a figure or a verdict is asked of every field by FieldsTest.
// Here: an option of Megatron-LM by which it comes back through `import megatron`, or a refusal; a
// refusal or a difference that torchtitan's launch says; and a key of a config.json.
#include "CompiledPlan.h"
#include "FieldCases.h"
#include "backends/Target.h"
#include "frontend/import/HuggingFace.h"
#include "frontend/import/Megatron.h"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <set>

using namespace dpl;
using testing::HasSubstr;

namespace {

struct Fact {
  const char* field;    ///< of FieldCases, "router.scaling"
  const char* model;    ///< what a decoder says
  const char* megatron; ///< the option, or, in front of "!", what the refusal says
  const char* config;   ///< of a config.json, whose other keys have their defaults
  const char* read;     ///< what `import hf` makes of it; empty: no kind that is read says it
};

/// Without a balance Megatron-LM trains an expert model with none.
#define ROUTED(INSIDE)                                                                             \
  "ffn = experts { count = 8, top_k = 2, width = 256, router { balance = none, " INSIDE " } }"
#define BALANCED(BALANCE)                                                                          \
  "ffn = experts { count = 8, top_k = 2, width = 256, router { balance = " BALANCE " } }"
#define EXPERTS(INSIDE)                                                                            \
  "ffn = experts { count = 8, top_k = 2, width = 256, " INSIDE ", router { balance = none } }"
#define YARN(INSIDE)                                                                               \
  "positions = rotary { scaling = yarn { factor = 4.0, original_context = 4096tok" INSIDE " } }"
#define YARN_KEYS(INSIDE)                                                                          \
  R"({"model_type": "llama", "rope_scaling": {"rope_type": "yarn", "factor": 4.0)" INSIDE "}}"
#define LLAMA3_KEYS(INSIDE)                                                                        \
  R"({"model_type": "llama", "rope_scaling": {"rope_type": "llama3")" INSIDE "}}"

const Fact facts[] = {
    {"attention.grouped.window", "attention = grouped { window = 512tok }", "--window-size\n511,0",
     R"({"model_type": "mistral", "sliding_window": 512})", "window = 512tok"},
    {"attention.grouped.base", "attention = grouped { base = 5000.0 }", "!a rotary base of single",
     R"({"model_type": "gemma3_text", "rope_local_base_freq": 5000.0})", "base = 5000.0"},
    {"attention.grouped.sinks", "attention = grouped { sinks = true }", "--softmax-type\nlearnable",
     R"({"model_type": "gpt_oss"})", "sinks = true"},
    {"attention.grouped.softcap", "attention = grouped { softcap = 50.0 }",
     "!a soft cap of the scores", R"({"model_type": "gemma2", "attn_logit_softcapping": 50.0})",
     "softcap = 50.0"},
    {"attention.grouped.scale", "attention = grouped { scale = 0.0625 }", "!a scale of the scores",
     R"({"model_type": "gemma2", "query_pre_attn_scalar": 144})", "scale = 0.08333"},
    {"norm.rms.epsilon", "norm = rms { epsilon = 1.0e-6 }", "--norm-epsilon\n1e-06",
     R"({"model_type": "llama", "rms_norm_eps": 1e-07})", "epsilon = 1.0e-07"},
    {"norm.rms.zero_centered", "norm = rms { zero_centered = true }", "--apply-layernorm-1p",
     R"({"model_type": "gemma2"})", "zero_centered = true"},
    {"norm.layer.epsilon", "norm = layer { epsilon = 1.0e-6 }", "--norm-epsilon\n1e-06",
     R"({"model_type": "gpt2", "layer_norm_epsilon": 1e-06})", "norm = layer { epsilon = 1.0e-06"},
    {"norm.layer.zero_centered", "norm = layer { zero_centered = true }", "--apply-layernorm-1p",
     R"({"model_type": "nemotron"})", "norm = layer { zero_centered = true"},
    {"positions.rotary.base", "positions = rotary { base = 500_000.0 }", "--rotary-base\n500000",
     R"({"model_type": "llama", "rope_theta": 500000.0})", "base = 500000.0"},
    {"positions.rotary.fraction", "positions = rotary { fraction = 0.5 }", "--rotary-percent\n0.5",
     R"({"model_type": "nemotron", "partial_rotary_factor": 0.25})", "fraction = 0.25"},
    {"positions.rotary.scaling", "positions = rotary { scaling = llama3 }", "--use-rope-scaling",
     LLAMA3_KEYS(""), "scaling = llama3"},
    {"rotary_scaling.linear.factor", "positions = rotary { scaling = linear { factor = 4.0 } }",
     "--rotary-seq-len-interpolation-factor\n4",
     R"({"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 4.0}})",
     "linear { factor = 4.0 }"},
    {"rotary_scaling.llama3.factor", "positions = rotary { scaling = llama3 { factor = 32.0 } }",
     "!Llama 3.1's scaling by 32", LLAMA3_KEYS(R"(, "factor": 32.0)"), "factor = 32.0"},
    {"rotary_scaling.llama3.low_freq_factor",
     "positions = rotary { scaling = llama3 { low_freq_factor = 2.0 } }", "!between 2 and 4",
     LLAMA3_KEYS(R"(, "low_freq_factor": 2.0)"), "low_freq_factor = 2.0"},
    {"rotary_scaling.llama3.high_freq_factor",
     "positions = rotary { scaling = llama3 { high_freq_factor = 8.0 } }", "!between 1 and 8",
     LLAMA3_KEYS(R"(, "high_freq_factor": 8.0)"), "high_freq_factor = 8.0"},
    {"rotary_scaling.llama3.original_context",
     "positions = rotary { scaling = llama3 { original_context = 4096tok } }", "!over 4096 tokens",
     LLAMA3_KEYS(R"(, "original_max_position_embeddings": 4096)"), "original_context = 4096tok"},
    {"rotary_scaling.yarn.factor", YARN(""), "--rotary-scaling-factor\n4", YARN_KEYS(""),
     "yarn { factor = 4.0"},
    {"rotary_scaling.yarn.original_context", YARN(""),
     "--yarn-original-max-position-embeddings\n4096",
     YARN_KEYS(R"(, "original_max_position_embeddings": 4096)"), "original_context = 4096tok"},
    {"rotary_scaling.yarn.beta_fast", YARN(", beta_fast = 16.0"), "--yarn-beta-fast\n16",
     YARN_KEYS(R"(, "beta_fast": 16)"), "beta_fast = 16.0"},
    {"rotary_scaling.yarn.beta_slow", YARN(", beta_slow = 2.0"), "--yarn-beta-slow\n2",
     YARN_KEYS(R"(, "beta_slow": 2)"), "beta_slow = 2.0"},
    {"rotary_scaling.yarn.mscale", YARN(", mscale = 0.7"), "--mscale\n0.7",
     YARN_KEYS(R"(, "mscale": 0.7)"), "mscale = 0.7"},
    {"rotary_scaling.yarn.mscale_all_dim", YARN(", mscale_all_dim = 0.7"), "--mscale-all-dim\n0.7",
     YARN_KEYS(R"(, "mscale_all_dim": 0.7)"), "mscale_all_dim = 0.7"},
    {"rotary_scaling.yarn.truncate", YARN(", truncate = false"),
     "--no-yarn-correction-range-round-to-int", YARN_KEYS(R"(, "truncate": false)"),
     "truncate = false"},
    {"ffn.plain.activation", "ffn = plain { activation = squared_relu }", "--squared-relu",
     R"({"model_type": "nemotron"})", "activation = squared_relu"},
    {"ffn.gated.activation", "ffn = gated { width = 1024, activation = quick_gelu }",
     "--quick-geglu", R"({"model_type": "gemma2"})", "activation = gelu_tanh"},
    {"ffn.gated.offset", "ffn = gated { width = 1024, activation = quick_gelu, offset = 1.0 }",
     "--glu-linear-offset\n1", "", ""}, // of GPT-OSS's experts only
    {"ffn.gated.clamp", "ffn = gated { width = 1024, activation = quick_gelu, clamp = 7.0 }",
     "--activation-func-clamp-value\n7", "", ""},
    {"ffn.experts.activation", EXPERTS("activation = quick_gelu"), "--quick-geglu",
     R"({"model_type": "gpt_oss"})", "activation = quick_gelu"},
    {"ffn.experts.offset", EXPERTS("activation = quick_gelu, offset = 1.0"),
     "--glu-linear-offset\n1", R"({"model_type": "gpt_oss"})", "offset = 1.0"},
    {"ffn.experts.clamp", EXPERTS("activation = quick_gelu, clamp = 7.0"),
     "--activation-func-clamp-value\n7", R"({"model_type": "gpt_oss"})", "clamp = 7.0"},
    {"router.score_function", ROUTED("score_function = sigmoid"),
     "--moe-router-score-function\nsigmoid", R"({"model_type": "deepseek_v3"})",
     "score_function = sigmoid"},
    {"router.normalized", ROUTED("normalized = false"), "--moe-router-pre-softmax",
     R"({"model_type": "qwen3_moe", "norm_topk_prob": false})", "normalized = false"},
    {"router.scaling_factor", ROUTED("scaling_factor = 2.5"),
     "--moe-router-topk-scaling-factor\n2.5",
     R"({"model_type": "deepseek_v3", "routed_scaling_factor": 1.5})", "scaling_factor = 1.5"},
    {"router.groups", ROUTED("groups = 4"), "--moe-router-num-groups\n4",
     R"({"model_type": "deepseek_v3", "n_group": 4, "topk_group": 2})", "groups = 4"},
    {"router.group_top_k", ROUTED("groups = 4, group_top_k = 2"), "--moe-router-group-topk\n2",
     R"({"model_type": "deepseek_v3", "n_group": 4, "topk_group": 2})", "group_top_k = 2"},
    {"router.precision", ROUTED("precision = fp32"), "--moe-router-dtype\nfp32",
     R"({"model_type": "deepseek_v3"})", "precision = fp32"},
    {"router.balance", BALANCED("sinkhorn"), "--moe-router-load-balancing-type\nsinkhorn",
     R"({"model_type": "mixtral", "router_aux_loss_coef": 0.02})", "balance = aux_loss"},
    {"router.bias_update_rate",
     "ffn = experts { count = 8, top_k = 2, width = 256, router { score_function = sigmoid, "
     "bias_update_rate = "
     "0.002 } }",
     "--moe-router-bias-update-rate\n0.002", R"({"model_type": "deepseek_v3"})",
     "bias_update_rate = 0.001"},
    {"router.z_loss", ROUTED("z_loss = 0.001"), "--moe-z-loss-coeff\n0.001", "", ""},
    {"router.input_jitter", ROUTED("input_jitter = 0.01"), "--moe-input-jitter-eps\n0.01",
     R"({"model_type": "mixtral", "router_jitter_noise": 0.02})", "input_jitter = 0.02"},
    {"router.drop_policy",
     "ffn = experts { count = 8, top_k = 2, width = 256, capacity_factor = 1.25, router { balance "
     "= "
     "none, drop_policy = position } }",
     "--moe-token-drop-policy\nposition", "", ""}, // transformers drops no token
    {"ffn.experts.pad_to_capacity",
     "ffn = experts { count = 8, top_k = 2, width = 256, capacity_factor = 1.25, pad_to_capacity = "
     "true, router { "
     "balance = none } }",
     "--moe-pad-expert-input-to-capacity", "", ""},
    {"balance.aux_loss.coefficient", BALANCED("aux_loss { coefficient = 0.02 }"),
     "--moe-aux-loss-coeff\n0.02", R"({"model_type": "mixtral", "router_aux_loss_coef": 0.03})",
     "aux_loss { coefficient = 0.03 }"},
    {"balance.seq_aux_loss.coefficient", BALANCED("seq_aux_loss { coefficient = 0.02 }"),
     "--moe-router-load-balancing-type\nseq_aux_loss",
     R"({"model_type": "deepseek_v3", "aux_loss_alpha": 0.002})",
     "seq_aux_loss { coefficient = 0.002 }"},
    {"balance.global_aux_loss.coefficient", BALANCED("global_aux_loss { coefficient = 0.02 }"),
     "--moe-router-load-balancing-type\nglobal_aux_loss", "", ""},
    {"blocks.parallel.norms", "blocks = parallel { norms = 2 }", "!in parallel",
     R"({"model_type": "gpt_neox"})", "blocks = parallel { norms = 2 }"},
    {"dropout.attention", "dropout { attention = 0.2 }", "--attention-dropout\n0.2",
     R"({"model_type": "llama", "attention_dropout": 0.3})", "attention = 0.3"},
    {"dropout.hidden", "dropout { hidden = 0.2 }", "--hidden-dropout\n0.2",
     R"({"model_type": "gpt2", "resid_pdrop": 0.3})", "hidden = 0.3"},
    {"decoder.post_norms", "post_norms = true", "!norms after attention",
     R"({"model_type": "gemma2"})", "post_norms = true"},
    {"decoder.embedding_norm", "embedding_norm = true", "!a norm after the embeddings",
     R"({"model_type": "bloom"})", "embedding_norm = true"},
    {"decoder.softcap", "softcap = 30.0", "!a soft cap of the logits",
     R"({"model_type": "gemma2", "final_logit_softcapping": 20.0})", "softcap = 20.0"},
    {"decoder.embedding_scale", "embedding_scale = 32.0", "!a factor of the embeddings",
     R"({"model_type": "gemma2", "hidden_size": 1024})", "embedding_scale = 32.0"},
    {"decoder.init_std", "init_std = 0.006", "--init-method-std\n0.006",
     R"({"model_type": "llama", "initializer_range": 0.006})", "init_std = 0.006"},
    {"decoder.tied_embeddings", "tied_embeddings = true", "--vocab-size",
     R"({"model_type": "llama", "tie_word_embeddings": true})", "tied_embeddings = true"},
    {"decoder.bias", "bias = true", "--ffn-hidden-size",
     R"({"model_type": "llama", "mlp_bias": true, "attention_bias": true})", "bias = true"},
    {"decoder.qkv_bias", "qkv_bias = true", "--add-qkv-bias", R"({"model_type": "qwen2"})",
     "qkv_bias = true"},
    {"decoder.qk_norm", "qk_norm = head", "--qk-layernorm", R"({"model_type": "qwen3"})",
     "qk_norm = head"},
};

const Fact otherNorms[] = {
    {"l2", "qk_norm = l2", "--qk-l2-norm", R"({"model_type": "llama4_text"})", "qk_norm = l2"},
    {"projection", "qk_norm = projection", "!norms of queries and keys over all heads",
     R"({"model_type": "olmo2"})", "qk_norm = projection"},
    {"projection of experts", "qk_norm = projection", "!norms of queries and keys over all heads",
     R"({"model_type": "minimax_m2"})", "qk_norm = projection"},
    {"each head", "qk_norm = each_head", "!norms of queries and keys with a gain for each head",
     R"({"model_type": "cohere", "use_qk_norm": true})", "qk_norm = each_head"},
};

/// Fields that are sizes or counts of a model, or the choice that holds a fact.
bool isShape(llvm::StringRef field) {
  static const std::set<std::string> shapes{"decoder.layers",
                                            "decoder.hidden",
                                            "decoder.heads",
                                            "decoder.kv_heads",
                                            "decoder.head_dim",
                                            "decoder.vocab",
                                            "decoder.context",
                                            "decoder.attention",
                                            "decoder.ffn",
                                            "decoder.layer",
                                            "decoder.norm",
                                            "decoder.positions",
                                            "decoder.dropout",
                                            "decoder.blocks",
                                            "decoder.causal",
                                            "decoder.token_types",
                                            "decoder.mtp_layers",
                                            "decoder.head_transform",
                                            "ffn.plain.width",
                                            "ffn.gated.width",
                                            "ffn.experts.count",
                                            "ffn.experts.top_k",
                                            "ffn.experts.width",
                                            "ffn.experts.shared",
                                            "ffn.experts.shared_width",
                                            "ffn.experts.gated",
                                            "ffn.experts.capacity_factor",
                                            "ffn.experts.imbalance",
                                            "ffn.experts.popularity",
                                            "ffn.experts.router",
                                            "ffn.experts.shared_gate",
                                            "attention.grouped.heads",
                                            "attention.grouped.kv_heads",
                                            "attention.grouped.head_dim",
                                            "attention.grouped.v_head_dim",
                                            "attention.grouped.gate"};
  return shapes.count(field.str()) > 0 || field.startswith("recurrence.") ||
         field.startswith("indexer.") || field.startswith("attention.mla.") ||
         field.startswith("layer.") || field.startswith("popularity.") ||
         field.startswith("listed_layer.") || field.startswith("layer_time.") ||
         field.startswith("tensor_collectives.") || field.startswith("layer_list.");
}

ir::Plan planWith(const std::string& model, const std::string& fact, const std::string& shard) {
  return test::completedPlan(
      "fact.dpl",
      "import std.models\nimport std.clusters\nmodel m from models." + model + " {\n  " + fact +
          "\n}\ncluster pod from clusters.dgx_h100 { nodes = 4 }\nlayout plan for m on pod {\n"
          "  batch = 64seq\n  micro_batch = 1seq\n  mesh { data = 32 }\n  recompute = full\n"
          "  shard { " +
          shard + " }\n}\n");
}
ir::Plan smallWith(const std::string& fact) {
  return planWith("decoder",
                  "layers = 4, hidden = 512, heads = 8, vocab = 32_000, context = 4096tok\n  " +
                      fact,
                  "optimizer = data");
}

/// Lines of the file that Megatron-LM or another target gets; else what stands against it.
std::string emitted(const ir::Plan& plan, const char* target, const char* path) {
  DiagnosticEngine diags;
  const Target* to = targetNamed(target);
  const FailureOr<std::vector<EmittedFile>> files = emit({*to, plan, to->newest(), {}}, diags);
  std::string out;
  if (files.failed())
    for (const Diagnostic& d : diags.diagnostics())
      out += "!" + d.message + "\n";
  else
    for (const EmittedFile& file : *files)
      if (file.path == path)
        out += file.text();
  return out;
}

std::string modelText(ir::Plan plan) {
  plan.model.name = "";
  const std::string all = ir::print(plan);
  const std::size_t begin = all.find("\n  model {");
  return all.substr(begin, all.find("\n  }", begin) - begin);
}

void comesBackOrIsRefused(const Fact& fact) {
  const ir::Plan plan = smallWith(fact.model);
  const std::string out = emitted(plan, "megatron", "arguments.txt");
  if (*fact.megatron == '!') {
    EXPECT_EQ(out.front(), '!') << out;
    EXPECT_THAT(out, HasSubstr(fact.megatron + 1));
    return;
  }
  EXPECT_THAT(out, HasSubstr(fmt::format("\n{}\n", fact.megatron)));
  SourceManager sources;
  DiagnosticEngine diags;
  const std::uint32_t file = sources.add("arguments.txt", out);
  const FailureOr<std::string> back = imports::megatronLaunch(
      {sources, file, {{"NNODES", "4"}, {"NPROC_PER_NODE", "8"}}, {}, false, "clusters.dgx_h100"},
      diags);
  ASSERT_FALSE(back.failed()) << renderText(diags, sources, false);
  EXPECT_EQ(modelText(test::completedPlan("back.dpl", *back)), modelText(plan)) << *back;
}

void isReadFromAConfig(const Fact& fact) {
  if (*fact.read == '\0')
    return; // no configuration class has it
  SourceManager sources;
  DiagnosticEngine diags;
  const std::uint32_t file = sources.add("config.json", fact.config);
  const FailureOr<std::string> text = imports::huggingFaceModel(sources, file, "m", "", diags);
  ASSERT_FALSE(text.failed()) << renderText(diags, sources, false);
  EXPECT_THAT(*text, HasSubstr(fact.read));
}

/// What torchtitan's launch.sh says beside the file's name and hash, or what stands against it.
std::string differences(const std::string& fact) {
  const std::string out =
      emitted(planWith("llama3_8b", fact, "parameters = data, gradients = data, optimizer = data"),
              "torchtitan", "launch.sh");
  if (out.front() == '!')
    return out;
  std::string said;
  for (std::size_t at = 0; (at = out.find("Not as in the plan", at)) != std::string::npos; ++at)
    said += out.substr(at, out.find('\n', at) - at);
  return said;
}

// Llama 3 8B is one of its flavors, which fixes all facts.
void isRefusedOrSaidByTorchtitan(const Fact& fact) {
  const llvm::StringRef model = fact.model;
  if (model.startswith("ffn = ") || model == "positions = rotary { base = 500_000.0 }")
    return; // another width; the flavor's own base
  EXPECT_NE(differences(model.str()), differences("")) << model.str();
}

void each(void (*holds)(const Fact&), llvm::ArrayRef<Fact> of = facts) {
  for (const Fact& fact : of) {
    SCOPED_TRACE(fact.field);
    holds(fact);
  }
}
TEST(ModelFacts, AreOptionsThatComeBackOrRefused) { each(comesBackOrIsRefused); }
TEST(ModelFacts, AreReadFromAConfig) { each(isReadFromAConfig); }
TEST(ModelFacts, AreRefusedOrSaidByTorchtitan) { each(isRefusedOrSaidByTorchtitan); }
TEST(ModelFacts, NormsOfQueriesAndKeys_AreOfAKind) {
  each(comesBackOrIsRefused, otherNorms);
  each(isReadFromAConfig, otherNorms);
  each(isRefusedOrSaidByTorchtitan, otherNorms);
}

TEST(ModelFactTable, HasARowForEachFieldThatIsNoSize) {
  std::set<std::string> rows;
  for (const Fact& fact : facts)
    EXPECT_TRUE(rows.insert(fact.field).second) << fact.field << " stands twice";
  for (const test::FieldCase& c : test::modelFieldCases())
    EXPECT_NE(isShape(c.field), rows.count(c.field) == 1) << c.field;
}

} // namespace
