//===- LowerFineTuning.cpp - Lowers frozen weights, adapters and documents --------------------===//
#include "frontend/sema/Lowering.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Schema.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::sema;

namespace {
class FineTuningLowering {
public:
  FineTuningLowering(Lowering& to, const ObjectFields& fields)
      : to(to), fields(fields), model(to.plan.model), layout(to.plan.layout) {}

  void run() {
    for (const char* field : {"frozen", "frozen_weights", "lora", "documents"})
      to.locate(field, fields, field);
    documents();
    ir::FineTuning out;
    const bool adapts = fields.has("lora");
    if (fields.has("frozen"))
      list(fields, "frozen", out.frozen);
    else if (adapts)
      for (std::size_t part = 0; part < ir::namesOf(ir::ModelPart{}).size(); ++part)
        out.frozen.push_back(static_cast<ir::ModelPart>(part));
    if (adapts)
      adapters(out);
    const bool muon = layout.optimizer == ir::OptimizerKind::Muon;
    if (fields.failed() || to.failed)
      return;
    if (model.isLayerList() && (muon || layout.optimizer == ir::OptimizerKind::Adafactor))
      return refuse("optimizer", fmt::format("`{}`", ir::name(layout.optimizer)),
                    "the shapes of matrices, which a layer list does not have");
    if (out.frozen.empty() && !adapts) {
      if (fields.isSet("frozen_weights"))
        refuse("frozen_weights", "`frozen_weights`", "`frozen` weights or `lora`");
      return;
    }
    out.format = choice(fields, "frozen_weights", ir::FrozenFormat::Parameters);
    if (out.format == ir::FrozenFormat::NF4)
      out.doubleQuantization = fields.object("frozen_weights").flag("double_quantization");
    check(out, adapts ? "lora" : "frozen");
    layout.fineTuning = {out};
  }

private:
  template <class E> void list(const ObjectFields& from, const char* field, std::vector<E>& out) {
    for (const std::string& name : from.names(field)) {
      E value{};
      if (ir::valueNamed(name, value) && !llvm::is_contained(out, value))
        out.push_back(value);
    }
  }

  void refuse(const char* field, const std::string& what, const std::string& needed) {
    to.failed = true;
    to.diags.report<diag::FineTuningNeeds>(fields.range(field), what, needed);
  }

  void documents() {
    if (!fields.has("documents"))
      return;
    const ObjectFields from = fields.object("documents");
    const ir::Documents out{from.whole("mean_length"), from.flag("packed")};
    if (fields.failed())
      return;
    if (model.isLayerList())
      return refuse("documents", "`documents`", "sequences of tokens, a layer list has samples");
    if (out.length > model.context) {
      to.failed = true;
      to.diags.report<diag::OutsideRange>(
          from.range("mean_length"), "mean_length",
          fmt::format("at most the context of {}tok", model.context),
          fmt::format("{}tok", out.length));
      return;
    }
    layout.documents = {out};
  }

  void adapters(ir::FineTuning& out) {
    const ObjectFields from = fields.object("lora");
    ir::Adapters made;
    made.rank = to.bounded(from.count("rank"), mostElements, "lora.rank", from.range("rank"));
    made.alpha = from.real("alpha"), made.dropout = from.real("dropout");
    list(from, "modules", made.modules);
    for (const char* field : {"rank", "alpha", "dropout", "modules"})
      to.locate(std::string("lora.") + field, from, field);
    out.adapters = {made};
  }

  /// Adapters need frozen matrices that are not narrower than the rank, and gradients must have a
  /// weight of the layers to reach.
  void check(const ir::FineTuning& out, const char* field) {
    using enum ir::ModelPart;
    if (model.isLayerList())
      return refuse(field, fmt::format("`{}`", field),
                    "a transformer, a layer list has no parts or linear layers");
    if (model.predictionLayers > 0)
      return refuse(field, fmt::format("`{}`", field), "a model without MTP layers");
    if (!layout.compression.empty() && layout.compression.front().kind != ir::CompressionKind::None)
      return refuse(field, fmt::format("`{}`", field), "`compression = none`");
    const bool routed = llvm::any_of(model.layerTypes, [](const ir::LayerType& c) {
      return c.feedForward.kind == ir::FeedForwardKind::Experts;
    });
    for (const ir::ModelPart part : {Experts, Router})
      if (!routed && fields.isSet("frozen") && out.freezes(part))
        return refuse("frozen", fmt::format("`{}`", ir::name(part)), "a model with experts");
    if (out.adapters.empty()) {
      const bool trains = !out.freezes(Attention) || !out.freezes(FeedForward) ||
                          !out.freezes(Norm) ||
                          (routed && !(out.freezes(Experts) && out.freezes(Router)));
      if (!trains)
        refuse("frozen", "`frozen`", "a part of the layers to train, or `lora`");
      return;
    }
    for (const ir::AdapterModule module : out.adapters.front().modules)
      if (const ir::ModelPart part = partOf(module); !out.freezes(part))
        return refuse("lora", fmt::format("`{}`", ir::name(module)),
                      fmt::format("`{}` in `frozen`", ir::name(part)));
    const bool gated = llvm::any_of(model.layerTypes, [](const ir::LayerType& c) {
      const ir::FeedForward& f = c.feedForward;
      return f.kind == ir::FeedForwardKind::Gated || f.gated;
    });
    if (!gated && out.adapters.front().on(ir::AdapterModule::Gate))
      refuse("lora", "`gate_proj`", "a gated feed-forward network");
    if (out.adapters.front().rank > model.hidden)
      refuse("lora", fmt::format("rank {}", out.adapters.front().rank),
             fmt::format("a rank of at most the hidden size {}", model.hidden));
  }

  static ir::ModelPart partOf(ir::AdapterModule module) {
    return module >= ir::AdapterModule::Gate ? ir::ModelPart::FeedForward
                                             : ir::ModelPart::Attention;
  }

  Lowering& to;
  const ObjectFields& fields;
  const ir::Model& model;
  ir::Layout& layout;
};
} // namespace

void sema::lowerFineTuning(Lowering& to, const ObjectFields& layout) {
  FineTuningLowering(to, layout).run();
}
