//===- OutsideTensors.cpp - Memory of a device outside PyTorch's allocator --------------------===//
#include "cost/memory/OutsideTensors.h"
#include "cost/network/AxisSet.h"
#include "cost/network/LinkLoad.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <bit>
#include <optional>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr double leastInSwitch = 3; ///< fewest ranks of a domain that use NVLS (ncclNvlsInit)
constexpr double mostInSwitch = 32; ///< most ranks of a domain: NCCL_MAX_NVLS_ARITY

bool isNanotron(const Plan& plan) { return plan.framework.name == "nanotron"; }

/// Whether pipeline messages are sent one by one and not in a batch, as in
/// parallel/pipeline_parallel/p2p.py of nanotron, in runtime/pipe/p2p.py of DeepSpeed at edaa7221,
/// and for overlapped messages in Megatron-LM at d98e8a64 (_p2p_ops in
/// core/pipeline_parallel/p2p_communication.py).
bool sendsAlone(const Plan& plan) {
  const std::string& name = plan.framework.name;
  return isNanotron(plan) || name == "deepspeed" ||
         (name == "megatron" && plan.layout.overlap.pipeline);
}

double channelsOf(const CommunicatorBuffers& held, double ranks, double inside, bool switches) {
  if (ranks <= inside)
    return real(held.channelsInside);
  const double ports = std::min(real(held.channelsAcross), inside * (switches ? 4 : 2));
  return switches && inside >= leastInSwitch ? std::max(ports, real(held.channelsOfSums)) : ports;
}

CommunicatorShape shapeOf(const Plan& plan, llvm::ArrayRef<MeshAxis> grid, AxisSet axes) {
  llvm::SmallVector<Stride, 8> strides;
  CommunicatorShape shape;
  for (const MeshAxis& axis : grid)
    if ((axes & setOf(axis.axis)) != 0 && axis.size > 1) {
      strides.push_back({axis.size, axis.stride, axis.stride * axis.size});
      shape.ranks *= axis.size;
    }
  const LinkLevel& domain = plan.cluster.levels.front();
  shape.inside = ranksInside(strides, std::min(domain.devices, plan.cluster.devices()));
  shape.inSwitch = domain.inSwitch > 0;
  shape.neighbours = axes == setOf(Axis::Pipeline) && !sendsAlone(plan);
  return shape;
}

/// The communicator of the devices of a scale-up domain, which a launcher numbers consecutively.
/// Returns nothing if an axis or a model replica has the same devices.
std::optional<CommunicatorShape> nodeOf(const Plan& plan, llvm::ArrayRef<MeshAxis> grid) {
  const LinkLevel& domain = plan.cluster.levels.front();
  const std::uint64_t devices = std::min(domain.devices, plan.cluster.devices());
  const auto size = [&](std::initializer_list<Axis> axes) {
    std::uint64_t ranks = 1, least = ~std::uint64_t{0};
    for (const MeshAxis& axis : grid)
      if (llvm::is_contained(axes, axis.axis) && axis.size > 1)
        ranks *= axis.size, least = std::min(least, axis.stride);
    return least == 1 ? ranks : 0;
  };
  using enum Axis;
  for (const Axis axis : {Tensor, Data, Pipeline})
    if (size({axis}) == devices)
      return std::nullopt;
  if (plan.mesh.size(Data) == 1 && size({Pipeline, Tensor}) == devices)
    return std::nullopt;
  return CommunicatorShape{.ranks = devices, .inside = devices, .inSwitch = domain.inSwitch > 0};
}
} // namespace

std::optional<CommunicatorBuffers> dpl::cost::buffersOf(CommunicatorRelease release) {
  CommunicatorBuffers held;
  switch (release) {
  case CommunicatorRelease::None:
    return std::nullopt;
  case CommunicatorRelease::Nccl2_18: // as large as a buffer of Simple
    held.sums = 12 << 20, held.channelsOfSums = 16;
    break;
  case CommunicatorRelease::Nccl2_21: // twice a buffer of 8 steps of 128 KiB, and its flags
    held.sums = 6 << 20, held.channelsOfSums = 16, held.sumsInAll = true;
    break;
  case CommunicatorRelease::Nccl2_22:
    break;
  }
  return held;
}

