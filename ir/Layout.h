#pragma once
//===- Layout.h - The layout that the user asks for; nothing is computed ----------------------===//
#include "ir/Basics.h"
#include "ir/FineTuning.h"
#include "ir/MeshRequest.h"
#include "ir/Placement.h"
#include "ir/Recompute.h"
#include "support/OutOfLine.h"

namespace dpl::ir {

enum class BatchUnitKind : std::uint8_t { Sequences, Samples };
enum class ScheduleKind : std::uint8_t {
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) KIND,
#include "ir/Schedules.def"
};
/// Number of rows in Schedules.def; tables with one entry per schedule have this length.
constexpr std::size_t scheduleCount = 0
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) +1
#include "ir/Schedules.def"
    ;
/// The placement of a schedule, and its chunks per rank; 0 if the layout sets them.
PlacementKind placementOf(ScheduleKind kind);
std::uint64_t chunksOf(ScheduleKind kind);

enum class SplitKind : std::uint8_t { Even, Balanced, ByFlop, ByParameters, Listed };
enum class ShardAxis : std::uint8_t { None, Data, Tensor };
enum class KernelKind : std::uint8_t { Fused, Separate };
enum class LossKind : std::uint8_t { Fused, Compiled, InPlace, Copied, Eager, Chunked };
enum class DispatchKind : std::uint8_t { AllToAll, DeepEp, HybridEp, AllGather };
/// How context ranks exchange keys and values.
enum class KeyExchangeKind : std::uint8_t { Ring, Gathered, Heads };
enum class Fp8Recipe : std::uint8_t { Tensorwise, Delayed, Rowwise, Blockwise };
enum class OptimizerKind : std::uint8_t { AdamW, Adam, Sgd, Muon, AdamW8Bit, Adafactor, Lion };
/// What tensor ranks orthogonalize of a divided matrix: all of it on each rank, or each its part.
enum class MuonTensorMode : std::uint8_t { Duplicated, Blockwise };

struct Shard {
  ShardAxis parameters = ShardAxis::None, gradients = ShardAxis::None, optimizer = ShardAxis::None,
            sequence = ShardAxis::None, messages = ShardAxis::None;
  bool reshard = true;
  bool sequenceGiven = false; ///< false: `mesh = auto` may choose it
  /// ZeRO stage: 3 parameters, 2 gradients, 1 optimizer state, 0 nothing.
  unsigned stage() const;
  /// Whether tensor ranks with an unsharded residual stream each send a slice of it.
  bool scattersMessages(std::uint64_t tensor) const {
    return messages == ShardAxis::Tensor && sequence != ShardAxis::Tensor && tensor > 1;
  }
  template <class V> void fields(V& v) {
    v("parameters", parameters), v("gradients", gradients), v("optimizer", optimizer);
    v("sequence", sequence), v("sequence_given", sequenceGiven), v("messages", messages);
    v("reshard_after_forward", reshard);
  }
};

struct Precision {
  DataType compute = DataType::BF16, parameters = DataType::BF16, gradients = DataType::FP32,
           reduce = DataType::FP32, master = DataType::FP32, moments = DataType::FP32;
  Fp8Recipe recipe = Fp8Recipe::Tensorwise; ///< recipe of fp8 compute
  bool hasMaster = true;
  /// `precision.module["head"].compute`; if not set, compute (bf16 for fp8 plans)
  DataType head = DataType::BF16;
  template <class V> void fields(V& v) {
    v("compute", compute), v("parameters", parameters), v("gradients", gradients);
    v("reduce", reduce), v("has_master_weights", hasMaster);
    v("master_weights", master), v("moments", moments), v("head", head);
    if (compute == DataType::FP8)
      v("recipe", recipe);
  }
};

enum class LearningRateKind : std::uint8_t { Constant, Cosine, Linear };

/// `lr = cosine { peak = 8e-5, end = 8e-7, warmup = 8000step }`. A constant rate is in `peak`.
struct LearningRate {
  bool given = false;
  LearningRateKind kind = LearningRateKind::Constant;
  double peak = 0, end = 0;
  std::uint64_t warmup = 0; ///< steps of warm-up
  template <class V> void fields(V& v) {
    v("given", given), v("kind", kind), v("peak", peak), v("end", end), v("warmup", warmup);
  }
};

