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
  /// Pairs NAME, VALUE of `--define`: variables that the script expects in its environment.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> ignore; ///< options that `--ignore` leaves out
  bool lenient;                    ///< whether options of `isPerformanceOption` are left out as
                                   ///< well
  std::string cluster;             ///< name of the cluster in the library: "clusters.dgx_h100"
  /// Adds a file to the sources. `path` is relative to the script's folder. Returns none if there
  /// is no such file. If the function is empty, the script cannot source files.
  std::function<std::optional<std::uint32_t>(llvm::StringRef path)> addSourcedFile = {};
  /// Whether the file lists the commands that a script has executed, in an environment with all
  /// definitions.
  bool executed = false;
  /// Receives all options of the launch, if it is not null.
  WrittenSettings* settings = nullptr;
};

/// Returns an unformatted .dpl file with the model, the layout, and a cluster with the nodes of the
/// launch. Options without a meaning for a plan are listed in a comment. It is an error if a plan
/// cannot express an option, or if Megatron-LM refuses the launch.
FailureOr<std::string> megatronLaunch(const LaunchImport& request, DiagnosticEngine& diags);

} // namespace dpl::imports
