#pragma once
//===- Interpolation.h - Resolves `${…}` of OmegaConf -----------------------------------------===//
#include "frontend/import/settings/SettingValue.h"

namespace dpl::imports::nemo {

/// Replaces texts `${a.b}`, `${.sibling}` and `${multiply:a,b}` by their values. Others remain and
/// become missing inputs if they are read. A leading `training.`, the group in which NeMo's
/// launcher mounts the file, is removed.
void interpolate(settings::SettingValue& root);

} // namespace dpl::imports::nemo
