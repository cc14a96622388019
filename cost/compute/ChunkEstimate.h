#pragma once
//===- ChunkEstimate.h - What a chunk of the model costs, part by part ------------------------===//
#include "cost/compute/LayerCost.h"
#include "cost/compute/OperatorTime.h"

namespace dpl::cost {

/// One kind of thing in a chunk: layers of a class, the embedding, the head. Everything but `count`
/// is of one of them, on one device, for one micro-batch.
struct ChunkPart {
  const char* word = ""; ///< "layer", "recomputed_layer", "embedding", …: its name begins with it
  double count = 1;
  OperatorSum time;
  double parameters = 0, expertParameters = 0; ///< elements
  double kept = 0;                             ///< bytes from the forward to the backward pass
  double beside = 0; ///< bytes beside them while it runs, of what is no layer
  /// What it computes, and of a layer its class and whether it is recomputed whole.
  ir::ComputePart part = ir::ComputePart::None;
  std::uint64_t layerClass = 0;
  bool recomputed = false;
};

/// Relies on: place-ranks said which classes hold a pipeline rank, and partition-layers placed
/// every layer once.
class ChunkEstimate {
public:
  explicit ChunkEstimate(const ir::Plan& plan) : ChunkEstimate(plan, plan.mesh.held) {}
  /// Of other holders than the plan's: an entry for each of its own, or one for all ranks, as if
  /// those classes held each of them.
  ChunkEstimate(const ir::Plan& plan, llvm::ArrayRef<ir::HeldRanks> holders);
  ChunkEstimate(const ChunkEstimate&) = delete;
  const Division& dividedBy() const { return division; }
  /// In the order of the network.
  std::vector<ChunkPart> parts(const ir::Chunk& chunk) const;
  /// What one of a part runs, which `parts` sums up; nothing where it only holds bytes.
  std::vector<OperatorCost> operators(const ChunkPart& part) const;
  /// Their sum, in whole base units.
  ir::ChunkCost of(const ir::Chunk& chunk) const { return of(chunk, parts(chunk)); }
  ir::ChunkCost of(const ir::Chunk& chunk, llvm::ArrayRef<ChunkPart> parts) const;
  /// The same without its times, FLOP and memory traffic: parameters and bytes that it holds.
  ir::ChunkCost heldOf(const ir::Chunk& chunk, llvm::ArrayRef<ChunkPart> parts) const;
  /// "layer[gated]", "recomputed_layer[gated]", "embedding", "head", …; with ".rank[2]" behind
  /// it from pipeline rank 2 on, where other classes of nodes hold the ranks than rank 0.
  std::string nameOf(const ir::Chunk& chunk, const ChunkPart& part) const;

  /// What takes most beside what is kept while a backward pass of a chunk runs: one of the layers
  /// of a class, an end, or of all gradients what is there when the pass ends.
  struct Fullest {
    double bytes = 0;
    ir::ComputePart part = ir::ComputePart::Layer;
    std::uint64_t layerClass = 0;
    bool atEnd = false;
  };
  Fullest fullest(const ir::Chunk& chunk) const;
  /// Bytes beside what is kept while a forward pass of it runs: the largest tensor that is made, or
  /// what an operator needs for itself.
  double forwardBytes(const ir::Chunk& chunk) const;
  /// The operator of a layer or an end whose gradient, or what it needs for itself, is largest.
  std::string largestOperator(const Fullest& of) const;
  /// "layer[gated]", "head".
  std::string nameOf(const ir::Chunk& chunk, const Fullest& of) const;

  // On the pipeline ranks that the same classes of nodes hold, by index into Mesh::held; with
  // backward passes that give both gradients.

  /// A layer that is not recomputed whole.
  const OperatorSum& layer(std::size_t ranks, std::uint64_t layerClass) const {
    return held[ranks].classes[layerClass].passes;
  }
  /// A layer of the last class with what joins it and a head.
  OperatorSum prediction(std::size_t ranks) const {
    return sumOf(predictionLayer(), pacing[ranks], {}, false);
  }
  double contention(std::size_t ranks) const { return contentionOf(pacing[ranks]); }
  /// The devices that pace them.
  llvm::ArrayRef<std::vector<ir::Device>> devices() const { return pacing; }

private:
  /// One class of layers, computed once: kept whole, or recomputed whole from its input.
  struct ClassCost {
    OperatorSum passes;
    OperatorSum kept, recomputed; ///< as the schedule runs them; `recomputed` where any layers are
    ParameterCount parameters;
    double residual = 0; ///< bytes of the residual points of a layer that is kept
    double between = 0;  ///< of those that are brought back while it runs backward
    double largest = 0;
  };
  struct Recomputed {
    std::uint64_t layers = 0, group = 1; ///< layers of the chunk; layers that share a kept input
  };
  Recomputed recomputed(const ir::Chunk& chunk) const;
  /// Bytes of a micro-batch that are in the host's memory between its passes.
  double offloaded(const ir::Chunk& chunk) const;
  /// Bytes that a recomputation of the whole chunk brings back.
  double restored(const ir::Chunk& chunk) const;
  /// Of a pass of a chunk with so many bytes kept, and of gradients. With `regains` it brings back
  /// a group of layers at a time.
  Fullest working(const ir::Chunk& chunk, llvm::ArrayRef<ChunkPart> parts, double kept,
                  double gradients, bool regains) const;
  /// Of a pass, of so many parameters, where each has its own.
  double gradientBytes(double parameters) const;
  /// The pipeline ranks that the same classes of nodes hold, and what a layer costs on them.
  struct Held {
    llvm::ArrayRef<ir::Device> devices;
    std::vector<ClassCost> classes;
    double predictionAway = 0; ///< bytes of a prediction layer that a policy offloads
  };
  OperatorSum asItRuns(const OperatorSum& whole) const;
  ChunkPart& add(std::vector<ChunkPart>& to, ir::ComputePart what, const char* word,
                 const ParameterCount& parameters, const Held& on) const;
  const Held& heldBy(const ir::Chunk& chunk) const {
    return held.size() == 1 ? held.front() : held[plan.mesh.heldIndex(chunk.rank)];
  }
  std::vector<OperatorCost> predictionLayer() const;
  /// Whether it is recomputed from its inputs.
  bool predictsAgain() const;

  const ir::Plan& plan;
  Division division;
  double input; ///< bytes of one point of the residual stream
  llvm::SmallVector<std::vector<ir::Device>, 1> pacing; ///< parallel to Mesh::held
  llvm::SmallVector<Held, 1> held;                      ///< parallel to them
};

} // namespace dpl::cost
