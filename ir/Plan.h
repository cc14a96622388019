#pragma once
//===- Plan.h - The typed plan: what things are and cost --------------------------------------===//
//
// The front end fills `model`, `cluster`, `layout`, `lint` and `assertions`; each pass fills its
// own part, once, in the order of Passes.def. Everything is per pipeline rank and class of node,
// nothing per device, so a plan for 100,000 devices is as small as one for 8.
#include "ir/Assertion.h"
#include "ir/Cluster.h"
#include "ir/Framework.h"
#include "ir/Ids.h"
#include "ir/Launch.h"
#include "ir/Layout.h"
#include "ir/Model.h"
#include "ir/Placement.h"
#include "ir/RankMemory.h"
#include "ir/Run.h"
#include "ir/ScheduleCandidate.h"
#include "ir/Space.h"
#include "ir/StageProgram.h"
#include "ir/StepResult.h"
#include "support/OutOfLine.h"
#include "support/Result.h"

namespace dpl {
class DiagnosticEngine;
}

namespace dpl::ir {

// ---- resolve-mesh, place-ranks, build-groups ---------------------------------------------------

/// One axis of the resolved mesh. Ranks of the axis differ by `stride` in the global rank.
struct MeshAxis {
  Axis axis = Axis::Data;
  std::uint64_t size = 1, stride = 1;
  Level spans =
      Level::Gpu; ///< innermost level that holds one whole group of this axis (place-ranks)
  template <class V> void fields(V& v) {
    v("axis", axis), v("size", size), v("stride", stride), v("level", spans);
  }
};

/// Pipeline ranks first … first + count − 1 and the classes of nodes that hold them: every class
/// that has a device of one of these ranks, and of the others alike. By index into
/// Cluster::nodeTypes, rising.
struct RankNodeTypes {
  std::uint64_t first = 0, count = 0;
  std::vector<std::uint64_t> nodeTypes;
  template <class V> void fields(V& v) {
    v("first", first), v("count", count), v("node_types", nodeTypes);
  }
};

/// Every axis is present in both grids; size 1 where not used. Outermost first: rank order.
struct Mesh {
  std::vector<MeshAxis> axes; ///< Replica, Pipeline, Data, Context, Tensor, in the user's order
  std::vector<MeshAxis> expertAxes; ///< the same outer axes, with ExpertData, Expert, ExpertTensor;
                                    ///< empty without experts
  std::vector<RankNodeTypes> rankNodeTypes; ///< each pipeline rank once, in order (place-ranks)
  std::uint64_t devices = 1;
  std::uint64_t microBatches = 1;   ///< of one replica and step
  bool found = false;               ///< by `mesh = auto`
  std::uint64_t size(Axis a) const; ///< 1 for an axis that is not in the grid
  const MeshAxis* find(Axis a) const;
  /// Index into `held` of the entry with a pipeline rank, which place-ranks has placed.
  std::size_t rankNodeTypesIndex(std::uint64_t pipelineRank) const;
  /// Data-parallel ranks in all: replica × data.
  std::uint64_t dataRanks() const { return size(Axis::Replica) * size(Axis::Data); }
  template <class V> void fields(V& v) {
    v("axis", axes), v("expert_axis", expertAxes), v("rank_node_types", rankNodeTypes),
        v("devices", devices);
    v("micro_batches", microBatches), v("auto", found);
  }
};

/// One factor of a symbolic group: `count` ranks, `stride` apart. `period` is the extent of the
/// axis they are taken from: its stride × its size (the embedding group takes 2 ranks of a whole
/// axis). Of a mirrored factor these are the two ends of the axis, and so is every other rank with
/// the one opposite, which lie nearer.
struct Stride {
  std::uint64_t count = 1, stride = 1, period = 1;
  bool mirrored = false;
  /// What the axis contributes to a rank less what it does to the first of its group.
  std::uint64_t beyondFirst(std::uint64_t rank) const;
  /// Member i of the group that begins at `first`.
  std::uint64_t member(std::uint64_t first, std::uint64_t i) const;
  template <class V> void fields(V& v) {
    v("count", count), v("stride", stride), v("period", period), v("mirrored", mirrored);
  }
};

/// All groups of one axis subset. Rank r is in the group of base r minus its own coordinates;
/// members are base + Σ i_k·stride_k, the first factor varying slowest. Never a list of ranks.
struct Group {
  std::string name; ///< "tensor", "data", "data+context", "expert", "embedding", "stage_replica+…"
  std::vector<Axis> axes;
  std::vector<Stride> strides; ///< outermost first
  std::uint64_t size = 1;      ///< ranks of one group
  std::uint64_t groups = 1;    ///< how many such groups the world has
  Level spans = Level::Gpu;
  /// Ranks of one group inside one unit of each link level, by index into Cluster::levels.
  std::vector<std::uint64_t> inside;
  std::vector<TorusRanks> torus; ///< by dimension of a domain's torus; empty without one
  /// The order in which rings go through so many ranks, and on through the next; empty: their own.
  std::vector<std::uint64_t> order;
  std::vector<LinkLoad> loads; ///< by Network::links; empty for a group of one rank
  /// The members of the group that holds `rank`, in group order. Made on demand, for back ends and
  /// tests. The rank must be in one: of the embedding groups only first and last stages are.
  std::vector<std::uint64_t> members(std::uint64_t rank) const;
  /// Over the two ranks that hold the same stages, among others.
  bool overStageReplicas() const;
  template <class V> void fields(V& v) {
    v("name", name), v("axes", axes), v("strides", strides), v("size", size), v("groups", groups);
    v("level", spans), v("ranks_per_unit", inside), v("torus", torus);
    v("order", order), v("load", loads);
  }
};

// ---- partition-layers, estimate-compute ---------------------------------------------------------

/// A model chunk: consecutive layers on one pipeline rank, the copy that the placement puts there.
struct Chunk {
  std::uint64_t rank = 0, chunk = 0;
  std::uint64_t firstLayer = 0, layers = 0;
  std::uint64_t predictionLayers = 0;
  bool embedding = false, head = false;
  template <class V> void fields(V& v) {
    v("rank", rank), v("chunk", chunk), v("first_layer", firstLayer), v("layers", layers);
    v("mtp_layers", predictionLayers), v("embedding", embedding), v("head", head);
  }
};

/// How `split = balanced` was chosen. Times are ps, of steps as they were executed for the choice.
struct SplitChoice {
  std::uint64_t candidates = 0, executed = 0; ///< splits; executed with their neighbours
  std::uint64_t step = 0;                     ///< of the chosen split
  std::uint64_t leastSlowest = 0; ///< of the one whose slowest stage is fastest; 0 if it has none
  std::uint64_t even = 0;         ///< of the even split; 0 where there is none
  std::uint64_t slowest = 0, least = 0; ///< a micro-batch on the slowest rank, and no split below
  template <class V> void fields(V& v) {
    v("candidates", candidates), v("executed", executed), v("step", step);
    v("min_max_step", leastSlowest), v("even", even), v("slowest", slowest),
        v("slowest_bound", least);
  }
};

/// Cost of one chunk on one device for one micro-batch. Times are ps and hold the roofline of every
/// operator, without communication; FLOP as executed.
struct ChunkCost {
  std::uint64_t rank = 0, chunk = 0;
  std::uint64_t parameters = 0; ///< elements on one device: dense part, after tensor split
  std::uint64_t expertParameters =
      0; ///< elements on one device: experts, after expert and tensor split
  double forwardFlop = 0, backwardFlop = 0, recomputeFlop = 0;
  double forwardBytes = 0, backwardBytes = 0; ///< device memory traffic
  std::uint64_t forward = 0, backwardInput = 0, backwardWeight = 0,
                recompute = 0;       ///< ps of compute
  std::uint64_t activationBytes = 0; ///< kept from forward to backward, one micro-batch
  std::uint64_t temporaryBytes = 0;  ///< live only while the chunk runs (recomputed block, logits)
  std::uint64_t splitTemporaryBytes = 0; ///< the same, of all but a whole backward
  /// Brought back by a recomputation in advance, or in the first half of a backward pass in two,
  /// until the backward pass ends.
  std::uint64_t restoredBytes = 0;

