#pragma once
//===- Operators.h - The operators of the modules of a plan -----------------------------------===//
#include "cost/compute/ChunkEstimate.h"

namespace dpl::cost {

/// The operators of one kind of module and the devices that run them.
struct ModuleOperators {
  std::string module;                     ///< name of the module
  bool layer = false, recomputed = false; ///< whether it is a layer; whether it is recomputed whole
  std::vector<cost::OperatorCost> operators;
  std::vector<std::string> names; ///< parallel to `operators`, unique: "qkv", "qkv cast"
  /// Node types that run the module, by index into Cluster::nodeTypes, and the device of each.
  std::vector<std::uint64_t> nodeTypes;
  std::vector<ir::Device> devices;

  /// The share of an operator that is recomputed before its backward pass.
  double recomputedShare(const cost::OperatorCost& op, const ir::Recompute& recompute) const;
  /// Bytes that an operator saves for its backward pass.
  double saved(const cost::OperatorCost& op, const ir::Recompute& recompute) const;
  /// Seconds per micro-batch of kernels that move bytes for longer than they compute, on the
  /// slowest device of each; recomputed kernels count again.
  double memoryBound(const ir::Recompute& recompute) const;
};
/// A module with its name, such as "layer[gated]" (ChunkEstimate::nameOf).
struct NamedModule : cost::ChunkModule {
  std::string name;
};
/// The operators of each module that computes, in the order of `modules` (one list per chunk).
std::vector<ModuleOperators> operatorsOf(const ir::Plan& plan,
                                         const std::vector<std::vector<NamedModule>>& modules);

/// One direction of an operator.
struct OperatorDirection {
  const char* name; ///< "forward"
  cost::GradientDirection direction;
};
llvm::ArrayRef<OperatorDirection> operatorDirections();

/// The device on which one direction of an operator takes longest, by index into `devices`.
std::size_t slowestFor(const ModuleOperators& of, const cost::OperatorCost& op,
                       const OperatorDirection& pass);

} // namespace dpl::cost
