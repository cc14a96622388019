#pragma once
//===- Overrides.h - Settings of torchtitan's command line ------------------------------------===//
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::torchtitan {

/// Applies overrides such as `--training.seq_len=4096`, one per line, to the settings.
/// `compile.enable` and `compile.no_enable` set true and false, `-` may stand for `_` in names, and
/// commas or blanks separate the elements of a list. Reports the first override whose path no
/// setting can have.
LogicalResult applyOverrides(settings::SettingsReader& set, const SourceManager& sources,
                             std::uint32_t file, DiagnosticEngine& diags);

} // namespace dpl::imports::torchtitan
