#pragma once
//===- RankLinks.h - The links of pipeline ranks ----------------------------------------------===//
//
// Node types may have different ports. Messages between ranks are as fast as the slowest ports of
// their nodes.
#include "ir/Plan.h"

namespace dpl::cost {

/// Node types, by index into Cluster::nodeTypes.
using NodeTypeList = llvm::SmallVector<std::uint64_t, 8>;
/// The node types of the ranks of a group that contains a pipeline rank; may contain duplicates.
NodeTypeList nodeTypesOf(const ir::Plan& plan, const ir::Group& group, std::uint64_t rank);
NodeTypeList nodeTypesBetween(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);

/// The levels of a group that contains a pipeline rank; for the embedding group those of both ends.
ir::LinkLevels levelsOf(const ir::Plan& plan, const ir::Group& group, std::uint64_t rank);
/// The levels between two pipeline ranks.
ir::LinkLevels levelsBetween(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);
/// `levels`, adjusted for a collective of this purpose. `inStep` is the loss by late ranks and
/// shared ports for a collective that computation waits for. It does not apply to overlapped
/// collectives, which have time to be late, or to messages, whose start times the schedule knows.
ir::LinkLevels levelsFor(const ir::Plan& plan, ir::CollectivePurpose purpose,
                         ir::LinkLevels levels);
/// The adjusted levels of a group that contains a pipeline rank.
ir::LinkLevels levelsFor(const ir::Plan& plan, ir::CollectivePurpose purpose,
                         const ir::Group& group, std::uint64_t rank);

} // namespace dpl::cost
