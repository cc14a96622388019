#pragma once
//===- OperatorTime.h - Roofline time of an operator and of a layer ---------------------------===//
#include "cost/compute/LayerCost.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>

namespace dpl::cost {

/// Share of the sustained rate that a GEMM with these dimensions reaches: Π d / (d + saturation).
/// Dimensions of 0 do not count.
double gemmEfficiency(double rows, double columns, double depth, double saturation);

/// FLOP/s that an operator sustains on a device with its dimensions; 0 for a streaming operator.
double sustainedRate(const OperatorCost& op, const ir::Device& device);

/// The direction of an operator: forward, input gradient, weight gradient.
enum class GradientDirection : std::uint8_t { Forward, BackwardInput, BackwardWeight };
const Work& workOf(const OperatorCost& op, GradientDirection direction);
/// FLOP that run divided by FLOP counted. fp8 gradient GEMMs count for more on devices like Hopper:
/// tensor cores accumulate with fewer bits than fp32, so sums are moved to registers.
double executedOf(const OperatorCost& op, GradientDirection direction, const ir::Device& device);
/// Seconds of one direction of an operator on the slowest of the devices.
double operatorTime(const OperatorCost& op, GradientDirection direction,
                    llvm::ArrayRef<ir::Device> devices);

/// Seconds: max(FLOP run / sustained rate, bytes / sustained bandwidth) on the slowest device.
/// `executed` is the share of the counted FLOP that runs. The time is 0 without work.
double operatorTime(const OperatorCost& op, const Work& work, double executed,
                    llvm::ArrayRef<ir::Device> devices);

/// Host time for one direction of an operator. Launches are asynchronous, so sumOf compares it with
/// the device time of a whole action of a layer instead of adding it to each operator.
double launchTime(const OperatorCost& op, const Work& work, llvm::ArrayRef<ir::Device> devices);

/// The share of an operator that is recomputed before its backward pass. In a layer that is
/// recomputed whole (`all`) it is 1 up to the early stop. Otherwise it is 1 in the modules of
/// `recompute`, and a fraction if every second GEMM is recomputed.
double recomputedShare(const OperatorCost& op, const ir::Recompute& recompute, bool all);

/// Bytes that an operator saves from its forward to its backward pass; recomputation restores the
/// rest.
double savedBy(const OperatorCost& op, const ir::Recompute& recompute, bool all);

/// Whether the operator's saved tensors are in host memory between forward and backward pass.
bool isOffloaded(const OperatorCost& op, const ir::Recompute& recompute);

/// The sums over a list of operators: seconds, FLOP as counted, memory traffic, saved bytes.
struct OperatorSum {
  double forward = 0, backwardInput = 0, backwardWeight = 0, recompute = 0; ///< seconds
  double forwardFlop = 0, backwardFlop = 0, recomputeFlop = 0;
  double forwardBytes = 0, backwardBytes = 0;
  /// Seconds of core-attention kernels in each pass; a ring of keys and values overlaps with them.
  double attention = 0, attentionBackward = 0;
  /// The part of each time that experts take, between the token exchanges.
  double experts = 0, expertsInput = 0, expertsWeight = 0, expertsRecompute = 0;
  /// Seconds in which the device waits for kernel launches.
  double idleForward = 0, idleBackward = 0, idleRecompute = 0;
  double idleWeight = 0; ///< the part for weight gradients if they run as an action of their own
  /// For each half of the backward pass: seconds of its kernels and of their launches.
  double inputKernels = 0, weightKernels = 0, inputHost = 0, weightHost = 0;
  double forwardHost = 0, recomputeHost = 0; ///< seconds of launches
  bool blocking = false; ///< the host waits for each kernel before it launches the next
  double saved = 0;      ///< bytes saved from the forward to the backward pass
  double offloaded = 0;  ///< part of `saved` in host memory
  double restored = 0;   ///< bytes that recomputation restores during the layer's backward pass
  /// The sum if input and weight gradients are separate actions. Each takes the longer of its
  /// kernels and their launches; `idleBackward` is then that of the input gradient.
  OperatorSum split() const;
  /// Seconds in which the device waits for kernel launches in the forward pass and in the backward
  /// pass, whole or split. Waits during recomputation (`idleRecompute`) are not included.
  double launchBound() const { return idleForward + idleBackward + idleWeight; }
  /// Time of kernels and their launches: their maximum, because the host runs ahead, or their sum
  /// if the host waits.
  double paced(double kernels, double host) const {
    return blocking ? kernels + host : std::max(kernels, host);
  }
};
/// The sums over `operators`, each with the time of the slowest device. `all` recomputes every
/// operator from the layer's input; otherwise the modules of `recompute` are recomputed.
OperatorSum sumOf(const std::vector<OperatorCost>& operators, llvm::ArrayRef<ir::Device> devices,
                  const ir::Recompute& recompute, bool all);

/// Bytes of one residual-stream tensor: 2·s·b·h in 16 bits, divided with sequence parallelism.
double residualBytes(const ir::Model& m, const Division& d);
/// Number of residual-stream tensors that a layer saves if it is not recomputed whole: the inputs
/// of attention and of the feed-forward part. Only the first one is saved if the GEMM between them
/// is recomputed or the blocks are parallel. A layer that is recomputed whole saves its input only.
unsigned residualPoints(const ir::Model& m, const ir::LayerType& c, const ir::Recompute& recompute);

/// Sets how the host launches the kernels of a layout.
void setLaunchMode(ir::Device& device, const ir::Layout& layout);
/// The devices that pace a pipeline rank, one per node type.
std::vector<ir::Device> pacingDevices(const ir::Plan& plan, const ir::RankNodeTypes& rankNodeTypes);
/// The slowest host link among the devices of a pipeline rank. All of them must have one.
ir::HostLink hostLinkOf(const ir::Plan& plan, std::uint64_t rank);
/// The share by which overlapped communication slows down the computation of these devices,
/// relative to the slowest one without communication. A faster device may lose more and still not
/// be the slowest.
double contentionOf(llvm::ArrayRef<ir::Device> devices);

} // namespace dpl::cost
