//===- Import.cpp - A model from a Hugging Face config.json -----------------------------------===//
#include "frontend/import/HuggingFace.h"
#include "frontend/import/huggingface/Blocks.h"
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

/// Converts a text to a name in DPL: "meta-llama/Llama-3.1-8B" becomes llama_3_1_8b.
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

/// Other names that keys have in many architectures.
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

  /// Returns the text of the .dpl file. Fails after an error was reported.
  std::optional<std::string> run(const std::string& name, const std::string& file) {
    const std::string chosen =
        name.empty() ? identifier(config.text("_name_or_path", a.type)) : name;
    shape();
    attention();
    feedForward();
    layersOfTheirOwn();
    for (const std::string& fact : factLines(config, a, hidden, fields.headDim, notes))
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
  /// Notes which parts `--as` leaves out, in the words of the help that offers it.
  void leaveOut(llvm::StringRef type, const UnsupportedArchitecture& kind) {
    leavesOut = true;
    note(fmt::format("A `{}`, read {}.", type, kind.without));
  }
  /// Unread keys that show parts which the architecture does not have; known after `run`.
  const std::vector<TellingKey>& tellings() const { return warnedKeys; }

private:
  void line(const std::string& text) { body += "  " + text + "\n"; }

  void shape() {
    layers = layersOf(config, a, mostLayers);
    hidden = config.positive("hidden_size", a.shape.hidden);
    line(fmt::format("layers = {}, hidden = {}", layers, groupedDigits(hidden)));
    line(fmt::format("vocab = {}", groupedDigits(config.positive("vocab_size", a.shape.vocab))));
    line(fmt::format("context = {}tok",
                     groupedDigits(config.positive("max_position_embeddings", a.shape.context))));
    note(fmt::format("`context` is {}, the longest that the model supports; set the length that "
                     "the run trains on.",
                     config.written("max_position_embeddings")));
  }

  void attention() {
    attentionFields(config, a, layers, hidden, fields);
    for (const std::string& text : fields.lines)
      line(text);
  }

  /// Writes a line for each set of fields, because a layer may have only one `layer` block.
  void layersOfTheirOwn() {
    std::vector<std::pair<std::string, std::vector<std::uint64_t>>> kinds; // few
    for (std::uint64_t i = 0; i < fields.declared.size(); ++i) {
      if (fields.declared[i].empty())
        continue;
      auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) {
        return known.first == fields.declared[i];
      });
      if (kind == kinds.end())
        kind = kinds.insert(kind, {fields.declared[i], {}});
      kind->second.push_back(i);
    }
    for (const auto& [text, listed] : kinds)
      each(listed, text);
  }

  /// Writes one `layer` line with `field` for the layers in `listed`, which is in ascending order.
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
    std::string out = fmt::format(
        "experts {{ count = {}, top_k = {}, width = {}", config.count("num_experts", e.count),
        config.count("num_experts_per_tok", e.active), groupedDigits(width));
    if (shared > 0)
      out += fmt::format(", shared = {}", shared);
    if (shared > 0 && sharedWidth != width)
      out += fmt::format(", shared_width = {}", groupedDigits(sharedWidth));
    if (shared > 0 && e.sharedGate)
      out += ", shared_gate = true";
    if (!a.gated)
      out += ", gated = false";
    // GPT-OSS names silu in its reference code, but computes x · sigmoid(1.702 x).
    out += e.cut ? fmt::format(", activation = quick_gelu, offset = 1.0, clamp = {}",
                               realText(config.real("swiglu_limit", 7)))
                 : activation(a.gated);
    const std::string router = routerText(config, e.router, notes);
    return out + (router.empty() ? "" : ", router { " + router + " }") + " }";
  }

  /// The text after a width, ", activation = gelu_tanh"; empty if it is the default.
  std::string activation(bool gated) {
    const std::string text = activationText(config, a);
    return text == (gated ? "silu" : "gelu") ? "" : ", activation = " + text;
  }

  void feedForward() {
    const std::uint64_t expansion = config.count("expansion_ratio", 4);
    const std::uint64_t ofExperts =
        a.expertWidth ? config.count("moe_intermediate_size", a.experts->width) : a.shape.width;
    const std::uint64_t given =
        config.count("intermediate_size", ofExperts, a.expertWidth ? ofExperts : 0);
    const std::uint64_t width = given == 0 ? expansion * hidden : a.bothWidths ? given / 2 : given;
    const std::string dense = denseText(width);
    if (!a.experts)
      return line(dense);
    if (config.count("num_experts", a.experts->count) == 0) // Granite 4: the shared part alone
      return line(denseText(config.count("shared_expert_intermediate_size", width)));
    line("ffn = " + experts(*a.experts));
    if (a.singles)
      return singleBlocks(config, a, hidden, dense, fields);
    fields.differ(denseLayers(config, *a.experts, layers), dense);
  }

  /// A dense feed-forward network; that of LFM2 has two thirds of the width, rounded up.
  std::string denseText(std::uint64_t width) {
    if (a.adjustedWidth && config.flag("block_auto_adjust_ff_dim", true)) {
      const std::uint64_t unit = std::max<std::uint64_t>(config.count("block_multiple_of", 256), 1);
      const double scaled = std::floor(config.real("block_ffn_dim_multiplier", 1) *
                                       std::floor(2.0 * static_cast<double>(width) / 3));
      width = (static_cast<std::uint64_t>(scaled) + unit - 1) / unit * unit;
    }
    return fmt::format("ffn = {} {{ width = {}{} }}", a.gated ? "gated" : "plain",
                       groupedDigits(width), activation(a.gated));
  }

  /// Reports keys that change the shape of a layer in a way that DPL cannot express.
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
        if (type != "full_attention" && !(a.indexerHeads > 0 && type == "indexed_attention") &&
            !(a.windows != WindowedLayers::None && type == "sliding_attention") &&
            !(a.recurrent && type == "linear_attention"))
          return config.wrong("layer_types", "full_attention for each layer");
    for (const char* key : {"hidden_size_per_layer_input", "num_kv_shared_layers"})
      if (config.count(key, 0, 0) > 0)
        config.wrong(key, "0");
    if (config.flag("attention_k_eq_v", false))
      config.wrong("attention_k_eq_v", "false");
    if (a.recurrent && a.recurrent->kind == Recurrent::Lightning)
      return;
    const std::vector<std::uint64_t> kinds = config.counts("attn_type_list");
    if (std::any_of(kinds.begin(), kinds.end(), [](std::uint64_t kind) { return kind != 1; }))
      config.wrong("attn_type_list", "1, attention with a softmax, for each layer");
  }

  JsonConfig config;
  const Architecture& a;
  std::uint64_t layers = 1, hidden = 1;
  LayerFields fields;
  std::string body;
  std::vector<TellingKey> warnedKeys;
  bool leavesOut = false;
  Notes notes;
};

/// Keys that a decoder needs and the file does not have, by their names in architecture `a`.
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

/// Continues with the text part of a multimodal model. If that part has no `model_type`, it is
/// derived from that of the whole model.
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
  if (const UnsupportedArchitecture* whole = findUnsupportedArchitecture(type);
      whole && as.empty() && config->has("text_config"))
    return diags.report<diag::InexpressibleArchitecture>(config->range("model_type"), type,
                                                         whole->reason);
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
