#pragma once
//===- ChunkEstimate.h - Costs of a model chunk by module -------------------------------------===//
#include "cost/compute/LayerCost.h"
#include "cost/compute/OperatorTime.h"
#include "cost/compute/WeightUse.h"

namespace dpl::cost {

/// One kind of module in a chunk: layers of one type, the embedding, the head. Every field except
/// `count` belongs to one module on one device for one micro-batch.
struct ChunkModule {
  const char* word = ""; ///< first part of its name: "layer", "recomputed_layer", "embedding", …
  double count = 1;
  OperatorSum time;
  double parameters = 0, expertParameters = 0; ///< elements
  double saved = 0;     ///< bytes saved from the forward to the backward pass
  double temporary = 0; ///< temporary bytes while it runs; 0 for layers
  /// The kind of computation and, for a layer, its type and whether it is recomputed whole.
  ir::ComputeKind computeKind = ir::ComputeKind::None;
  std::uint64_t layerType = 0;
  bool recomputed = false;
  WeightUses use = {}; ///< use of its parameters, if the layout tracks it
};

/// Computes the costs of model chunks. Relies on: the node types of each pipeline rank
/// (place-ranks), and a chunk for every layer (partition-layers).
class ChunkEstimate {
public:
  explicit ChunkEstimate(const ir::Plan& plan) : ChunkEstimate(plan, plan.mesh.rankNodeTypes) {}
  /// Uses other node types than the plan's: either one entry for each entry of the plan, or one
  /// entry for all ranks.
  ChunkEstimate(const ir::Plan& plan, llvm::ArrayRef<ir::RankNodeTypes> holders);
  ChunkEstimate(const ChunkEstimate&) = delete;
  const Division& dividedBy() const { return division; }
  /// Returns the modules of a chunk: first its layers in the order of the network, then embedding,
  /// head and MTP layers. Entries between and after them only have bytes or parameters.
  std::vector<ChunkModule> modules(const ir::Chunk& chunk) const;
  /// The operators that `modules` sums up for one module; empty if the module only has bytes.
  std::vector<OperatorCost> operators(const ChunkModule& module) const;
  /// The costs of a chunk: the sums over its modules, in whole base units.
  ir::ChunkCost of(const ir::Chunk& chunk) const { return of(chunk, modules(chunk)); }
  ir::ChunkCost of(const ir::Chunk& chunk, llvm::ArrayRef<ChunkModule> modules) const;
  /// The parameters and the bytes of a chunk, without times, FLOP and memory traffic.
  ir::ChunkCost memoryOf(const ir::Chunk& chunk, llvm::ArrayRef<ChunkModule> modules) const;
  /// "layer[gated]", "recomputed_layer[gated]", "embedding", "head", …; followed by ".rank[2]" from
  /// pipeline rank 2 on if these ranks have other node types than rank 0.
  std::string nameOf(const ir::Chunk& chunk, const ChunkModule& module) const;

  /// The module with the largest temporary memory in the backward pass of a chunk: a layer, the
  /// embedding, the head or an MTP layer. `atEnd`: the peak is at the end of the backward pass,
  /// when all gradients of the chunk exist.
  struct LargestModule {
    double bytes = 0;
    ir::ComputeKind computeKind = ir::ComputeKind::Layer;
    std::uint64_t layerType = 0;
    bool atEnd = false;
  };
  LargestModule largestModule(const ir::Chunk& chunk) const;
  /// Temporary bytes of the chunk's forward pass: the largest output tensor or operator workspace.
  double forwardBytes(const ir::Chunk& chunk) const;
  /// The name of the module's operator with the largest input gradient or workspace.
  std::string largestOperator(const LargestModule& of) const;
  /// The name of the largest module, such as "layer[gated]" or "head".
  std::string nameOf(const ir::Chunk& chunk, const LargestModule& of) const;

  // In the next functions `ranks` is an index into Mesh::rankNodeTypes: all pipeline ranks with the
  // same node types. Backward passes compute both gradients.

