#pragma once
//===- TakeDevices.h - The part of the cluster that a layout uses -----------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include <optional>

namespace dpl {

/// Devices of a cluster, selected evenly from as few domains as possible, and within a domain from
/// as few nodes as possible.
struct SelectedDevices {
  std::uint64_t domains = 0, nodes = 0, gpus = 0; ///< `nodes` per domain, `gpus` per node
};
/// None if no even selection exists. Relies on: 1 ≤ devices ≤ those of the cluster.
std::optional<SelectedDevices> selectionOf(const ir::Cluster& cluster, std::uint64_t devices);

/// Reduces the plan's cluster to `layout.devices`. Does nothing if that was done before.
LogicalResult takeDevices(ir::Plan& plan, DiagnosticEngine& diags);

} // namespace dpl
