#pragma once
//===- WeightUse.h - How the weights of a module are trained ----------------------------------===//
#include "cost/compute/LayerCost.h"
#include <array>

namespace dpl::cost {

/// Whether a layout trains weights in different ways: some are frozen, have adapters, or have
/// optimizer state of another size.
bool tracksUse(const ir::Layout& layout);

/// ir::ParameterUse of one module, before it is rounded.
struct WeightUse {
  double adapters = 0, frozen = 0, quantized = 0, matrices = 0, factors = 0, gathered = 0;
  double orthogonalizationFlop = 0;
  void add(const WeightUse& o, double count);
  ir::ParameterUse rounded() const;
};
/// Dense weights, routed experts.
using WeightUses = std::array<WeightUse, 2>;

/// The use of a layer, or of an MTP layer, with these operators and parameters.
WeightUses layerUse(const ir::Layout& layout, const ir::Model& m,
                    llvm::ArrayRef<OperatorCost> operators, const ParameterCount& parameters,
                    const Division& d);
/// The use of the embedding, or of the head.
WeightUses endUse(const ir::Layout& layout, const ir::Model& m, ir::ModelPart part,
                  const ParameterCount& parameters, const Division& d);

/// Parameters of one kind (dense weights or routed experts) on one device, by their use.
struct UsedParameters {
  double all = 0, trained = 0, frozen = 0, quantized = 0;
  double moments = 0; ///< elements of the optimizer's moments
  double gathered = 0, orthogonalizationFlop = 0;
  double matrixMomentum = 0; ///< elements of momentum that are orthogonalized
  /// Bits of the weights: trained ones of `weightBits` each, and frozen ones.
  double weightBits(const ir::Layout& layout, double trainedBits) const;
};
/// `part` 0: dense weights, 1: routed experts.
UsedParameters usedParameters(const ir::Layout& layout, const ir::ChunkCost& cost, unsigned part);
/// Both together.
UsedParameters allParameters(const ir::Layout& layout, const ir::ChunkCost& cost);

/// The parameters of the whole model, as totalParameters counts them, with adapters.
UsedParameters modelParameters(const ir::Model& m, const ir::Layout& layout);

} // namespace dpl::cost
