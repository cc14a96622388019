#pragma once
//===- Layout.h - How: what the user asked for, nothing computed ------------------------------===//
#include "ir/Basics.h"
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
/// Rows of Schedules.def: whoever answers for each schedule has an array of this length.
constexpr std::size_t scheduleCount = 0
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) +1
#include "ir/Schedules.def"
    ;
/// Of a row of Schedules.def: where it puts the stages, and how many chunks a rank has; 0 where the
/// layout says.
PlacementKind placementOf(ScheduleKind kind);
std::uint64_t chunksOf(ScheduleKind kind);

enum class SplitKind : std::uint8_t { Even, Balanced, ByFlop, ByParameters, Listed };
enum class ShardAxis : std::uint8_t { None, Data, Tensor };
enum class KernelKind : std::uint8_t { Fused, Separate };
enum class LossKind : std::uint8_t { Fused, Compiled, InPlace, Copied, Eager, Chunked };
enum class DispatchKind : std::uint8_t { AllToAll, DeepEp, HybridEp, AllGather };
/// How context ranks come by what attention needs of the others.
enum class KeyExchangeKind : std::uint8_t { Ring, Gathered, Heads };
enum class Fp8Recipe : std::uint8_t { Tensorwise, Delayed, Rowwise, Blockwise };
enum class OptimizerKind : std::uint8_t { AdamW, Adam, Sgd };

struct Shard {
  ShardAxis parameters = ShardAxis::None, gradients = ShardAxis::None, optimizer = ShardAxis::None,
            sequence = ShardAxis::None, messages = ShardAxis::None;
  bool reshard = true;
  bool sequenceGiven = false; ///< `mesh = auto` chooses it when the file does not
  /// ZeRO stage: 3 parameters, 2 gradients, 1 optimizer state, 0 nothing.
  unsigned stage() const;
  /// Whether tensor ranks that hold the residual stream whole send a part of it each.
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
  Fp8Recipe recipe = Fp8Recipe::Tensorwise; ///< of fp8 compute
  bool hasMaster = true;
  DataType head = DataType::BF16; ///< `precision.module["head"].compute`; compute (bf16 for fp8
                                  ///< plans) if not given
  template <class V> void fields(V& v) {
    v("compute", compute), v("parameters", parameters), v("gradients", gradients);
    v("reduce", reduce), v("has_master_weights", hasMaster);
    v("master_weights", master), v("moments", moments), v("head", head);
    if (compute == DataType::FP8)
      v("recipe", recipe);
  }
};

enum class LearningRateKind : std::uint8_t { Constant, Cosine, Linear };

/// `lr = cosine { peak = 8e-5, end = 8e-7, warmup = 8000step }`; a constant rate has its value in
/// `peak`.
struct LearningRate {
  bool given = false;
  LearningRateKind kind = LearningRateKind::Constant;
  double peak = 0, end = 0;
  std::uint64_t warmup = 0; ///< steps
  template <class V> void fields(V& v) {
    v("given", given), v("kind", kind), v("peak", peak), v("end", end), v("warmup", warmup);
  }
};

