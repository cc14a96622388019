#pragma once
//===- PlanJson.h - Parts of a plan.json that several targets write ---------------------------===//
#include "backends/Target.h"
#include "ir/Plan.h"
#include "support/Json.h"

namespace dpl {

/// The first fields of a plan.json: who wrote it in which format, the plan, and its devices.
Json headJson(const TargetRequest& request, const char* format);
Json batchJson(const ir::Plan& plan);
/// The axes outermost first, with size and stride: ranks of an axis differ by its stride.
Json axesJson(const std::vector<ir::MeshAxis>& axes);
/// Every group as factors (count, stride, period); never a list of ranks.
Json groupsJson(const ir::Plan& plan);
/// All that a script needs to build the model: `runs` are equal consecutive layers in the order of
/// the network; above them are the sizes of the first layer of each kind. Sizes are counts, gated
/// parts have three matrices.
Json modelJson(const ir::Plan& plan);
/// The operators around the products, and those of experts.
Json kernelsJson(const ir::Layout& layout);
/// What a target leaves to a script that builds the model: a sentence.
extern const char* const kernelsDuty;
Json recomputeJson(const ir::Recompute& recompute);
/// Rates as given; the warm-up in steps.
Json learningRateJson(const ir::LearningRate& rate);
/// The chunks in model order.
Json placementJson(const ir::Plan& plan);

} // namespace dpl
