#pragma once
//===- PlanJson.h - Parts of a plan.json that several targets write ---------------------------===//
#include "ir/Plan.h"
#include "support/Json.h"

namespace dpl {

/// The axes outermost first, with size and stride: ranks of an axis differ by its stride.
Json axesJson(const std::vector<ir::MeshAxis>& axes);
/// Every group as factors (count, stride, period); never a list of ranks.
Json groupsJson(const ir::Plan& plan);
/// Of the first layer of each kind; sizes are counts.
Json modelJson(const ir::Plan& plan);
Json recomputeJson(const ir::Recompute& recompute);
/// Rates as given; the warm-up in steps.
Json learningRateJson(const ir::LearningRate& rate);
/// The chunks in model order.
Json placementJson(const ir::Plan& plan);
/// Indented by two; a name that is not UTF-8 becomes U+FFFD.
std::string textOf(const Json& json);

} // namespace dpl
