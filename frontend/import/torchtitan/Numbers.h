#pragma once
//===- Numbers.h - Formats and optimizer of a configuration of torchtitan ---------------------===//
#include "frontend/import/Fields.h"
#include "frontend/import/settings/Settings.h"

namespace dpl::imports::torchtitan {

/// `mixes`: what parameters are cast to for computation has an effect.
void precisionText(settings::Settings& set, bool mixes, Fields& fields);
/// What of the learning rate is left out goes to `remarks`, as lines of comment.
void optimizerText(settings::Settings& set, Fields& fields, std::string& remarks);

} // namespace dpl::imports::torchtitan
