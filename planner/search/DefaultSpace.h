#pragma once
//===- DefaultSpace.h - The search space of a layout without a `search` block -----------------===//
#include "ir/Plan.h"
#include "planner/AutoSchedule.h"
#include <map>
#include <optional>

namespace dpl::planner {

/// Fields of a layout that neither the file, nor `--set`, nor the framework sets. A mesh or
/// schedule is also open if it is `auto`.
struct OpenLayoutFields {
  bool mesh = false, microBatch = false, schedule = false, split = false, recompute = false;
  bool optimizer = false, gradients = false, parameters = false, sequence = false; ///< of `shard`
};

/// The space of all open fields with the candidates of docs/reference/search.md: it minimizes the
/// step time of layouts that leave the headroom of `lint`. Its schedules are those for which `runs`
/// is true. The space has no open fields if there is nothing to choose. None if no mesh is legal.
/// Relies on: the cluster is reduced to the devices of the layout (takeDevices).
std::optional<ir::Space> defaultSpace(const ir::Plan& plan, const OpenLayoutFields& open,
                                      const SupportsSchedule& runs);

/// The text of the mesh whose degrees the fields of a default space set, "mesh { pipeline = 1, data
/// = rest, … }": all axes in the order of `mesh = auto`.
std::string meshOfDefaultSpace(const ir::Plan& plan);
/// The text of the mesh with these degrees, by paths such as "mesh.experts.expert", without axes of
/// one rank. `experts`: whether it has an expert grid.
std::string meshWith(bool experts, const std::map<std::string, std::string>& degrees);

} // namespace dpl::planner
