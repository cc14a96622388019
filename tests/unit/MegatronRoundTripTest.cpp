//===- MegatronRoundTripTest.cpp - Models that go out to Megatron-LM and come back ------------===//
//
// Random models with facts of every kind that Megatron-LM can say are emitted, read by `import
// megatron`, and have to be the same model; those with one more fact that it cannot say are refused
// by a rule that names the fact.
#include "CompiledPlan.h"
#include "backends/Target.h"
#include "frontend/import/Megatron.h"
#include "ir/Plan.h"
#include <fmt/format.h>
#include <map>
#include <random>

using namespace dpl;

namespace {

/// Draws the text of a model. mt19937 is specified, distributions are not.
class Drawn {
public:
  explicit Drawn(unsigned seed) : random(seed) {}

  /// Fields of a `decoder`, one a line.
  std::string model() {
    latent = chance(20);
    experts = chance(50);
    bias = chance(35);
    predicts = !latent && chance(20);
    heads = 8 * of({1, 2, 3});
    hidden = heads * 64;
    line("layers", fmt::format("{}", layers = of({4, 6, 8})));
    line("hidden", fmt::format("{}", hidden));
    line("heads", fmt::format("{}", heads));
    attention();
    feedForward();
    line("vocab", one({"32_000", "50_257", "128_256"}));
    line("context", one({"1024tok", "4096tok", "8192tok"}));
    const std::string epsilon = chance(60) ? "epsilon = " + one({"1.0e-6", "1.0e-8"}) : "";
    const std::string centered = chance(30) ? "zero_centered = true" : "";
    line("norm", said(one({"rms", "layer"}), {epsilon, centered}));
    positions();
    dropout();
    if (chance(50))
      line("init_std", one({"0.006", "0.01", "0.0134"}));
    line("tied_embeddings", one({"true", "false"}));
    line("bias", bias ? "true" : "false");
    if (!bias && chance(30))
      line("qkv_bias", "true");
    if (predicts)
      line("mtp_layers", one({"1", "2"}));
    return fields;
  }
  /// The fields that were drawn, "positions rotary", and those inside their values.
  std::map<std::string, int> kinds;
  bool latent = false, experts = false, bias = false, predicts = false, rotary = false;

private:
  std::uint64_t below(std::uint64_t n) { return random() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string one(std::initializer_list<const char*> from) {
    return from.begin()[below(from.size())];
  }
  std::uint64_t of(std::initializer_list<int> from) {
    return static_cast<std::uint64_t>(from.begin()[below(from.size())]);
  }
  void line(const std::string& field, const std::string& value) {
    fields += fmt::format("  {} = {}\n", field, value);
    ++kinds[field];
    ++kinds[field + " " + value.substr(0, value.find(' '))];
  }
  /// "choice { a, b }" of those that are not empty.
  std::string said(const std::string& choice, std::initializer_list<std::string> parts) {
    std::string inner;
    for (const std::string& part : parts)
      if (!part.empty()) {
        inner += (inner.empty() ? "" : ", ") + part;
        ++kinds[choice + "." + part.substr(0, part.find(' '))];
      }
    return inner.empty() ? choice : choice + " { " + inner + " }";
  }
  static std::string field(bool has, const std::string& text) { return has ? text : ""; }

  void attention() {
    if (latent) {
      line("attention", said("mla", {field(chance(50), "q_lora_rank = 192"), "kv_lora_rank = 128",
                                     "qk_nope_head_dim = 64", "qk_rope_head_dim = 32",
                                     "v_head_dim = " + one({"64", "128"}),
                                     field(chance(40), "window = 512tok")}));
      return;
    }
    if (chance(50))
      line("kv_heads", fmt::format("{}", heads / of({2, 4, 8})));
    if (chance(30))
      line("head_dim", one({"32", "128"}));
    if (chance(40))
      line("qk_norm", said(one({"head", "l2"}), {}));
    const std::string sinks = field(chance(25), "sinks = true");
    const bool window = chance(40);
    line("attention",
         said("grouped", {field(window, "window = " + one({"128tok", "500tok"})), sinks}));
    if (window && chance(70)) { // some layers see everything
      const std::uint64_t begin = below(layers - 1);
      fields += fmt::format("  layer[{}..<{}] {{ attention = grouped{} }}\n", begin, begin + 1,
                            sinks.empty() ? "" : " { " + sinks + " }");
      ++kinds["windows of some layers"];
    }
  }

  std::string activation(bool gated, bool routed) {
    if (gated && chance(50))
      return "";
    if (gated) {
      std::string text = "activation = quick_gelu";
      text += field(chance(60), ", offset = 1.0") + field(chance(60), ", clamp = 7.0");
      ++kinds[text];
      return text;
    }
    const std::string kind = bias && !routed ? one({"gelu", "gelu_tanh", "squared_relu"})
                                             : one({"gelu", "squared_relu"});
    ++kinds["activation " + kind];
    return "activation = " + kind;
  }

  void feedForward() {
    const bool gated = chance(60);
    const std::string function = activation(gated, experts);
    const std::string dense = said(gated ? "gated" : "plain",
                                   {fmt::format("width = {}", hidden * of({2, 3, 4})), function});
    if (!experts)
      return line("ffn", dense);
    const std::uint64_t active = of({1, 2, 4});
    const std::string routed =
        said("experts",
             {fmt::format("count = {}", 8 * of({1, 2, 4})), fmt::format("top_k = {}", active),
              fmt::format("width = {}", of({256, 640})), field(!bias && chance(40), "shared = 2"),
              field(!gated, "gated = false"), function, capacity(), "router " + router(active)});
    line("ffn", routed);
    if (chance(50)) { // dense ones first
      fields += fmt::format("  layer[0..<{}] {{ ffn = {} }}\n", of({1, 2}), dense);
      ++kinds["dense layers beside experts"];
    }
  }
  std::string capacity() {
    dropping = chance(40);
    return field(dropping, "capacity_factor = " + one({"1.25", "2.0"}));
  }

  std::string router(std::uint64_t active) {
    const bool sigmoid = chance(50);
    const bool biased = sigmoid && chance(50);
    std::string balance = one({"none", "aux_loss", "seq_aux_loss", "global_aux_loss",
                               dropping ? "aux_loss" : "sinkhorn"});
    const bool sinkhorn = balance == "sinkhorn" && !biased;
    if (balance == "sinkhorn" && biased)
      balance = "aux_loss";
    ++kinds["balance " + balance];
    if (balance == "aux_loss" || balance == "seq_aux_loss" || balance == "global_aux_loss")
      balance += " { coefficient = " + one({"0.001", "0.01", "0.0001"}) + " }";
    const bool grouped = !sinkhorn && chance(40);
    return said("", {field(sigmoid, "score_function = sigmoid"),
                     // one expert has no weight that a softmax over the chosen would leave
                     field(!sigmoid && active > 1 && chance(60), "normalized = false"),
                     field(!sinkhorn && chance(40), "scaling_factor = " + one({"2.5", "0.5"})),
                     field(grouped, "groups = 4, group_top_k = " + one({"1", "2", "4"})),
                     field(chance(40), "precision = fp32"),
                     // beside a bias, no other balance is the same as `none`
                     field(!(biased && balance == "none"), "balance = " + balance),
                     field(biased, "bias_update_rate = " + one({"0.001", "0.01"})),
                     field(chance(40), "z_loss = " + one({"0.001", "0.0001"})),
                     field(chance(30), "input_jitter = 0.01"),
                     field(dropping && chance(50), "drop_policy = position")});
  }

  void positions() {
    const std::string kind =
        latent ? "rotary" : one({"rotary", "rotary", "rotary", "learned", "none"});
    rotary = kind == "rotary";
    if (!rotary)
      return line("positions", predicts ? "none" : kind);
    line("positions", said("rotary", {field(chance(60), "base = " + one({"500_000.0", "50_000.0"})),
                                      field(!latent && chance(30), "fraction = 0.5"), scaling()}));
  }
  std::string scaling() {
    const std::string kind = latent ? one({"", "yarn"}) : one({"", "linear", "llama3", "yarn"});
    ++kinds["scaling " + kind];
    if (kind.empty())
      return "";
    if (kind == "linear")
      return "scaling = " + said(kind, {"factor = " + one({"2.0", "8.0"})});
    if (kind == "llama3")
      return "scaling = llama3";
    const std::string all = field(chance(50), "mscale_all_dim = 1.0");
    if (latent)
      return "scaling = " + said(kind, {"factor = 40.0", "original_context = 4096tok",
                                        field(chance(50), "mscale = 0.7"), all});
    return "scaling = " +
           said(kind,
                {"factor = " + one({"4.0", "32.0"}),
                 "original_context = " + one({"1024tok", "4096tok"}),
                 field(chance(50), "beta_fast = 64.0"), field(chance(50), "beta_slow = 2.0"),
                 field(chance(50), "mscale = 0.7"), all, field(chance(50), "truncate = false")});
  }

  void dropout() {
    const std::string scores = field(chance(30), "attention = " + one({"0.1", "0.05"}));
    const std::string stream = field(chance(30), "hidden = " + one({"0.1", "0.2"}));
    if (!scores.empty() || !stream.empty())
      line("dropout", said("dropout", {scores, stream}));
  }

  std::mt19937 random;
  std::string fields;
  std::uint64_t heads = 0, hidden = 0, layers = 0;
  bool dropping = false;
};

std::string fileOf(const std::string& model, const std::string& further = "") {
  return "import std.models\nimport std.clusters\nmodel drawn from models.decoder {\n" + model +
         further +
         "}\ncluster pod from clusters.dgx_h100 { nodes = 1 }\n"
         "layout plan for drawn on pod {\n  batch = 16seq\n  micro_batch = 1seq\n"
         "  mesh { data = 8 }\n  shard { optimizer = data }\n}\n";
}

struct Written {
  std::string arguments, said; ///< the file of options; what stands against it
};
Written written(const ir::Plan& plan) {
  DiagnosticEngine diags;
  Written out;
  const FailureOr<std::vector<EmittedFile>> files =
      emit({*targetNamed("megatron"), plan, Release("0.19"), {}}, diags);
  for (const Diagnostic& d : diags.diagnostics())
    out.said += fmt::format("{} {}\n", d.info.code, d.message);
  if (!files.failed())
    for (const EmittedFile& file : *files)
      if (file.path == "arguments.txt")
        out.arguments = file.content;
  return out;
}

/// The text of a file that `import megatron` makes of a file of options.
std::string imported(const std::string& arguments) {
  SourceManager sources;
  DiagnosticEngine diags;
  const std::uint32_t file = sources.add("arguments.txt", arguments);
  const FailureOr<std::string> text = imports::megatronLaunch(
      {sources, file, {{"NNODES", "1"}, {"NPROC_PER_NODE", "8"}}, {}, false, "clusters.dgx_h100"},
      diags);
  EXPECT_FALSE(text.failed()) << renderText(diags, sources, false);
  return text.failed() ? "" : *text;
}

/// A model without its name, as text.
std::string textOf(const ir::Plan& plan) {
  ir::Plan of = plan;
  of.model.name = "";
  const std::string all = ir::print(of);
  const std::size_t begin = all.find("\n  model {"), end = all.find("\n  }", begin);
  EXPECT_NE(begin, std::string::npos);
  return all.substr(begin, end - begin);
}

TEST(MegatronRoundTrip, FortyRandomModels_ComeBackAsTheyWere) {
  std::map<std::string, int> kinds;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Drawn drawn(seed);
    const std::string text = fileOf(drawn.model());
    const ir::Plan plan = test::completedPlan("drawn.dpl", text);
    const Written out = written(plan);
    ASSERT_FALSE(out.arguments.empty()) << text << out.said;
    const std::string back = imported(out.arguments);
    EXPECT_EQ(textOf(test::completedPlan("back.dpl", back)), textOf(plan)) << text << back;
    kinds.merge(drawn.kinds);
  }
  for (const char* kind : {"attention mla",
                           "mla.q_lora_rank",
                           "mla.window",
                           "kv_heads",
                           "head_dim",
                           "qk_norm head",
                           "qk_norm l2",
                           "grouped.window",
                           "grouped.sinks",
                           "windows of some layers",
                           "rms.epsilon",
                           "rms.zero_centered",
                           "layer.zero_centered",
                           "positions learned",
                           "positions none",
                           "rotary.base",
                           "rotary.fraction",
                           "scaling linear",
                           "scaling llama3",
                           "scaling yarn",
                           "yarn.beta_fast",
                           "yarn.beta_slow",
                           "yarn.mscale",
                           "yarn.mscale_all_dim",
                           "yarn.truncate",
                           "dropout.attention",
                           "dropout.hidden",
                           "init_std",
                           "tied_embeddings true",
                           "tied_embeddings false",
                           "bias true",
                           "qkv_bias",
                           "mtp_layers",
                           "activation = quick_gelu, offset = 1.0, clamp = 7.0",
                           "activation gelu",
                           "activation gelu_tanh",
                           "activation squared_relu",
                           "experts.shared",
                           "experts.gated",
                           "experts.capacity_factor",
                           "dense layers beside experts",
                           ".score_function",
                           ".normalized",
                           ".scaling_factor",
                           ".groups",
                           ".precision",
                           ".bias_update_rate",
                           ".z_loss",
                           ".input_jitter",
                           ".drop_policy",
                           "balance none",
                           "balance aux_loss",
                           "balance seq_aux_loss",
                           "balance global_aux_loss",
                           "balance sinkhorn"})
    EXPECT_GT(kinds[kind], 0) << kind << " was never drawn";
}

/// A field that Megatron-LM has no option for, and of which models.
struct Unsayable {
  const char* field; ///< further lines of the model
  const char* rule;  ///< part of the message
  bool (*fits)(const Drawn&);
};

TEST(MegatronRoundTrip, WhatItCannotSay_IsRefusedInEveryModel) {
  const auto any = [](const Drawn&) { return true; };
  const auto grouped = [](const Drawn& d) { return !d.latent; };
  const auto dense = [](const Drawn& d) { return !d.experts; };
  const auto latent = [](const Drawn& d) { return d.latent; };
  const auto routed = [](const Drawn& d) { return d.experts; };
  const Unsayable facts[] = {
      {"softcap = 30.0", "a soft cap of the logits", any},
      {"post_norms = true", "norms after attention", any},
      {"embedding_scale = 32.0", "a factor of the embeddings", any},
      {"blocks = parallel", "feed-forward parts in parallel", dense},
      {"causal = false", "causal attention", any},
      {"token_types = 2", "token types", any},
      {"head_transform = true", "before the output head", any},
      {"positions = alibi", "ALiBi", grouped},
      {"attention = grouped { softcap = 50.0 }", "a soft cap of the scores", grouped},
      {"attention = grouped { scale = 0.0625 }", "a scale of the scores", grouped},
      {"attention = grouped { base = 500_000.0 }", "a rotary base of single layers", grouped},
      {"ffn = plain { activation = relu }", "relu", dense},
      {"ffn = gated { width = 1024, activation = gelu_tanh }", "gelu_tanh", dense},
      {"positions = rotary { base = 10_000.5 }", "10000.5", any},
      {"positions = rotary { scaling = llama3 { factor = 32.0 } }", "Llama 3.1's scaling by 32",
       any},
      {"positions = rotary { scaling = linear { factor = 2.5 } }", "linear scaling by 2.5", any},
      {"positions = rotary { fraction = 0.5 }", "0.5", latent},
      {"positions = rotary { scaling = yarn { factor = 4.0, original_context = 4096tok, beta_fast "
       "= 64.0 } }",
       "YaRN between 64", latent},
      {"ffn = experts { count = 8, top_k = 2, width = 256 }", "balance", routed},
      {"ffn = experts { count = 8, top_k = 2, width = 256, "
       "router { score_function = sigmoid, normalized = false, balance = none } }",
       "not normalised", routed},
      {"ffn = experts { count = 8, top_k = 2, width = 256, "
       "router { precision = fp16, balance = none } }",
       "scores in a type", routed},
  };
  for (const Unsayable& fact : facts) {
    int tried = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
      Drawn drawn(seed);
      std::string model = drawn.model();
      if (!fact.fits(drawn))
        continue;
      // in place of what was drawn of the field
      const std::string name = std::string(fact.field).substr(0, std::string(fact.field).find(' '));
      if (const std::size_t at = model.find("\n  " + name + " ="); at != std::string::npos)
        model.erase(at + 1, model.find('\n', at + 1) - at);
      const Written out = written(
          test::completedPlan("drawn.dpl", fileOf(model, fmt::format("  {}\n", fact.field))));
      EXPECT_TRUE(out.arguments.empty()) << fact.field << "\n" << model;
      EXPECT_NE(out.said.find(fact.rule), std::string::npos) << fact.field << "\n" << out.said;
      if (++tried == 4)
        break;
    }
    EXPECT_GT(tried, 1) << fact.field;
  }
}

} // namespace
