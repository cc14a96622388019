#pragma once
//===- TorchtitanPlans.h - Plans of torchtitan's flavors, and what its target makes of them ---===//
#include "MegatronPlans.h"
#include "backends/torchtitan/Rules.h"

namespace dpl::test {

/// A plan of a flavor with grouped attention: llama3 8B unless another one is named.
ir::Plan flavored(PlanSketch sketch, const char* name = "llama3", const char* size = "8B");
/// A file that the target writes; empty without it.
std::string emitted(const ir::Plan& plan, const char* release, const std::string& file);
/// The codes of the rules that refuse a plan: "T16 T20".
std::string refusal(const ir::Plan& plan, const char* release = "0.2.2");

} // namespace dpl::test
