//===- CheckModel.cpp - Checks that degrees divide the sizes of the model ---------------------===//
#include "cost/legality/Legality.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "passes/CheckLayout.h"
#include "passes/Words.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Layout.h"
#include <set>

using namespace dpl;
using ir::Axis;
namespace legal = cost::legal;

namespace {

class ModelCheck {
public:
  ModelCheck(const ir::Plan& plan, DiagnosticEngine& diags)
      : plan(plan), model(plan.model), layout(plan.layout), diags(diags),
        tensor(plan.mesh.size(Axis::Tensor)), context(plan.mesh.size(Axis::Context)) {}

  LogicalResult run() {
    types();
    if (model.isLayerList())
      listAxes(), statedTimes();
    else
      transformer();
    recomputedModules();
    return failed ? LogicalResult::failure() : LogicalResult::success();
  }

private:
  /// Warns about recomputed modules that no layer has; with `in_advance` this is error DPL0365.
  void recomputedModules() {
    if (layout.recompute.inAdvance)
      return;
    ir::Recompute alone;
    alone.kind = ir::RecomputeKind::Selective, alone.inAdvance = true;
    for (const ir::ModuleKind module : layout.recompute.modules) {
      alone.modules = {module};
      if (const char* of = partOf(module); of && !legal::recomputes(model, alone))
        (void)diags.report<diag::NoSuchModule>(layout.rangeOf("recompute"), ir::name(module),
                                               model.name, of);
    }
  }

  /// The part of a layer that has this module; null if every layer has the module.
  static const char* partOf(ir::ModuleKind module) {
    switch (module) {
    case ir::ModuleKind::CoreAttention:
    case ir::ModuleKind::Attention:
      return "attention";
    case ir::ModuleKind::MlaUp:
      return "latent attention";
    case ir::ModuleKind::Mlp:
      return "a dense feed-forward part";
    case ir::ModuleKind::Moe:
      return "experts";
    case ir::ModuleKind::SharedExperts:
      return "shared experts";
    case ir::ModuleKind::Norm:
    case ir::ModuleKind::Activation:
    case ir::ModuleKind::AlternateProducts:
      return nullptr;
    }
    return nullptr;
  }

  void types() {
    const auto check = [&](const char* path, ir::DataType type) {
      const ir::NodeType* without = legal::nodeTypeWithout(plan.cluster, type);
      if (!without || !reported.insert({"type", path, 0, 0}).second)
        return;
      failed = true;
      auto d = diags.report<diag::DeviceLacksType>(layout.rangeOf(path), path, ir::name(type),
                                                   without->device.name, ir::name(type));
      if (plan.cluster.nodeTypes.size() > 1)
        (void)std::move(d).label(fmt::format(
            "{} of type {} hold ranks", plural(without->nodes, "node"), without->displayName()));
    };
    check("precision.compute", layout.precision.compute);
    if (layout.precision.head != layout.precision.compute)
      check("precision.module.head", layout.precision.head);
  }

  /// Checks the times of a layer that the file sets, which are for a device of speed 1; slower
  /// devices need longer. They must not imply rates above the peak.
  void statedTimes() {
    for (std::size_t i = 0; i < model.layerTypes.size(); ++i) {
      const ir::LayerType& c = model.layerTypes[i];
      const double seconds = ir::toSeconds(c.stated.forward) + ir::toSeconds(c.stated.backward) +
                             ir::toSeconds(c.stated.weight);
      for (const ir::NodeType& nodes : plan.cluster.nodeTypes) {
        const double takes = seconds / nodes.device.speed,
                     peak = ir::real(nodes.device.peakOf(layout.precision.compute)) * takes;
        const double flop = 3 * ir::real(c.listedForwardFlop);
        if (!c.stated.statesTimes || flop <= peak)
          continue;
        failed = true;
        diags
            .report<diag::StatedAbovePeak>(layout.rangeOf(fmt::format("model.layer.{}", i)),
                                           c.name.empty() ? std::to_string(i) : c.name, model.name,
                                           fmt::format("{:.4g}", ir::real(c.listedForwardFlop)),
                                           peak > 0 ? fmt::format("{:.4g} %", 100 * flop / peak)
                                                    : "any multiple",
                                           nodes.device.name)
            .label(fmt::format("forward and backward pass take {:.4g} s per sample", takes))
            .help("`forward` is in FLOP, a multiplication with its addition counts two; leave it "
                  "out if only times are known");
        return;
      }
    }
  }

  void listAxes() {
    for (const Axis axis : {Axis::Tensor, Axis::Context}) {
      const std::uint64_t size = plan.mesh.size(axis);
      if (axis == Axis::Tensor ? legal::layerListTensor(model, size) : legal::layerListAxis(size))
        continue;
      failed = true;
      diags
          .report<diag::AxisNeedsTransformer>(rangeOf(layout, axis), pathOf(axis), size, model.name)
          .note<diag::ModelDeclaredHere>(layout.rangeOf("model"), model.name);
    }
  }

  void transformer() {
    for (const ir::LayerType& c : model.layerTypes) {
      heads(c.attention);
      for (const ir::Recurrence& r : c.recurrence)
        recurrence(r);
      widths(c.feedForward);
    }
    sequence();
  }

  /// Whether this mistake is the first of its kind, so that several layer types with it report it
  /// once.
  bool first(const char* what, const std::string& which, std::uint64_t a, std::uint64_t b) {
    failed = true;
    return reported.insert({what, which, a, b}).second;
  }
  std::string modelPath(const char* field) const { return model.name + "." + field; }

