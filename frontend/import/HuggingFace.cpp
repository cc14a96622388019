//===- HuggingFace.cpp - A model from a Hugging Face config.json ------------------------------===//
#include "frontend/import/HuggingFace.h"
#include "frontend/import/huggingface/ModelFields.h"
#include "frontend/import/huggingface/TellingKeys.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::imports;

namespace {

constexpr std::uint64_t mostLayers = 10'000; ///< larger numbers are taken for typing errors

/// Groups digits from five digits on: "14_336". The formatter does the same.
std::string number(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (std::size_t at = out.size() > 4 ? out.size() : 0; at > 3;)
    out.insert(at -= 3, "_");
  return out;
}

/// Makes a name of the language: "meta-llama/Llama-3.1-8B" becomes llama_3_1_8b.
std::string identifier(llvm::StringRef text) {
  std::string out;
  for (const char c : text.substr(text.rfind('/') + 1))
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80
               ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
               : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0)
    out = "model_" + out;
  return isTakenName(out) ? "imported" : out;
}

/// Alternative names of keys in many architectures.
constexpr RenamedKey everywhere[] = {
    {"num_local_experts", "num_experts"},         {"n_routed_experts", "num_experts"},
    {"experts_per_token", "num_experts_per_tok"}, {"num_mtp_layers", "num_nextn_predict_layers"},
    {"attn_pdrop", "attention_dropout"},          {"resid_pdrop", "hidden_dropout"},
};

class Importer {
public:
  Importer(JsonConfig read, const Architecture& architecture)
      : config(std::move(read)), a(architecture) {
    for (const llvm::ArrayRef<RenamedKey> names : {llvm::makeArrayRef(everywhere), a.renamed})
      for (const RenamedKey& name : names)
        config.rename(name.theirs, name.ours);
    for (const RenamedKey& name : a.renamed)
      config.nameAbsent(name.ours, name.theirs);
  }

  /// Returns the text of the file; fails after a report.
  std::optional<std::string> run(const std::string& name, const std::string& file) {
    const std::string chosen =
        name.empty() ? identifier(config.text("_name_or_path", a.type)) : name;
    shape();
    attention();
    feedForward();
    layersOfTheirOwn();
    for (const std::string& fact : factLines(config, a, hidden, headDim, notes))
      line(fact);
    unsayable();
    warnedKeys = leavesOut ? std::vector<TellingKey>{} : tellingKeys(config, a);
    const std::vector<std::string> absent = absentKeys(config, a);
    for (const TellingKey& key : warnedKeys) {
      auto report =
          config.report<diag::UnknownArchitectureKey>(key.key, oneLine(key.key), a.type, key.part);
      if (const std::vector<std::string> meant = meantKeys(key.key, absent); !meant.empty())
        (void)std::move(report).help(didYouMean(meant, ""));
    }
    warnOfMisspeltKeys(config, a);
    if (!config.good())
      return std::nullopt;
    std::string out =
        fmt::format("/// Imported from {}, a `{}` of Hugging Face.\n", oneLine(file), a.type);
    if (a.note)
      notes.push_back(fmt::format("Not imported: {}.", a.note));
    for (const std::string& note : notes)
      out += "/// " + oneLine(note) + "\n";
    return out + "import std.models\n\nmodel " + chosen + " from models.decoder {\n" + body + "}\n";
  }

  void note(std::string text) { notes.push_back(std::move(text)); }
  /// Notes the parts that `--as` leaves out, with the words of the help that offers it.
  void leaveOut(llvm::StringRef type, const UnsupportedArchitecture& kind) {
    leavesOut = true;
    note(fmt::format("A `{}`, read {}.", type, kind.without));
  }
  /// Unread keys that show parts which the architecture does not have. Call it after `run`.
  const std::vector<TellingKey>& tellings() const { return warnedKeys; }

private:
  void line(const std::string& text) { body += "  " + text + "\n"; }

  void shape() {
    layers = config.positive("num_hidden_layers", a.shape.layers, mostLayers);
    hidden = config.positive("hidden_size", a.shape.hidden);
    line(fmt::format("layers = {}, hidden = {}", layers, number(hidden)));
    line(fmt::format("vocab = {}", number(config.positive("vocab_size", a.shape.vocab))));
    line(fmt::format("context = {}tok",
                     number(config.positive("max_position_embeddings", a.shape.context))));
    note(fmt::format("`context` is {}, the longest that the model supports; set the length that "
                     "the run trains on.",
                     config.written("max_position_embeddings")));
  }

