#pragma once
//===- PlaceRanks.h - Placement of ranks on nodes ---------------------------------------------===//
#include "ir/Plan.h"

namespace dpl {

/// The node types of the devices of each pipeline rank. Global ranks follow the order of node
/// types. Relies on: mesh strides are set.
std::vector<ir::RankNodeTypes> rankNodeTypes(const ir::Mesh& mesh, const ir::Cluster& cluster);

/// Places ranks and layers of a plan that check-layout refused, so that a target can report further
/// errors. False if the degrees or the split do not allow it.
bool placeLayers(ir::Plan& plan);

} // namespace dpl
