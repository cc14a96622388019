#pragma once
//===- ThroughShell.h - A command that a script hands to another shell ------------------------===//
#include "frontend/import/shell/ShellVariables.h"

namespace dpl::imports::shell {

/// The command that `srun … bash -c "…"` or `eval "…"` runs, after the words before the shell: the
/// first of its commands that names a script. Nothing where there is none or a statement decides
/// over it.
std::optional<ShellWords> throughShell(const ShellWords& words, std::uint32_t file,
                                       ShellVariables& variables);

} // namespace dpl::imports::shell
