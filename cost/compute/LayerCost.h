#pragma once
//===- LayerCost.h - Operators, parameters and FLOP of a model --------------------------------===//
//
// Values are doubles in base units (FLOP, bytes, elements) for one device and one micro-batch.
#include "ir/Plan.h"

namespace dpl::cost {

/// FLOP and bytes of memory traffic in one direction of one operator.
struct Work {
  double flop = 0, bytes = 0;
  double seconds = 0; ///< time of a Stated operator on a device of speed 1
};

/// One operator of a layer on one device for one micro-batch, after the split over tensor, context
/// and expert ranks.
struct OperatorCost {
  enum class OperatorKind : std::uint8_t { Matmul, Attention, Streaming, Stated };
  /// The kind of output tensor, for code that follows tensors.
  enum class OperatorResult : std::uint8_t {
    Activation,
    ResidualSum,   ///< residual stream after a block
    Loss,          ///< loss of the preceding logits
    GatheredOrder, ///< gathered tensor after the copy that reorders it
    GradientSum,   ///< gradients added to those of earlier micro-batches; no tensor
  };
  const char* name = ""; ///< "qkv", "core attention", "mlp up"
  const char* of = ""; ///< operator or block to which it belongs, if names repeat: "qkv" for "cast"
  OperatorKind kind = OperatorKind::Streaming;
  OperatorResult result = OperatorResult::Activation;
  ir::ModuleKind module = ir::ModuleKind::Mlp;    ///< innermost recompute module
  ir::ModuleKind enclosing = ir::ModuleKind::Mlp; ///< for an Activation: Mlp, Moe or SharedExperts
  ir::DataType type = ir::DataType::BF16;
  /// Work in each direction. FLOP count all scores of causal attention.
  Work forward, backwardInput, backwardWeight;
  /// FLOP that run divided by FLOP counted. A causal fused kernel runs ½ forward and 1.25 times
  /// that backward, because it recomputes the scores.
  double executed = 1, executedBackward = 1;
  /// Dimensions of one GEMM; `m` is the sequence of an Attention; 0 means no dimension.
  double m = 0, n = 0, k = 0;
  double saved = 0;          ///< bytes of its outputs that the backward pass needs
  unsigned savedTensors = 1; ///< number of tensors of equal size that `saved` counts
  double internal = 0;       ///< bytes saved only for its own backward pass
  double unsavedOutput =
      0;                ///< bytes of an output that no backward pass needs, but a policy may save
  double temporary = 0; ///< temporary bytes while it runs
  double products = 1;  ///< number of separate GEMMs if the framework does not fuse them
  double alternate = 0; ///< share of it in every second GEMM of its layer
  double weights = 0;   ///< elements of its weights: k × n of each copy
  double parts = 1;     ///< matrices side by side in its columns, as queries, keys and values
  bool frozen = false, quantized = false; ///< its weights are not trained; they are dequantized
  bool adapter = false;                   ///< its weights are those of a low-rank adapter
  bool endsModel = false;   ///< its weights belong to the head, not to the layer that runs it
  bool blockScaled = false; ///< partial sums of blocks are scaled and added in registers
  unsigned kernels = 1;     ///< kernels per forward pass, and per gradient in the backward pass
  bool recomputable = true; ///< recomputed when its layer or module is
  bool experts = false;     ///< runs on tokens between dispatch and combine
  bool routed = false;      ///< the shape of its tensors depends on token routing
  /// The output, or a tensor computed from it, was received from other expert ranks.
  bool exchanged = false;
};

/// The division of a layer: tokens of one micro-batch on one device, and the degrees that divide
/// it.
struct Division {
  double tokens = 0; ///< micro_batch × context / context_parallel; samples for a layer list
  double sequence =
      0; ///< tokens of a sequence, or of a packed document; attention is quadratic in it
  std::uint64_t tensor = 1, context = 1, expert = 1, expertTensor = 1;
  bool sequenceParallel = false, scattersMessages = false, fusedAttention = true;
  /// Tensor ranks copy tensors into order before a scatter along the sequence and after a gather
  /// along it. A gather of one sequence is in order already.
  bool copiesScattered = false, copiesGathered = false;
  bool saveGathered = false; ///< tensors gathered along the sequence are saved unsharded
  /// Bytes per weight element of the kernels that add micro-batch gradients to those of the step; 0
  /// if the GEMMs add them.
  double sums = 0;
  bool captured = false; ///< CUDA graphs launch the kernels whose shapes are the same in every pass
  ir::CommunicationOptions communication; ///< `earlyStop` is set if recomputation stops early here
  ir::Kernels kernels;
  ir::DataType compute = ir::DataType::BF16, head = ir::DataType::BF16;
  ir::Fp8Recipe recipe = ir::Fp8Recipe::Delayed; ///< scaling of fp8 operands
  /// fp8 GEMMs read a copy of each operand in both orders of rows and columns.
  bool transposedCopies = true;
  std::uint64_t vocab = 0; ///< padded size
  /// Counts the model's FLOP instead of a device's: experts have no padded rows, and ranks are
  /// balanced.
  bool ofModel = false;
  /// A bit for each operator whose output the policy saves or offloads; 0 without a policy.
  unsigned savedOperators = 0;
  bool saves(ir::SavedOperator op) const {
    return (savedOperators >> static_cast<unsigned>(op) & 1U) != 0;
  }
  /// Whether the policy saves quantized GEMM operands for the backward pass. The framework must
  /// have a name for them (namesQuantized).
  bool savesQuantized = false;
  /// The frozen parts and the adapters; null if all weights are trained.
  const ir::FineTuning* tuning = nullptr;
  /// Ways that a saved quantized weight is divided; 0 if the parameters themselves are quantized.
  std::uint64_t weightRanks = 1;
  /// Number of ranks that divide the residual stream: `tensor` with sequence parallelism, otherwise
  /// 1.
  double residualSplit() const { return sequenceParallel ? static_cast<double>(tensor) : 1.0; }
  /// Number of ranks that divide a message between stages: `tensor` if each rank sends a slice of a
  /// residual stream that all of them have (`shard.messages`), or with sequence parallelism.
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
/// Operators that an MTP layer adds to a layer of the last type: two norms and the projection that
/// joins both inputs. Its loss is a second headOperators().
std::vector<OperatorCost> predictionOperators(const ir::Model& m, const Division& d);
/// Whether recomputation of a whole layer stops before its last GEMM.
bool stopsEarly(const ir::Model& m, const ir::LayerType& c, const Division& d);
/// Elements of a layer's keys and values on one device that context ranks exchange. If
/// `communication_options.context_exchange` repeats keys per head, all heads count. With an indexer
/// they are the latents of all heads and the indexer's keys.
double exchangedKeys(const ir::LayerType& c, const Division& d);
/// Bytes of an activation element: 2 for 8-bit and 4-bit compute types, whose GEMMs write bf16.
double activationBytes(ir::DataType t);
/// Tokens of a micro-batch that a rank routes to experts.
double routedTokens(const Division& d);
/// Rows of tokens in a micro-batch for all routed experts of the busiest device. Every rank sends
/// `active` copies of its tokens.
double expertRows(const ir::FeedForward& f, const Division& d);
/// Rows that a device gathers from the expert-tensor ranks: the rows of its experts, or with the
/// all-gather dispatcher the tokens of all ranks.
double gatheredRows(const ir::FeedForward& f, const Division& d);
/// Largest number of rows that an expert accepts from a rank that sends `even` rows on average:
/// ⌈capacity × even⌉.
double capacityRows(double even, const ir::FeedForward& f);
/// Rows of the busiest rank divided by the mean, if each rank sends `sent` rows. This is the
/// imbalance, at most min(ranks, experts / active), and at most ⌈capacity × even share⌉ with a
/// capacity, which drops further rows. Padded experts have exactly the capacity. If tokens choose
/// at random, it is the median of the draws (Routing.h).
double shareOfBusiest(const ir::FeedForward& f, const Division& d, double sent);

/// The mean number of units (ranks, nodes) to which the copies of a token go, if each of `units`
/// has equally many consecutive experts. A token chooses evenly among the experts of `group_limit`
/// router groups: k even choices of u units reach u(1 − (1 − 1/u)^k) units.
double distinctUnits(const ir::FeedForward& f, double units);

/// Key-value heads of grouped attention per tensor rank. If there are fewer heads than ranks, heads
/// are copied.
double keyValueHeadsOn(const ir::Attention& a, std::uint64_t tensor);

/// Parameters in elements. `dense` is split over tensor, `experts` over expert × expert tensor.
struct ParameterCount {
  double dense = 0, experts = 0;
  double replicated = 0;    ///< part of `dense` not divided by tensor (norm gains, router)
  double expertBiases = 0;  ///< part of `experts` not divided by expert tensor: output biases
  double keyValue = 0;      ///< part of `dense`: projections to keys and values
  double keyValueHeads = 0; ///< number of key-value heads; 0 without heads
  /// Elements on one device.
  double denseOn(std::uint64_t tensor) const;
  double expertsOn(const Division& d) const {
    const auto ways = static_cast<double>(d.expert), parts = static_cast<double>(d.expertTensor);
    return (experts - expertBiases) / (ways * parts) + expertBiases / ways;
  }
  /// Adds parts of a layer: at most one of the two has key-value heads.
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
/// An MTP layer: a layer of the last type, two norms, a projection and a final norm. It shares
/// embedding and head.
ParameterCount predictionParameters(const ir::Model& m);
/// Parameters of the whole model with its vocabulary unpadded and without MTP layers, as papers
/// count them.
double totalParameters(const ir::Model& m);
/// Parameters that one token uses: all except the experts to which it is not routed.
double activeParameters(const ir::Model& m);

/// Consecutive layers of one type.
struct LayerSpan {
  std::uint64_t layerType = 0, count = 0;
};

/// Forward FLOP of the model per token (per sample for a layer list), without recomputation.
struct ModelFlop {
  double all = 0;      ///< with all scores of causal attention, as PaLM counts
  double backward = 0; ///< those of the backward pass: frozen weights have no gradients
  double masked = 0;   ///< the part of `all` for scores that a causal mask leaves out
};
/// Experts count the rows of tokens that they keep: neither padding nor rows that a capacity drops.
/// `dropped` is the share of rows that a capacity drops under random routing. `layout` sets frozen
/// weights, adapters and the length of packed documents.
ModelFlop modelFlopPerToken(const ir::Model& m, double dropped = 0,
                            const ir::Layout* layout = nullptr);
/// Tokens that a token may attend to: those of its sequence, or of its packed document.
double attendedTokens(const ir::Model& m, const ir::Layout& layout);

} // namespace dpl::cost
