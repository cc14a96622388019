#pragma once
//===- HostWait.h - Time in which actions wait for the host link ------------------------------===//
#include "cost/programs/ProgramTime.h"

namespace dpl::cost {

/// ps by which transfers over the host link outlast the rest of a stage program.
std::uint64_t hostWait(const ir::StageProgram& body, FirstLast firstLast = {});
/// ps by which the transfers of a chunk outlast its actions.
std::uint64_t hostWait(const ir::Plan& plan, const ir::ChunkPrograms& programs,
                       FirstLast firstLast = {});
/// ps by which transfers outlast the actions of a rank in a step, summed over all actions.
std::uint64_t hostWait(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::cost