  template <class V> void fields(V& v) {
    v("rank", rank), v("chunk", chunk), v("parameters", parameters);
    v("expert_parameters", expertParameters), v("forward_flop", forwardFlop);
    v("backward_flop", backwardFlop), v("recompute_flop", recomputeFlop);
    v("forward_bytes", forwardBytes), v("backward_bytes", backwardBytes), v("forward", forward);
    v("backward_input", backwardInput), v("backward_weight", backwardWeight);
    v("recompute", recompute), v("activation_bytes", activationBytes);
    v("temporary_bytes", temporaryBytes), v("split_backward_temporary_bytes", splitTemporaryBytes);
    v("recomputed_activation_bytes", restoredBytes);
  }
};

// ---- schedule-pipeline --------------------------------------------------------------------------

/// One entry of a pipeline rank's list, which is executed in order. Messages are no entries: what a
/// pass sends and needs follows from the placement (messageInto, messageFrom).
struct ScheduledAction {
  ActionKind kind = ActionKind::Forward;
  std::uint16_t chunk = 0; ///< of a chunk action
  union {
    std::uint32_t microBatch; ///< of a chunk action
    CollectiveId collective;  ///< of a Collective
  };
  constexpr ScheduledAction() : microBatch(0) {}
  constexpr ScheduledAction(ActionKind kind, std::uint16_t chunk = 0, std::uint32_t microBatch = 0)
      : kind(kind), chunk(chunk), microBatch(microBatch) {}
  constexpr explicit ScheduledAction(CollectiveId collective)
      : kind(ActionKind::Collective), collective(collective) {}
  bool forward() const { return isForward(kind); }
  bool operator==(const ScheduledAction& o) const {
    return kind == o.kind && chunk == o.chunk &&
           (kind == ActionKind::Collective ? collective == o.collective
                                           : microBatch == o.microBatch);
  }
};
static_assert(sizeof(ScheduledAction) == 8);

/// The list of a rank. `start` and `duration` are parallel to it: times of the contention-free
/// execution, ps from the start of the step.
struct RankSchedule {
  std::uint64_t rank = 0;
  IdVector<ScheduledAction> actions;
  IdVector<std::uint64_t, ScheduledAction> start, duration;
  std::uint64_t sending = 0; ///< ps that the rank waits for what it sends; 0 where sends overlap
  std::uint64_t endOf(std::size_t i) const { return start[i] + duration[i]; }
  std::uint64_t endOf(ActionId action) const { return endOf(action.index()); }
  template <class V> void fields(V& v) {
    std::vector<TimedAction> entries = printed();
    v("rank", rank), v("sending", sending), v("action", entries);
    if (entries.size() != actions.size())
      assign(entries);
  }

private:
  /// An action with its times, as the plan's text has it: `micro_batch` of a Collective is its
  /// index into Plan::collectives.
  struct TimedAction {
    ActionKind kind = ActionKind::Forward;
    std::uint64_t chunk = 0, microBatch = 0, start = 0, duration = 0;
    template <class V> void fields(V& v) {
      v("kind", kind), v("chunk", chunk), v("micro_batch", microBatch);
      v("start", start), v("duration", duration);
    }
  };
  std::vector<TimedAction> printed() const;
  void assign(const std::vector<TimedAction>& entries);
};

/// Of steps that follow one another without a flush: each begins so long after the one before, ps.
/// Their operations run beside those of the steps around them.
struct SteadySteps {
  std::uint64_t period = 0;
  template <class V> void fields(V& v) { v("period", period); }
};

/// What crosses from one chunk to another: a micro-batch's activation forward or its gradient
/// backward. It is named by its sender's chunk.
struct PipelineMessage {
  Placement::ChunkLocation from, to;
  std::uint64_t microBatch = 0;
  bool forward = true;
};
/// The message that a pass of `rank` needs before it begins, or that leaves when it ends; nothing
/// at the ends of the model, for weight gradients and recomputations, and within a rank.
std::optional<PipelineMessage> messageInto(const Placement& placement, std::uint64_t rank,
                                           const ScheduledAction& op);
std::optional<PipelineMessage> messageFrom(const Placement& placement, std::uint64_t rank,
                                           const ScheduledAction& op);

// ---- lower-collectives --------------------------------------------------------------------------

enum class CollectiveKind : std::uint8_t {
  AllReduce,
  ReduceScatter,
  AllGather,
  AllToAll,
  SendReceive,
  Broadcast, ///< from the first rank
  Reduce     ///< to the first rank
};
enum class CollectivePurpose : std::uint8_t {
  TensorActivation,
  ContextKeys,
  ExpertTokens,
  PipelineActivation,
  GradientReduce,
  ParameterGather,
  EmbeddingGradient
};

/// A collective of the step, per pipeline rank and chunk. `count` is how often one device takes
/// part in a step; `bytes` is d, the whole buffer of a rank for one of them.
struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  CollectivePurpose purpose = CollectivePurpose::GradientReduce;
  GroupId group;
  std::uint64_t rank = 0, chunk = 0; ///< pipeline rank and chunk it belongs to
  std::uint64_t bytes = 0, count = 0;
  Algorithm algorithm = Algorithm::Ring;
  std::uint64_t time = 0;  ///< ps of one
  bool overlapped = false; ///< may run beside computation
  std::vector<std::uint64_t>
      bytesPerLevel; ///< sent by one device in one collective, by Cluster::levels
  template <class V> void fields(V& v) {
    v("kind", kind), v("purpose", purpose), v("group", group), v("rank", rank), v("chunk", chunk);
    v("bytes", bytes), v("count", count), v("algorithm", algorithm), v("time", time);
    v("overlapped", overlapped), v("bytes_per_level", bytesPerLevel);
  }
};

