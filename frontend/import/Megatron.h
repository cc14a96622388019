#pragma once
//===- Megatron.h - A whole .dpl file from a launch of Megatron-LM ----------------------------===//
#include "frontend/import/WrittenSettings.h"
#include "support/Diagnostics.h"
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dpl::imports {

struct LaunchImport {
  const SourceManager& sources;
  std::uint32_t file; ///< a launch script, or a file of options as `emit megatron` writes it
  /// NAME=VALUE of `--define`: variables that the file takes from its surroundings.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> ignore; ///< options of `--ignore`, which the plan goes without
  bool lenient;                    ///< goes without options of how Megatron-LM does it, too
  std::string cluster;             ///< of the library, on which it runs: "clusters.dgx_h100"
  /// Adds the file of that path below the script's folder to the sources; nothing where there is
  /// none. Without it no file is sourced.
  std::function<std::optional<std::uint32_t>(llvm::StringRef path)> addSourcedFile = {};
  /// The file is what a script started when it was executed: all definitions were its surroundings.
  bool executed = false;
  /// Gets all options of the launch if it is not null.
  WrittenSettings* settings = nullptr;
};

/// Text of a .dpl file with the model, a cluster of the launch's nodes and the layout, formatted by
/// nobody yet. Options that mean nothing to a plan are named in a comment; one that a plan cannot
/// say is an error, and so is what Megatron-LM refuses.
FailureOr<std::string> megatronLaunch(const LaunchImport& request, DiagnosticEngine& diags);

} // namespace dpl::imports
