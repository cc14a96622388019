//===- LowerModel.cpp - Lowers a model --------------------------------------------------------===//
#include "frontend/sema/LowerJitter.h"
#include "ir/Fields.h"
#include "ir/Names.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Schema.h"
#include <map>

using namespace dpl;
using namespace dpl::sema;

namespace {

/// All numbers of a part without its names, by which layer types are compared.
struct PartNumbers {
  std::vector<double> all;
  template <class T> void operator()(const char*, T& member) {
    if constexpr (requires { member.fields(*this); })
      member.fields(*this);
    else if constexpr (requires { member.front().fields(*this); })
      for (auto& each : member)
        each.fields(*this);
    else if constexpr (std::is_same_v<T, std::vector<double>>)
      all.insert(all.end(), member.begin(), member.end());
    else if constexpr (ir::IsOptional<T>::value)
      all.push_back(member ? 1 + static_cast<double>(*member) : 0);
    else if constexpr (!std::is_same_v<T, std::string>)
      all.push_back(static_cast<double>(member));
  }
};
std::vector<double> numbersOf(ir::LayerType& c) {
  PartNumbers numbers;
  c.fields(numbers);
  return std::move(numbers.all);
}

class ModelLowering {
public:
  ModelLowering(Lowering& to, const ObjectFields& fields)
      : to(to), fields(fields), model(to.plan.model) {}

  LogicalResult run() {
    model.name = fields.name().str();
    if (fields.isA("layer_list"))
      list();
    else if (fields.isA("decoder"))
      transformer();
    else
      return to.diags.report<diag::ModelWithoutCost>(to.plan.layout.rangeOf("model"), model.name,
                                                     fields.kind());
    bool failed = fields.failed() || to.failed;
    if (!failed && model.layers() == 0)
      return to.diags.report<diag::FieldIsZero>(rangeOf("layers"), model.name + ".layers");
    return failed ? LogicalResult::failure() : LogicalResult::success();
  }

private:
  SourceRange rangeOf(const char* field) const {
    return to.plan.layout.rangeOf(std::string("model.") + field);
  }

  std::uint64_t size(const ObjectFields& from, const char* field, bool zeroAllowed = false) {
    const std::uint64_t n = to.bounded(from.count(field), mostElements, field, from.range(field));
    if (n == 0 && !zeroAllowed && !from.failed()) {
      to.failed = true;
      to.diags.report<diag::FieldIsZero>(from.range(field), field);
    }
    return n;
  }

  /// Adds layers: to the last run if they have its type, otherwise as a new run. A new type is
  /// added too.
  void add(ir::LayerType c, std::uint64_t count) {
    if (count == 0 || tooManyLayerTypes)
      return;
    const auto [known, isNew] = layerTypes.try_emplace(numbersOf(c), layerTypes.size());
    const std::size_t index = known->second;
    if (index >= mostLayerTypes) {
      tooManyLayerTypes = true;
      to.bounded(index + 1, mostLayerTypes, "kinds of layer", rangeOf("layers"));
      return;
    }
    if (isNew)
      model.layerTypes.push_back(std::move(c));
    if (!model.runs.empty() && model.runs.back().layerType == index)
      model.runs.back().count += count;
    else
      model.runs.push_back({index, count});
    if (model.layers() > mostLayers)
      model.runs.back().count =
          to.bounded(model.layers(), mostLayers, model.name + ".layers", rangeOf("layers"));
  }

  void excludes(const ObjectFields& layer, const char* field, const char* stated) {
    if (!layer.isSet(field))
      return;
    to.failed = true;
    to.diags.report<diag::StatedInstead>(layer.range(field), field, stated);
  }

  ir::StatedCost stated(const ObjectFields& layer) {
    ir::StatedCost s;
    s.statesTimes = layer.has("time"), s.statesSaved = layer.has("saved_activations"),
    s.statesMessage = layer.has("message");
    if (s.statesTimes)
      excludes(layer, "read", "time");
    if (s.statesSaved && s.statesMessage)
      excludes(layer, "output", "saved_activations");
    if (s.statesTimes) {
      const ObjectFields time = layer.object("time");
      s.forward = time.picoseconds("forward"), s.backward = time.picoseconds("backward");
      s.weight = time.picoseconds("backward_weight");
      ir::Jitter jitter;
      lowerFreshJitter(to, time, "each pass", jitter);
      if (jitter.varies())
        s.jitter = {jitter};
    }
    s.saved = s.statesSaved ? layer.whole("saved_activations") : 0;
    s.message = s.statesMessage ? layer.whole("message") : 0;
    if (layer.has("tensor")) {
      const ObjectFields tensor = layer.object("tensor");
      s.tensor = {{tensor.whole("bytes"), tensor.count("count")}};
    }
    return s;
  }

