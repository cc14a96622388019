#pragma once
//===- BuildGroups.h - Symbolic groups of axis subsets ----------------------------------------===//
#include "ir/Plan.h"

namespace dpl {

/// The groups of one axis subset, in the mesh's own order of axes (outermost varies slowest). All
/// axes are of one grid: of the mesh, or of the expert grid where an expert axis is among them.
/// With `copies` each group is of two opposite pipeline ranks besides.
ir::Group makeGroup(const ir::Mesh& mesh, const ir::Cluster& cluster, std::string name,
                    const std::vector<ir::Axis>& axes, bool copies = false);
/// The ranks that hold the first and the last stage of each pipeline, which share a tied embedding;
/// of one rank where each of them holds both.
ir::Group makeEmbeddingGroup(const ir::Mesh& mesh, const ir::Placement& placement,
                             const ir::Cluster& cluster);
/// Every group that some collective of a plan may use; groups of one rank included.
std::vector<ir::Group> buildGroups(const ir::Mesh& mesh, const ir::Placement& placement,
                                   const ir::Cluster& cluster);

} // namespace dpl