/// Settings that only back ends use. Settings of other optimizers keep their defaults.
struct OptimizerSettings {
  double beta1 = 0.9, beta2 = 0.95; ///< for AdamW, Adam and Lion
  double weightDecay = 0;           ///< for AdamW, Muon and Lion
  double momentum = 0;              ///< for Sgd and Muon
  LearningRate learningRate;
  template <class V> void fields(V& v) {
    v("beta1", beta1), v("beta2", beta2), v("weight_decay", weightDecay), v("momentum", momentum);
    v("learning_rate", learningRate);
  }
};

struct Overlap {
  bool gradients = true, parameters = true, pipeline = true, tensor = false, experts = false;
  template <class V> void fields(V& v) {
    v("gradients", gradients), v("parameters", parameters), v("pipeline", pipeline);
    v("tensor", tensor), v("experts", experts);
  }
};

enum class SynchronizationKind : std::uint8_t {
  Barrier,
  Local,
  Backup,
  Bounded,
  Asynchronous,
  Detached,
  Hierarchical
};
/// The handling of gradients older than the bound of Bounded: their worker waits, or they are
/// dropped when they arrive.
enum class LateGradients : std::uint8_t { Wait, Reject };
enum class LoadBalancingKind : std::uint8_t { Equal, Proportional, Adaptive };
enum class ThrottlingKind : std::uint8_t { None, Fixed, Feedback };
/// Servers that receive the gradients of data ranks; each has a part of the parameters.
struct ParameterServers {
  std::uint64_t count = 1, pieces = 1;
  bool duplex = true;
  double hottestShare = 0; ///< share of all bytes at the busiest server; 0: equal shares
  double density = 1;      ///< share of the elements that are sent
  template <class V> void fields(V& v) {
    v("count", count), v("slices", pieces), v("full_duplex", duplex),
        v("busiest_share", hottestShare);
    v("density", density);
  }
};

/// Synchronization of data ranks if it is not a barrier after each step.
struct DataRanks {
  SynchronizationKind synchronization = SynchronizationKind::Barrier;
  std::uint64_t bound = 0; ///< steps for Local, Bounded and Hierarchical, workers for Backup
  /// Number of steps after which the ranks of one `among` unit meet, for Hierarchical.
  std::uint64_t inner = 1;
  Level among = Level::Node;
  LateGradients late = LateGradients::Wait; ///< for Bounded; with Reject `bound` counts updates
  LoadBalancingKind loadBalancing = LoadBalancingKind::Equal;
  ThrottlingKind throttling = ThrottlingKind::None;
  std::uint64_t delay = 0; ///< ps: the delay of Fixed, the first change of Feedback
  AtMostOne<ParameterServers> servers;
  template <class V> void fields(V& v) {
    v("synchronization", synchronization), v("staleness", bound), v("inner_period", inner),
        v("inner_level", among);
    if (synchronization == SynchronizationKind::Bounded)
      v("late", late);
    v("batch_balancing", loadBalancing), v("throttling", throttling), v("delay", delay),
        v("parameter_servers", servers);
  }
};

enum class CompressionKind : std::uint8_t { None, TopK, Quantised, LowRank };
/// Gradient compression between data ranks.
struct Compression {
  CompressionKind kind = CompressionKind::None;
  double density = 1;        ///< TopK: share of the values that is sent
  std::uint64_t bits = 8;    ///< Quantised: bits of a value
  std::uint64_t block = 256; ///< Quantised: values that share a scale
  std::uint64_t rank = 1;    ///< LowRank: rank of the two factors of a matrix
  bool feedback = true;      ///< adds the error of compression to the gradients of the next step
  std::uint64_t coding = 0;  ///< bits/s at which a device codes gradients; 0: limited by its memory
  template <class V> void fields(V& v) {
    v("kind", kind), v("density", density), v("bits", bits), v("block", block), v("rank", rank);
    v("error_feedback", feedback), v("throughput", coding);
  }
};

