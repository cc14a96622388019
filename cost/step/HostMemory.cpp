//===- HostMemory.cpp - Offloaded tensors in host memory --------------------------------------===//
#include "cost/step/HostMemory.h"
#include "cost/compute/ChunkEstimate.h"
#include "cost/compute/OptimizerRow.h"
#include "cost/memory/RankMemory.h"
#include "ir/Arithmetic.h"
#include "ir/NodeResources.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <tuple>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Trained parameters of one kind on a device of a pipeline rank: unsharded, and the device's share
/// if data ranks shard their state. `moments` are elements, and `weights` bits of all parameters,
/// also of frozen ones.
struct Elements {
  double whole = 0, divided = 0;
  double moments = 0, dividedMoments = 0, weights = 0, dividedWeights = 0;
};

/// PyTorch's allocator of pinned memory rounds each request up to a power of two bytes
/// (CachingHostAllocatorImpl::allocate in aten/src/ATen/core/CachingHostAllocator.h at 04456333).
std::uint64_t pinned(double bytes) { return std::bit_ceil(ir::whole(bytes)); }

/// Bytes that DeepSpeed keeps on the host for the offloaded optimizer state of one process. They
/// are flat pinned tensors (`pin_memory` is on by default: runtime/zero/offload_config.py). All
/// sources are at edaa7221.
class DeepspeedCopies {
public:
  explicit DeepspeedCopies(const Plan& plan)
      : layout(plan.layout), accumulates(plan.mesh.microBatches > 1) {}

  void add(OffloadedBytes& to, double parameters, double share) const {
    const Precision& p = layout.precision;
    const double held = parameters * share,
                 master = real(bitsOf(p.hasMaster ? p.master : p.parameters)) / 8;
    if (layout.shard.stage() == 3) {
      // The update reads an fp32 gradient of each tile (initialize_optimizer_states in
      // runtime/zero/stage3.py), and backward passes sum into a buffer of the whole shard
      // (grad_partitions_flat_buffer there, in `grad_accum_dtype`).
      to.gradients += ofTiles(held, master) + pinned(held * real(bitsOf(p.gradients)) / 8);
      return;
    }
    // The host holds an fp32 gradient (single_partition_of_fp32_groups[i].grad of
    // runtime/zero/stage_1_and_2.py) and the weights on their way to the device
    // (param_buffer_of_bit16_for_cpu_offload_groups). With several micro-batches the host
    // also holds the 16-bit sums of their gradients (accumulated_grads_in_cpu).
    const double narrow = real(bitsOf(p.parameters)) / 8;
    to.gradients += pinned(held * master) + (accumulates ? pinned(held * narrow) : 0);
    to.parameters += pinned(held * narrow);
  }

  /// Bytes of offloaded 16-bit parameters: param_groups_fp16_flat_cpu_memory of
  /// runtime/zero/stage3.py.
  static std::uint64_t parameters(double bytes) { return pinned(bytes); }

private:
  /// Pinned bytes of a tensor in tiles of `sub_group_size` elements, by default 10⁹
  /// (runtime/zero/config.py).
  static std::uint64_t ofTiles(double elements, double each) {
    constexpr double tile = 1e9;
    const double full = std::floor(elements / tile), left = elements - full * tile;
    return ir::whole(full) * pinned(tile * each) + pinned(left * each);
  }

  const Layout& layout;
  bool accumulates; ///< a step has several micro-batches
};

class HostTensors {
public:
  explicit HostTensors(const Plan& plan)
      : plan(plan), offload(plan.layout.offloadSettings()), stage(plan.layout.shard.stage()),
        estimate(plan) {}

  OffloadedBytes of(std::uint64_t rank, llvm::ArrayRef<ScheduledAction> actions) const {
    OffloadedBytes out;
    const llvm::SmallVector<RankChunk, 8> chunks = rankChunks(plan, rank);
    llvm::SmallVector<Elements, 2> states(2);
    ChunkBytes bytes;
    for (const RankChunk& chunk : chunks) {
      const llvm::SmallVector<ShardedParameters, 2> parts = shardedParametersOf(plan, *chunk.cost);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        Elements& to = states[i];
        const UsedParameters& use = parts[i].use;
        const double ways = parts[i].ways,
                     weights = use.weightBits(plan.layout,
                                              real(bitsOf(plan.layout.precision.parameters)));
        to.whole += use.trained, to.divided += use.trained / ways;
        to.moments += use.moments, to.dividedMoments += use.moments / ways;
        to.weights += weights, to.dividedWeights += weights / ways;
      }
      bytes.add(activations(*chunk.chunk), 0);
    }
    for (const Elements& elements : states)
      if (elements.weights > 0)
        addStates(out, elements);
    out.activations = livePeak(actions, bytes).bytes;
    return out;
  }

