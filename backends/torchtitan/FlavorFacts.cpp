//===- FlavorFacts.cpp - Properties of a flavor other than its dimensions ---------------------===//
#include "backends/torchtitan/Config.h"
#include "backends/torchtitan/Flavors.h"
#include "ir/Names.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::torchtitan;

namespace {

constexpr double biasRate = 0.001; ///< load_balance_coeff of every flavor with experts

/// A row that holds for one flavor of a model, or for all its flavors without a row of their own.
struct FlavorRow {
  const char* model;
  const char* flavor;
  bool holds(const Flavor& f) const {
    return llvm::StringRef(model) == f.model &&
           (*flavor == 0 || llvm::StringRef(flavor) == f.flavor);
  }
};

struct RotaryRow : FlavorRow {
  double base;
  ir::RotaryScalingKind scaling;
  double factor, epsilon;
};

struct RouterRow : FlavorRow {
  ir::RouterScore score;
  bool normalized;
  double scaling;
  std::uint64_t groups, groupLimit;
};

constexpr RotaryRow facts[] = {
#define FACTS(MODEL, FLAVOR, BASE, SCALING, FACTOR, EPSILON)                                       \
  {{MODEL, FLAVOR}, BASE, ir::RotaryScalingKind::SCALING, FACTOR, EPSILON},
#include "backends/torchtitan/Flavors.def"
};

constexpr RouterRow routings[] = {
#define ROUTING(MODEL, FLAVOR, SCORE, NORMALIZED, SCALING, GROUPS, LIMIT)                          \
  {{MODEL, FLAVOR}, ir::RouterScore::SCORE, NORMALIZED, SCALING, GROUPS, LIMIT},
#include "backends/torchtitan/Flavors.def"
};

template <class T> const T& rowOf(llvm::ArrayRef<T> table, const Flavor& flavor) {
  for (const T& row : table)
    if (row.holds(flavor))
      return row;
  return table.front(); // does not happen, because each model has a row for all its other flavors
}

std::string scalingText(ir::RotaryScalingKind kind, double factor) {
  return kind == ir::RotaryScalingKind::None
             ? "no scaling"
             : fmt::format("{} scaling by {}", ir::name(kind), factor);
}

std::string routerText(ir::RouterScore score, bool normalized, double scaling, std::uint64_t groups,
                       std::uint64_t limit) {
  return fmt::format("{} scores{}, times {}, from {} of {} groups", ir::name(score),
                     normalized ? " that sum to 1" : "", scaling, limit, groups);
}

void routingDifferences(const Flavor& flavor, const ir::Router& r, std::vector<std::string>& out) {
  const RouterRow& its = rowOf<RouterRow>(routings, flavor);
  const std::string has = routerText(its.score, its.normalized, its.scaling, its.groups,
                                     its.groupLimit),
                    planned = routerText(r.score, r.normalized, r.scaling, r.groups, r.groupLimit);
  if (has != planned)
    out.push_back(fmt::format("the router has {}; the plan has {}", has, planned));
  const bool loss = r.balance != ir::Balance::Unset && r.balance != ir::Balance::Off;
  if (r.setsBalance() && (loss || r.biasRate != biasRate))
    out.push_back(
        fmt::format("experts are balanced by a bias with a step of {} and by no loss", biasRate));
  if (r.zLoss > 0 || r.jitter > 0)
    out.push_back("the router has no z loss and no jitter");
  if (r.hasPrecision && r.precision != ir::DataType::FP32)
    out.push_back("the router's scores are fp32");
}

} // namespace

std::vector<std::string> dpl::torchtitan::factDifferences(const Flavor& flavor,
                                                          const ir::Model& model) {
  std::vector<std::string> out;
  const RotaryRow& its = rowOf<RotaryRow>(facts, flavor);
  const ir::Rotary& rotary = model.rotary;
  if (its.epsilon != model.normEpsilon)
    out.push_back(fmt::format("norms have an epsilon of {}; the plan has {}", its.epsilon,
                              model.normEpsilon));
  const std::string has = fmt::format("base {} and {}", its.base,
                                      scalingText(its.scaling, its.factor)),
                    planned = fmt::format("base {} and {}", rotary.base,
                                          scalingText(rotary.scaling.kind, rotary.scaling.factor));
  if (has != planned)
    out.push_back(fmt::format("rotary positions have {}; the plan has {}", has, planned));
  if (model.initialization != 0.02)
    out.push_back(fmt::format("weights begin with a deviation of 0.02; the plan has {}",
                              model.initialization));
  for (const ir::LayerType& layer : model.layerTypes)
    if (layer.feedForward.kind == ir::FeedForwardKind::Experts) {
      routingDifferences(flavor, layer.feedForward.router, out);
      break;
    }
  return out;
}