/// Implementation of the operators around the GEMMs.
struct Kernels {
  KernelKind norm = KernelKind::Fused, rotary = KernelKind::Fused, activation = KernelKind::Fused;
  LossKind loss = LossKind::InPlace;
  KernelKind permutation = KernelKind::Separate, router = KernelKind::Separate; ///< for experts
  DispatchKind dispatch = DispatchKind::AllToAll;
  bool dispatchFp8 = false; ///< DeepEP sends tokens in 8 bits and returns them in 16
  template <class V> void fields(V& v) {
    v("norm", norm), v("rotary", rotary), v("activation", activation), v("loss", loss);
    v("permutation", permutation), v("router", router), v("token_dispatcher", dispatch);
    v("token_dispatcher_fp8", dispatchFp8);
  }
};

/// Tensors that a framework allocates in addition to those of the layout.
struct Buffers {
  bool hasBuckets = false; ///< a second copy of every gradient for the data-parallel reduction
  /// Gradients of one micro-batch, summed at the end of its action.
  bool hasMicroBatchGradients = false;
  /// With sharded gradients: gradients of a chunk, summed unsharded and scattered once per step.
  bool hasWholeGradients = false;
  /// With a sharded optimizer state: a flat copy of the rank's gradients during the optimizer step.
  bool hasUpdateGradients = false;
  DataType buckets = DataType::BF16, microBatchGradients = DataType::BF16,
           wholeGradients = DataType::FP32, updateGradients = DataType::FP32;
  std::uint64_t gathered = 0; ///< permanent tensors for all-gathers over tensor ranks
  bool saveGathered = false;  ///< gathered tensors are saved for the backward pass
  bool flatUpdate = false;    ///< updated parameters are all-gathered through flat copies
  bool keepEndsGathered =
      false;                 ///< sharded parameters outside of layers stay gathered during a step
  bool keepMessages = false; ///< a receive buffer for each micro-batch and neighbour
  bool expandableSegments = false; ///< PyTorch's allocator has one growing segment per block size
  template <class V> void fields(V& v) {
    v("has_gradient_buckets", hasBuckets), v("gradient_buckets", buckets);
    v("has_micro_batch_gradients", hasMicroBatchGradients),
        v("micro_batch_gradients", microBatchGradients);
    v("has_unsharded_gradients", hasWholeGradients), v("unsharded_gradients", wholeGradients);
    v("sequence_gather_buffers", gathered), v("save_gathered_inputs", saveGathered),
        v("flat_parameter_gather", flatUpdate);
    v("has_optimizer_gradients", hasUpdateGradients), v("optimizer_gradients", updateGradients);
    v("keep_root_unsharded", keepEndsGathered), v("receive_buffer_per_micro_batch", keepMessages);
    v("expandable_segments", expandableSegments);
  }
};

/// State in host memory between its uses.
struct Offload {
  std::uint64_t layers = 0; ///< layers per chunk whose activations are offloaded
  double optimizer = 0;     ///< share of the optimizer state, which the host updates
  bool gradients = false;   ///< each action sends its reduced gradients, and the host sums them
  bool parameters = false;  ///< each gather fetches a rank's shard from the host
  bool operator==(const Offload&) const = default;
  template <class V> void fields(V& v) {
    v("layers", layers), v("optimizer", optimizer);
    v("gradients", gradients), v("parameters", parameters);
  }
};

/// The release of NCCL whose communicators hold device memory (cost/memory/OutsideTensors.h).
enum class CommunicatorRelease : std::uint8_t { None, Nccl2_18, Nccl2_21, Nccl2_22 };

/// How a framework implements collectives, grouped GEMMs and recomputation.
struct CommunicationOptions {
  std::uint64_t checks = 0; ///< ps in which the host checks a collective, per rank
  bool owners = false;      ///< each tensor of a sharded optimizer state belongs to one rank
  KeyExchangeKind keys = KeyExchangeKind::Ring;
  /// For Gathered: keys and values are repeated per head; computation waits for each exchange.
  bool keysRepeated = false, keysCompiled = false;
  /// Scatters and gathers along the sequence need copies, as prelude.dpl explains.
  bool stacked = false;
  bool groupedExperts = false; ///< one kernel runs the GEMMs of all experts of a rank
  bool earlyStop = false; ///< recomputation of a layer stops when its backward pass has its inputs
  bool operator==(const CommunicationOptions&) const = default;
  template <class V> void fields(V& v) {
    v("consistency_check", checks), v("tensor_owners", owners), v("context_exchange", keys);
    v("repeat_kv", keysRepeated), v("context_exchange_compiled", keysCompiled);
    v("scatter_gather_copies", stacked), v("grouped_experts", groupedExperts),
        v("early_stop", earlyStop);
  }
};

