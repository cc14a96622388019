#pragma once
//===- CostModel.h - Times and sizes: the one cost model ----------------------------------------===//
//
// Pure functions that the passes, the search and the simulator share. Times are seconds as double;
// a caller rounds to picoseconds once, when it stores.
#include "ir/Plan.h"

namespace dpl::ir {

/// One operator of a layer on one device for one micro-batch, after the tensor, context and expert
/// split.
struct OperatorCost {
  enum class Kind : std::uint8_t { Matmul, Attention, Streaming };
  const char* name;         ///< "qkv", "core attention", "mlp up"
  Kind kind = Kind::Matmul;
  Module module = Module::Mlp; ///< which recompute module it belongs to
  double flop = 0;          ///< forward
  double bytes = 0;         ///< device memory traffic, forward
  double backwardFactor = 2; ///< backward over forward FLOP and bytes; of which half is the weight gradient for a Matmul
  bool hasWeight = true;    ///< the backward pass has a weight gradient
  double saved = 0;         ///< bytes kept for the backward pass
  unsigned kernels = 1;
};

/// How a layer is divided: tokens of one micro-batch on one device and the degrees that split it.
struct Division {
  double tokens = 0;       ///< micro_batch × context / context_parallel
  double sequence = 0;     ///< tokens of one whole sequence (attention is quadratic in it)
  std::uint64_t tensor = 1, context = 1, expert = 1, expertTensor = 1;
  bool sequenceParallel = false;
  DataType compute = DataType::BF16;
  std::uint64_t vocab = 0; ///< padded
};
Division divisionOf(const Plan& plan);

std::vector<OperatorCost> operatorsOf(const Model& m, const LayerClass& c, const Division& d);
std::vector<OperatorCost> embeddingOperators(const Model& m, const Division& d);
std::vector<OperatorCost> headOperators(const Model& m, const Division& d);

/// Parameters, elements. `dense` are split over tensor, `experts` over expert × expert tensor.
struct ParameterCount {
  double dense = 0, experts = 0;
  double replicated = 0; ///< of dense: not divided by tensor (norm gains, router)
};
ParameterCount parametersOf(const Model& m, const LayerClass& c);
ParameterCount embeddingParameters(const Model& m, std::uint64_t vocab);
ParameterCount headParameters(const Model& m, std::uint64_t vocab); ///< 0 weights when tied, plus final norm
/// Parameters of the whole model with its vocabulary unpadded, as papers count them.
double totalParameters(const Model& m);
/// Parameters that one token passes: all but the experts it is not routed to.
double activeParameters(const Model& m);

/// Forward FLOP of the model a token (a sample for a layer list), without recomputation, scores of
/// causal attention counted in full (the PaLM and Megatron convention).
double modelFlopPerToken(const Model& m);

/// max(FLOP / sustained peak, bytes / sustained bandwidth) + launch; seconds.
double operatorTime(const OperatorCost& op, double flop, double bytes, const Device& device, DataType t);

/// A collective over a group with the hierarchy of the cluster; see docs/cost-model.md.
struct CollectiveCost {
  double seconds = 0;
  Algorithm algorithm = Algorithm::Ring;
  std::vector<std::uint64_t> bytesPerLevel; ///< sent by one device
};
CollectiveCost collectiveCost(CollectiveKind kind, double bytes, const Group& group, const Cluster& cluster);

} // namespace dpl::ir
