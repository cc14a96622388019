#pragma once
//===- OperatorTime.h - Roofline time of an operator and of a layer ---------------------------===//
#include "cost/compute/LayerCost.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>

namespace dpl::cost {

/// Share of the sustained rate that a product of these dimensions reaches:
/// Π d / (d + saturation). Dimensions of 0 do not count.
double gemmEfficiency(double rows, double columns, double depth, double saturation);

/// FLOP/s that an operator sustains on a device at its shape; 0 for a streaming one.
double sustainedRate(const OperatorCost& op, const ir::Device& device);

/// What an operator does: forward, for the gradient of its input, for that of its weight.
enum class GradientDirection : std::uint8_t { Forward, BackwardInput, BackwardWeight };
const Work& workOf(const OperatorCost& op, GradientDirection direction);
/// FLOP that run over FLOP counted. Products in fp8 whose sums registers take over count for more:
/// those of gradients where tensor cores add up in fewer bits than fp32, as Hopper's do.
double executedOf(const OperatorCost& op, GradientDirection direction, const ir::Device& device);
/// Seconds of a direction on the slowest of the devices.
double operatorTime(const OperatorCost& op, GradientDirection direction,
                    llvm::ArrayRef<ir::Device> devices);

/// max(FLOP run / sustained rate, bytes / sustained bandwidth) on the slowest of the devices;
/// seconds. `executed` is the share of the counted FLOP that runs. No work takes no time.
double operatorTime(const OperatorCost& op, const Work& work, double executed,
                    llvm::ArrayRef<ir::Device> devices);

/// Time of the host for one direction of an operator. Launches are asynchronous, so it is compared
/// with the device's time over a whole pass of a layer, not added to each operator (sumOf).
double launchTime(const OperatorCost& op, const Work& work, llvm::ArrayRef<ir::Device> devices);

/// The share of an operator of a layer that runs again before its backward pass: 1 of each of a
/// layer that is recomputed whole (`all`) up to where that stops, else of those of the modules of
/// `recompute`.
double recomputedShare(const OperatorCost& op, const ir::Recompute& recompute, bool all);

/// Bytes that an operator of a layer keeps from its forward to its backward pass; the rest of what
/// that needs is brought back by recomputation.
double savedBy(const OperatorCost& op, const ir::Recompute& recompute, bool all);

/// Whether what it keeps lies in the host's memory between the passes.
bool isOffloaded(const OperatorCost& op, const ir::Recompute& recompute);

/// What the passes need of a list of operators: seconds, FLOP as counted, memory traffic, bytes
/// kept.
struct OperatorSum {
  double forward = 0, backwardInput = 0, backwardWeight = 0, recompute = 0; ///< seconds
  double forwardFlop = 0, backwardFlop = 0, recomputeFlop = 0;
  double forwardBytes = 0, backwardBytes = 0;
  /// Seconds of kernels of core attention, of either pass: what a key-value ring hides behind.
  double attention = 0, attentionBackward = 0;
  /// What the experts themselves take of each part of the time, between the exchanges of tokens.
  double experts = 0, expertsInput = 0, expertsWeight = 0, expertsRecompute = 0;
  /// Seconds of a pass in which the device waits for the host's launches.
  double idleForward = 0, idleBackward = 0, idleRecompute = 0;
  double idleWeight = 0; ///< the part for weight gradients if they run as an action of their own
  /// Of each half of the backward pass: seconds of its kernels, and of their launches.
  double inputKernels = 0, weightKernels = 0, inputHost = 0, weightHost = 0;
  double forwardHost = 0, recomputeHost = 0; ///< seconds of their launches
  bool blocking = false; ///< the host waits for each kernel before it launches the next
  double saved = 0;      ///< bytes kept from forward to backward
  double offloaded = 0;  ///< bytes of them in the host's memory
  double restored = 0;   ///< bytes that recomputation brings back while the layer runs backward
  /// Where the halves of the backward pass run apart, the host gets ahead in neither for the other:
  /// each takes the longer of its kernels and of their launches. `idleBackward` is of the input's.
  OperatorSum split() const;
  /// Seconds in which the device waits for kernel launches, forward and backward; a backward pass
  /// runs whole or as its two halves. `idleRecompute` is the wait during recomputation.
  double launchBound() const { return idleForward + idleBackward + idleWeight; }
  /// Kernels and their launches: the host runs ahead and the slower counts, unless it waits.
  double paced(double kernels, double host) const {
    return blocking ? kernels + host : std::max(kernels, host);
  }
};
/// Each operator goes at the slowest of the devices. `all` recomputes every operator (the caller
/// keeps the input); else the modules of `recompute`.
OperatorSum sumOf(const std::vector<OperatorCost>& operators, llvm::ArrayRef<ir::Device> devices,
                  const ir::Recompute& recompute, bool all);

/// Bytes of the residual stream at one point, 2·s·b·h in 16 bits, split under sequence parallelism.
double residualBytes(const ir::Model& m, const Division& d);
/// Points of the residual stream that a layer keeps when it is not recomputed whole: the inputs of
/// attention and of the feed-forward part; the first alone where the product between them runs
/// again or both parts stand beside each other. A layer that is keeps its input only.
unsigned residualPoints(const ir::Model& m, const ir::LayerType& c, const ir::Recompute& recompute);

/// The way in which the host launches the kernels of a layout.
void setLaunchMode(ir::Device& device, const ir::Layout& layout);
/// The devices that pace a pipeline rank, one of each class of nodes that holds it.
std::vector<ir::Device> pacingDevices(const ir::Plan& plan, const ir::RankNodeTypes& rankNodeTypes);
/// The slowest way to the host's memory of the devices that hold a pipeline rank. All have one.
ir::HostLink hostLinkOf(const ir::Plan& plan, std::uint64_t rank);
/// By which share compute takes longer than the slowest of them alone does, while communication
/// runs beside it: a faster one may lose more and not be the last.
double contentionOf(llvm::ArrayRef<ir::Device> devices);

} // namespace dpl::cost
