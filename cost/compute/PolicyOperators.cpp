//===- PolicyOperators.cpp - Names that a recomputation policy gives to tensors ---------------===//
#include "cost/compute/PolicyOperators.h"
#include "cost/compute/OperatorBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

bool dpl::cost::isCast(const OperatorCost& op) { return llvm::StringRef(op.name) == "cast"; }

/// MaxText's names (checkpoint_name in src/maxtext/layers/{attentions,attention_mla,attention_op,
/// linears,moe}.py at e591f30c). Query, key and value are those after rotary embedding. Quantized
/// operands have the name of TransformerEngineQuantization._wrap in quantizations.py.
std::optional<SavedOperator> dpl::cost::outputOf(const OperatorCost& op) {
  return llvm::StringSwitch<std::optional<SavedOperator>>(op.name)
      .Cases("qkv", "query", "query up", "key-value up", "rotary", SavedOperator::QueryKeyValue)
      .Case("core attention", SavedOperator::Context)
      .Case("attention projection", SavedOperator::Projection)
      .Cases("mlp up", "expert up", "shared expert up", SavedOperator::Up)
      .Cases("mlp down", "expert down", "shared expert down", SavedOperator::Down)
      .Case("quantized", SavedOperator::Quantization)
      .Default(std::nullopt);
}

/// The recipes with names are DelayedScaling, Float8CurrentScaling, MXFP8BlockScaling and
/// NVFP4BlockScaling of TransformerEngineQuantization._get_recipe.
bool dpl::cost::namesQuantized(const Precision& precision) {
  const bool tensors =
      precision.recipe == Fp8Recipe::Tensorwise || precision.recipe == Fp8Recipe::Delayed;
  return isLowPrecision(precision.compute) && (precision.compute != DataType::FP8 || tensors);
}

namespace {
/// Bytes of a quantized element including scales: one byte per 32 elements in mxfp8 and per 16 in
/// nvfp4. Scales of whole tensors are negligible.
double quantizedBytes(DataType type) {
  return elementBytes(type) + (type == DataType::MXFP8   ? 1.0 / 32
                               : type == DataType::NVFP4 ? 1.0 / 16
                                                         : 0);
}

OperatorCost* find(std::vector<OperatorCost>& operators, llvm::StringRef name,
                   llvm::StringRef of = "") {
  const auto found = llvm::find_if(
      operators, [&](const OperatorCost& op) { return op.name == name && op.of == of; });
  return found == operators.end() ? nullptr : &*found;
}

/// The operator that computes the operand of a GEMM, if only GEMMs read this tensor; otherwise
/// null.
OperatorCost* makerOf(std::vector<OperatorCost>& operators, const OperatorCost& product) {
  const llvm::StringRef name = product.name;
  // The backward passes of attention and of gates read their outputs as well.
  if (name == "attention projection" || name == "recurrence out" || name == "gate" ||
      name == "decay" || name == "index query")
    return nullptr;
  if (name == "mlp down")
    return find(operators, "activation", "mlp");
  if (name == "shared expert down")
    return find(operators, "activation", "shared expert");
  if (product.module == ModuleKind::MlaUp)
    return find(operators, "latent norms");
  OperatorCost* own =
      product.module == ModuleKind::Attention ? nullptr : find(operators, "feed-forward norm");
  return own ? own : find(operators, "attention norm");
}

/// Whether the quantized operands of a GEMM have a name. Those of experts have none, because
/// `einsum` of MaxText's TransformerEngineQuantization raises an error.
bool isNamed(const OperatorCost& product) {
  return product.module != ModuleKind::Moe && isLowPrecision(product.type);
}
} // namespace

/// _dense_fwd_rule of transformer_engine/jax/dense.py at d0067d0d names the input and the weight of
/// each GEMM in the order of the backward pass, one by one. Query, key and value have three inputs
/// and a gate has two (`fused_qkv` and `fused_mlp` of MaxText are off). In a scan over layers each
/// one is a separate output. A recomputed GEMM needs its operands in the other order and quantizes
/// them again.
void dpl::cost::saveOperands(std::vector<OperatorCost>& operators, const Division& d) {
  struct Made {
    OperatorCost* by;
    double operand; ///< elements
    bool again;     ///< this GEMM is recomputed, or its quantized operands have no name
  };
  std::vector<Made> made;
  for (std::size_t i = 1; i < operators.size(); ++i) {
    if (!isCast(operators[i]))
      continue;
    const OperatorCost& product = operators[i - 1];
    const std::optional<SavedOperator> output = outputOf(product);
    const bool again = !isNamed(product) || (product.recomputable && !(output && d.saves(*output)));
    OperatorCost* maker = makerOf(operators, product);
    // Tensor ranks have a shard if they divide the norm's output.
    const double elements = maker && maker->module == ModuleKind::Norm
                                ? maker->saved / elementBytes(product.type)
                                : product.m * product.k;
    made.push_back({maker, elements, again});
  }
  // The norm of the router's input: that of the feed-forward part, or the one that parallel blocks
  // share.
  const OperatorCost* routed = nullptr;
  if (find(operators, "router")) {
    const OperatorCost* own = find(operators, "feed-forward norm");
    routed = own ? own : find(operators, "attention norm");
  }
  for (const Made& one : made) {
    // Separate kernels save more than the output, and a router also reads its norm.
    const auto same = [&](const Made& other) { return other.by == one.by && other.again; };
    OperatorCost* by = one.by;
    if (!by || by->internal > 0 || llvm::any_of(made, same) || by == routed ||
        (by->module == ModuleKind::Activation && d.kernels.activation == KernelKind::Separate))
      continue;
    by->saved = 0, by->recomputable = false;
  }
  std::vector<OperatorCost> all;
  all.reserve(operators.size() + made.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    all.push_back(operators[i]);
    if (!isCast(operators[i]) || i == 0)
      continue;
    const Made& one = made[next++];
    const OperatorCost& product = operators[i - 1];
    if (!isNamed(product))
      continue;
    all.back().recomputable = one.again;
    OperatorCost kept;
    kept.name = "quantized", kept.of = product.name;
    kept.module = product.module, kept.type = product.type;
    const double weights = product.n * product.k;
    kept.unsavedOutput =
        quantizedBytes(product.type) *
        (product.products * one.operand + (d.weightRanks > 0 ? weights / real(d.weightRanks) : 0));
    kept.kernels = 0;
    all.push_back(kept);
  }
  operators = std::move(all);
}
