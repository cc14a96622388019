//===- Compression.cpp - The collectives of compressed gradients ------------------------------===//
#include "cost/programs/Compression.h"
#include "cost/compute/LayerSpans.h"
#include "cost/compute/OperatorTime.h"
#include "cost/programs/UnmergedPrograms.h"
#include "ir/Arithmetic.h"
#include "ir/MergedProgram.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr double indexBytes = 4, scaleBytes = 4,
                 residualBytesPerElement = 4; ///< bytes per sent value, per block, per gradient
/// Bytes that an access to one value moves: a sector of device memory (CUDA C++ Best Practices
/// Guide, coalesced access).
constexpr double sector = 32;
/// Bits per value that radix selection compares in one read of all values. It reads all values once
/// per 8 bits, and once more to copy the largest (Alabi and others, Fast k-selection algorithms for
/// graphics processing units, 2012).
constexpr double bitsOfMemoryPass = 8;
/// A matrix is sent as factors if they have less than half of its elements, as in PyTorch's
/// PowerSGDState (min_compression_rate).
constexpr double leastRate = 2;

double bytesOf(DataType t) { return real(bitsOf(t)) / 8; }

/// Bytes and FLOP of encoding and decoding on a device.
struct Coding {
  double bytes = 0, flop = 0;
};

/// One reduction of a layer's gradients with one compression scheme.
class Coder {
public:
  Coder(const Plan& plan, const ReducedGradients& g)
      : c(plan.layout.compression.front()), g(g),
        gradient(bytesOf(plan.layout.precision.gradients)),
        value(bytesOf(plan.layout.precision.reduce)) {}

  CompressedReduction reduction() {
    switch (c.kind) {
    case CompressionKind::None:
      break;
    case CompressionKind::TopK:
      topK();
      break;
    case CompressionKind::Quantised:
      quantised();
      break;
    case CompressionKind::LowRank:
      lowRank();
      break;
    }
    return std::move(out);
  }
  Coding work;

private:
  double chosen() const { return std::ceil(c.density * g.elements); }
  /// Reads all gradients. Error feedback reads, adds and writes the remainder of the last step in 4
  /// bytes per element. Returns the bytes per element that the next kernel reads.
  double summed() {
    const double read = g.elements * gradient;
    work.bytes += c.feedback ? read + 2 * g.elements * residualBytesPerElement : read;
    return c.feedback ? residualBytesPerElement : gradient;
  }
  /// Bytes of scattered accesses: one sector per value, but at most all values.
  double scattered(double values, double width) const {
    return std::min(values * sector, g.elements * width);
  }

  void topK() {
    const double k = chosen(), width = summed();
    const double passes = width * 8 / bitsOfMemoryPass + 1;
    out.payload = k * (value + indexBytes);
    out.collectives.push_back({CollectiveKind::AllGather, g.ranks * out.payload});
    out.buffers = (1 + g.ranks) * out.payload;
    work.bytes += passes * g.elements * width + out.payload;
    if (c.feedback) // sent values are removed from the remainder
      work.bytes += 2 * scattered(k, width);
    // The values of all ranks are added to zeros.
    work.bytes += g.elements * gradient + g.ranks * (out.payload + 2 * scattered(k, gradient));
  }

  /// Ranks exchange quantised gradients in an all-to-all, because quantised values cannot be
  /// summed. If the reduction is an all-reduce, the sums are quantised again and all-gathered.
  void quantised() {
    const double width = summed();
    out.payload =
        g.elements * real(c.bits) / 8 + std::ceil(g.elements / real(c.block)) * scaleBytes;
    out.collectives.push_back({CollectiveKind::AllToAll, out.payload});
    out.buffers = 2 * out.payload;
    work.bytes += (c.feedback ? g.elements * width : 0) + 2 * out.payload;
    if (g.kind == CollectiveKind::AllReduce) {
      out.collectives.push_back({CollectiveKind::AllGather, out.payload});
      work.bytes += out.payload / g.ranks + out.payload + g.elements * gradient;
    } else {
      work.bytes += g.elements / g.ranks * gradient;
    }
  }

