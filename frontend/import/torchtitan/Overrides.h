#pragma once
//===- Overrides.h - Settings of torchtitan's command line ------------------------------------===//
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::torchtitan {

/// Applies the overrides of the source, one on each line, to the settings:
/// `--training.seq_len=4096`. `compile.enable` and `compile.no_enable` set true and false, `-` may
/// stand for `_` in names, and commas or blanks separate the elements of lists. Reports the first
/// override whose path no setting can have.
LogicalResult applyOverrides(settings::SettingsReader& set, const SourceManager& sources,
                             std::uint32_t file, DiagnosticEngine& diags);

} // namespace dpl::imports::torchtitan