  std::uint64_t keyValueHeads(std::uint64_t count) {
    const bool one = a.multiQuery.key && !config.flag("new_decoder_architecture", false)
                         ? isSet(config, a.multiQuery)
                         : config.text("attn_type", "") == "multiquery_attention";
    const std::uint64_t otherwise = a.shape.kvHeads == asManyAsHeads ? count : a.shape.kvHeads;
    // In GPT-BigCode and the first Falcon `multi_query` overrides the number of KV heads.
    const std::uint64_t kv = one ? 1 : config.count("num_key_value_heads", otherwise, count);
    if (kv == 0 || count % kv != 0)
      config.wrong("num_key_value_heads", fmt::format("a divisor of the {} heads", count));
    return kv;
  }

  void attention() {
    const std::uint64_t count = config.positive("num_attention_heads", a.shape.heads);
    if (a.latent) {
      line(fmt::format("heads = {}", count));
      const std::uint64_t query = config.count("q_lora_rank", 1536, 0);
      const std::uint64_t nope = config.count("qk_nope_head_dim", 128),
                          rope = config.count("qk_rope_head_dim", 64);
      std::string latent = query > 0 ? fmt::format("q_lora_rank = {}, ", number(query)) : "";
      latent += fmt::format(
          "kv_lora_rank = {}, qk_nope_head_dim = {}, qk_rope_head_dim = {}, v_head_dim = {}",
          config.count("kv_lora_rank", 512), nope, rope, config.count("v_head_dim", 128));
      line("attention = mla { " + latent + " }");
      if (hidden % count != 0) // the default requires divisibility
        line(fmt::format("head_dim = {}", nope + rope));
      return;
    }
    const std::uint64_t kv = keyValueHeads(count);
    line(fmt::format("heads = {}{}", count, kv == count ? "" : fmt::format(", kv_heads = {}", kv)));
    headDim = config.count("head_dim", a.shape.headDim, 0);
    if (headDim == 0 && config.has("head_dim"))
      config.wrong("head_dim", "a whole number of at least 1");
    else if (headDim == 0 && hidden % count != 0)
      config.wrong("hidden_size", fmt::format("a multiple of the {} heads", count));
    if (headDim > 0 && headDim * count != hidden)
      line(fmt::format("head_dim = {}", headDim));
    headDim = headDim > 0 ? headDim : std::max<std::uint64_t>(hidden / count, 1);
    windows();
  }

  /// Writes attention with and without a window; one kind for all layers needs no `layer` line.
  void windows() {
    const std::uint64_t window = config.count("sliding_window", a.window, 0);
    const std::vector<std::uint64_t> whole = wholeLayers(config, a, layers, window);
    if (whole.size() == layers) {
      if (const std::string text = grouped(""); text != "grouped")
        line("attention = " + text);
      return;
    }
    std::string windowed = fmt::format("window = {}tok", number(window));
    if (const double base = windowBase(config, a); base > 0)
      windowed += ", base = " + realText(base);
    line("attention = " + grouped(windowed));
    differ(whole, "attention = " + grouped(""));
  }

  std::string grouped(std::string fields) {
    const auto add = [&](const std::string& field) {
      fields += (fields.empty() ? "" : ", ") + field;
    };
    if (a.experts && a.experts->cut)
      add("sinks = true");
    if (const double cap = config.real("attn_logit_softcapping", a.attentionCap); cap > 0)
      add("softcap = " + realText(cap));
    if (const double dim = config.real("query_pre_attn_scalar", a.queryScalar); dim > 0)
      add("scale = " + realText(1 / std::sqrt(dim)));
    else if (const double scale = config.real("attention_multiplier", a.attentionScale); scale > 0)
      add("scale = " + realText(scale));
    return fields.empty() ? "grouped" : "grouped { " + fields + " }";
  }

  /// Adds the field to the layers listed.
  void differ(const std::vector<std::uint64_t>& listed, const std::string& field) {
    declaredFields.resize(layers);
    for (const std::uint64_t i : listed)
      declaredFields[i] += (declaredFields[i].empty() ? "" : ", ") + field;
  }

  /// Writes each set of fields once, because a layer may have only one `layer` block.
  void layersOfTheirOwn() {
    std::vector<std::pair<std::string, std::vector<std::uint64_t>>> kinds; // at most three
    for (std::uint64_t i = 0; i < declaredFields.size(); ++i) {
      if (declaredFields[i].empty())
        continue;
      auto kind = std::find_if(kinds.begin(), kinds.end(),
                               [&](const auto& known) { return known.first == declaredFields[i]; });
      if (kind == kinds.end())
        kind = kinds.insert(kind, {declaredFields[i], {}});
      kind->second.push_back(i);
    }
    for (const auto& [fields, listed] : kinds)
      each(listed, fields);
  }

