#pragma once
//===- Operators.h - The operators of the parts of a plan, for who asks for them --------------===//
#include "cost/compute/ChunkEstimate.h"

namespace dpl::cost {

/// The operators of one kind of part, and the devices that they run on.
struct PartOperators {
  std::string part;                       ///< its name
  bool layer = false, recomputed = false; ///< a layer; one that is recomputed whole
  std::vector<cost::OperatorCost> list;
  std::vector<std::string> names; ///< parallel to `list`, each once: "qkv", "qkv cast"
  /// Classes of nodes that hold the part, by index into Cluster::classes, and a device of each.
  std::vector<std::uint64_t> classes;
  std::vector<ir::Device> devices;

  /// Whether an operator runs again before its backward pass.
  double again(const cost::OperatorCost& op, const ir::Recompute& recompute) const;
  /// Bytes that it keeps for it.
  double kept(const cost::OperatorCost& op, const ir::Recompute& recompute) const;
};
/// A part with its name: "layer[gated]", as cost::ChunkEstimate has it.
struct NamedPart : cost::ChunkPart {
  std::string name;
};
/// Of each part that runs something, in the order of `parts` (of each chunk).
std::vector<PartOperators> operatorsOf(const ir::Plan& plan,
                                       const std::vector<std::vector<NamedPart>>& parts);

/// One direction of an operator.
struct OperatorPass {
  const char* name; ///< "forward"
  cost::Direction direction;
};
llvm::ArrayRef<OperatorPass> operatorPasses();

/// The device of a part that takes longest for a direction of an operator, by index into `devices`.
std::size_t slowestFor(const PartOperators& of, const cost::OperatorCost& op,
                       const OperatorPass& pass);

} // namespace dpl::cost