  /// Costs of a layer that is not recomputed whole.
  const OperatorSum& layer(std::size_t ranks, std::uint64_t layerType) const {
    return rankLayerCosts[ranks].layerTypes[layerType].actions;
  }
  /// Costs of an MTP layer: a layer of the last type, a projection and a head.
  OperatorSum prediction(std::size_t ranks) const {
    return sumOf(predictionLayer(), pacingDevicesOfRanks[ranks], {}, false);
  }
  double contention(std::size_t ranks) const { return contentionOf(pacingDevicesOfRanks[ranks]); }
  /// The devices that pace the pipeline ranks, by index into Mesh::rankNodeTypes.
  llvm::ArrayRef<std::vector<ir::Device>> devices() const { return pacingDevicesOfRanks; }

private:
  /// Costs of one layer type, computed once: with saved activations, or recomputed whole from its
  /// input.
  struct LayerTypeCost {
    OperatorSum actions;
    /// `actions` as the schedule runs them (asExecuted), for a layer with saved activations and for
    /// one that is recomputed whole. `recomputed` is set only with full recomputation.
    OperatorSum saved, recomputed;
    ParameterCount parameters;
    WeightUses use;
    double residual = 0; ///< bytes of residual-stream points that a layer saves
    double between = 0;  ///< bytes of points that are restored for its backward pass
    double largest = 0;
  };
  struct RecomputedLayers {
    std::uint64_t layers = 0, group = 1; ///< recomputed layers; layers per saved input
  };
  RecomputedLayers recomputed(const ir::Chunk& chunk) const;
  /// Bytes of a micro-batch in host memory between the forward and the backward pass.
  double offloaded(const ir::Chunk& chunk) const;
  /// Bytes that recomputing the whole chunk restores.
  double restored(const ir::Chunk& chunk) const;
  /// Temporary memory of an action of a chunk with `kept` saved bytes and `gradients` bytes of
  /// gradients. With `regains` the action recomputes one group of layers at a time.
  LargestModule temporary(const ir::Chunk& chunk, llvm::ArrayRef<ChunkModule> modules, double kept,
                          double gradients, bool regains) const;
  /// Bytes of the micro-batch gradients of these parameters; 0 if these gradients have no buffer.
  double gradientBytes(double parameters) const;
  /// Costs of layers on the pipeline ranks with the same node types.
  struct RankLayerCosts {
    llvm::ArrayRef<ir::Device> devices;
    std::vector<LayerTypeCost> layerTypes;
    double predictionOffloaded = 0; ///< offloaded bytes of an MTP layer
  };
  OperatorSum asExecuted(const OperatorSum& whole) const;
  ChunkModule& add(std::vector<ChunkModule>& to, ir::ComputeKind what, const char* word,
                   const ParameterCount& parameters, const RankLayerCosts& on) const;
  const RankLayerCosts& rankLayerCostsOf(const ir::Chunk& chunk) const {
    return rankLayerCosts.size() == 1 ? rankLayerCosts.front()
                                      : rankLayerCosts[plan.mesh.rankNodeTypesIndex(chunk.rank)];
  }
  std::vector<OperatorCost> predictionLayer() const;
  /// Whether an MTP layer is recomputed from its inputs.
  bool recomputesPrediction() const;
  /// The use of a module's parameters, and their adapters, if the layout tracks it.
  void setUse(ChunkModule& module, const WeightUses& use) const;

  const ir::Plan& plan;
  Division division;
  double input; ///< bytes of one point of the residual stream
  bool tracks;  ///< parameters have different uses
  llvm::SmallVector<std::vector<ir::Device>, 1>
      pacingDevicesOfRanks;                            ///< parallel to Mesh::rankNodeTypes
  llvm::SmallVector<RankLayerCosts, 1> rankLayerCosts; ///< parallel to Mesh::rankNodeTypes
};

} // namespace dpl::cost
