#pragma once
//===- Numbers.h - Precision and optimizer of a torchtitan configuration ----------------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::torchtitan {

/// Writes `precision`. `mixes` says that mixed precision has an effect, so that parameters are
/// cast.
void precisionText(settings::SettingsReader& set, bool mixes, BlockText& fields);
/// Writes `optimizer`. Adds comment lines about properties of the learning rate that it leaves out.
void optimizerText(settings::SettingsReader& set, BlockText& fields, std::string& remarks);

} // namespace dpl::imports::torchtitan
