#pragma once
//===- Predicted.h - The parts of a predicted step on one pipeline rank -----------------------===//
#include "driver/compare/Profile.h"
#include "ir/Plan.h"

namespace dpl::compare {

/// The dimensions of a GEMM, rising, and then the one that is summed over. A forward GEMM and its
/// two gradients have the same three dimensions.
using GemmShape = std::array<std::uint64_t, 4>;

/// An operator of a module, over all layers and micro-batches of a step.
struct PredictedOperator {
  std::string name; ///< "qkv", "mlp up"
  WorkClass work = WorkClass::Other;
  double forward = 0, backward = 0; ///< seconds of a step; recomputation counts as backward
  double forwardKernels = 0, backwardKernels = 0;
  GemmShape gemm{};       ///< zeros for an operator without a GEMM
  GemmShape gemmOfPart{}; ///< the same for each of several GEMMs side by side
};

/// All collectives of one kind, purpose and group.
struct PredictedCollectives {
  std::string name; ///< "all_gather parameters over data"
  ir::CollectiveKind kind{};
  ir::CollectivePurpose purpose{};
  std::uint64_t groupSize = 1;
  double count = 0, seconds = 0, bytes = 0; ///< of a step
};

struct PredictedAction {
  ir::ActionKind kind{};
  double count = 0, seconds = 0;
};

/// A step of one pipeline rank.
struct Predicted {
  std::vector<PredictedOperator> operators;
  std::vector<PredictedCollectives> collectives;
  std::vector<PredictedAction> actions;
  std::map<EmittedKey, EmittedTime> emitted;                 ///< as `dplc emit trace` writes them
  double step = 0, exposed = 0, launches = 0, optimizer = 0; ///< seconds
};

/// Relies on: a plan that every compiler pass has completed.
Predicted predictedOn(const ir::Plan& plan, std::uint64_t pipelineRank);

/// The pipeline rank of a global rank; none if the mesh has no such rank.
std::optional<std::uint64_t> pipelineRankOf(const ir::Plan& plan, std::uint64_t rank);

} // namespace dpl::compare
