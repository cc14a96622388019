#pragma once
//===- ThroughShell.h - Commands that a script passes to another shell ------------------------===//
#include "frontend/import/shell/ShellVariables.h"

namespace dpl::imports::shell {

/// The command that `srun … bash -c "…"` or `eval "…"` runs, with the words before the shell: the
/// first command that names a Python script. Returns nothing if there is none or if it is in a
/// block.
std::optional<ShellWords> throughShell(const ShellWords& words, std::uint32_t file,
                                       ShellVariables& variables);

} // namespace dpl::imports::shell
