#pragma once
//===- SearchChoice.h - The search of a file that the command line means ----------------------===//
#include "tools/dplc/Session.h"
#include <optional>

namespace dpl::tool {

/// What is searched: a `search` block with its space, or a layout whose open fields are the space.
struct SearchedBlock {
  NamedBlock block;
  ir::Plan* plan; ///< of the first candidate, or of the layout
};

/// The search or layout that the command line names. Without a name, the only search, or the only
/// layout of a file without searches. None after a report.
std::optional<SearchedBlock> chooseSearch(Session& session, CompiledFile& file,
                                          const std::string& path, const std::string& asked);

} // namespace dpl::tool