/// What the passes of a chunk run: its collectives, `collectives` entries of Plan::collectives from
/// `firstCollective` on, and its bodies, by index into Plan::stagePrograms.
struct ChunkPrograms {
  std::uint64_t rank = 0, chunk = 0;
  CollectiveId firstCollective;
  std::uint64_t collectives = 0;
  std::vector<StageProgramId> stagePrograms;
  std::uint64_t forward = 0, backward = 0; ///< ps of the passes of one micro-batch, with what shows
                                           ///< of the calls inside them
  CollectiveId idOf(ChunkCollectiveId collective) const {
    return firstCollective + collective.index();
  }
  template <class V> void fields(V& v) {
    v("rank", rank), v("chunk", chunk), v("first_collective", firstCollective);
    v("collectives", collectives), v("stage_programs", stagePrograms);
    v("forward", forward), v("backward", backward);
  }
};

// ---- the whole ----------------------------------------------------------------------------------

struct Plan {
  DPL_SPECIAL_MEMBERS(Plan);
  std::string name; ///< of the layout block
  std::string file; ///< as given on the command line
  std::string hash; ///< of what the front end put in, 16 hex digits; in every generated file
  Model model;
  Cluster cluster;
  Layout layout;
  Framework framework; ///< runs, launches and spaces are no part of `hash`
  Lint lint;
  std::vector<Assertion> assertions;
  std::vector<Run> runs;        ///< that use this layout
  std::vector<Launch> launches; ///< each of one of the runs
  std::vector<Space> spaces;    ///< the search that the plan is of; studies of one of the runs

