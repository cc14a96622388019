#pragma once
//===- Bound.h - What a layout takes at least, before the passes judge it ---------------------===//
//
// A few sums over classes of layers, from the functions that the passes use. What they leave out
// (gradient reductions, transfers, what lives only for a moment) is never negative, so neither the
// step nor the memory of a plan is below its bound; a property test says so.
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

struct Bound {
  double step = 0;   ///< seconds, without jitter
  double memory = 0; ///< bytes of the fullest rank
};

/// The degrees that the cost of a layer depends on, with the pipeline: of context and micro-batch
/// only their ratio, the sequences that a device holds of one micro-batch.
cost::LayoutCandidate divisionKeyOf(const cost::LayoutCandidate& candidate);
struct CandidateHash {
  std::size_t operator()(const cost::LayoutCandidate& candidate) const;
};

/// Bounds of points that differ in degrees, of one model on one cluster. What a division costs is
/// worked out once.
class Bounds {
public:
  /// Borrows the plan's model, cluster and layout, and the choices.
  Bounds(const ir::Plan& plan, llvm::ArrayRef<OpenChoice> choices);

  /// The bounds that follow are of this choice.
  void choose(std::size_t choice);
  /// `split` is where partition-layers puts the layers.
  Bound of(const cost::LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split);
  /// The same from what another division computes, which differs in its tokens alone and has at
  /// least as many: a token computes no longer in a larger micro-batch and is kept in as many
  /// bytes. Not so what is exposed, as a library may take another protocol for larger messages.
  /// Lower, and cheap where that division is known. Experts that a capacity or chance fills take
  /// another share of the tokens in each micro-batch, and some operators take longer for each token
  /// where more context ranks share it: there the bound comes from the point's own division.
  Bound of(const cost::LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split,
           const cost::LayoutCandidate& wider);
  /// The bound of any split, schedule and ZeRO stage of the choices with the recomputation of this
  /// one: the mean of the ranks, except for what micro-batches keep. It is lower still, and cheap
  /// where splits are not. `wider` may be the point itself.
  Bound ofAny(const cost::LayoutCandidate& candidate, const cost::LayoutCandidate& wider);

private:
  /// One layer, or an end of the model, on one device for one micro-batch.
  struct ModuleBound {
    double time = 0;     ///< seconds of forward, backward and recomputation, with what is exposed
    double computed = 0; ///< without
    double saved = 0;    ///< bytes
    double parameters = 0, experts = 0;
    ModuleBound& operator+=(const ModuleBound& o);
    ModuleBound times(double n) const;
  };
  struct DividedBounds {
    llvm::SmallVector<ModuleBound, 4> layers; ///< by class
    ModuleBound embedding, head, prediction;
  };

  const DividedBounds& divide(const cost::LayoutCandidate& candidate);
  /// The division whose costs bound those of the point: `wider`, or the point's own.
  const cost::LayoutCandidate& boundedBy(const cost::LayoutCandidate& wider,
                                         const cost::LayoutCandidate& candidate) const;
  void set(const cost::LayoutCandidate& key);
  /// What operators recompute, and what shows of their collectives.
  struct RecomputeExposure {
    const ir::Recompute& recompute;
    bool whole = false;     ///< every operator runs again
    double exposed = 0;     ///< seconds
    bool fillsIdle = false; ///< in the time in which the device waits for launches
  };
  ModuleBound rowOf(const std::vector<cost::OperatorCost>& operators,
                    const cost::ParameterCount& parameters, const RecomputeExposure& passes) const;
  ModuleBound rowOf(const ir::Chunk& chunk, const DividedBounds& divided) const;
  /// `tokens`: times those that `divided` is for.
  Bound boundOf(const cost::LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split,
                const DividedBounds& divided, double tokens);
  double exposed(const ir::LayerType& c, bool recomputed);
  double collective(ir::CollectiveKind kind, double bytes, const ir::Group& group) const;
  const ir::Group& groupOf(ir::Axis axis, std::uint64_t size, std::uint64_t stride);
  double stateBytes(double ways, unsigned stage) const;
  struct StateBytes {
    double dense = 0, experts = 0; ///< of a parameter
  };
  StateBytes stateOf(const cost::LayoutCandidate& candidate, std::uint64_t directions,
                     unsigned stage) const;
  std::uint64_t microBatches(const cost::LayoutCandidate& candidate) const;

  const ir::Plan& plan;
  const llvm::ArrayRef<OpenChoice> choices;
  ir::Plan probe; ///< the same with the degrees of `divided`, and with the choice
  std::size_t chosen = 0;
  unsigned mostStage = 0;          ///< of ZeRO, of all choices
  bool alternates = false;         ///< passes of some choice do, so that no exchange has to show
  bool twoWays = false;            ///< micro-batches of some choice enter at either end
  std::vector<ir::Device> devices; ///< of each class of nodes
  std::vector<cost::ParameterCount> parameters;
  bool experts;
  bool proportional = true; ///< rows of experts are proportional to tokens
  double leastCost;         ///< of a micro-batch, over the mean
  cost::Division division;  ///< of the division that is worked out
  std::vector<std::unordered_map<cost::LayoutCandidate, DividedBounds, CandidateHash>>
      known; ///< by recomputation
  std::map<std::pair<std::uint64_t, std::uint64_t>, ir::Group> groups;
  std::vector<ModuleBound> ranks;
  std::vector<double> before;
};

} // namespace dpl::planner
