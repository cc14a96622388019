#pragma once
//===- ThroughShell.h - Commands that a script passes to another shell ------------------------===//
#include "frontend/import/shell/ShellVariables.h"

namespace dpl::imports::shell {

/// The first command with a Python script that `srun … bash -c "…"` or `eval "…"` runs, preceded by
/// the words before the shell. Returns none if there is no such command, or if it is in a block.
std::optional<ShellWords> throughShell(const ShellWords& words, std::uint32_t file,
                                       ShellVariables& variables);

} // namespace dpl::imports::shell
