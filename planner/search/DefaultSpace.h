#pragma once
//===- DefaultSpace.h - The search space of a layout without a `search` block -----------------===//
#include "ir/Plan.h"
#include "planner/AutoSchedule.h"

namespace dpl::planner {

/// Fields of a layout that neither the file, nor `--set`, nor the framework sets. A mesh or
/// schedule is also open if it is `auto`.
struct OpenLayoutFields {
  bool mesh = false, microBatch = false, schedule = false, split = false, recompute = false;
  bool optimizer = false, gradients = false, parameters = false, sequence = false; ///< of `shard`
};

/// The space of all open fields with the candidates of docs/reference/search.md: it minimizes the
/// step time of layouts that leave the headroom of `lint`. Schedules are those for which `runs` is
/// true. The space is empty of open fields if there is nothing to choose. Relies on: the cluster is
/// reduced to the devices of the layout (takeDevices).
ir::Space defaultSpace(const ir::Plan& plan, const OpenLayoutFields& open,
                       const SupportsSchedule& runs);

} // namespace dpl::planner
