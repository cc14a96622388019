#pragma once
//===- TakeDevices.h - The part of the cluster that a layout runs on --------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include <optional>

namespace dpl {

/// A number of devices as they are taken: from as few domains as hold them the same number each,
/// and in a domain from as few nodes.
struct SelectedDevices {
  std::uint64_t domains = 0, nodes = 0, gpus = 0; ///< `nodes` of each domain, `gpus` of each node
};
/// Nothing where they cannot be taken evenly. Relies on: 1 ≤ devices ≤ those of the cluster.
std::optional<SelectedDevices> selectionOf(const ir::Cluster& cluster, std::uint64_t devices);

/// Leaves of the plan's cluster what `layout.devices` names. A plan that was cut already stays.
LogicalResult takeDevices(ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
