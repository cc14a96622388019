#pragma once
//===- ConfigurationImports.h - Importing the configuration of a framework --------------------===//
#include "frontend/import/WrittenSettings.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// The text of a .dpl file from a file of `torchtitan`, `deepspeed` or `nemo`, as the options say;
/// fails after a report. `settings` gets those of the file.
FailureOr<std::string> importConfiguration(Session& session, const ImportOptions& options,
                                           std::uint32_t file, imports::WrittenSettings& settings);

/// NAME=VALUE of `--define`, parted.
std::vector<std::pair<std::string, std::string>> definitions(const std::vector<std::string>& all);

} // namespace dpl::tool