/// `schedule = custom { … }`: the user's schedule of each pipeline rank. ir/ListedActions.h parses
/// the texts.
struct CustomSchedule {
  PlacementKind placement = PlacementKind::Looped;
  std::vector<std::string> ranks;
  std::uint64_t microBatches = 0; ///< micro-batches in the schedules
  bool operator==(const CustomSchedule&) const = default;
  template <class V> void fields(V& v) {
    v("placement", placement), v("micro_batches", microBatches), v("actions", ranks);
  }
};

struct Layout {
  DPL_SPECIAL_MEMBERS(Layout);
  std::string name;
  std::uint64_t devices = 0; ///< devices of the cluster that it uses; 0: all
  MeshRequest mesh;
  BatchUnitKind batchUnit = BatchUnitKind::Sequences;
  std::uint64_t batch = 0;        ///< sequences or samples per step, over all replicas
  std::uint64_t microBatch = 1;   ///< sequences or samples per forward pass of one replica
  bool scheduleAutomatic = false; ///< `schedule = auto`: the next three fields are chosen
  ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
  std::uint64_t chunks = 1; ///< model chunks per pipeline rank
  /// Largest number of in-flight micro-batches per rank, for a schedule with a limit.
  std::uint64_t inFlight = 0;
  std::uint64_t group = 0; ///< micro-batches per group, for interleaving only; 0: as many as ranks
  /// The schedule that is executed: interleaving with one chunk per rank is plain 1F1B.
  ScheduleKind executedSchedule() const {
    return schedule == ScheduleKind::Interleaved && chunks == 1
               ? ScheduleKind::OneForwardOneBackward
               : schedule;
  }
  CustomSchedule customSchedule; ///< for ScheduleKind::Listed
  /// Relative compute costs of micro-batches in whole numbers, repeated if there are more
  /// micro-batches. Empty: all costs are equal (ir/MicroBatchCosts.h).
  std::vector<std::uint64_t> microBatchCosts;
  /// The custom schedule, or null.
  const CustomSchedule* customScheduleOrNull() const {
    return schedule == ScheduleKind::Listed ? &customSchedule : nullptr;
  }
  PlacementKind placement() const {
    return customScheduleOrNull() ? customSchedule.placement : placementOf(schedule);
  }
  SplitKind split = SplitKind::Even;
  /// Layers per stage, or per chunk in model order, for Listed.
  std::vector<std::uint64_t> splitLayers;
  std::uint64_t embeddingSlots = 0, headSlots = 0;
  Recompute recompute;
  Shard shard;
  Precision precision;
  OptimizerKind optimizer = OptimizerKind::AdamW;
  OptimizerSettings optimizerSettings;
  MuonTensorMode muonTensorMode = MuonTensorMode::Duplicated; ///< for Muon
  AtMostOne<FineTuning> fineTuning;                           ///< none: all weights are trained
  const FineTuning* fineTuningOrNull() const {
    return fineTuning.empty() ? nullptr : &fineTuning.front();
  }
  AtMostOne<Documents> documents; ///< none: each sequence is one document
  Overlap overlap;
  AtMostOne<DataRanks> dataRanks;
  AtMostOne<Compression> compression;
  AtMostOne<Offload> offload;
  CommunicatorRelease communicators = CommunicatorRelease::None;
  AtMostOne<CommunicationOptions> communicationOptions; ///< empty: the defaults
  CommunicationOptions communication() const {
    return communicationOptions.empty() ? CommunicationOptions() : communicationOptions.front();
  }
  /// The state in host memory; none by default.
  Offload offloadSettings() const { return offload.empty() ? Offload() : offload.front(); }
  /// Whether anything is offloaded to host memory.
  bool offloads() const { return !offload.empty() || !recompute.offloaded.empty(); }
  bool bucketAutomatic = false; ///< `gradient_bucket_size = auto`: the next field is chosen
  /// Largest number of bytes of one gradient reduction; 0: one reduction per layer, of any size.
  std::uint64_t gradientBucket = 0;
  std::uint64_t vocabMultiple = 128;
  bool fusedAttention = true; ///< attention scores are never written to device memory
  Kernels kernels;
  Buffers buffers;
  bool launchBlocking = false; ///< the host waits for each kernel, so nothing overlaps
  bool graphs = false; ///< kernels are launched from CUDA graphs, so nothing is launch-bound
  /// The update does not wait for other pipeline ranks: the gradient norm is checked afterwards,
  /// and a rank begins its next step when it has ended this one.
  bool postValidation = false;
  bool setsUpdateTime = false; ///< the file sets the time of the optimizer update
  std::uint64_t update = 0;    ///< ps of the optimizer update
  std::string notes; ///< notes from the file for the report; not printed and not part of the hash
  bool microBatchGiven = false;     ///< false: `mesh = auto` may choose it
  bool microBatchAutomatic = false; ///< `micro_batch = auto` without `mesh = auto`
  /// The location at which each field was last set, by path ("mesh.tensor", "model.heads",
  /// "cluster.nodes"; "" is the block itself), for messages; not printed.
  FieldRanges ranges;
  /// The range of the path, or of the nearest enclosing one.
  SourceRange rangeOf(const std::string& path) const;