std::uint64_t dpl::cost::communicatorBytes(const CommunicatorBuffers& held,
                                           const CommunicatorShape& shape) {
  if (shape.ranks < 2)
    return 0;
  const double connection = real(held.connection);
  const double inside = real(shape.inside), domains = real(shape.ranks) / inside;
  const double channels = channelsOf(held, real(shape.ranks), inside, shape.inSwitch);
  // In one domain a rank receives from one neighbour in the ring and up to two in the tree, which
  // is a chain there. Between domains one rank per channel has both ends of the ring and the tree's
  // links up and down, with a send buffer and a receive buffer each.
  const double neighbours = inside - 1;
  const double within = domains > 1  ? 3 * neighbours / inside
                        : inside > 1 ? 1 + 2 * neighbours / inside
                                     : 0;
  const double across = domains > 1 ? (2 + 4 * (domains - 1) / domains) / inside : 0;
  const double sends = channels > 0 ? real(std::bit_ceil(whole(channels))) : 0;
  double bytes = sends * real(domains > 1 ? held.sendsAcross : held.sendsInside) +
                 channels * (within + across) * connection;
  if (shape.inSwitch && inside >= leastInSwitch) {
    // Two trees join the domains for NVLS, and each rank in one of them has connections on all NVLS
    // channels. If the rank is also an end of the ring and the trees above, it already has these
    // connections (graph/connect.cc, connectNvls; initTransportsRank in init.cc).
    bytes +=
        real(held.channelsOfSums) * 4 * (domains - 1) / domains * (1 - 1 / inside) * connection;
    bytes += std::min(inside, mostInSwitch) * real(held.sums) *
             (held.sumsInAll ? channels : real(held.channelsOfSums));
  }
  if (shape.neighbours && domains <= 1)
    bytes += std::min(2.0, neighbours) * sends * connection;
  return whole(bytes);
}

llvm::SmallVector<CommunicatorShape, 16> dpl::cost::communicatorsOf(const Plan& plan) {
  using enum Axis;
  llvm::SmallVector<CommunicatorShape, 16> shapes;
  const AxisSet wide = wideAxes(plan.mesh);
  llvm::SmallVector<AxisSet, 16> seen;
  const auto add = [&](llvm::ArrayRef<MeshAxis> grid, AxisSet axes) {
    const AxisSet set = axes & wide;
    if (set == 0 || llvm::is_contained(seen, set))
      return;
    shapes.push_back(shapeOf(plan, grid, set));
    seen.push_back(set);
  };
  const Mesh& mesh = plan.mesh;
  add(mesh.axes, setOf(Replica, Pipeline, Data, Context, Tensor));
  if (isNanotron(plan) && !shapes.empty()) {
    shapes.push_back(shapes.front());
    seen.clear(); // nanotron's other groups share no communicator with these two
    if (const auto node = nodeOf(plan, mesh.axes))
      shapes.push_back(*node);
  }
  for (const AxisSet axes : {setOf(Pipeline, Tensor), setOf(Data, Context), setOf(Pipeline),
                             setOf(Context), setOf(Tensor), setOf(Replica)})
    add(mesh.axes, axes);
  for (const AxisSet axes : {setOf(ExpertData), setOf(Expert), setOf(ExpertTensor)})
    add(mesh.expertAxes, axes);
  return shapes;
}

bool dpl::cost::runsOnPyTorch(const Plan& plan) {
  return !plan.framework.name.empty() && plan.framework.name != "maxtext"; // MaxText runs on XLA
}

bool dpl::cost::hasFixedSegments(const Plan& plan) {
  return runsOnPyTorch(plan) && !plan.layout.buffers.expandableSegments;
}

namespace {
/// The buffers of the layout's communicators; nothing if the cluster's collectives are not NCCL's.
std::optional<CommunicatorBuffers> heldBy(const Plan& plan) {
  return plan.cluster.network.library == CollectiveLibrary::Nccl
             ? buffersOf(plan.layout.communicators)
             : std::nullopt;
}
} // namespace

std::uint64_t dpl::cost::pairBytes(const Plan& plan) {
  const std::optional<CommunicatorBuffers> held = heldBy(plan);
  if (!held || !sendsAlone(plan) || plan.mesh.size(Axis::Pipeline) == 1)
    return 0;
  CommunicatorShape pair = shapeOf(plan, plan.mesh.axes, setOf(Axis::Pipeline));
  pair.ranks = 2, pair.inside = std::min<std::uint64_t>(pair.inside, 2);
  return communicatorBytes(*held, pair);
}

std::uint64_t dpl::cost::neighboursOf(const Plan& plan, std::uint64_t rank) {
  const std::uint64_t stages = plan.mesh.size(Axis::Pipeline);
  const bool isEnd = plan.layout.chunks == 1 && (rank == 0 || rank + 1 == stages);
  return std::min<std::uint64_t>(stages - 1, isEnd ? 1 : 2);
}

std::uint64_t dpl::cost::communicatorBytes(const Plan& plan) {
  const std::optional<CommunicatorBuffers> held = heldBy(plan);
  std::uint64_t bytes = 0;
  if (held)
    for (const CommunicatorShape& shape : communicatorsOf(plan))
      bytes += communicatorBytes(*held, shape);
  return bytes;
}

std::uint64_t dpl::cost::outsideBytes(const Plan& plan, const Device& device, std::uint64_t rank) {
  return device.context + communicatorBytes(plan) + neighboursOf(plan, rank) * pairBytes(plan);
}