  /// Writes a `layer` line with `field` for the layers listed, in ascending order.
  void each(const std::vector<std::uint64_t>& listed, const std::string& field) {
    const std::uint64_t from = listed.front(), to = listed.back() + 1;
    if (to - from == listed.size())
      return line(to - from == 1 ? fmt::format("layer[{}] {{ {} }}", from, field)
                                 : fmt::format("layer[{}..<{}] {{ {} }}", from, to, field));
    line(fmt::format("for i in [{}] {{ layer[i] {{ {} }} }}", fmt::join(listed, ", "), field));
  }

  std::string experts(const Experts& e) {
    const std::uint64_t width = config.count("moe_intermediate_size", e.width);
    std::uint64_t shared = config.count("n_shared_experts", e.shared, 0), sharedWidth = width;
    if (e.sharedWidth > 0) {
      sharedWidth = config.count("shared_expert_intermediate_size", e.sharedWidth, 0);
      shared = sharedWidth > 0 ? 1 : 0;
    }
    std::string out = fmt::format("experts {{ count = {}, top_k = {}, width = {}",
                                  config.count("num_experts", e.count),
                                  config.count("num_experts_per_tok", e.active), number(width));
    if (shared > 0)
      out += fmt::format(", shared = {}", shared);
    if (shared > 0 && sharedWidth != width)
      out += fmt::format(", shared_width = {}", number(sharedWidth));
    // GPT-OSS names silu in its reference code, but computes x · sigmoid(1.702 x).
    out += e.cut ? fmt::format(", activation = quick_gelu, offset = 1.0, clamp = {}",
                               realText(config.real("swiglu_limit", 7)))
                 : activation(true);
    const std::string router = routerText(config, e.router, notes);
    return out + (router.empty() ? "" : ", router { " + router + " }") + " }";
  }

  /// ", activation = gelu_tanh" after a width; empty for the default.
  std::string activation(bool gated) {
    const std::string text = activationText(config, a);
    return text == (gated ? "silu" : "gelu") ? "" : ", activation = " + text;
  }

  void feedForward() {
    const std::uint64_t expansion = config.count("expansion_ratio", 4);
    const std::uint64_t given = config.count("intermediate_size", a.shape.width, 0);
    const std::uint64_t width = given == 0 ? expansion * hidden : a.bothWidths ? given / 2 : given;
    const std::string dense =
        fmt::format("ffn = {} {{ width = {}{} }}", a.gated ? "gated" : "plain", number(width),
                    activation(a.gated));
    if (!a.experts)
      return line(dense);
    line("ffn = " + experts(*a.experts));
    differ(denseLayers(config, *a.experts, layers), dense);
  }

  /// Reports keys that change the shape of a layer in a way that the language cannot express.
  void unsayable() {
    if (config.count("word_embed_proj_dim", hidden) != hidden)
      config.wrong("word_embed_proj_dim", fmt::format("the hidden size, {}", hidden));
    if (config.flag("rope", false))
      config.wrong("rope", "false");
    if (config.text("ffn_type", "mptmlp") != "mptmlp")
      config.wrong("ffn_type", "`mptmlp`");
    if (a.windows == WindowedLayers::Odd && config.has("attention_types") &&
        !llvm::StringRef(config.shown("attention_types")).startswith("[[[\"global\",\"local\"],"))
      config.wrong("attention_types", "`global` and `local` in turn");
    if (a.latent)
      for (const std::string& type : config.texts("layer_types"))
        if (type != "full_attention")
          return config.wrong("layer_types", "full_attention for each layer");
    const std::vector<std::uint64_t> kinds = config.counts("attn_type_list");
    if (std::any_of(kinds.begin(), kinds.end(), [](std::uint64_t kind) { return kind != 1; }))
      config.wrong("attn_type_list", "1, attention with a softmax, for each layer");
  }

  JsonConfig config;
  const Architecture& a;
  std::uint64_t layers = 1, hidden = 1, headDim = 1;
  std::vector<std::string> declaredFields; ///< fields that differ from the model's, by layer
  std::string body;
  std::vector<TellingKey> warnedKeys;
  bool leavesOut = false;
  Notes notes;
};

/// Keys that a decoder needs and the file lacks, by the names that `a` uses.
std::string lackingOfDecoder(JsonConfig config, const Architecture& a) {
  for (const llvm::ArrayRef<RenamedKey> names : {llvm::makeArrayRef(everywhere), a.renamed})
    for (const RenamedKey& name : names)
      config.rename(name.theirs, name.ours);
  const auto theirs = [&](const char* key) {
    const auto* const found =
        std::find_if(a.renamed.begin(), a.renamed.end(),
                     [&](const RenamedKey& name) { return llvm::StringRef(name.ours) == key; });
    return found == a.renamed.end() ? key : found->theirs;
  };
  std::string out;
  const char* const width = a.experts ? "moe_intermediate_size" : "intermediate_size";
  for (const char* key : {"num_hidden_layers", "hidden_size", width, "num_attention_heads",
                          "vocab_size", "max_position_embeddings"})
    if (!config.has(key) && !(llvm::StringRef(key) == width && a.shape.width == 0 && !a.experts))
      out += (out.empty() ? "`" : ", `") + std::string(theirs(key)) + "`";
  return out;
}

