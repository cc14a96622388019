#pragma once
//===- LaunchScript.h - The command of a launch script that starts a training -----------------===//
#include "frontend/import/Megatron.h"
#include "frontend/import/shell/Script.h"

namespace dpl::imports::megatron {

/// The command that starts a training of Megatron-LM, or the words of which it depends; fails after
/// a report where there is neither, or several.
FailureOr<shell::LaunchCommand> launchOf(const LaunchImport& request, DiagnosticEngine& diags);

} // namespace dpl::imports::megatron
