#pragma once
//===- PolicyOperators.h - Names that a recomputation policy gives to tensors -----------------===//
#include "cost/compute/LayerCost.h"
#include <optional>

namespace dpl::cost {

/// Whether the operator casts a GEMM operand to 8 or 4 bits.
bool isCast(const OperatorCost& op);
/// The name of an operator's output in policies; empty if it has none.
std::optional<ir::SavedOperator> outputOf(const OperatorCost& op);
/// Whether quantized operands have a name: those of 8-bit and 4-bit GEMMs with the recipes of
/// Transformer Engine in JAX. Other recipes have no names.
bool namesQuantized(const ir::Precision& precision);
/// Adds saved quantized operands after the cast of each GEMM, if the layer's policy saves them.
/// Tensors that are only read to make them are then neither recomputed nor restored.
void saveOperands(std::vector<OperatorCost>& operators, const Division& d);

} // namespace dpl::cost
