#pragma once
//===- Overrides.h - Settings of torchtitan's command line ------------------------------------===//
#include "imports/settings/Settings.h"

namespace dpl::imports::torchtitan {

/// Puts the overrides of the source into the settings, `--training.seq_len=4096` one a line:
/// `compile.enable` and `compile.no_enable` are true and false, words of a name may be parted by
/// `-`, lists by commas or blanks.
void takeOverrides(settings::Settings& set, const SourceManager& sources, std::uint32_t file);

} // namespace dpl::imports::torchtitan
