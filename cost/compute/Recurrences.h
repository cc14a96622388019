#pragma once
//===- Recurrences.h - Sizes of linear attention and state spaces -----------------------------===//
#include "cost/compute/LayerCost.h"

namespace dpl::cost {

/// Columns of the projection of a layer's input to queries, keys, values, gates and steps, without
/// the gate and the decays of `gated_delta`, which may be of low rank.
double recurrenceColumns(const ir::Recurrence& r);

/// Parameters of a recurrence, equal to those of the modules of transformers 5.24.
ParameterCount recurrenceParameters(const ir::Model& m, const ir::Recurrence& r);

/// Elements that a context rank exchanges in one direction: the inputs of a scan from parts of the
/// sequence to parts of the heads, and its output back (Megatron-Core, ssm/mamba_context_parallel).
double exchangedStates(const ir::Recurrence& r, const Division& d);

} // namespace dpl::cost
