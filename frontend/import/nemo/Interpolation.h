#pragma once
//===- Interpolation.h - `${…}` of OmegaConf --------------------------------------------------===//
#include "frontend/import/settings/SettingValue.h"

namespace dpl::imports::nemo {

/// Puts what they refer to in the place of texts `${a.b}`, `${.beside}` and `${multiply:a,b}`.
/// Others stay; whoever reads one asks for its value. A leading `training.`, where NeMo's launcher
/// mounts the file, is left out.
void interpolate(settings::SettingValue& root);

} // namespace dpl::imports::nemo
