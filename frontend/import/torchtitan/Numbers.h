#pragma once
//===- Numbers.h - Formats and optimizer of a configuration of torchtitan ---------------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::torchtitan {

/// `mixes`: what parameters are cast to for computation has an effect.
void precisionText(settings::SettingsReader& set, bool mixes, BlockText& fields);
/// What of the learning rate is left out goes to `remarks`, as lines of comment.
void optimizerText(settings::SettingsReader& set, BlockText& fields, std::string& remarks);

} // namespace dpl::imports::torchtitan