/// Continues in the text part of a multimodal model. If that part has no `model_type`, it follows
/// from the whole model's.
bool enterTextPart(JsonConfig& config, std::string& type) {
  for (const char* key : {"text_config", "llm_config", "language_config"}) {
    if (!config.has(key))
      continue;
    if (!config.holds(key, Json::JsonKind::Object)) {
      config.wrong(key, "an object");
      return false;
    }
    JsonConfig inner = config.inside(key);
    if (!inner.has("tie_word_embeddings"))
      inner.adopt("tie_word_embeddings", config);
    config = std::move(inner);
    type = config.text("model_type", type);
    return true;
  }
  return false;
}

/// The reasons why the file cannot be read as a plain decoder: missing keys, and keys of parts that
/// a plain decoder does not have.
std::string helpOfUnknown(const SourceManager& sources, std::uint32_t file,
                          const JsonConfig& config) {
  const Architecture& plain = *findArchitecture("llama");
  DiagnosticEngine silent;
  std::optional<JsonConfig> read = JsonConfig::parse(sources, file, silent);
  std::string type, keys;
  if (read) {
    (void)enterTextPart(*read, type);
    Importer importer(std::move(*read), plain);
    (void)importer.run("", "");
    for (const TellingKey& key : importer.tellings())
      keys += fmt::format("{}`{}` ({})", keys.empty() ? "" : ", ", key.key, key.part);
  }
  if (!keys.empty())
    return keys + " belong to parts that a plain decoder does not have; write a model from "
                  "`models.decoder` of the library if it has these parts";
  const std::string lacking = lackingOfDecoder(config, plain);
  return lacking.empty() ? "`--as llama` reads it as a plain decoder, of which it has all keys"
                         : "to be read as a plain decoder (`--as llama`) it lacks " + lacking;
}

} // namespace

FailureOr<std::string> imports::huggingFaceModel(const SourceManager& sources, std::uint32_t file,
                                                 const std::string& name, const std::string& as,
                                                 DiagnosticEngine& diags) {
  std::optional<JsonConfig> config = JsonConfig::parse(sources, file, diags);
  if (!config)
    return LogicalResult::failure();
  std::string type = config->text("model_type", "");
  const bool part = enterTextPart(*config, type);
  if (!config->good())
    return LogicalResult::failure();
  const bool another = !as.empty() && as != type;
  const std::string ownType = type;
  const UnsupportedArchitecture* const own = findUnsupportedArchitecture(type);
  if (another)
    type = as;
  const bool sees = !textKindOf(type).empty();
  if (sees)
    type = textKindOf(type).str();
  const SourceRange range = !another ? config->range("model_type") : SourceRange{};
  if (const UnsupportedArchitecture* kind = findUnsupportedArchitecture(type)) {
    auto report = diags.report<diag::InexpressibleArchitecture>(range, type, kind->reason);
    return kind->nearest ? std::move(report).help(
                               fmt::format("`--as {}` reads it {}", kind->nearest, kind->without))
                         : std::move(report);
  }
  const Architecture* const found = findArchitecture(type);
  if (!found) {
    auto report = type.empty() ? diags.report<diag::NotAConfiguration>(
                                     {file, 0, 0},
                                     "the file has no `model_type`, which names the architecture")
                               : diags.report<diag::UnknownArchitecture>(range, "`" + type + "`");
    return std::move(report).help(helpOfUnknown(sources, file, *config));
  }
  if (const std::string lacking = another ? lackingOfDecoder(*config, *found) : "";
      !lacking.empty())
    return diags.report<diag::ShapelessConfiguration>({file, 0, 0}, as, lacking);
  Importer importer(std::move(*config), *found);
  if (part || sees)
    importer.note("This is the text part only: encoders of images and audio are not counted.");
  if (own && own->nearest && as == own->nearest)
    importer.leaveOut(ownType, *own);
  std::optional<std::string> text = importer.run(name, sources.name(file).str());
  if (!text)
    return LogicalResult::failure();
  return std::move(*text);
}

bool dpl::imports::isTakenName(llvm::StringRef name) {
  return name == "model" || name == "models"; // keyword of the block; imported library
}