  /// P = M·Q is all-reduced and orthogonalized, Q = Mᵀ·P is all-reduced, and P·Qᵀ replaces M
  /// (PowerSGD, Vogels and others, arXiv 1905.13727, algorithm 1).
  void lowRank() {
    const double rank = real(c.rank), dense = g.elements - g.inFactors;
    const double left = rank * g.leftFactor * value, right = rank * g.rightFactor * value;
    const double width = summed();
    out.payload = left + right + dense * value;
    out.collectives.push_back({CollectiveKind::AllReduce, left + dense * value});
    if (right > 0)
      out.collectives.push_back({CollectiveKind::AllReduce, right});
    out.buffers = left + right;
    work.bytes +=
        g.inFactors * (width + gradient + (c.feedback ? 2 * residualBytesPerElement : 0)) +
        3 * (left + right);
    work.flop = 6 * g.inFactors * rank + 2 * g.leftFactor * rank * rank;
  }

  const Compression& c;
  const ReducedGradients& g;
  const double gradient, value; ///< bytes per element: stored, sent
  CompressedReduction out;
};

/// Adds `count` matrices if their factors are small enough. `rows` is already divided by sharding.
void addMatrix(ReducedGradients& to, const Compression& c, double rows, double columns,
               double count) {
  if ((rows + columns) * real(c.rank) * leastRate >= rows * columns)
    return;
  to.inFactors += count * rows * columns, to.leftFactor += count * rows,
      to.rightFactor += count * columns;
}

void addLayer(ReducedGradients& to, const Plan& plan, const LayerType& of, ParameterSet part,
              double ways, double count) {
  for (const OperatorCost& op : operatorsOf(plan.model, of, divisionOf(plan))) {
    const bool experts =
        op.module == ir::ModuleKind::Moe && llvm::StringRef(op.name).startswith("expert ");
    const double product = 2 * op.m * op.n * op.k;
    if (op.kind == OperatorCost::OperatorKind::Matmul && product > 0 &&
        (part == ParameterSet::All || experts == (part == ParameterSet::Experts)))
      addMatrix(to, plan.layout.compression.front(), op.n / ways, op.k,
                count * op.forward.flop / product);
  }
}

/// Gradients that a group of `ranks` ranks reduces.
struct Reduced {
  ParameterSet parameterSet = ParameterSet::All;
  double parameters = 0, ranks = 1, ways = 1;
};
llvm::SmallVector<Reduced, 2> reducedOf(const Plan& plan, const ChunkCost& cost) {
  const bool grid = !plan.mesh.expertAxes.empty(), replicas = compresses(plan, true);
  const auto of = [&](ParameterSet part, std::uint64_t parameters, std::uint64_t sharers) {
    const double copies = real(plan.mesh.size(Axis::Replica)), n = real(sharers);
    const bool whole = plan.layout.shard.stage() == 0;
    return Reduced{part, real(parameters),
                   replicas ? copies
                   : whole  ? copies * n
                            : n,
                   replicas ? n : 1};
  };
  if (!grid)
    return {of(ParameterSet::All, cost.parameters + cost.expertParameters, plan.stateRanks())};
  return {of(ParameterSet::Dense, cost.parameters, plan.stateRanks()),
          of(ParameterSet::Experts, cost.expertParameters, plan.expertStateRanks())};
}
} // namespace

bool dpl::cost::compresses(const Plan& plan, bool betweenReplicas) {
  if (plan.layout.compression.empty())
    return false;
  return betweenReplicas == (plan.layout.shard.stage() > 0 && plan.mesh.size(Axis::Replica) > 1);
}

CompressedReduction dpl::cost::compressed(const Plan& plan, const ReducedGradients& gradients,
                                          llvm::ArrayRef<Device> devices) {
  const Compression& c = plan.layout.compression.front();
  Coder coder(plan, gradients);
  CompressedReduction out = coder.reduction();
  if (c.coding > 0) {
    out.coding = gradients.elements * bytesOf(plan.layout.precision.gradients) * 8 / real(c.coding);
    return out;
  }
  OperatorCost op;
  op.kind = OperatorCost::OperatorKind::Matmul;
  op.type = plan.layout.precision.gradients;
  op.m = real(c.rank); // a thin GEMM
  out.coding = operatorTime(op, {coder.work.flop, coder.work.bytes}, 1, devices);
  return out;
}

