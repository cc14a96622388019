#pragma once
//===- Import.h - A launch of Megatron-LM whose options another file said ---------------------===//
#include "imports/megatron/Launch.h"

namespace dpl::imports::megatron {

/// As `megatronLaunch`, of these options for so many processes, 0 where they are not known;
/// `remarks` are lines of comment. What is missing is reported in `diags`, what nobody asks for is
/// not.
FailureOr<std::string> launchOfOptions(const LaunchImport& request, const Words& options,
                                       std::uint64_t nodes, std::uint64_t gpus,
                                       const std::string& remarks, DiagnosticEngine& diags);

} // namespace dpl::imports::megatron
