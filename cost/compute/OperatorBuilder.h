#pragma once
//===- OperatorBuilder.h - Collects the operators of a layer ----------------------------------===//
//
// Only the sources of this folder include this file.
#include "cost/compute/LayerCost.h"
#include "ir/Arithmetic.h"

namespace dpl::cost {

inline bool isLowPrecision(ir::DataType t) { return ir::bitsOf(t) <= 8; }
inline double elementBytes(ir::DataType t) { return ir::real(ir::bitsOf(t)) / 8; }

/// Bytes per element that casts to 8 or 4 bits move, and their kernels.
struct CastCost {
  double operand = 0;                    ///< of an activation or an output gradient
  double scan = 0;                       ///< part of `operand` that reads it for its maximum
  double weight = 0, weightBackward = 0; ///< of weights that each action casts again
  unsigned kernels = 1;
};
CastCost castCost(ir::DataType type, const Division& d);
/// Whether the fused kernel of a norm or an activation also finds the maximum of its output.
bool findsMaximum(const OperatorCost& op, const ir::Kernels& kernels);

/// Collects the operators of one layer.
class OperatorBuilder {
public:
  OperatorBuilder(const Division& d, ir::DataType type) : d(d), type(type) {}

  /// Adds `count` GEMMs of m × k by k × n. `keep`: the output is saved for the backward pass.
  /// `columns`: the columns of each GEMM if a framework does not fuse them.
  OperatorCost& matmul(const char* name, ir::ModuleKind module, double m, double n, double k,
                       bool keep, double count = 1, llvm::ArrayRef<double> columns = {}) {
    const std::size_t made = operators.size();
    product(name, module, m, n, k, keep, count, columns);
    if (d.tuning)
      tune(made, m, count, columns);
    return operators[made];
  }
  /// The same without adapters and frozen weights. Returns the GEMM, which a cast may follow.
  OperatorCost& product(const char* name, ir::ModuleKind module, double m, double n, double k,
                        bool keep, double count, llvm::ArrayRef<double> columns) {
    const bool scanned = !operators.empty() && findsMaximum(operators.back(), d.kernels);
    OperatorCost& op = operators.emplace_back();
    op.name = name;
    op.kind = OperatorCost::OperatorKind::Matmul;
    op.module = module;
    op.type = type;
    op.m = m, op.n = n, op.k = k;
    const double in = elementBytes(type), out = activationBytes(type), flop = 2 * count * m * n * k;
    op.forward = {flop, count * (m * k * in + k * n * in + m * n * out)};
    op.backwardInput = {flop, count * (m * n * in + k * n * in + m * k * out)};
    // The weight gradient is added to an fp32 buffer (read and written), or left to a separate sum.
    op.backwardWeight = {flop, count * ((m * n + m * k) * in + (d.sums > 0 ? out : 8) * k * n)};
    op.saved = keep ? count * m * n * out : 0;
    // One kernel is for bias or layout. The `count` GEMMs are launched one by one or as one grouped
    // GEMM.
    op.kernels = 1 + (d.communication.groupedExperts ? 1 : static_cast<unsigned>(count));
    op.products = columns.empty() ? 1 : ir::real(columns.size());
    op.alternate = count > 1 ? 1 : secondOf(columns.empty() ? llvm::makeArrayRef(n) : columns);
    op.weights = count * k * n, op.parts = op.products;
    op.frozen = d.tuning && d.tuning->freezes(part);
    if (!op.frozen)
      holds(op.weights, d.communication.groupedExperts ? 1 : count);
    if (isLowPrecision(type)) {
      const CastCost costs = castCost(type, d);
      const double elements = count * k * n;
      OperatorCost& cast = streaming(
          "cast", module,
          count * m * k * (costs.operand - (scanned ? costs.scan : 0)) + elements * costs.weight,
          count * m * n * costs.operand + elements * costs.weightBackward);
      // Each launch casts the operands of all `count` GEMMs.
      cast.kernels = costs.kernels;
      cast.of = name;
      OperatorCost& product = operators[operators.size() - 2]; // the vector may have moved
      cast.alternate = product.alternate;
      product.blockScaled = type == ir::DataType::FP8 && d.recipe == ir::Fp8Recipe::Blockwise;
      return product;
    }
    return op;
  }
  /// Says that only the weight gradients of the next GEMMs read an output of the last operator, of
  /// `width` elements per token and `bytes` in all. It is not saved if these weights are frozen.
  void readByWeights(double width, double bytes) {
    if (d.tuning)
      inputs.push_back({operators.size() - 1, width, bytes});
  }
  /// A GEMM that is always recomputed when every second GEMM of its layer is, and is not counted
  /// among these: torchtitan's router (per_op_sac_force_recompute_mm_shapes_by_fqns in
  /// config/job_config.py at release 0.2.2).
  void uncounted(OperatorCost& op) { op.alternate = 1, --products; }
  /// Returns all operators. Operators in CUDA graphs have 0 kernels to launch.
  std::vector<OperatorCost> finished() {
    for (const WeightInput& input : inputs)
      if (!input.needed)
        operators[input.index].saved -= input.bytes;
    if (d.captured)
      for (OperatorCost& op : operators)
        op.kernels = op.routed ? op.kernels : 0;
    return std::move(operators);
  }
  /// Counts weights for the gradient sum: `tensors` tensors with `elements` elements together.
  void holds(double elements, double tensors) { weights += elements, weightTensors += tensors; }
  /// Adds the last operator: the sum of the gradients of an action and of earlier micro-batches.
  void gradientSum() {
    if (d.sums == 0 || weights == 0)
      return;
    OperatorCost& sum = streaming("gradient sum", ir::ModuleKind::Norm, 0, 0);
    sum.result = OperatorCost::OperatorResult::GradientSum;
    sum.backwardWeight.bytes = d.sums * weights;
    sum.kernels = static_cast<unsigned>(weightTensors);
  }
  OperatorCost& streaming(const char* name, ir::ModuleKind module, double bytes,
                          double backwardBytes, ir::KernelKind kernel = ir::KernelKind::Fused) {
    OperatorCost& op = operators.emplace_back();
    op.name = name;
    op.module = module;
    op.type = type;
    op.forward.bytes = bytes * passesOf(kernel);
    op.backwardInput.bytes = backwardBytes * passesOf(kernel);
    return op;
  }
  /// Adds a norm of the residual stream. The output is saved in the type that the next GEMM reads,
  /// and unsharded if tensor ranks gather it and save the gathered tensor.
  void norm(const char* name, double width, bool gathered = false) {
    const double elements = d.tokens * width / d.residualSplit();
    OperatorCost& op =
        streaming(name, ir::ModuleKind::Norm, 4 * elements, 8 * elements, d.kernels.norm);
    op.saved = elements * elementBytes(type) * (gathered && d.saveGathered ? d.residualSplit() : 1);
    readByWeights(width, op.saved);
    // PyTorch has a kernel for LayerNorm. A separate RMS norm saves its input in fp32 and the
    // factor of the gain.
    if (rms && d.kernels.norm == ir::KernelKind::Separate)
      op.internal = elements * (4 + elementBytes(type));
  }
  /// Copies a tensor gathered along the sequence into order, if the collective only gathers along
  /// the first dimension. It has the type of the GEMMs that read it.
  void gathered(const char* of, ir::ModuleKind module, double width) {
    if (d.copiesGathered)
      copy("order of gathered", of, module, 2 * elementBytes(type) * d.tokens * width).result =
          OperatorCost::OperatorResult::GatheredOrder;
  }
  /// Adds a kernel to a block whose output is reduce-scattered: the sum of received slices (in the
  /// backward pass of slices of input gradients), or the copy that reorders the output before.
  void scattered(const char* of, ir::ModuleKind module, double width) {
    const double elements = d.tokens * width;
    if (d.communication.stacked)
      copy("sum of pieces", of, module, 2 * (elements + elements / d.residualSplit()));
    if (d.copiesScattered)
      copy("order of scattered", of, module, 4 * elements);
  }
  /// Adds `parts` block outputs to the residual stream. The sum, which is the input of the next
  /// norm, is always saved; see residualBytes.
  void residual(const char* of, ir::ModuleKind module, double width, double parts = 1) {
    const double elements = d.tokens * width / d.residualSplit();
    OperatorCost& sum = streaming("residual", module, (4 + 2 * parts) * elements,
                                  (2 * parts + 2) * elements, d.kernels.norm);
    sum.result = OperatorCost::OperatorResult::ResidualSum;
    sum.of = of;
    sum.kernels = 2;
    dropout(sum, parts * elements);
  }
  /// Adds dropout: a mask of one byte per element, written and read again.
  void dropout(OperatorCost& op, double elements) const {
    if (!masked)
      return;
    op.internal += elements;
    op.forward.bytes += elements, op.backwardInput.bytes += elements;
  }
  /// Adds a copy. The backward pass makes an equal copy of gradients.
  OperatorCost& copy(const char* name, const char* of, ir::ModuleKind module, double bytes) {
    OperatorCost& made = streaming(name, module, bytes, bytes);
    made.of = of;
    return made;
  }
  std::vector<OperatorCost> operators;
  const Division& d;
  ir::DataType type;
  std::uint64_t hidden = 0;                      ///< width of the residual stream
  ir::ModelPart part = ir::ModelPart::Attention; ///< the part of the model that the GEMMs belong to
  bool rms = false;
  bool masked = false; ///< the residual stream has dropout

private:
  /// Memory traffic of separate kernels relative to a fused one: each step reads and writes its
  /// tensor again, often in fp32.
  static double passesOf(ir::KernelKind kernel) {
    return kernel == ir::KernelKind::Fused ? 1 : 2.5;
  }
  /// The share of the columns of these GEMMs that belong to the second, fourth … GEMM of the layer.
  double secondOf(llvm::ArrayRef<double> columns) {
    double second = 0, all = 0;
    for (const double n : columns) {
      second += ++products % 2 == 0 ? n : 0;
      all += n;
    }
    return all > 0 ? second / all : 0;
  }
  /// Freezes the weights of the GEMM at this index, and adds what follows from it: dequantization
  /// and adapters. In FineTuningOperators.cpp.
  void tune(std::size_t index, double m, double count, llvm::ArrayRef<double> columns);
  void adapt(std::size_t index, double m, double columns, double count);
  /// The output of an operator that weight gradients read, and whether one of them is computed.
  struct WeightInput {
    std::size_t index;
    double width, bytes;
    bool needed = false;
  };
  std::vector<WeightInput> inputs;
  unsigned products = 0;
  double weights = 0, weightTensors = 0;
};

/// Each function adds the operators of one block of a layer.
void addGroupedAttention(OperatorBuilder& b, const ir::Model& m, const ir::LayerType& c);
void addLatentAttention(OperatorBuilder& b, const ir::Model& m, const ir::LayerType& c);
void addRecurrence(OperatorBuilder& b, const ir::Model& m, const ir::Recurrence& r);
/// One feed-forward block of `rows` tokens, in `count` copies of `width` each.
void addFeedForward(OperatorBuilder& b, ir::ModuleKind module, const char* of, const char* up,
                    const char* down, double hidden, double rows, double width,
                    const ir::FeedForward& f, double count);
void addExperts(OperatorBuilder& b, const ir::Model& m, const ir::FeedForward& f);

} // namespace dpl::cost
