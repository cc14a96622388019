#pragma once
//===- Operators.h - The operators of the parts of a plan, for who asks for them --------------===//
#include "cost/compute/ChunkEstimate.h"

namespace dpl::cost {

/// The operators of one kind of part, and the devices that they run on.
struct ModuleOperators {
  std::string module;                     ///< its name
  bool layer = false, recomputed = false; ///< a layer; one that is recomputed whole
  std::vector<cost::OperatorCost> operators;
  std::vector<std::string> names; ///< parallel to `list`, each once: "qkv", "qkv cast"
  /// Classes of nodes that hold the part, by index into Cluster::nodeTypes, and a device of each.
  std::vector<std::uint64_t> nodeTypes;
  std::vector<ir::Device> devices;

  /// Whether an operator runs again before its backward pass.
  double recomputedShare(const cost::OperatorCost& op, const ir::Recompute& recompute) const;
  /// Bytes that it keeps for it.
  double saved(const cost::OperatorCost& op, const ir::Recompute& recompute) const;
};
/// A part with its name: "layer[gated]", as cost::ChunkEstimate has it.
struct NamedModule : cost::ChunkModule {
  std::string name;
};
/// Of each part that runs something, in the order of `parts` (of each chunk).
std::vector<ModuleOperators> operatorsOf(const ir::Plan& plan,
                                         const std::vector<std::vector<NamedModule>>& modules);

/// One direction of an operator.
struct OperatorDirection {
  const char* name; ///< "forward"
  cost::GradientDirection direction;
};
llvm::ArrayRef<OperatorDirection> operatorDirections();

/// The device of a part that takes longest for a direction of an operator, by index into `devices`.
std::size_t slowestFor(const ModuleOperators& of, const cost::OperatorCost& op,
                       const OperatorDirection& pass);

} // namespace dpl::cost
