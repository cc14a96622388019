//===- Names.cpp - The spelling of each enumeration of the plan -------------------------------===//
#include "ir/Names.h"
#include <cassert>

using namespace dpl;
using namespace dpl::ir;

// One function per enumeration. `LAST` is its last enumerator, so that a new one without a spelling
// does not compile.
#define NAMES(TYPE, LAST, ...)                                                                     \
  llvm::ArrayRef<const char*> ir::namesOf(TYPE) {                                                  \
    static constexpr const char* all[] = {__VA_ARGS__};                                            \
    static_assert(std::size(all) == static_cast<std::size_t>(TYPE::LAST) + 1,                      \
                  "a spelling for each enumerator");                                               \
    return all;                                                                                    \
  }

NAMES(DataType, NVFP4, "fp32", "tf32", "bf16", "fp16", "fp8", "mxfp8", "nvfp4")
NAMES(Level, Pool, "gpu", "node", "domain", "leaf", "pod", "site", "cluster", "node_pool")
NAMES(LinkKind, Site, "scale_up", "port", "host", "network", "leaf", "pod", "spine", "site")
NAMES(JitterKind, Measured, "none", "lognormal", "gamma", "exponential", "pareto", "bimodal",
      "measured")
NAMES(CollectiveLibrary, Nccl, "closed_form", "nccl")
NAMES(Axis, ExpertTensor, "replica", "pipeline", "data", "context", "tensor", "expert_data",
      "expert", "expert_tensor")
NAMES(AttentionKind, Latent, "none", "grouped", "mla")
NAMES(AttentionGate, Head, "element", "head")
NAMES(RecurrenceKind, ShortConvolution, "gated_delta", "lightning", "mamba2", "short_conv")
NAMES(FeedForwardKind, Experts, "none", "plain", "gated", "experts")
NAMES(PopularityKind, LogNormal, "even", "uniform", "pareto", "lognormal")
NAMES(NormKind, Layer, "rms", "layer")
NAMES(QkNorm, L2, "none", "head", "each_head", "projection", "l2")
NAMES(PositionKind, None, "rotary", "learned", "alibi", "none")
NAMES(RotaryScalingKind, Yarn, "none", "linear", "llama3", "yarn")
NAMES(Activation, Xielu, "silu", "relu", "squared_relu", "gelu", "gelu_tanh", "quick_gelu", "xielu")
NAMES(Balance, Sinkhorn, "unspecified", "none", "aux_loss", "seq_aux_loss", "global_aux_loss",
      "sinkhorn")
NAMES(RouterScore, Sigmoid, "softmax", "sigmoid")
NAMES(DropPolicy, Last, "probs", "position")
NAMES(BatchUnitKind, Samples, "sequences", "samples")
NAMES(CandidateOutcome, Refused, "chosen", "slower", "breaks_assert", "no_headroom",
      "out_of_memory", "illegal", "refused")
NAMES(PlacementKind, Bidirectional, "linear", "looped", "v_shaped", "bidirectional")
NAMES(SplitKind, Listed, "even", "balanced", "by_flop", "by_parameters", "stages")
NAMES(RecomputeKind, Saved, "none", "selective", "full", "save_only")
NAMES(SavedOperator, Quantization, "input", "qkv_proj", "context", "out_proj", "up_proj",
      "down_proj", "quantization")
NAMES(RecomputeMethod, Block, "uniform", "block")
NAMES(KernelKind, Separate, "fused", "unfused")
NAMES(LossKind, Chunked, "fused", "compiled", "in_place", "copied", "eager", "chunked")
NAMES(ModuleKind, AlternateProducts, "core_attention", "attention", "mlp", "norm", "activation",
      "moe", "shared_experts", "mla_up", "every_other_matmul")
NAMES(DispatchKind, AllGather, "alltoall", "deepep", "hybridep", "allgather")
NAMES(KeyExchangeKind, Heads, "ring", "all_gather", "ulysses")
NAMES(Fp8Recipe, Blockwise, "tensorwise", "delayed", "rowwise", "blockwise")
NAMES(ShardAxis, Tensor, "none", "data", "tensor")
NAMES(OptimizerKind, Lion, "adamw", "adam", "sgd", "muon", "adamw_8bit", "adafactor", "lion")
NAMES(MuonTensorMode, Blockwise, "duplicated", "blockwise")
NAMES(ModelPart, Head, "embedding", "attention", "ffn", "experts", "router", "norm", "head")
NAMES(AdapterModule, Down, "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj",
      "down_proj")
