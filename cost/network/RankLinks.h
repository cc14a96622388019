#pragma once
//===- RankLinks.h - The links that pipeline ranks have
//----------------------------------------===//
//
// Nodes of different classes may have different ports. What several ranks send to one another goes
// at the pace of the slowest ports of the nodes that hold them.
#include "ir/Plan.h"

namespace dpl::cost {

/// Classes of nodes, by index into Cluster::nodeTypes.
using NodeTypeList = llvm::SmallVector<std::uint64_t, 8>;
/// Those that hold the ranks of a group that a pipeline rank is in, some of them twice.
NodeTypeList nodeTypesOf(const ir::Plan& plan, const ir::Group& group, std::uint64_t rank);
NodeTypeList nodeTypesBetween(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);

/// Of a group that a pipeline rank is in; of the embedding group the ranks at both ends.
ir::LinkLevels levelsOf(const ir::Plan& plan, const ir::Group& group, std::uint64_t rank);
/// Of two pipeline ranks.
ir::LinkLevels levelsBetween(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);
/// What a collective of a purpose has of such links: `in_step` is what late ranks and shared ports
/// leave to one that computation waits for. One beside computation has the time to be late, and of
/// the ends of a message the schedule knows when each is ready.
ir::LinkLevels levelsFor(const ir::Plan& plan, ir::CollectivePurpose purpose,
                         ir::LinkLevels levels);
/// The same of a group that a pipeline rank is in.
ir::LinkLevels levelsFor(const ir::Plan& plan, ir::CollectivePurpose purpose,
                         const ir::Group& group, std::uint64_t rank);

} // namespace dpl::cost