namespace {

std::string routerFields(const Flavor& flavor) {
  const RouterRow& its = rowOf<RouterRow>(routings, flavor);
  return fmt::format("router {{ score_function = {}, normalized = {}, scaling_factor = {}, "
                     "groups = {}, group_top_k = {}, precision = fp32, bias_update_rate = {} }}",
                     ir::name(its.score), its.normalized, real(its.scaling), its.groups,
                     its.groupLimit, biasRate);
}

std::string attentionFields(const Flavor& f) {
  if (f.latent())
    return fmt::format("  attention = mla {{ {}kv_lora_rank = {}, qk_nope_head_dim = {}, "
                       "qk_rope_head_dim = {}, v_head_dim = {} }}\n",
                       f.queryRank > 0 ? fmt::format("q_lora_rank = {}, ", f.queryRank) : "",
                       kvRank, plainPart, rotaryPart, valuePart);
  std::string out;
  if (f.window > 0)
    out +=
        fmt::format("  attention = grouped {{ sinks = true }}\n"
                    "  for i in 0..<layers {{\n"
                    "    if i % 2 == 0 {{\n"
                    "      layer[i] {{ attention = grouped {{ sinks = true, window = {}tok }} }}\n"
                    "    }}\n"
                    "  }}\n"
                    "  bias = true\n",
                    f.window);
  if (f.kvHeads != f.heads)
    out += fmt::format("  kv_heads = {}\n", f.kvHeads);
  if (f.headDim * f.heads != f.hidden)
    out += fmt::format("  head_dim = {}\n", f.headDim);
  return out + (f.qkNorm ? "  qk_norm = head\n" : "");
}

std::string feedForwardFields(const Flavor& f) {
  const std::string dense = fmt::format("ffn = gated {{ width = {} }}", f.width);
  if (f.experts == 0)
    return "  " + dense + "\n";
  const std::string shared =
      f.sharedWidth > 0 ? fmt::format(", shared = {}", f.sharedWidth / f.expertWidth) : "";
  const char* gates = f.window > 0 ? ", activation = quick_gelu, offset = 1.0, clamp = 7.0" : "";
  const std::string routed =
      fmt::format("ffn = experts {{ count = {}, top_k = {}{}, width = {}{}, {} }}", f.experts,
                  f.active, shared, f.expertWidth, gates, routerFields(f));
  if (f.leadingDense == 0)
    return "  " + routed + "\n";
  return fmt::format("  layer[0..<{0}] {{ {2} }}\n  layer[{0}..<{1}] {{ {3} }}\n", f.leadingDense,
                     f.layers, dense, routed);
}

} // namespace

std::string dpl::torchtitan::fieldsOf(const Flavor& f) {
  const RotaryRow& its = rowOf<RotaryRow>(facts, f);
  const std::string scaling =
      its.scaling == ir::RotaryScalingKind::None ? "none"
      : its.scaling == ir::RotaryScalingKind::Yarn
          ? fmt::format("yarn {{ factor = {}, original_context = 4096tok{} }}", real(its.factor),
                        f.window > 0 ? ", truncate = false" : "")
          : fmt::format("{} {{ factor = {} }}", ir::name(its.scaling), real(its.factor));
  return fmt::format(
      "  layers = {}, hidden = {}, heads = {}, vocab = {}\n{}{}  norm = rms {{ epsilon "
      "= {} }}\n  positions = rotary {{ base = {}, scaling = {} }}\n{}",
      f.layers, f.hidden, f.heads, f.vocab, attentionFields(f), feedForwardFields(f), its.epsilon,
      real(its.base), scaling, f.tied ? "  tied_embeddings = true\n" : "");
}
