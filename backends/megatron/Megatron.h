#pragma once
//===- Megatron.h - Launch files for Megatron-LM ----------------------------------------------===//
#include "backends/Backend.h"

namespace dpl::megatron {

/// The release whose options and rules the back end follows.
inline constexpr const char* release = "core_v0.19";

/// Reports, at the field that causes it, all that this plan asks for and Megatron-LM has no
/// counterpart for (DPL0601) or refuses (DPL0602). Relies on a plan that all passes have completed.
LogicalResult check(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl::megatron

namespace dpl {

/// `launch.sh`, `arguments.txt` and `plan.json` for Megatron-LM, in that order. Fails, having
/// reported why, when `megatron::check` does. The same plan gives the same bytes.
FailureOr<std::vector<EmittedFile>> emitMegatron(const ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
