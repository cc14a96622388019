#pragma once
//===- PlaceRanks.h - Which nodes hold which ranks --------------------------------------------===//
#include "ir/Plan.h"

namespace dpl {

/// The classes of nodes that hold each pipeline rank. Global ranks go over the nodes in the order
/// of the classes; strides of the mesh are set.
std::vector<ir::RankNodeTypes> rankNodeTypes(const ir::Mesh& mesh, const ir::Cluster& cluster);

/// Places ranks and layers of a plan that check-layout refused, so that a framework can report
/// further errors. False if the degrees or the split do not allow it.
bool placeLayers(ir::Plan& plan);

} // namespace dpl