/// Settings that only back ends use; those of the other kinds of optimizer keep their defaults.
struct OptimizerSettings {
  double beta1 = 0.9, beta2 = 0.95; ///< of AdamW and Adam
  double weightDecay = 0;           ///< of AdamW
  double momentum = 0;              ///< of Sgd
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
enum class LoadBalancingKind : std::uint8_t { Equal, Proportional, Adaptive };
enum class ThrottlingKind : std::uint8_t { None, Fixed, Feedback };
/// Where data ranks send their gradients to, each part of the parameters to one.
struct ParameterServers {
  std::uint64_t count = 1, pieces = 1;
  bool duplex = true;
  double hottestShare = 0; ///< share of all bytes at the busiest; 0: they are even
  double density = 1;      ///< share of the elements that is sent
  template <class V> void fields(V& v) {
    v("count", count), v("slices", pieces), v("full_duplex", duplex),
        v("busiest_share", hottestShare);
    v("density", density);
  }
};

/// How data ranks step where they do not simply meet behind each step.
struct DataRanks {
  SynchronizationKind synchronization = SynchronizationKind::Barrier;
  std::uint64_t bound = 0; ///< steps of Local, Bounded and Hierarchical, workers of Backup
  std::uint64_t inner = 1; ///< of Hierarchical: steps behind which those of one `among` meet
  Level among = Level::Node;
  LoadBalancingKind loadBalancing = LoadBalancingKind::Equal;
  ThrottlingKind throttling = ThrottlingKind::None;
  std::uint64_t delay = 0; ///< ps: that of Fixed, the first change of Feedback
  AtMostOne<ParameterServers> servers;
  template <class V> void fields(V& v) {
    v("synchronization", synchronization), v("staleness", bound), v("inner_period", inner),
        v("inner_level", among);
    v("batch_balancing", loadBalancing), v("throttling", throttling), v("delay", delay),
        v("parameter_servers", servers);
  }
};

enum class CompressionKind : std::uint8_t { None, TopK, Quantised, LowRank };
/// What of the gradients data ranks exchange, where that is not all of them.
struct Compression {
  CompressionKind kind = CompressionKind::None;
  double density = 1;        ///< of TopK: share of the values that is sent
  std::uint64_t bits = 8;    ///< of Quantised: of a value
  std::uint64_t block = 256; ///< of Quantised: values that share a scale
  std::uint64_t rank = 1;    ///< of LowRank: of the factors that a matrix is sent as
  bool feedback = true;      ///< what is not sent is added to the next step's gradients
  std::uint64_t coding = 0;  ///< bits/s of gradients that a device codes; 0: by its memory
  template <class V> void fields(V& v) {
    v("kind", kind), v("density", density), v("bits", bits), v("block", block), v("rank", rank);
    v("error_feedback", feedback), v("throughput", coding);
  }
};

/// How the operators around the products are implemented.
struct Kernels {
  KernelKind norm = KernelKind::Fused, rotary = KernelKind::Fused, activation = KernelKind::Fused;
  LossKind loss = LossKind::InPlace;
  KernelKind permutation = KernelKind::Separate, router = KernelKind::Separate; ///< of experts
  DispatchKind dispatch = DispatchKind::AllToAll;
  bool dispatchFp8 = false; ///< of DeepEP: tokens go out in 8 bits and come back in 16
  template <class V> void fields(V& v) {
    v("norm", norm), v("rotary", rotary), v("activation", activation), v("loss", loss);
    v("permutation", permutation), v("router", router), v("token_dispatcher", dispatch);
    v("token_dispatcher_fp8", dispatchFp8);
  }
};

/// What a framework holds beside the tensors that the layout speaks of.
struct Buffers {
  bool hasBuckets = false;             ///< every gradient once more, for the data ranks' reduction
  bool hasMicroBatchGradients = false; ///< of a pass: summed at its end
  /// With sharded gradients: of a chunk, summed whole, and scattered once a step.
  bool hasWholeGradients = false;
  /// With sharded optimizer state: of what a rank updates, in one piece, while the optimizer steps.
  bool hasUpdateGradients = false;
  DataType buckets = DataType::BF16, microBatchGradients = DataType::BF16,
           wholeGradients = DataType::FP32, updateGradients = DataType::FP32;
  std::uint64_t gathered = 0; ///< tensors that tensor ranks gather, held for good
  bool saveGathered = false;  ///< what they gather is kept for the backward pass
  bool flatUpdate = false;    ///< updated parameters are gathered through flat copies
  bool keepEndsGathered =
      false;                 ///< sharded parameters outside of layers stay gathered for the passes
  bool keepMessages = false; ///< of every micro-batch and neighbour a buffer for what comes
  bool expandableSegments = false; ///< PyTorch's allocator has one a size of block, which grows
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

/// What lies in the host's memory between its uses.
struct Offload {
  std::uint64_t layers = 0; ///< of a chunk, whose activations go there from forward to backward
  double optimizer = 0;     ///< share of the optimizer's state, which the host updates
  bool gradients = false;   ///< each pass sends those that it has reduced, and the host sums them
  bool parameters = false;  ///< each gather brings a rank's part of them
  bool operator==(const Offload&) const = default;
  template <class V> void fields(V& v) {
    v("layers", layers), v("optimizer", optimizer);
    v("gradients", gradients), v("parameters", parameters);
  }
};

/// The release of NCCL whose communicators hold device memory (cost/memory/OutsideTensors.h).
enum class CommunicatorRelease : std::uint8_t { None, Nccl2_18, Nccl2_21, Nccl2_22 };

/// How a framework does what the layout speaks of: collectives, products of experts, recomputation.
struct CommunicationOptions {
  std::uint64_t checks = 0; ///< ps of the host, a collective and rank of its group
  bool owners = false;      ///< each tensor of sharded optimizer state belongs to one rank
  KeyExchangeKind keys = KeyExchangeKind::Ring;
  /// Of Gathered: keys and values of each head travel; computation waits for each exchange.
  bool keysRepeated = false, keysCompiled = false;
  bool stacked = false;        ///< prelude.dpl says what `overlap.tensor` makes of it
  bool groupedExperts = false; ///< the products of a rank's experts are one kernel
  bool earlyStop = false;      ///< recomputation of a layer ends with what its backward pass needs
  bool operator==(const CommunicationOptions&) const = default;
  template <class V> void fields(V& v) {
    v("consistency_check", checks), v("tensor_owners", owners), v("context_exchange", keys);
    v("repeat_kv", keysRepeated), v("context_exchange_compiled", keysCompiled);
    v("scatter_gather_copies", stacked), v("grouped_experts", groupedExperts),
        v("early_stop", earlyStop);
  }
};

/// `schedule = custom { … }`: the user's own list of each pipeline rank. ir/ListedActions.h
/// reads what stands in them.
struct CustomSchedule {
  PlacementKind placement = PlacementKind::Looped;
  std::vector<std::string> ranks;
  std::uint64_t microBatches = 0; ///< of the lists
  bool operator==(const CustomSchedule&) const = default;
  template <class V> void fields(V& v) {
    v("placement", placement), v("micro_batches", microBatches), v("actions", ranks);
  }
};

struct Layout {
  DPL_SPECIAL_MEMBERS(Layout);
  std::string name;
  std::uint64_t devices = 0; ///< of the cluster's, that it runs on; 0 is all
  MeshRequest mesh;
  BatchUnitKind batchUnit = BatchUnitKind::Sequences;
  std::uint64_t batch = 0;        ///< sequences or samples a step, all replicas
  std::uint64_t microBatch = 1;   ///< the same unit, one pass of one replica
  bool scheduleAutomatic = false; ///< `schedule = auto`: the next three are found
  ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
  std::uint64_t chunks = 1;   ///< model chunks a pipeline rank
  std::uint64_t inFlight = 0; ///< micro-batches that a rank may hold, for a schedule with a limit
  std::uint64_t group = 0; ///< micro-batches of a turn, of interleaving alone; 0: as many as ranks
  /// The schedule whose order it is: interleaving one chunk a rank is plain 1F1B.
  ScheduleKind executedSchedule() const {
    return schedule == ScheduleKind::Interleaved && chunks == 1
               ? ScheduleKind::OneForwardOneBackward
               : schedule;
  }
  CustomSchedule customSchedule; ///< of ScheduleKind::Listed
  /// What micro-batches compute, relative to one another, in whole numbers; again from the first on
  /// where there are more of them. None: all as much (ir/MicroBatchCosts.h).
  std::vector<std::uint64_t> microBatchCosts;
  /// The lists, where the schedule is made of them.
  const CustomSchedule* customScheduleOrNull() const {
    return schedule == ScheduleKind::Listed ? &customSchedule : nullptr;
  }
  PlacementKind placement() const {
    return customScheduleOrNull() ? customSchedule.placement : placementOf(schedule);
  }
  SplitKind split = SplitKind::Even;
  std::vector<std::uint64_t> splitLayers; ///< of Listed: one a stage, or one a chunk in model order
  std::uint64_t embeddingSlots = 0, headSlots = 0;
  Recompute recompute;
  Shard shard;
  Precision precision;
  OptimizerKind optimizer = OptimizerKind::AdamW;
  OptimizerSettings optimizerSettings;
  Overlap overlap;
  AtMostOne<DataRanks> dataRanks;
  AtMostOne<Compression> compression;
  AtMostOne<Offload> offload;
  CommunicatorRelease communicators = CommunicatorRelease::None;
  AtMostOne<CommunicationOptions> communicationOptions; ///< none: those of the defaults
  CommunicationOptions communication() const {
    return communicationOptions.empty() ? CommunicationOptions() : communicationOptions.front();
  }
  /// What lies in the host's memory: nothing by default.
  Offload offloadSettings() const { return offload.empty() ? Offload() : offload.front(); }
  /// Whether anything goes to the host's memory and comes back.
  bool offloads() const { return !offload.empty() || !recompute.offloaded.empty(); }
  std::uint64_t gradientBucket = 0; ///< bytes of a reduction inside a layer at most; 0: no limit
  std::uint64_t vocabMultiple = 128;
  bool fusedAttention = true; ///< the scores never reach device memory
  Kernels kernels;
  Buffers buffers;
  bool launchBlocking = false; ///< the host waits for each kernel: nothing runs beside another
  bool graphs = false;         ///< kernels are launched from captured graphs: the host never paces
  /// The update waits for no other pipeline rank: what it needs of them is checked afterwards, so
  /// that a rank begins its next step when it has ended this one.
  bool postValidation = false;
  bool setsUpdateTime = false; ///< the file says how long the optimizer's update takes
  std::uint64_t update = 0;    ///< ps
  std::string notes; ///< the user's words, for the report; not printed and no part of the hash
  bool microBatchGiven = false; ///< `mesh = auto` chooses it when the file does not
  /// Where each field was last set, by path ("mesh.tensor", "model.heads", "cluster.nodes"; "" is
  /// the block itself), for messages of the passes; not printed.
  std::map<std::string, SourceRange> ranges;
  SourceRange rangeOf(const std::string& path) const; ///< of the path, or the nearest enclosing one

  template <class V> void fields(V& v) {
    v("name", name), v("devices", devices), v("mesh", mesh), v("batch_unit", batchUnit),
        v("batch", batch);
    v("micro_batch", microBatch), v("micro_batch_given", microBatchGiven);
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
    v("fused_attention", fusedAttention), v("kernels", kernels), v("buffers", buffers);
    v("gradient_bucket_size", gradientBucket), v("launch_blocking", launchBlocking),
        v("cuda_graphs", graphs), v("post_validation", postValidation),
        v("data_synchronization", dataRanks);
    v("compression", compression), v("offload", offload),
        v("communication_options", communicationOptions), v("communicators", communicators);
    v("has_optimizer_time", setsUpdateTime), v("optimizer_time", update);
  }
};

/// Thresholds of advice: `lint` values, with where each was set.
struct Lint {
  double communication = 0.30, bubble = 0.30, headroom = 0.10, imbalance = 1.10;
  std::string origin = "std default"; ///< what a message says of where they come from
  template <class V> void fields(V& v) {
    v("communication", communication), v("bubble", bubble), v("headroom", headroom);
    v("imbalance", imbalance), v("origin", origin);
  }
};

} // namespace dpl::ir
