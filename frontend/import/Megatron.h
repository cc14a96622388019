#pragma once
//===- Megatron.h - A .dpl file from a launch of Megatron-LM ----------------------------------===//
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
  /// NAME=VALUE of `--define`: variables that the script expects in its environment.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> ignore; ///< options of `--ignore`, which the plan does without
  bool lenient;                    ///< whether `isPerformanceOption` options are ignored too
  std::string cluster;             ///< name of the cluster in the library: "clusters.dgx_h100"
  /// Adds the file of that path below the script's folder to the sources; returns nothing if there
  /// is none. Without this function no file is sourced.
  std::function<std::optional<std::uint32_t>(llvm::StringRef path)> addSourcedFile = {};
  /// The file lists the commands of an executed script, which had all definitions as environment.
  bool executed = false;
  /// Receives all options of the launch if it is not null.
  WrittenSettings* settings = nullptr;
};

/// Returns an unformatted .dpl file with the model, a cluster with the launch's nodes and the
/// layout. Options without a meaning for a plan are listed in a comment. An option that a plan
/// cannot express is an error, and so is a launch that Megatron-LM refuses.
FailureOr<std::string> megatronLaunch(const LaunchImport& request, DiagnosticEngine& diags);

} // namespace dpl::imports