  std::vector<ScheduleCandidate>
      scheduleCandidates; ///< by `schedule = auto`, in the order of Schedules.def

  Mesh mesh;
  IdVector<Group> groups;
  Placement placement;                  ///< which part of the model each pipeline rank holds
  std::vector<SplitChoice> splitChoice; ///< one where the split was searched
  IdVector<Chunk> chunks;           ///< in model order, direction by direction: Placement::indexOf
  IdVector<ChunkCost, Chunk> costs; ///< parallel to `chunks`
  IdVector<Collective> collectives; ///< chunk after chunk
  IdVector<StageProgram> stagePrograms;         ///< each once
  IdVector<ChunkPrograms, Chunk> chunkPrograms; ///< parallel to `chunks`
  std::vector<RankSchedule> schedule;
  std::vector<SteadySteps> steady; ///< one where no flush parts the steps of the schedule
  std::vector<RankMemory> memory;  ///< by pipeline rank
  std::optional<StepResult> step;  ///< not in the text, which has all that it follows from

  /// Devices that hold the same parameters and gradients of the dense part, less replicas: they
  /// share what is sharded over `data`. The same of experts that have a grid of their own.
  std::uint64_t stateRanks() const;
  std::uint64_t expertStateRanks() const;
  /// That each chunk runs: all of a replica, or those of its direction.
  std::uint64_t microBatchesOfChunk() const { return mesh.microBatches / placement.directions(); }
  /// Samples of one micro-batch × tokens of one sequence; samples for a layer list.
  std::uint64_t tokensPerMicroBatch() const;
  const Group* group(const std::string& groupName) const;
  /// The launch of a plan that has one; null without and with several.
  const Launch* launch() const { return launches.size() == 1 ? &launches.front() : nullptr; }
  const Run& runOf(const Launch& launch) const;
  /// With what it is trained: as the run of its launches says, else as the layout says. Who writes
  /// files leaves the launches of one run only.
  const OptimizerSettings& optimizerSettings() const {
    return launches.empty() ? layout.optimizerSettings : runOf(launches.front()).optimizer;
  }
  /// The search whose first candidate this is; null for a layout.
  const Space* search() const;