  void heads(const ir::Attention& a) {
    if (a.kind == ir::AttentionKind::None || a.heads == 0)
      return;
    const std::uint64_t kvHeads = a.kind == ir::AttentionKind::Grouped ? a.kvHeads : 0;
    if (!legal::headGroups(a.heads, kvHeads)) {
      if (first("group", "", a.heads, kvHeads))
        diags.report<diag::HeadsPerKvHead>(layout.rangeOf("model.kv_heads"), a.heads, kvHeads)
            .label(showQuotient(a.heads, kvHeads));
      return;
    }
    if (!legal::heads(a.heads, tensor)) {
      if (first("heads", "", a.heads, tensor))
        diags.report<diag::HeadsDoNotDivide>(rangeOf(layout, Axis::Tensor), a.heads, tensor)
            .label(showQuotient(a.heads, tensor))
            .note<diag::FieldGivenHere>(layout.rangeOf("model.heads"), modelPath("heads"), a.heads);
      return;
    }
    if (!legal::kvHeads(kvHeads, tensor) && first("kv", "", kvHeads, tensor))
      diags.report<diag::KvHeadsDoNotDivide>(rangeOf(layout, Axis::Tensor), kvHeads, tensor)
          .label(showQuotient(kvHeads, tensor))
          .note<diag::FieldGivenHere>(layout.rangeOf("model.kv_heads"), modelPath("kv_heads"),
                                      kvHeads);
  }

  void recurrence(const ir::Recurrence& r) {
    if (legal::recurrence(r.heads, r.keyHeads, tensor, context) ||
        !first("recurrence", "", r.heads, r.keyHeads))
      return;
    diags
        .report<diag::RecurrenceDoesNotDivide>(
            rangeOf(layout, tensor > 1 ? Axis::Tensor : Axis::Context), r.heads, r.keyHeads, tensor,
            context)
        .note<diag::ModelDeclaredHere>(layout.rangeOf("model"), model.name);
  }

  void width(const char* what, std::uint64_t size, Axis axis) {
    const std::uint64_t degree = plan.mesh.size(axis);
    if (legal::width(size, degree) || !first("width", what, size, degree))
      return;
    diags
        .report<diag::WidthDoesNotDivide>(rangeOf(layout, axis), what, size, spelling(axis), degree)
        .label(showQuotient(size, degree))
        .note<diag::ModelDeclaredHere>(layout.rangeOf("model.ffn"), model.name);
  }

  void widths(const ir::FeedForward& f) {
    if (f.kind == ir::FeedForwardKind::None)
      return;
    if (f.kind != ir::FeedForwardKind::Experts)
      return width("a feed-forward layer", f.width, Axis::Tensor);
    // Without an expert grid, experts are divided like the other layers.
    width("an expert", f.width, layout.mesh.hasExperts ? Axis::ExpertTensor : Axis::Tensor);
    // Every token uses all shared experts, so they are one layer with the sum of their widths.
    if (f.shared > 0)
      width(f.shared == 1 ? "a shared expert" : "the layer of shared experts",
            f.shared * f.sharedWidth, Axis::Tensor);
    const std::uint64_t ranks = plan.mesh.size(Axis::Expert);
    if (!legal::experts(f.experts, ranks) && first("experts", "", f.experts, ranks))
      diags.report<diag::ExpertsDoNotDivide>(rangeOf(layout, Axis::Expert), f.experts, ranks)
          .label(showQuotient(f.experts, ranks))
          .note<diag::ModelDeclaredHere>(layout.rangeOf("model.ffn"), model.name);
    if (!legal::activeExperts(f.active, f.experts) && first("active", "", f.active, f.experts))
      diags.report<diag::ActiveExceedsExperts>(layout.rangeOf("model.ffn"), f.active, f.experts);
  }

  void sequence() {
    if (!legal::sequence(model.context, context)) {
      failed = true;
      diags
          .report<diag::SequenceDoesNotDivide>(rangeOf(layout, Axis::Context), model.context,
                                               context, 2 * context)
          .label(showQuotient(model.context, 2 * context))
          .note<diag::FieldGivenHere>(layout.rangeOf("model.context"), modelPath("context"),
                                      model.context);
      return;
    }
    const std::uint64_t tokens = model.context / context;
    if (layout.shard.sequence != ir::ShardAxis::Tensor || legal::sequenceParallel(tokens, tensor))
      return;
    failed = true;
    diags
        .report<diag::SequenceParallelDoesNotDivide>(layout.rangeOf("shard.sequence"), tokens,
                                                     tensor)
        .label(context > 1 ? fmt::format("{}; {}", showQuotient(model.context, context),
                                         showQuotient(tokens, tensor))
                           : showQuotient(tokens, tensor))
        .note<diag::FieldGivenHere>(layout.rangeOf("model.context"), modelPath("context"),
                                    model.context);
  }

  const ir::Plan& plan;
  const ir::Model& model;
  const ir::Layout& layout;
  DiagnosticEngine& diags;
  std::uint64_t tensor, context;
  std::set<std::tuple<std::string, std::string, std::uint64_t, std::uint64_t>> reported;
  bool failed = false;
};

} // namespace

LogicalResult dpl::checkModel(const ir::Plan& plan, DiagnosticEngine& diags) {
  return ModelCheck(plan, diags).run();
}
