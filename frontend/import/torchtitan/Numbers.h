#pragma once
//===- Numbers.h - Precision and optimizer of a torchtitan configuration ----------------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::torchtitan {

/// Writes `precision`. `mixes`: mixed precision has an effect, so that parameters are cast.
void precisionText(settings::SettingsReader& set, bool mixes, BlockText& fields);
/// Writes `optimizer`, and adds comment lines on what it leaves out of the learning rate.
void optimizerText(settings::SettingsReader& set, BlockText& fields, std::string& remarks);

} // namespace dpl::imports::torchtitan
