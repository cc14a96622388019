//===- OutsideTensors.cpp - What a device holds beside the tensors of its program -------------===//
#include "cost/memory/OutsideTensors.h"
#include "cost/network/LinkLoad.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr double mebibyte = 1 << 20;
/// Buffers of the three protocols for what one peer sends over one channel, 0.5 + 4.7 + 4 MiB in
/// whole 2 MiB (init.cc, computeBuffSizes; transport/p2p.cc, ncclP2pAllocateShareableBuffer).
constexpr double connection = 10 * mebibyte;
/// Shared by all that is sent from rank to rank, for each channel, whose number is a power of two:
/// 16 steps of 128 KiB, of 512 KiB where all is NVLink (transport/net.cc, sharedNetBuffersInit;
/// init.cc, computeBuffSizes).
constexpr double sharedAcross = 2 * mebibyte, sharedInside = 8 * mebibyte;
/// Of a channel and a rank of the domain whose sums are made in switches: twice a buffer of 8 steps
/// of 128 KiB and its flags (transport/nvls.cc, ncclNvlsSetup).
constexpr double inSwitch = 2 * (1 + 2) * mebibyte;
constexpr double leastInSwitch = 3;     ///< ranks; two need no switch (ncclNvlsInit)
constexpr double mostInSwitch = 32;     ///< NCCL_MAX_NVLS_ARITY
constexpr double channelsInSwitch = 16; ///< NCCL_NVLS_NCHANNELS
constexpr double channelsInside = 24;   ///< 12 rings that NVLink has the rate for, each twice
/// Of eight ports each twice; of fewer four times on Hopper (graph/connect.cc, ncclTopoPostset).
constexpr double channelsAcross = 16;

double channelsOf(double ranks, double inside, bool switches) {
  if (ranks <= inside)
    return channelsInside;
  const double ports = std::min(channelsAcross, inside * (switches ? 4 : 2));
  return switches && inside >= leastInSwitch ? std::max(ports, channelsInSwitch) : ports;
}

CommunicatorShape shapeOf(const Plan& plan, llvm::ArrayRef<MeshAxis> grid,
                          llvm::ArrayRef<Axis> axes) {
  std::vector<Stride> strides;
  CommunicatorShape shape;
  for (const MeshAxis& axis : grid)
    if (llvm::is_contained(axes, axis.axis) && axis.size > 1) {
      strides.push_back({axis.size, axis.stride, axis.stride * axis.size});
      shape.ranks *= axis.size;
    }
  const LinkLevel& domain = plan.cluster.levels.front();
  shape.inside = ranksInside(strides, std::min(domain.devices, plan.cluster.devices()));
  shape.inSwitch = domain.inSwitch > 0;
  shape.neighbours = llvm::is_contained(axes, Axis::Pipeline) && axes.size() == 1;
  return shape;
}
} // namespace

std::uint64_t dpl::cost::communicatorBytes(const CommunicatorShape& shape) {
  if (shape.ranks < 2)
    return 0;
  const double inside = real(shape.inside), domains = real(shape.ranks) / inside;
  const double channels = channelsOf(real(shape.ranks), inside, shape.inSwitch);
  // Inside a rank receives from one of the ring and from up to two of the tree, which is a chain
  // there. Between domains a rank of them has both ends of a ring, and of a tree to what is above
  // and below, with a buffer for what it sends and one for what it receives.
  const double neighbours = inside - 1;
  const double within = domains > 1  ? 3 * neighbours / inside
                        : inside > 1 ? 1 + 2 * neighbours / inside
                                     : 0;
  const double across = domains > 1 ? (2 + 4 * (domains - 1) / domains) / inside : 0;
  const double sends = std::exp2(std::ceil(std::log2(channels)));
  double bytes = sends * (domains > 1 ? sharedAcross : sharedInside) +
                 channels * (within + across) * connection;
  if (shape.inSwitch && inside >= leastInSwitch)
    bytes += channels * std::min(inside, mostInSwitch) * inSwitch;
  if (shape.neighbours && domains <= 1)
    bytes += std::min(2.0, neighbours) * sends * connection;
  return whole(bytes);
}

std::vector<CommunicatorShape> dpl::cost::communicatorsOf(const Plan& plan) {
  using enum Axis;
  std::vector<CommunicatorShape> shapes;
  std::vector<std::vector<Axis>> seen; // of axes that have several ranks
  const auto add = [&](llvm::ArrayRef<MeshAxis> grid, std::initializer_list<Axis> axes) {
    std::vector<Axis> several;
    for (const Axis axis : axes)
      if (plan.mesh.size(axis) > 1)
        several.push_back(axis);
    if (several.empty() || llvm::is_contained(seen, several))
      return;
    shapes.push_back(shapeOf(plan, grid, several));
    seen.push_back(std::move(several));
  };
  const Mesh& mesh = plan.mesh;
  add(mesh.axes, {Replica, Pipeline, Data, Context, Tensor});
  add(mesh.axes, {Pipeline, Tensor});
  add(mesh.axes, {Data, Context});
  for (const Axis axis : {Pipeline, Context, Tensor, Replica})
    add(mesh.axes, {axis});
  for (const Axis axis : {ExpertData, Expert, ExpertTensor})
    add(mesh.expertAxes, {axis});
  return shapes;
}

bool dpl::cost::runsOnPyTorch(const Plan& plan) {
  return !plan.framework.name.empty() && plan.framework.name != "maxtext"; // on XLA
}

bool dpl::cost::hasFixedSegments(const Plan& plan) {
  return runsOnPyTorch(plan) && !plan.layout.buffers.expandableSegments;
}

std::uint64_t dpl::cost::outsideBytes(const Plan& plan) {
  if (!runsOnPyTorch(plan))
    return 0;
  std::uint64_t bytes = contextBytes;
  for (const CommunicatorShape& shape : communicatorsOf(plan))
    bytes += communicatorBytes(shape);
  return bytes;
}
