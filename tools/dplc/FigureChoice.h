#pragma once
//===- FigureChoice.h - The names of `--figures` ----------------------------------------------===//
#include "ir/Space.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// Whether each name is a figure; reports the first name that is not. For a study, names may also
/// be statistics of drawn steps and runs, and `let`s of the study.
bool knowsFigures(Session& session, const std::vector<std::string>& names,
                  const ir::Space* study = nullptr);

} // namespace dpl::tool
