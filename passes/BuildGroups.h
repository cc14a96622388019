#pragma once
//===- BuildGroups.h - Symbolic groups of axis subsets ----------------------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

/// Whether what groups put on the links of the network is worked out: figures ask for it, the cost
/// model does not.
enum class LinkLoads : bool { Omitted, Known };

/// The groups of one axis subset, in the mesh's own order of axes (outermost varies slowest). All
/// axes are of one grid: of the mesh, or of the expert grid where an expert axis is among them.
/// With `copies` each group is of two opposite pipeline ranks besides.
ir::Group makeGroup(const ir::Mesh& mesh, const ir::Cluster& cluster, std::string name,
                    llvm::ArrayRef<ir::Axis> axes, bool copies = false,
                    LinkLoads loads = LinkLoads::Known);
/// The ranks that hold the first and the last stage of each pipeline, which share a tied embedding;
/// of one rank where each of them holds both.
ir::Group makeEmbeddingGroup(const ir::Mesh& mesh, const ir::Placement& placement,
                             const ir::Cluster& cluster, LinkLoads loads = LinkLoads::Known);
/// Every group that some collective of a plan may use; groups of one rank included.
std::vector<ir::Group> buildGroups(const ir::Mesh& mesh, const ir::Placement& placement,
                                   const ir::Cluster& cluster);
/// Those that estimates of a plan ask for, without loads: of the axes that collectives run over one
/// for each set of them that has several ranks, and that of a tied embedding.
std::vector<ir::Group> groupsOfEstimates(const ir::Plan& plan);

} // namespace dpl
