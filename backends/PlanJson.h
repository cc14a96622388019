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
/// Every process group as factors (count, stride, period), without lists of ranks.
Json groupsJson(const ir::Plan& plan);
/// The model as a script needs it. `runs` are sequences of equal layers in the order of the
/// network; the other fields are the sizes of the first layer of each kind. Sizes are counts of
/// elements, and gated MLPs have three matrices.
Json modelJson(const ir::Plan& plan);
/// The elementwise kernels, and the kernels of routed experts.
Json kernelsJson(const ir::Layout& layout);
/// A sentence that names what the training script must do itself.
extern const char* const kernelsDuty;
Json recomputeJson(const ir::Recompute& recompute);
/// The learning rates as written in the file; the warm-up is in steps.
Json learningRateJson(const ir::LearningRate& rate);
/// The model chunks in the order of the model.
Json placementJson(const ir::Plan& plan);

} // namespace dpl