  template <class V> void fields(V& v) {
    v("name", name), v("devices", devices), v("mesh", mesh), v("batch_unit", batchUnit),
        v("batch", batch);
    v("micro_batch", microBatch), v("micro_batch_given", microBatchGiven);
    v("micro_batch_automatic", microBatchAutomatic);
    v("schedule_automatic", scheduleAutomatic);
    v("schedule", schedule), v("chunks", chunks), v("in_flight", inFlight);
    if (schedule == ScheduleKind::Interleaved)
      v("micro_batch_group", group);
    if (schedule == ScheduleKind::Listed)
      v("custom", customSchedule);
    v("micro_batch_costs", microBatchCosts);
    v("split", split), v("split_layers", splitLayers), v("embedding_slots", embeddingSlots),
        v("head_slots", headSlots);
    v("recompute", recompute), v("shard", shard), v("precision", precision);
    v("optimizer", optimizer), v("optimizer_settings", optimizerSettings), v("overlap", overlap),
        v("vocab_multiple", vocabMultiple);
    if (optimizer == OptimizerKind::Muon)
      v("muon_tensor_mode", muonTensorMode);
    v("fine_tuning", fineTuning), v("documents", documents);
    v("fused_attention", fusedAttention), v("kernels", kernels), v("buffers", buffers);
    v("gradient_bucket_automatic", bucketAutomatic), v("gradient_bucket_size", gradientBucket);
    v("launch_blocking", launchBlocking), v("cuda_graphs", graphs),
        v("post_validation", postValidation), v("data_synchronization", dataRanks);
    v("compression", compression), v("offload", offload),
        v("communication_options", communicationOptions), v("communicators", communicators);
    v("has_optimizer_time", setsUpdateTime), v("optimizer_time", update);
  }
};

/// The place in the file that sets a threshold.
struct LintOrigin {
  std::string field, place;
  template <class V> void fields(V& v) { v("field", field), v("place", place); }
};

/// Thresholds of advice.
struct Lint {
#define LINT(MEMBER, FIELD, DEFAULT) double MEMBER = DEFAULT;
#include "ir/Lint.def"
  std::vector<LintOrigin> origins; ///< of the thresholds that the file sets
  /// The origin of a threshold, for messages.
  std::string originOf(llvm::StringRef field) const;
  template <class V> void fields(V& v) {
#define LINT(MEMBER, FIELD, DEFAULT) v(FIELD, MEMBER);
#include "ir/Lint.def"
    v("origin", origins);
  }
};

} // namespace dpl::ir
