#pragma once
//===- BuildGroups.h - Process groups of subsets of axes --------------------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

/// Whether the loads that groups put on network links are computed. Figures need them; the cost
/// model does not.
enum class LinkLoads : bool { Omitted, Known };

/// The groups of a subset of axes, in the order of the mesh (the outermost axis varies slowest).
/// All axes are of one grid: of the expert grid if an expert axis is among them, otherwise of the
/// mesh. With `copies` each group also spans two opposite pipeline ranks.
ir::Group makeGroup(const ir::Mesh& mesh, const ir::Cluster& cluster, std::string name,
                    llvm::ArrayRef<ir::Axis> axes, bool copies = false,
                    LinkLoads loads = LinkLoads::Known);
/// The ranks with the first and the last stage of each pipeline, which share a tied embedding. If
/// one rank has both stages, each group is one rank.
ir::Group makeEmbeddingGroup(const ir::Mesh& mesh, const ir::Placement& placement,
                             const ir::Cluster& cluster, LinkLoads loads = LinkLoads::Known);
/// All groups that collectives of a plan may use, including groups of one rank.
std::vector<ir::Group> buildGroups(const ir::Mesh& mesh, const ir::Placement& placement,
                                   const ir::Cluster& cluster);
/// The groups that estimates need, without link loads: one for each set of axes that has
/// collectives and several ranks, and the group of a tied embedding.
std::vector<ir::Group> groupsOfEstimates(const ir::Plan& plan);

} // namespace dpl
