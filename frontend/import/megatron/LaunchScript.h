#pragma once
//===- LaunchScript.h - Finds the training command in a launch script -------------------------===//
#include "frontend/import/Megatron.h"
#include "frontend/import/shell/Script.h"

namespace dpl::imports::megatron {

/// The command that starts a training of Megatron-LM, or the words that may start it and are not
/// known. Fails, after a report, if there is no such command or more than one.
FailureOr<shell::LaunchCommand> launchOf(const LaunchImport& request, DiagnosticEngine& diags);

} // namespace dpl::imports::megatron