  template <class V> void fields(V& v) {
    v("name", name), v("file", file), v("hash", hash), v("model", model), v("cluster", cluster);
    v("layout", layout), v("framework", framework), v("lint", lint), v("assertion", assertions),
        v("run", runs);
    v("launch", launches), v("space", spaces), v("candidate", scheduleCandidates), v("mesh", mesh);
    v("group", groups), v("placement", placement), v("split_choice", splitChoice),
        v("chunk", chunks), v("cost", costs), v("collective", collectives),
        v("stage_program", stagePrograms), v("chunk_programs", chunkPrograms);
    v("rank", schedule), v("steady", steady), v("memory", memory);
  }
};

/// Text that reads back to the same bytes.
std::string print(const Plan& plan);
/// Whether two plans print alike; source ranges do not count.
bool equal(const Plan& a, const Plan& b);
/// What the front end put in (name, model, cluster, layout, assertions) as 16 hex digits. The
/// file's name and the thresholds of advice are left out: they change no figure of the plan.
std::string contentHash(const Plan& plan);
/// Reads what `print` wrote. A failure is reported as "line N: found …, needed …" of `file`.
FailureOr<Plan> read(const std::string& text, const std::string& file, DiagnosticEngine& diags);
/// What every pass may rely on; each broken rule as one sentence.
std::vector<std::string> verify(const Plan& plan);

/// The body of the passes of a kind; nothing where the schedule has no such passes.
std::optional<StageProgramId> stageProgramOf(const Plan& plan, const ChunkPrograms& programs,
                                             ActionKind kind);

} // namespace dpl::ir