NAMES(FrozenFormat, NF4, "parameters", "fp32", "bf16", "fp16", "int8", "nf4")
NAMES(LearningRateKind, Linear, "constant", "cosine", "linear")
NAMES(ViaKind, Mpirun, "torchrun", "slurm", "kubernetes", "mpirun")
NAMES(RendezvousKind, C10d, "static", "c10d")
NAMES(KubernetesJobKind, JobSet, "trainjob", "pytorchjob", "jobset")
NAMES(CheckpointMode, Incremental, "blocking", "async", "peers", "multi_level", "incremental")
NAMES(SynchronizationKind, Hierarchical, "barrier", "local", "backup", "bounded", "asynchronous",
      "detached", "hierarchical")
NAMES(LateGradients, Reject, "wait", "reject")
NAMES(GoalKind, LossValue, "distance", "loss", "loss_value")
NAMES(StalenessSource, Uniform, "simulated", "fixed", "uniform")
NAMES(StalenessWeight, InverseStep, "none", "inverse", "inverse_step")
NAMES(MomentumForm, Average, "sum", "average")
NAMES(NumberFormat, E2M1, "fp32", "fp16", "bf16", "e4m3", "e5m2", "e2m1")
NAMES(SumOrder, Ring, "left_to_right", "right_to_left", "pairwise", "ring")
NAMES(LossScaleKind, Dynamic, "fixed", "dynamic")
NAMES(LoadBalancingKind, Adaptive, "equal", "proportional", "adaptive")
NAMES(ThrottlingKind, Feedback, "none", "fixed", "feedback")
NAMES(SpaceKind, Study, "search", "study")
NAMES(Scaling, FixedPerWorkerBatch, "fixed_global_batch", "fixed_per_worker_batch")
NAMES(SamplingKind, Random, "grid", "zip", "random")
NAMES(SimulationLevel, Message, "action", "collective", "message")
NAMES(Operation, If, "constant", "result", "multiply", "divide", "remainder", "add", "subtract",
      "min", "max", "negate", "equal", "not_equal", "less_equal", "greater_equal", "less",
      "greater", "in", "and", "or", "not", "if")
NAMES(ActionKind, Optimizer, "forward", "backward", "backward_input", "backward_weight",
      "recomputation", "paired_forward", "collective", "wait", "optimizer")
NAMES(Stream, Data, "compute", "tensor", "context", "expert", "data")
NAMES(SegmentKind, Wait, "compute", "collective", "wait")
NAMES(ComputeKind, Varying, "none", "embedding", "layer", "recomputation", "mtp", "head",
      "compression", "offload", "drawn")
NAMES(CommunicatorRelease, Nccl2_22, "none", "nccl_2_18", "nccl_2_21", "nccl_2_22")
NAMES(CompressionKind, LowRank, "none", "top_k", "quantized", "low_rank")
NAMES(MicroBatchSelection, Last, "every", "first", "last")
NAMES(CollectiveKind, Reduce, "all_reduce", "reduce_scatter", "all_gather", "all_to_all",
      "send_receive", "broadcast", "reduce")
NAMES(CollectivePurpose, MomentumGather, "tensor_activation", "context_kv", "expert_tokens",
      "pipeline_activation", "gradient_reduce", "parameter_gather", "embedding_gradient",
      "momentum_gather")
#undef NAMES

llvm::ArrayRef<const char*> ir::namesOf(ScheduleKind) {
  static constexpr const char* all[] = {
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) NAME,
#include "ir/Schedules.def"
  };
  return all;
}

llvm::ArrayRef<const char*> ir::namesOf(Algorithm) {
  static constexpr const char* all[] = {
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) SPELLING,
#include "ir/Algorithms.def"
  };
  return all;
}
llvm::ArrayRef<const char*> ir::namesOf(AlgorithmChoice) {
  static constexpr const char* all[] = {
      "fastest",
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) SPELLING,
#include "ir/Algorithms.def"
  };
  return all;
}

const char* ir::name(Axis a) { return name<Axis>(a); }
const char* ir::name(Level l) { return name<Level>(l); }
const char* ir::name(DataType t) { return name<DataType>(t); }

std::uint64_t ir::bitsOf(DataType t) {
  switch (t) {
  case DataType::FP32:
  case DataType::TF32:
    return 32;
  case DataType::BF16:
  case DataType::FP16:
    return 16;
  case DataType::FP8:
  case DataType::MXFP8:
    return 8;
  case DataType::NVFP4:
    return 4;
  }
  assert(false && "every data type has a width");
  return 0;
}
