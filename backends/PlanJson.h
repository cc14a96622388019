#pragma once
//===- PlanJson.h - Parts of a plan.json that several targets write ---------------------------===//
#include "backends/Target.h"
#include "ir/Plan.h"
#include "support/Json.h"

namespace dpl {

/// The first fields of a plan.json: the compiler, the format, the plan, and its devices.
Json headJson(const TargetRequest& request, const char* format);
Json batchJson(const ir::Plan& plan);
/// The axes, outermost first, with size and stride. Neighbours on an axis differ by its stride.
Json axesJson(const std::vector<ir::MeshAxis>& axes);
/// All process groups. Each is written as factors (count, stride, period), not as lists of ranks.
Json groupsJson(const ir::Plan& plan);
/// The sizes of the model that a script needs. `runs` are sequences of equal layers in the order of
/// the network. The other fields are the sizes of the first layer of each kind. Sizes count
/// elements, and gated MLPs have three matrices.
Json modelJson(const ir::Plan& plan);
/// The kernel options: elementwise kernels, and kernels of routed experts.
Json kernelsJson(const ir::Layout& layout);
/// A sentence for duties of the script: it must choose the kernels itself.
extern const char* const kernelsDuty;
Json recomputeJson(const ir::Recompute& recompute);
/// The learning rates as written in the file; the warm-up is in steps.
Json learningRateJson(const ir::LearningRate& rate);
/// The model chunks in the order of the model.
Json placementJson(const ir::Plan& plan);

} // namespace dpl