  void list() {
    model.kind = "layer_list";
    to.locate("model.layer", fields, "layer");
    for (const ObjectFields::FieldsRun& run : fields.runs("layer")) {
      ir::LayerType c;
      c.name = run.fields.text("name");
      c.attention.kind = ir::AttentionKind::None;
      c.feedForward.kind = ir::FeedForwardKind::None;
      c.listedParameters = run.fields.count("parameters");
      c.listedForwardFlop = run.fields.whole("forward");
      c.listedOutput = run.fields.count("output");
      c.listedRead = run.fields.count("read");
      c.stated = stated(run.fields);
      const std::uint64_t repeat =
          to.bounded(run.fields.count("repeat"), mostLayers, "repeat", run.fields.range("repeat"));
      add(std::move(c), repeat * to.bounded(run.count, mostLayers, "layer", fields.range("layer")));
      if (run.fields.has("time") && !model.runs.empty())
        to.locate(fmt::format("model.layer.{}", model.runs.back().layerType), run.fields,
                  "forward");
    }
  }

  void transformer() {
    model.kind = fields.isA("encoder") ? "encoder" : "decoder";
    for (const char* field :
         {"layers", "hidden", "heads", "kv_heads", "ffn", "context", "vocab", "attention",
          "positions", "qk_norm", "post_norms", "softcap", "embedding_scale", "blocks", "dropout"})
      to.locate(std::string("model.") + field, fields, field);
    model.hidden = size(fields, "hidden");
    model.vocab = size(fields, "vocab");
    model.context =
        to.bounded(fields.whole("context"), mostElements, "context", fields.range("context"));
    if (model.context == 0 && !fields.failed()) {
      to.failed = true;
      to.diags.report<diag::FieldIsZero>(fields.range("context"), "context");
    }
    model.norm = choice(fields, "norm", ir::NormKind::Rms);
    model.normEpsilon = fields.object("norm").real("epsilon");
    model.normCentered = fields.object("norm").flag("zero_centered");
    positions();
    model.tiedEmbeddings = fields.flag("tied_embeddings");
    model.bias = fields.flag("bias");
    model.qkvBias = fields.flag("qkv_bias");
    model.qkNorm = choice(fields, "qk_norm", ir::QkNorm::None);
    if (fields.choice("blocks") == "parallel")
      model.parallelNorms = fields.object("blocks").count("norms");
    model.attentionDropout = fields.object("dropout").real("attention");
    model.hiddenDropout = fields.object("dropout").real("hidden");
    model.embeddingNorm = fields.flag("embedding_norm");
    model.postNorms = fields.flag("post_norms");
    model.softcap = optional(fields, "softcap");
    model.embeddingScale = fields.real("embedding_scale");
    model.initialization = fields.real("init_std");
    model.headTransform = fields.flag("head_transform");
    model.tokenTypes = size(fields, "token_types", true);
    model.predictionLayers = to.bounded(fields.count("mtp_layers"), mostLayers, "mtp_layers",
                                        fields.range("mtp_layers"));
    to.bounded(fields.count("layers"), mostLayers, model.name + ".layers", fields.range("layers"));
    if (fields.failed() || to.failed)
      return; // the field `layers` is the number of layers
    for (const ObjectFields::FieldsRun& run : fields.runs("layer")) {
      ir::LayerType c;
      mixing(run.fields, c);
      c.feedForward = feedForward(run.fields);
      c.name = c.hasFeedForward()     ? ir::name(c.feedForward.kind)
               : c.recurrence.empty() ? "attention"
                                      : ir::name(c.recurrence.front().kind);
      if (c.isListed() && !fields.failed()) {
        to.failed = true;
        to.diags.report<diag::LayerWithoutBlocks>(fields.range("layer"), model.name);
        return;
      }
      add(std::move(c), run.count);
    }
    for (std::size_t i = 0; i < model.layerTypes.size(); ++i)
      if (model.layerTypes.size() > 1)
        model.layerTypes[i].name += fmt::format("_{}", i);
  }

