#pragma once
//===- SlowParts.h - Nodes that are slower than others, and in which field --------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace dpl::diagnosis {

/// Gives all nodes the best of what any has, each field by itself.
void asTheFastest(ir::Plan& plan);

/// A field in which the nodes of a part are slower than others.
struct SlowPart {
  std::string name;  ///< of the part; empty for the nodes outside of all parts
  std::string part;  ///< the same on a screen
  std::string field; ///< as the part states it: "nic.bandwidth"
  std::string value, best;
  std::uint64_t firstNode = 0, nodes = 0;
  double costs = 0; ///< share of the step, over the one of nodes that are all the best
};

/// The one that costs most where all else is as the best; nothing where none does. `stepOf` is the
/// step of a complete plan. Relies on: a complete plan.
std::optional<SlowPart> slowestPart(const ir::Plan& plan,
                                    llvm::function_ref<double(const ir::Plan&)> stepOf);

} // namespace dpl::diagnosis
