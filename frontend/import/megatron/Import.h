#pragma once
//===- Import.h - A launch of Megatron-LM whose options another file said ---------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

/// What another file says of a launch.
struct GivenOptions {
  const ShellWords& words;
  std::uint64_t nodes, gpus;  ///< 0 where they are not known
  const std::string& remarks; ///< lines of comment
  bool whole;                 ///< no other option may be missing
  /// The name of each option in the imported file, for messages.
  const std::map<std::string, std::string>& names;
};
/// As `megatronLaunch`, of these options. What is missing is reported in `diags`, what nobody asks
/// for is not.
FailureOr<std::string> launchOfOptions(const LaunchImport& request, const GivenOptions& said,
                                       DiagnosticEngine& diags);

} // namespace dpl::imports::megatron