private:
  void addStates(OffloadedBytes& out, const Elements& of) const {
    const Precision& p = plan.layout.precision;
    const auto part = [&](DataType type, unsigned from) {
      return (stage >= from ? of.divided : of.whole) * real(bitsOf(type)) / 8;
    };
    const double moments = stage >= 1 ? of.dividedMoments : of.moments;
    out.optimizer += ir::whole(offload.optimizer * ((p.hasMaster ? part(p.master, 1) : 0) +
                                                    moments * momentBits(plan.layout) / 8));
    const std::string& framework = plan.framework.name;
    if (framework == "deepspeed") {
      if (offload.optimizer > 0)
        DeepspeedCopies(plan).add(out, stage >= 1 ? of.divided : of.whole, offload.optimizer);
    } else if (offload.optimizer > 0) {
      out.gradients +=
          ir::whole((offload.gradients ? 1 : offload.optimizer) * gradients(framework, part));
    }
    if (offload.parameters) {
      const double bytes = (stage >= 3 ? of.dividedWeights : of.weights) / 8;
      out.parameters +=
          framework == "deepspeed" ? DeepspeedCopies::parameters(bytes) : ir::whole(bytes);
    }
  }

  /// Bytes of the gradients that the host reads when it updates all of the optimizer state.
  template <class Part> double gradients(const std::string& framework, const Part& part) const {
    const Precision& p = plan.layout.precision;
    // cpu_copy_map_grad has the type of the fp32 parameter that it updates (HybridDeviceOptimizer
    // in megatron/core/optimizer/cpu_offloading/hybrid_optimizer.py at d98e8a64).
    if (framework == "megatron")
      return part(p.hasMaster ? p.master : p.parameters, 1);
    // FSDP2 moves a rank's shard to the host in the parameter's own type (foreach_reduce in
    // torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py at 010ae4a8).
    if (framework == "torchtitan")
      return part(p.parameters, 2);
    return part(p.gradients, offload.gradients ? 2 : 1);
  }

  /// Bytes of offloaded activations of one micro-batch, on the host from its forward to its
  /// backward pass.
  std::uint64_t activations(const Chunk& chunk) const {
    double bytes = 0;
    if (offload.layers > 0 || !plan.layout.recompute.offloaded.empty())
      for (const ChunkModule& module : estimate.modules(chunk))
        if (llvm::StringRef(module.word) == "offloaded")
          bytes -= module.saved;
    return ir::whole(bytes);
  }

  const Plan& plan;
  const Offload offload;
  const unsigned stage;
  ChunkEstimate estimate;
};

/// Orders nodes. First come nodes that do not fit, then nodes without a memory set in the file,
/// then nodes by memory left. Among nodes without a memory set in the file the one that needs most
/// comes first. Nodes without offloaded tensors come last.
bool isFuller(const FullestNode& a, const FullestNode& b) {
  const auto rank = [](const FullestNode& n) {
    return std::tuple(n.needed == 0, n.fits(), n.memory != 0, real(n.memory) - real(n.needed));
  };
  return rank(a) < rank(b);
}
} // namespace

std::vector<OffloadedBytes> cost::offloadedOf(const Plan& plan) {
  std::vector<OffloadedBytes> all;
  if (!plan.layout.offloads())
    return all;
  const HostTensors tensors(plan);
  forEachInFlightSchedule(plan, [&](std::uint64_t rank, llvm::ArrayRef<ScheduledAction> schedule) {
    all.push_back(tensors.of(rank, schedule));
  });
  return all;
}

std::vector<FullestNode> cost::fullestNodes(const Plan& plan,
                                            const std::vector<OffloadedBytes>& of) {
  std::vector<FullestNode> all;
  if (of.empty())
    return all;
  const MeshAxis& pipeline = *plan.mesh.find(Axis::Pipeline);
  const std::uint64_t devices = plan.cluster.gpusPerNode;
  // The placement of pipeline ranks on nodes repeats after this many nodes.
  const std::uint64_t alike = std::lcm(pipeline.stride * pipeline.size, devices) / devices;
  std::uint64_t first = 0;
  for (std::uint64_t c = 0; c < plan.cluster.nodeTypes.size(); ++c) {
    const NodeType& nodes = plan.cluster.nodeTypes[c];
    for (std::uint64_t node = first; node < first + std::min(nodes.nodes, alike); ++node) {
      FullestNode one{node, c, 0, hostMemoryOf(plan.cluster, nodes), {}};
      for (std::uint64_t d = node * devices, end = d + devices; d < end;) {
        const std::uint64_t rank = d / pipeline.stride % pipeline.size,
                            next = std::min(end, (d / pipeline.stride + 1) * pipeline.stride);
        one.shares.push_back({rank, next - d});
        one.needed += (next - d) * of[rank].all();
        d = next;
      }
      if (all.size() == c)
        all.push_back(std::move(one));
      else if (isFuller(one, all.back()))
        all.back() = std::move(one);
    }
    first += nodes.nodes;
  }
  return all;
}

std::optional<FullestNode> cost::fullestNode(const Plan& plan,
                                             const std::vector<OffloadedBytes>& of) {
  std::vector<FullestNode> all = fullestNodes(plan, of);
  const auto fullest = std::min_element(all.begin(), all.end(), isFuller);
  return fullest != all.end() && fullest->needed > 0 ? std::optional(std::move(*fullest))
                                                     : std::nullopt;
}

std::optional<FullestNode> cost::fullestNode(const Plan& plan) {
  return fullestNode(plan, offloadedOf(plan));
}
