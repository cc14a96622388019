#pragma once
//===- Chunk.h - Model chunks: their layers, parameters and costs -----------------------------===//
// The passes partition-layers and estimate-compute fill these parts of the plan.
#include "ir/Basics.h"
#include <cstdint>

namespace dpl::ir {

/// A model chunk: consecutive layers on one pipeline rank, a stage replica of the placement.
struct Chunk {
  std::uint64_t rank = 0, chunk = 0;
  std::uint64_t firstLayer = 0, layers = 0;
  std::uint64_t predictionLayers = 0;
  bool embedding = false, head = false;
  template <class V> void fields(V& v) {
    v("rank", rank), v("chunk", chunk), v("first_layer", firstLayer), v("layers", layers);
    v("mtp_layers", predictionLayers), v("embedding", embedding), v("head", head);
  }
};

/// How `split = balanced` was chosen. Times are ps of steps that were executed for the choice.
struct SplitChoice {
  /// Number of candidate splits, and number of executed splits including neighbours of candidates.
  std::uint64_t candidates = 0, executed = 0;
  std::uint64_t step = 0; ///< step time of the chosen split
  /// Step time of the split whose slowest stage is fastest; 0 if there is none.
  std::uint64_t leastSlowest = 0;
  std::uint64_t even = 0; ///< step time of the even split; 0 if there is none
  /// Time of the slowest rank per micro-batch, and a lower bound over all splits.
  std::uint64_t slowest = 0, least = 0;
  template <class V> void fields(V& v) {
    v("candidates", candidates), v("executed", executed), v("step", step);
    v("min_max_step", leastSlowest), v("even", even), v("slowest", slowest),
        v("slowest_bound", least);
  }
};

/// How a chunk's parameters on one device are trained, in elements.
struct ParameterUse {
  std::uint64_t adapters = 0;       ///< of low-rank adapters; all are trained
  std::uint64_t frozen = 0;         ///< without gradient and optimizer state
  std::uint64_t quantized = 0;      ///< part of `frozen`, in 8 or 4 bits
  std::uint64_t matrices = 0;       ///< trained, whose optimizer state is that of matrices
  std::uint64_t factors = 0;        ///< sums over rows and columns of `matrices`
  std::uint64_t gathered = 0;       ///< part of `matrices` that tensor ranks orthogonalize whole
  double orthogonalizationFlop = 0; ///< FLOP of Newton-Schulz iterations of all `matrices`
  template <class V> void fields(V& v) {
    v("adapters", adapters), v("frozen", frozen), v("quantized", quantized);
    v("matrices", matrices), v("factors", factors), v("gathered", gathered);
    v("orthogonalization_flop", orthogonalizationFlop);
  }
};

/// Cost of one chunk on one device for one micro-batch. Times are ps of the roofline of every
/// operator, without communication. FLOP count all scores of causal attention.
struct ChunkCost {
  std::uint64_t rank = 0, chunk = 0;
  std::uint64_t parameters = 0; ///< elements on one device: dense parameters after the tensor split
  std::uint64_t expertParameters =
      0; ///< elements on one device: experts after the expert and tensor split
  double forwardFlop = 0, backwardFlop = 0, recomputeFlop = 0;
  double forwardBytes = 0, backwardBytes = 0; ///< bytes of device memory traffic
  std::uint64_t forward = 0, backwardInput = 0, backwardWeight = 0,
                recompute = 0;       ///< ps of compute
  std::uint64_t activationBytes = 0; ///< bytes saved from forward to backward, one micro-batch
  /// Temporary bytes while the chunk runs (recomputed block, logits).
  std::uint64_t temporaryBytes = 0;
  std::uint64_t splitTemporaryBytes = 0; ///< temporary bytes of other actions than Backward
  /// Bytes that a recomputation in advance or an input-gradient action restores until the backward
  /// pass ends.
  std::uint64_t restoredBytes = 0;
  /// The use of `parameters` and of `expertParameters`; empty if all of them are trained with
  /// optimizer state of one size.
  AtMostOne<ParameterUse> use;

  template <class V> void fields(V& v) {
    v("rank", rank), v("chunk", chunk), v("parameters", parameters);
    v("expert_parameters", expertParameters), v("forward_flop", forwardFlop);
    v("backward_flop", backwardFlop), v("recompute_flop", recomputeFlop);
    v("forward_bytes", forwardBytes), v("backward_bytes", backwardBytes), v("forward", forward);
    v("backward_input", backwardInput), v("backward_weight", backwardWeight);
    v("recompute", recompute), v("activation_bytes", activationBytes);
    v("temporary_bytes", temporaryBytes), v("split_backward_temporary_bytes", splitTemporaryBytes);
    v("recomputed_activation_bytes", restoredBytes), v("parameter_use", use);
  }
};

} // namespace dpl::ir
