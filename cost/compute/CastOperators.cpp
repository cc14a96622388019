//===- CastOperators.cpp - Casts of GEMM operands to 8 and 4 bits -----------------------------===//
#include "cost/compute/OperatorBuilder.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Bytes of scales per element and copy: one fp32 for 128 elements.
constexpr double blockScale = 4.0 / 128;

/// The recipes of fp8. Those with one scale for each tensor read it for its maximum, unless the
/// scale is that of earlier steps. The others read it once: the maximum of a block fits in shared
/// memory. Weights are cast once in a step and not counted, except for `rowwise`, which is
/// torchao's: each action casts them by rows, transposes them in bf16, and casts them by columns
/// (get_tensor_memory_traffic_ovhd_s in torchao/testing/training/roofline_utils.py at 0598012).
CastCost fp8Cast(const Division& d) {
  const double copies = d.transposedCopies ? 2 : 1;
  switch (d.recipe) {
  case Fp8Recipe::Tensorwise:
    return {4 + copies, 2};
  case Fp8Recipe::Delayed:
    return {2 + copies};
  case Fp8Recipe::Rowwise:
    return {8, 0, 3, 7, 2};
  case Fp8Recipe::Blockwise:
    return {4 + 2 * blockScale};
  }
  return {};
}
} // namespace

/// A cast reads an operand in bf16 and writes it by rows and by columns. In nvfp4 each of the two
/// writes has its own read, and a kernel before them finds the maximum, after the Hadamard
/// transform of columns (Transformer Engine 2.8, pytorch/csrc/quantizer.cpp). The kernels of a
/// tensor-wide cast come from one call of the framework, whose host time is that of one launch.
CastCost dpl::cost::castCost(DataType type, const Division& d) {
  if (type == DataType::NVFP4)
    return {6 + 2 * elementBytes(type), 0, 0, 0, 3};
  if (type == DataType::FP8)
    return fp8Cast(d);
  return {2 + 2 * elementBytes(type)};
}

/// FUSED_NORM_AMAX_FP8 and the activations of Transformer Engine 2.8 (pytorch/csrc/extensions/);
/// TorchInductor fuses the maximum into the kernel before it.
bool dpl::cost::findsMaximum(const OperatorCost& op, const Kernels& kernels) {
  if (op.kind != OperatorCost::OperatorKind::Streaming ||
      op.result != OperatorCost::OperatorResult::Activation)
    return false;
  return op.module == ModuleKind::Norm         ? kernels.norm == KernelKind::Fused
         : op.module == ModuleKind::Activation ? kernels.activation == KernelKind::Fused
                                               : false;
}
