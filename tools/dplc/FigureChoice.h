#pragma once
//===- FigureChoice.h - The names of `--figures` ----------------------------------------------===//
#include "ir/Space.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// Whether each name is a figure of the table; reports the first that is none. Of a study also
/// statistics of drawn steps and runs, and the `let`s among its outputs, are taken.
bool knowsFigures(Session& session, const std::vector<std::string>& names,
                  const ir::Space* study = nullptr);

} // namespace dpl::tool
