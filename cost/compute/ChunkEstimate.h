#pragma once
//===- ChunkEstimate.h - What a chunk of the model costs, part by part ------------------------===//
#include "cost/compute/LayerCost.h"
#include "cost/compute/OperatorTime.h"

namespace dpl::cost {

/// One kind of thing in a chunk: layers of a class, the embedding, the head. Everything but `count`
/// is of one of them, on one device, for one micro-batch.
struct ChunkModule {
  const char* word = ""; ///< "layer", "recomputed_layer", "embedding", …: its name begins with it
  double count = 1;
  OperatorSum time;
  double parameters = 0, expertParameters = 0; ///< elements
  double saved = 0;                            ///< bytes from the forward to the backward pass
  double temporary = 0; ///< bytes beside them while it runs, of what is no layer
  /// What it computes, and of a layer its class and whether it is recomputed whole.
  ir::ComputeKind computeKind = ir::ComputeKind::None;
  std::uint64_t layerType = 0;
  bool recomputed = false;
};

/// Relies on: place-ranks said which classes hold a pipeline rank, and partition-layers placed
/// every layer once.
class ChunkEstimate {
public:
  explicit ChunkEstimate(const ir::Plan& plan) : ChunkEstimate(plan, plan.mesh.rankNodeTypes) {}
  /// Of other holders than the plan's: an entry for each of its own, or one for all ranks, as if
  /// those classes held each of them.
  ChunkEstimate(const ir::Plan& plan, llvm::ArrayRef<ir::RankNodeTypes> holders);
  ChunkEstimate(const ChunkEstimate&) = delete;
  const Division& dividedBy() const { return division; }
  /// In the order of the network.
  std::vector<ChunkModule> modules(const ir::Chunk& chunk) const;
  /// What one of a part runs, which `parts` sums up; nothing where it only holds bytes.
  std::vector<OperatorCost> operators(const ChunkModule& module) const;
  /// Their sum, in whole base units.
  ir::ChunkCost of(const ir::Chunk& chunk) const { return of(chunk, modules(chunk)); }
  ir::ChunkCost of(const ir::Chunk& chunk, llvm::ArrayRef<ChunkModule> modules) const;
  /// The same without its times, FLOP and memory traffic: parameters and bytes that it holds.
  ir::ChunkCost memoryOf(const ir::Chunk& chunk, llvm::ArrayRef<ChunkModule> modules) const;
  /// "layer[gated]", "recomputed_layer[gated]", "embedding", "head", …; with ".rank[2]" behind
  /// it from pipeline rank 2 on, where other classes of nodes hold the ranks than rank 0.
  std::string nameOf(const ir::Chunk& chunk, const ChunkModule& module) const;

  /// What takes most beside what is kept while a backward pass of a chunk runs: one of the layers
  /// of a class, an end, or of all gradients what is there when the pass ends.
  struct LargestModule {
    double bytes = 0;
    ir::ComputeKind computeKind = ir::ComputeKind::Layer;
    std::uint64_t layerType = 0;
    bool atEnd = false;
  };
  LargestModule largestModule(const ir::Chunk& chunk) const;
  /// Bytes beside what is kept while a forward pass of it runs: the largest tensor that is made, or
  /// what an operator needs for itself.
  double forwardBytes(const ir::Chunk& chunk) const;
  /// The operator of a layer or an end whose gradient, or what it needs for itself, is largest.
  std::string largestOperator(const LargestModule& of) const;
  /// "layer[gated]", "head".
  std::string nameOf(const ir::Chunk& chunk, const LargestModule& of) const;

  // On the pipeline ranks that the same classes of nodes hold, by index into Mesh::rankNodeTypes;
  // with backward passes that give both gradients.

  /// A layer that is not recomputed whole.
  const OperatorSum& layer(std::size_t ranks, std::uint64_t layerType) const {
    return rankLayerCosts[ranks].layerTypes[layerType].actions;
  }
  /// A layer of the last class with what joins it and a head.
  OperatorSum prediction(std::size_t ranks) const {
    return sumOf(predictionLayer(), pacingDevicesOfRanks[ranks], {}, false);
  }
  double contention(std::size_t ranks) const { return contentionOf(pacingDevicesOfRanks[ranks]); }
  /// The devices that pace them.
  llvm::ArrayRef<std::vector<ir::Device>> devices() const { return pacingDevicesOfRanks; }

private:
  /// One class of layers, computed once: kept whole, or recomputed whole from its input.
  struct LayerTypeCost {
    OperatorSum actions;
    OperatorSum saved, recomputed; ///< as the schedule runs them; `recomputed` where any layers are
    ParameterCount parameters;
    double residual = 0; ///< bytes of the residual points of a layer that is kept
    double between = 0;  ///< of those that are brought back while it runs backward
    double largest = 0;
  };
  struct RecomputedLayers {
    std::uint64_t layers = 0, group = 1; ///< layers of the chunk; layers that share a kept input
  };
  RecomputedLayers recomputed(const ir::Chunk& chunk) const;
  /// Bytes of a micro-batch that are in the host's memory between its passes.
  double offloaded(const ir::Chunk& chunk) const;
  /// Bytes that a recomputation of the whole chunk brings back.
  double restored(const ir::Chunk& chunk) const;
  /// Of a pass of a chunk with so many bytes kept, and of gradients. With `regains` it brings back
  /// a group of layers at a time.
  LargestModule temporary(const ir::Chunk& chunk, llvm::ArrayRef<ChunkModule> modules, double kept,
                          double gradients, bool regains) const;
  /// Of a pass, of so many parameters, where each has its own.
  double gradientBytes(double parameters) const;
  /// The pipeline ranks that the same classes of nodes hold, and what a layer costs on them.
  struct RankLayerCosts {
    llvm::ArrayRef<ir::Device> devices;
    std::vector<LayerTypeCost> layerTypes;
    double predictionOffloaded = 0; ///< bytes of a prediction layer that a policy offloads
  };
  OperatorSum asExecuted(const OperatorSum& whole) const;
  ChunkModule& add(std::vector<ChunkModule>& to, ir::ComputeKind what, const char* word,
                   const ParameterCount& parameters, const RankLayerCosts& on) const;
  const RankLayerCosts& rankLayerCostsOf(const ir::Chunk& chunk) const {
    return rankLayerCosts.size() == 1 ? rankLayerCosts.front()
                                      : rankLayerCosts[plan.mesh.rankNodeTypesIndex(chunk.rank)];
  }
  std::vector<OperatorCost> predictionLayer() const;
  /// Whether it is recomputed from its inputs.
  bool recomputesPrediction() const;

  const ir::Plan& plan;
  Division division;
  double input; ///< bytes of one point of the residual stream
  llvm::SmallVector<std::vector<ir::Device>, 1>
      pacingDevicesOfRanks;                            ///< parallel to Mesh::rankNodeTypes
  llvm::SmallVector<RankLayerCosts, 1> rankLayerCosts; ///< parallel to them
};

} // namespace dpl::cost
