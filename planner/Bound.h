#pragma once
//===- Bound.h - Lower bounds on the step time and memory of a layout -------------------------===//
//
// A bound is a few sums over layer types, from the functions of the passes. The terms that it omits
// (gradient reductions, transfers, temporary memory of ends) are never negative. So step time and
// memory are never below their bounds, which a property test checks.
#include "cost/collectives/CollectiveCost.h"
#include "cost/compute/LayerCost.h"
#include "cost/legality/LayoutCandidate.h"
#include "ir/MicroBatchCosts.h"
#include "planner/OpenChoices.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <unordered_map>

namespace dpl::planner {

/// Factor on a bound, a sum of doubles, before it is compared with an exact value. It makes up for
/// rounding.
constexpr double boundRounding = 1 - 1e-6;

struct Bound {
  double step = 0;   ///< step time in seconds, without jitter
  double memory = 0; ///< peak memory in bytes of the fullest rank
};

/// The candidate reduced to the degrees that the cost of a layer depends on, and the pipeline.
/// Context and micro-batch matter only by their ratio, the sequences per device of one micro-batch.
cost::LayoutCandidate divisionKeyOf(const cost::LayoutCandidate& candidate);
struct CandidateHash {
  std::size_t operator()(const cost::LayoutCandidate& candidate) const;
};

/// Bounds of candidates with different degrees, for one model on one cluster. The costs of a
/// division are computed once.
class Bounds {
public:
  /// Refers to the plan's model, cluster and layout, and to the choices.
  Bounds(const ir::Plan& plan, llvm::ArrayRef<OpenChoice> choices);

  /// Selects the choice for the next bounds.
  void choose(std::size_t choice);
  /// The bound of a candidate; `split` is the result of partition-layers.
  Bound of(const cost::LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split);
  /// A lower and cheaper bound from the costs of another division, `wider`, which differs only in
  /// having at least as many tokens. In a larger micro-batch a token needs no more time and equal
  /// bytes. Exposed communication is an exception, because a library may choose another protocol
  /// for larger messages. If experts have a capacity or random loads, or if operators take longer
  /// per token with more context ranks, the bound uses the candidate's own division.
  Bound of(const cost::LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split,
           const cost::LayoutCandidate& wider);
  /// A bound for every split, schedule and ZeRO stage of the choices with this choice's
  /// recomputation: the mean over ranks, except for saved activations. It is lower than the bounds
  /// of `of`, and cheap if splits are expensive. `wider` may be the candidate itself.
  Bound ofAny(const cost::LayoutCandidate& candidate, const cost::LayoutCandidate& wider);

  /// The number of divisions whose costs were computed.
  std::size_t divisions() const;

private:
  /// The costs of a layer, embedding or head on one device for one micro-batch.
  struct ModuleBound {
    double time = 0;     ///< seconds of all actions, with exposed parts
    double computed = 0; ///< seconds without it
    double forward = 0;  ///< the part of `computed` in forward passes
    double saved = 0;    ///< bytes
    double parameters = 0, experts = 0;
    ModuleBound& operator+=(const ModuleBound& o);
    ModuleBound times(double n) const;
  };
  /// Temporary bytes of an action while a layer runs: its largest tensor, and what its
  /// recomputation restores, unless restored tensors outlive the action.
  struct TemporaryBound {
    double largest = 0, restored = 0;
  };
  struct DividedBounds {
    llvm::SmallVector<ModuleBound, 4> layers;       ///< by layer type
    llvm::SmallVector<TemporaryBound, 4> temporary; ///< by layer type
    ModuleBound embedding, head, prediction;
    /// Buffers without a pipeline, and with one.
    double buffers = 0, pipelineBuffers = 0;
  };

  const DividedBounds& divide(const cost::LayoutCandidate& candidate);
  /// The division whose costs bound those of the candidate: `wider`, or the candidate's own.
  const cost::LayoutCandidate& boundedBy(const cost::LayoutCandidate& wider,
                                         const cost::LayoutCandidate& candidate) const;
  void set(const cost::LayoutCandidate& key);
  /// Which operators are recomputed, and the exposed time of their collectives.
  struct RecomputeExposure {
    const ir::Recompute& recompute;
    bool whole = false;     ///< all operators are recomputed
    double exposed = 0;     ///< exposed time in seconds
    bool fillsIdle = false; ///< recomputation fits into launch-bound idle time
  };
  ModuleBound rowOf(const std::vector<cost::OperatorCost>& operators,
                    const cost::ParameterCount& parameters, const RecomputeExposure& passes) const;
  ModuleBound rowOf(const ir::Chunk& chunk, const DividedBounds& divided) const;
  /// Bytes of communication buffers in the current division.
  double bufferBytesOf(std::uint64_t stages);
  TemporaryBound temporaryOf(const ir::LayerType& layer,
                             const std::vector<cost::OperatorCost>& operators, double input) const;
  /// Bytes per parameter of the layer that runs, which is unsharded with its gradient.
  struct GatheredLayers {
    double each = 0;      ///< in a chunk with one layer
    double several = 0;   ///< in a chunk with several layers, of which the next one is gathered too
    bool experts = false; ///< whether routed experts are sharded too
  };
  GatheredLayers gatheredOf(const cost::LayoutCandidate& candidate, std::uint64_t directions) const;
  /// Temporary bytes that each action of a chunk has at some time.
  double leastTemporary(const ir::Chunk& chunk, const DividedBounds& divided,
                        const GatheredLayers& gathered, bool holdsRestored) const;
  /// `tokens`: factor on the tokens of `divided`.
  Bound boundOf(const cost::LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split,
                const DividedBounds& divided, double tokens);
  double exposed(const ir::LayerType& c, bool recomputed);
  double collective(ir::CollectiveKind kind, double bytes, const ir::Group& group) const;
  const ir::Group& groupOf(ir::Axis axis, std::uint64_t size, std::uint64_t stride);
  double stateBytes(double ways, unsigned stage) const;
  struct StateBytes {
    double dense = 0, experts = 0; ///< bytes of state per parameter, of dense layers and of experts
  };
  StateBytes stateOf(const cost::LayoutCandidate& candidate, std::uint64_t directions,
                     unsigned stage) const;
  std::uint64_t microBatches(const cost::LayoutCandidate& candidate) const;

  const ir::Plan& plan;
  const llvm::ArrayRef<OpenChoice> choices;
  ir::Plan probe; ///< copy of the plan with the degrees of `divided` and the choice
  std::size_t chosen = 0;
  unsigned mostStage = 0;          ///< largest ZeRO stage of all choices
  bool alternates = false;         ///< a choice overlaps actions of two micro-batches
  bool twoWays = false;            ///< a choice is bidirectional
  std::vector<ir::Device> devices; ///< by node type
  std::vector<cost::ParameterCount> parameters;
  bool experts;
  bool proportional = true; ///< GEMM sizes of experts are proportional to tokens
  double leastCost;         ///< cost of the cheapest micro-batch over the mean
  cost::Division division;  ///< current division
  std::vector<std::unordered_map<cost::LayoutCandidate, DividedBounds, CandidateHash>>
      known; ///< computed bounds by recomputation
  std::map<std::pair<std::uint64_t, std::uint64_t>, ir::Group> groups;
  std::vector<ModuleBound> ranks;
  /// By rank: the way of a micro-batch to the rank, forward and in both directions, and temporary
  /// memory.
  std::vector<double> reached, before, temporary;
};

} // namespace dpl::planner
