#pragma once
//===- Normalized.h - A configuration of torchtitan 0.3 in the words of 0.2 -------------------===//
#include "frontend/import/settings/Python.h"

namespace dpl::imports::torchtitan {

/// The settings of the function `wanted`, "" for the only one, as the tables of a TOML file;
/// `training.graphs` says whether kernels are launched from graphs. Fails after a report.
FailureOr<settings::SettingValue> normalized(const SourceManager& sources, std::uint32_t file,
                                             const std::string& wanted, DiagnosticEngine& diags);

} // namespace dpl::imports::torchtitan