  /// The number of an optional field that cannot be 0. Returns 0 if it is absent.
  static double optional(const ObjectFields& from, const char* field) {
    return from.has(field) ? from.real(field) : 0;
  }

  void positions() {
    model.positions = choice(fields, "positions", ir::PositionKind::Rotary);
    if (model.positions != ir::PositionKind::Rotary)
      return;
    const ObjectFields chosen = fields.object("positions");
    model.rotary.base = chosen.real("base");
    model.rotary.share = chosen.real("fraction");
    ir::RotaryScaling& scaling = model.rotary.scaling;
    scaling.kind = choice(chosen, "scaling", ir::RotaryScalingKind::None);
    if (scaling.kind == ir::RotaryScalingKind::None)
      return;
    const ObjectFields stretch = chosen.object("scaling");
    const bool yarn = scaling.kind == ir::RotaryScalingKind::Yarn;
    scaling.factor = stretch.real("factor");
    if (scaling.kind == ir::RotaryScalingKind::Linear)
      return;
    scaling.original = stretch.whole("original_context");
    scaling.slow = stretch.real(yarn ? "beta_slow" : "low_freq_factor");
    scaling.fast = stretch.real(yarn ? "beta_fast" : "high_freq_factor");
    if (!yarn)
      return;
    scaling.mscale = stretch.real("mscale");
    scaling.mscaleAll = stretch.real("mscale_all_dim");
    scaling.rounded = stretch.flag("truncate");
  }

  ir::Router router(const ObjectFields& from, std::uint64_t active) {
    ir::Router r;
    r.score = choice(from, "score_function", ir::RouterScore::Softmax);
    r.normalized = from.has("normalized") ? from.flag("normalized") : active > 1;
    r.scaling = from.real("scaling_factor");
    r.groups = from.count("groups");
    r.groupLimit = from.count("group_top_k");
    r.hasPrecision = from.has("precision");
    if (r.hasPrecision)
      r.precision = choice(from, "precision", ir::DataType::BF16);
    r.balance = choice(from, "balance", ir::Balance::Unset);
    if (r.balance == ir::Balance::Auxiliary || r.balance == ir::Balance::Sequence ||
        r.balance == ir::Balance::WholeBatch)
      r.coefficient = from.object("balance").real("coefficient");
    r.biasRate = optional(from, "bias_update_rate");
    r.zLoss = from.real("z_loss");
    r.jitter = from.real("input_jitter");
    if (from.has("drop_policy"))
      r.drop = choice(from, "drop_policy", ir::DropPolicy::Lightest);
    return r;
  }

  /// Attention, its indexer and the recurrence of a layer.
  void mixing(const ObjectFields& layer, ir::LayerType& c) {
    c.attention = attention(layer);
    if (c.attention.kind == ir::AttentionKind::Latent && layer.object("attention").has("indexer")) {
      const ObjectFields from = layer.object("attention").object("indexer");
      c.indexer = {{size(from, "heads"), size(from, "head_dim"), size(from, "top_k")}};
    }
    if (layer.isSet("recurrence") && layer.choice("recurrence") != "none")
      c.recurrence = {recurrence(layer)};
  }

  ir::Attention attention(const ObjectFields& layer) {
    ir::Attention a;
    a.kind = choice(layer, "attention", ir::AttentionKind::Grouped);
    a.causal = fields.flag("causal");
    if (a.kind == ir::AttentionKind::None)
      return a;
    const ObjectFields chosen = layer.object("attention");
    // The defaults of heads are the model's fields, which have a place in the file.
    const auto own = [&](const char* field) {
      return size(chosen.isSet(field) ? chosen : fields, field);
    };
    a.heads = own("heads");
    if (chosen.isSet("gate") && chosen.choice("gate") != "none")
      a.gate = choice(chosen, "gate", ir::AttentionGate::Element);
    if (chosen.has("window"))
      a.window = chosen.whole("window");
    a.base = optional(chosen, "base");
    if (a.kind == ir::AttentionKind::Latent) {
      a.kvHeads = a.heads; // after the up projection each head has its own keys and values
      if (chosen.has("q_lora_rank"))
        a.queryRank = size(chosen, "q_lora_rank");
      a.kvRank = size(chosen, "kv_lora_rank");
      a.nope = size(chosen, "qk_nope_head_dim");
      a.rope = size(chosen, "qk_rope_head_dim", true);
      a.value = size(chosen, "v_head_dim");
      a.headDim = a.nope + a.rope;
      return a;
    }
    a.kvHeads = own("kv_heads"), a.headDim = own("head_dim");
    const std::uint64_t value = chosen.isSet("v_head_dim") ? size(chosen, "v_head_dim") : 0;
    a.value = value == a.headDim ? 0 : value;
    a.sinks = chosen.flag("sinks");
    a.softcap = optional(chosen, "softcap");
    a.scale = optional(chosen, "scale");
    return a;
  }

