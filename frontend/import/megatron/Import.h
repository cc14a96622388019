#pragma once
//===- Import.h - Imports options of Megatron-LM from another file format ---------------------===//
#include "frontend/import/megatron/LaunchOptions.h"

namespace dpl::imports::megatron {

/// Options of Megatron-LM that a file of another format sets.
struct GivenOptions {
  const ShellWords& words;
  std::uint64_t nodes, gpus;  ///< numbers of nodes and of processes per node; 0 if not known
  const std::string& remarks; ///< comment lines for the .dpl file
  bool whole; ///< whether the options are complete, so that a missing one is an error
  /// For messages, the name that each option has in the imported file.
  const std::map<std::string, std::string>& names;
};
/// Like `megatronLaunch`, but for given options. Missing inputs are reported; definitions that were
/// not read are not.
FailureOr<std::string> launchOfOptions(const LaunchImport& request, const GivenOptions& said,
                                       DiagnosticEngine& diags);

} // namespace dpl::imports::megatron
