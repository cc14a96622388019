#pragma once
//===- SlowPools.h - Node pools with slower fields than other nodes ---------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace dpl::diagnosis {

/// Gives every node the best value that any node has, for each field.
void equalizeToFastest(ir::Plan& plan);

/// A field in which the nodes of one node pool are slower than other nodes.
struct SlowPool {
  std::string name;  ///< name of the pool in the file; empty for the nodes outside of all pools
  std::string pool;  ///< name of the pool on a screen
  std::string field; ///< path of the field in the pool: "nic.bandwidth"
  std::string value, best;
  std::uint64_t firstNode = 0, nodes = 0;
  double costs = 0; ///< time that the field costs, as a share of the step in which all nodes have
                    ///< the best values
};

/// The field of a node pool that costs most time, measured while every other field has the best
/// value. None if no field costs time. `stepOf` returns the step time of a complete plan. Relies
/// on: a complete plan.
std::optional<SlowPool> slowestPool(const ir::Plan& plan,
                                    llvm::function_ref<double(const ir::Plan&)> stepOf);

} // namespace dpl::diagnosis
