#pragma once
//===- Interpolation.h - Resolves `${…}` of OmegaConf -----------------------------------------===//
#include "frontend/import/settings/SettingValue.h"

namespace dpl::imports::nemo {

/// Replaces the expressions `${a.b}`, `${.sibling}` and `${multiply:a,b}` by their values. Other
/// expressions stay, and become missing inputs if they are read. A leading `training.` is removed;
/// NeMo's launcher mounts the file in that group.
void interpolate(settings::SettingValue& root);

} // namespace dpl::imports::nemo
