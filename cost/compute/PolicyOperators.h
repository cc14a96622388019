#pragma once
//===- PolicyOperators.h - What a policy by operator calls what a layer makes -----------------===//
#include "cost/compute/LayerCost.h"
#include <optional>

namespace dpl::cost {

/// Whether it casts the operand of a product to 8 or 4 bits.
bool isCast(const OperatorCost& op);
/// The name of an operator's output; nothing for one that no policy names.
std::optional<ir::SavedOperator> outputOf(const OperatorCost& op);
/// Whether quantized operands have a name: those of products in 8 and 4 bits by the recipes that
/// Transformer Engine has in JAX. Others quantize with none.
bool namesQuantized(const ir::Precision& precision);
/// Of a layer whose policy keeps them, behind the cast of each product: the operands as its
/// backward pass reads them. What is only read to make them then neither runs again nor comes back.
void saveOperands(std::vector<OperatorCost>& operators, const Division& d);

} // namespace dpl::cost