  ir::Recurrence recurrence(const ObjectFields& layer) {
    constexpr std::uint64_t kernelChunk = 64; // of flash-linear-attention 0.6
    constexpr std::uint64_t usualTaps = 4;    // of all released models with these recurrences
    ir::Recurrence r;
    r.kind = choice(layer, "recurrence", ir::RecurrenceKind::GatedDelta);
    const ObjectFields chosen = layer.object("recurrence");
    switch (r.kind) {
    case ir::RecurrenceKind::GatedDelta:
      r.heads = size(chosen, "heads"), r.keyHeads = size(chosen, "key_heads");
      r.key = size(chosen, "key_dim"), r.value = size(chosen, "value_dim");
      r.chunk = kernelChunk, r.rank = chosen.has("rank") ? size(chosen, "rank") : 0;
      r.channelDecay = chosen.flag("channel_decay");
      break;
    case ir::RecurrenceKind::Lightning:
      r.heads = r.keyHeads = size(fields, "heads");
      r.key = r.value = size(fields, "head_dim"), r.chunk = kernelChunk;
      return r;
    case ir::RecurrenceKind::Mamba2:
      r.heads = size(chosen, "heads"), r.keyHeads = size(chosen, "groups");
      r.key = size(chosen, "state"), r.value = size(chosen, "head_dim");
      r.chunk = size(chosen, "chunk"), r.norm = chosen.flag("norm");
      break;
    case ir::RecurrenceKind::ShortConvolution:
      r.heads = r.keyHeads = model.hidden, r.key = r.value = 1, r.chunk = 1, r.norm = false;
      r.taps = size(chosen, "conv");
      return r;
    }
    r.taps = usualTaps;
    return r;
  }

  ir::FeedForward feedForward(const ObjectFields& layer) {
    ir::FeedForward f;
    f.kind = choice(layer, "ffn", ir::FeedForwardKind::Plain);
    if (f.kind == ir::FeedForwardKind::None)
      return f;
    const ObjectFields chosen = layer.object("ffn");
    f.width = size(chosen, "width");
    f.gated = f.kind == ir::FeedForwardKind::Gated;
    f.activation = choice(chosen, "activation", ir::Activation::Gelu);
    if (f.kind != ir::FeedForwardKind::Plain) {
      f.offset = chosen.real("offset");
      f.clamp = optional(chosen, "clamp");
    }
    if (f.kind != ir::FeedForwardKind::Experts)
      return f;
    f.experts = size(chosen, "count");
    f.active = size(chosen, "top_k");
    f.shared = size(chosen, "shared", true);
    f.sharedWidth = f.shared > 0 ? size(chosen, "shared_width") : 0;
    if (chosen.isSet("shared_gate") && chosen.flag("shared_gate"))
      f.sharedGate = true;
    f.gated = chosen.flag("gated");
    f.capacity = optional(chosen, "capacity_factor");
    f.padded = chosen.flag("pad_to_capacity");
    f.imbalance = chosen.real("imbalance");
    f.popularity = choice(chosen, "popularity", ir::PopularityKind::Even);
    if (f.popularity == ir::PopularityKind::Pareto)
      f.spread = chosen.object("popularity").real("shape");
    if (f.popularity == ir::PopularityKind::LogNormal)
      f.spread = chosen.object("popularity").real("cv");
    f.router = router(chosen.object("router"), f.active);
    return f;
  }

  Lowering& to;
  const ObjectFields& fields;
  ir::Model& model;
  /// Limit on the number of types, because each type costs time in every layout. Trained models
  /// have fewer than 200.
  static constexpr std::size_t mostLayerTypes = 1024;
  bool tooManyLayerTypes = false;
  std::map<std::vector<double>, std::size_t> layerTypes; ///< indices of the layer types by their
                                                         ///< numbers
};

} // namespace

LogicalResult sema::lowerModel(Lowering& to, const ObjectFields& model) {
  return ModelLowering(to, model).run();
}