ReducedGradients dpl::cost::gradientsOf(const Plan& plan, const Chunk& chunk, ParameterSet part,
                                        double elements, double ways) {
  ReducedGradients g;
  g.elements = elements;
  if (plan.layout.compression.front().kind != CompressionKind::LowRank || plan.model.isLayerList())
    return g;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    addLayer(g, plan, plan.model.layerTypes[span.layerType], part, ways, real(span.count));
  });
  const Division d = divisionOf(plan);
  const double tables =
      (chunk.embedding ? 1 : 0) + (chunk.head && !plan.model.tiedEmbeddings ? 1 : 0);
  if (part != ParameterSet::Experts && tables > 0)
    addMatrix(g, plan.layout.compression.front(), real(d.vocab) / real(d.tensor) / ways,
              real(plan.model.hidden), tables);
  const double layers = std::max<double>(1, real(chunk.layers));
  g.inFactors /= layers, g.leftFactor /= layers, g.rightFactor /= layers;
  if (g.inFactors > elements) // operators may count more elements than the parameters have
    g.inFactors = elements;
  return g;
}

namespace {
/// Calls `visit` for each group that reduces gradients of a chunk, with the compressed reduction of
/// one layer.
template <class Visit>
void visitReduced(const Plan& plan, const Chunk& chunk, const ChunkCost& cost, Visit visit) {
  if (plan.layout.compression.empty())
    return;
  const double layers = std::max<double>(1, real(chunk.layers));
  for (const Reduced& of : reducedOf(plan, cost)) {
    if (of.ranks < 2 || of.parameters <= 0)
      continue;
    ReducedGradients g =
        gradientsOf(plan, chunk, of.parameterSet, of.parameters / layers / of.ways, of.ways);
    g.ranks = of.ranks;
    visit(of.parameters / of.ways, layers, compressed(plan, g, {}));
  }
}
} // namespace

double dpl::cost::compressionBytes(const Plan& plan, const Chunk& chunk, const ChunkCost& cost) {
  double bytes = 0;
  visitReduced(plan, chunk, cost, [&](double elements, double, const CompressedReduction& made) {
    const bool feedback = plan.layout.compression.front().feedback;
    bytes += made.buffers + (feedback ? elements * residualBytesPerElement : 0);
  });
  return bytes;
}

Payload dpl::cost::payloadOf(const Plan& plan, const Chunk& chunk, const ChunkCost& cost) {
  Payload all;
  visitReduced(plan, chunk, cost,
               [&](double elements, double layers, const CompressedReduction& made) {
                 all.whole += elements * bytesOf(plan.layout.precision.reduce);
                 all.sent += layers * made.payload;
               });
  return all;
}

std::uint64_t dpl::cost::computeKindTime(const Plan& plan, const ChunkPrograms& programs,
                                         ComputeKind part, MicroBatchSelection when) {
  std::uint64_t time = 0;
  visitUnmergedPrograms(plan, programs, [&](StageProgramId body) {
    for (const SegmentLoop& block : plan.stagePrograms[body].loops)
      for (const Segment& s : block.segments)
        if (s.computes(part) && s.selection == when)
          time += s.time() * block.count;
  });
  return time;
}

std::uint64_t dpl::cost::computeKindTime(const Plan& plan, std::uint64_t rank, ComputeKind part) {
  std::uint64_t time = 0;
  for (const ChunkPrograms& programs : plan.chunkPrograms)
    if (programs.rank == rank)
      time += computeKindTime(plan, programs, part, MicroBatchSelection::Last) +
              computeKindTime(plan, programs, part, MicroBatchSelection::Every) *
                  plan.microBatchesOfChunk();
  return time;
}
