#pragma once
//===- ConfigurationImports.h - Importing the configuration of a framework --------------------===//
#include "frontend/import/WrittenSettings.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// The text of a .dpl file made from a file of `torchtitan`, `deepspeed` or `nemo` with these
/// options; fails after a report. `settings` receives the settings of the file.
FailureOr<std::string> importConfiguration(Session& session, const ImportOptions& options,
                                           std::uint32_t file, imports::WrittenSettings& settings);

/// The name and value of each `--define NAME=VALUE`.
std::vector<std::pair<std::string, std::string>> definitions(const std::vector<std::string>& all);

} // namespace dpl::tool
