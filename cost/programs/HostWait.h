#pragma once
//===- HostWait.h - What passes wait for the host's link --------------------------------------===//
#include "cost/programs/ProgramTime.h"

namespace dpl::cost {

/// ps by which what crosses the host's link beside a body outlasts the rest of it.
std::uint64_t hostWait(const ir::StageProgram& body, FirstLast firstLast = {});
/// ps by which what a chunk offloads outlasts its passes in a turn.
std::uint64_t hostWait(const ir::Plan& plan, const ir::ChunkPrograms& programs,
                       FirstLast firstLast = {});
/// Of all passes of a rank.
std::uint64_t hostWait(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::cost
