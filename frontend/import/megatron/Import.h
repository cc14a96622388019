#pragma once
//===- Import.h - Imports options of Megatron-LM from another file format ---------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

/// Options of Megatron-LM that another file format sets.
struct GivenOptions {
  const ShellWords& words;
  std::uint64_t nodes, gpus;  ///< 0 if unknown
  const std::string& remarks; ///< comment lines
  bool whole; ///< whether the options are complete, so that a missing one is an error
  /// The name of each option in the imported file, for messages.
  const std::map<std::string, std::string>& names;
};
/// Like `megatronLaunch`, but for these options. Missing inputs are reported; unused definitions
/// are not.
FailureOr<std::string> launchOfOptions(const LaunchImport& request, const GivenOptions& said,
                                       DiagnosticEngine& diags);

} // namespace dpl::imports::megatron
