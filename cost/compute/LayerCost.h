#pragma once
//===- LayerCost.h - Operators, parameters and FLOP of a model --------------------------------===//
//
// Figures are doubles in base units (FLOP, bytes, elements) of one device and one micro-batch.
#include "ir/Plan.h"

namespace dpl::cost {

/// FLOP that run and bytes that cross the device's memory in one direction of one operator.
struct Work {
  double flop = 0, bytes = 0;
  double seconds = 0; ///< of a Stated operator, on a device of speed 1
};

/// One operator of a layer on one device for one micro-batch, after the tensor, context and expert
/// split.
struct OperatorCost {
  enum class OperatorKind : std::uint8_t { Matmul, Attention, Streaming, Stated };
  /// What comes of it where that is no activation of its own: for who follows tensors.
  enum class OperatorResult : std::uint8_t {
    Activation,
    ResidualSum,   ///< the residual stream behind a block
    Loss,          ///< of the logits before it
    GatheredOrder, ///< what tensor ranks gathered, in order
    GradientSum,   ///< gradients of a pass added to those before: no tensor
  };
  const char* name = ""; ///< "qkv", "core attention", "mlp up"
  const char* of = "";   ///< what it belongs to where a layer has several alike: "qkv" of a "cast"
  OperatorKind kind = OperatorKind::Streaming;
  OperatorResult result = OperatorResult::Activation;
  ir::ModuleKind module = ir::ModuleKind::Mlp;    ///< the innermost recompute module it belongs to
  ir::ModuleKind enclosing = ir::ModuleKind::Mlp; ///< of an Activation: Mlp, Moe or SharedExperts
  ir::DataType type = ir::DataType::BF16;
  Work forward, backwardInput,
      backwardWeight; ///< FLOP as counted: the scores of causal attention in full
  /// FLOP that run over FLOP counted: ½ in a causal fused kernel forward, 1.25 times that backward,
  /// where the kernel computes the scores again.
  double executed = 1, executedBackward = 1;
  double m = 0, n = 0, k = 0; ///< of one product of a Matmul; `rows` is the sequence
                              ///< of an Attention; 0 is no shape
  double saved = 0;           ///< bytes of its outputs that the backward pass needs
  double internal = 0;        ///< bytes kept for its own backward pass only
  double unsavedOutput =
      0;                ///< bytes of an output that no backward pass needs, which a policy may keep
  double temporary = 0; ///< bytes beside what is kept, while it runs
  double products = 1;  ///< of a Matmul: so many of its own where a framework joins none
  double alternate = 0; ///< share of it that is every second product of its layer
  unsigned kernels = 1; ///< launched forward; the backward pass launches as many for each gradient
  bool recomputable = true; ///< recomputation runs it where it takes its layer or module
  bool experts = false;     ///< it stands between the exchanges of tokens
  bool routed = false;      ///< its shape depends on the routing of tokens
  /// Its output, or a tensor computed from it, was received from other expert ranks.
  bool exchanged = false;
};

/// How a layer is divided: tokens of one micro-batch on one device and the degrees that split it.
struct Division {
  double tokens = 0;   ///< micro_batch × context / context_parallel; samples for a layer list
  double sequence = 0; ///< tokens of one whole sequence (attention is quadratic in it)
  std::uint64_t tensor = 1, context = 1, expert = 1, expertTensor = 1;
  bool sequenceParallel = false, scattersMessages = false, fusedAttention = true;
  /// Tensor ranks copy what they scatter along the sequence, and what they gather along it, to put
  /// its pieces in order: with one sequence the pieces of a gather are.
  bool copiesScattered = false, copiesGathered = false;
  bool saveGathered = false; ///< what tensor ranks gather of the sequence is kept whole
  /// Bytes an element of weights that kernels move which add the gradients of a pass to those of
  /// the step; 0: the products add them.
  double sums = 0;
  bool captured = false; ///< CUDA graphs launch the kernels whose shapes are the same in every pass
  ir::CommunicationOptions communication; ///< `earlyStop` where single layers are recomputed whole
  ir::Kernels kernels;
  ir::DataType compute = ir::DataType::BF16, head = ir::DataType::BF16;
  std::uint64_t vocab = 0; ///< padded
  /// Counts the FLOP of the model, not of a device: experts have no padded rows and no rank is
  /// busier than another.
  bool ofModel = false;
  unsigned savedOperators =
      0; ///< a bit for each operator whose output the policy keeps; 0 without a policy
  bool saves(ir::SavedOperator op) const {
    return (savedOperators >> static_cast<unsigned>(op) & 1U) != 0;
  }
  /// Whether the policy keeps what products read backward: it does, and that has the name.
  bool savesQuantized = false;
  /// Ways that a weight is divided as it is kept there; 0 where the parameters themselves are it.
  std::uint64_t weightRanks = 1;
  /// Ways the residual stream is split: tensor under sequence parallelism, else 1.
  double residualSplit() const { return sequenceParallel ? static_cast<double>(tensor) : 1.0; }
  /// Ways a message between stages is split: tensor where each rank sends its part of a residual
  /// stream that all of them hold whole (`shard.messages`), or where none holds it whole.
  double messageSplit() const {
    return scattersMessages ? static_cast<double>(tensor) : residualSplit();
  }
};
Division divisionOf(const ir::Plan& plan);
/// `vocab` rounded up to a multiple of `multiple` × `tensor`, as Megatron pads it.
std::uint64_t paddedVocabulary(std::uint64_t vocab, std::uint64_t multiple, std::uint64_t tensor);

std::vector<OperatorCost> operatorsOf(const ir::Model& m, const ir::LayerType& c,
                                      const Division& d);
std::vector<OperatorCost> embeddingOperators(const ir::Model& m, const Division& d);
/// Final norm, head transform, output projection and loss.
std::vector<OperatorCost> headOperators(const ir::Model& m, const Division& d);
/// What a prediction (MTP) layer adds to a layer of the last class: two norms and the joining
/// projection. Its loss is a second headOperators().
std::vector<OperatorCost> predictionOperators(const ir::Model& m, const Division& d);
/// Whether recomputation of a whole layer ends before its product back to the residual stream.
bool stopsEarly(const ir::Model& m, const ir::LayerType& c, const Division& d);
/// Elements of the keys and values of a layer, on one device, that context ranks exchange: with
/// `communication_options.context_exchange` of keys for each head, of all.
double exchangedKeys(const ir::Attention& a, const Division& d);
/// Bytes of an activation element: 2 for 8-bit and 4-bit compute types, whose products write bf16.
double activationBytes(ir::DataType t);
/// Tokens of a micro-batch that a rank routes to experts.
double routedTokens(const Division& d);
/// Rows of tokens that the routed experts of the busiest device see together in a micro-batch:
/// every rank sends `active` copies of its tokens.
double expertRows(const ir::FeedForward& f, const Division& d);
/// Rows that the ranks that split an expert gather: those of its experts, or, with the dispatcher
/// that gathers, the tokens of all ranks.
double gatheredRows(const ir::FeedForward& f, const Division& d);
/// Rows that an expert takes at most of a rank that sends `even` to each: ⌈capacity × even⌉.
double capacityRows(double even, const ir::FeedForward& f);
/// What of the `sent` rows of a rank comes to the busiest one, over the even share of each: the
/// imbalance where experts are divided, at most min(ranks, experts / active), and no more than
/// ⌈capacity × even share⌉, of which the others are dropped; that number where it is padded. Where
/// tokens choose by chance, the median of what is drawn (Routing.h).
double shareOfBusiest(const ir::FeedForward& f, const Division& d, double sent);

/// Of `units` that hold equally many consecutive experts each, how many the copies of a token go to
/// on average. A token chooses evenly among the experts of `group_limit` of its router's groups: u
/// even choices of k meet u(1 − (1 − 1/u)^k) units.
double distinctUnits(const ir::FeedForward& f, double units);

/// Key-value heads of grouped attention on one of `tensor` ranks: fewer heads than ranks are
/// copied, never divided below one.
double keyValueHeadsOn(const ir::Attention& a, std::uint64_t tensor);

/// Parameters, elements. `dense` are split over tensor, `experts` over expert × expert tensor.
struct ParameterCount {
  double dense = 0, experts = 0;
  double replicated = 0;    ///< of dense: not divided by tensor (norm gains, router)
  double expertBiases = 0;  ///< of experts: added behind their sum, not divided by expert tensor
  double keyValue = 0;      ///< of dense: projections to keys and values
  double keyValueHeads = 0; ///< into which they can be divided; 0 without them
  /// Elements on one device.
  double denseOn(std::uint64_t tensor) const;
  double expertsOn(const Division& d) const {
    const double ways = static_cast<double>(d.expert), parts = static_cast<double>(d.expertTensor);
    return (experts - expertBiases) / (ways * parts) + expertBiases / ways;
  }
  /// Of a layer: at most one of the two has key-value heads.
  ParameterCount& operator+=(const ParameterCount& o) {
    dense += o.dense, experts += o.experts, replicated += o.replicated;
    expertBiases += o.expertBiases;
    keyValue += o.keyValue, keyValueHeads += o.keyValueHeads;
    return *this;
  }
};
ParameterCount parametersOf(const ir::Model& m, const ir::LayerType& c);
ParameterCount embeddingParameters(const ir::Model& m, std::uint64_t vocab);
ParameterCount headParameters(const ir::Model& m,
                              std::uint64_t vocab); ///< 0 weights when tied, plus final norm
/// One prediction (MTP) layer: a layer of the last class, two norms, the joining projection and a
/// final norm; it shares embedding and head.
ParameterCount predictionParameters(const ir::Model& m);
/// Parameters of the whole model with its vocabulary unpadded and without prediction layers, as
/// papers count them.
double totalParameters(const ir::Model& m);
/// Parameters that one token passes: all but the experts it is not routed to.
double activeParameters(const ir::Model& m);

/// Consecutive layers of one class.
struct LayerSpan {
  std::uint64_t layerType = 0, count = 0;
};

/// Forward FLOP of the model per token (per sample for a layer list), without recomputation.
struct ModelFlop {
  double all = 0;    ///< with all scores of causal attention, as PaLM and Megatron-LM count
  double masked = 0; ///< the part of `all` for scores that a causal mask leaves out
};
/// Experts count the rows of tokens that they keep: neither padding nor rows that a capacity drops.
/// `dropped` is the share of rows that a capacity drops under random routing.
ModelFlop modelFlopPerToken(const ir::Model& m, double dropped = 0);

} // namespace dpl::cost
