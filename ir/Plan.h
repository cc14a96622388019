#pragma once
//===- Plan.h - The plan: the model, the cluster, the layout and their costs ------------------===//
//
// The front end fills `model`, `cluster`, `layout`, `lint` and `assertions`. Each compiler pass
// fills its own part once, in the order of Passes.def. Parts are per pipeline rank and node type,
// never per device, so a plan for 100,000 devices is as small as one for 8.
#include "ir/Assertion.h"
#include "ir/Chunk.h"
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

/// One axis of the resolved mesh. Neighbours along the axis differ by `stride` in the global rank.
struct MeshAxis {
  Axis axis = Axis::Data;
  std::uint64_t size = 1, stride = 1;
  Level spans =
      Level::Gpu; ///< innermost level that contains a whole group of this axis (place-ranks)
  template <class V> void fields(V& v) {
    v("axis", axis), v("size", size), v("stride", stride), v("level", spans);
  }
};

/// Pipeline ranks first … first + count − 1 and the node types that run them: every type with a
/// device of one of these ranks. Indexes into Cluster::nodeTypes, rising.
struct RankNodeTypes {
  std::uint64_t first = 0, count = 0;
  std::vector<std::uint64_t> nodeTypes;
  template <class V> void fields(V& v) {
    v("first", first), v("count", count), v("node_types", nodeTypes);
  }
};

/// Both grids have every axis, with size 1 if unused. Outermost axes come first, as in rank order.
struct Mesh {
  std::vector<MeshAxis> axes; ///< Replica, Pipeline, Data, Context, Tensor, in the user's order
  /// `axes` with ExpertData, Expert, ExpertTensor for Data, Context, Tensor; empty without experts.
  std::vector<MeshAxis> expertAxes;
  std::vector<RankNodeTypes> rankNodeTypes; ///< each pipeline rank once, in order (place-ranks)
  std::uint64_t devices = 1;
  std::uint64_t microBatches = 1;   ///< per replica and step
  bool found = false;               ///< `mesh = auto` chose it
  std::uint64_t size(Axis a) const; ///< 1 for an axis that is not in the grid
  const MeshAxis* find(Axis a) const;
  /// Index into `rankNodeTypes` of the entry with a pipeline rank. Relies on: place-ranks.
  std::size_t rankNodeTypesIndex(std::uint64_t pipelineRank) const;
  /// All data-parallel ranks: replica × data.
  std::uint64_t dataRanks() const { return size(Axis::Replica) * size(Axis::Data); }
  template <class V> void fields(V& v) {
    v("axis", axes), v("expert_axis", expertAxes), v("rank_node_types", rankNodeTypes),
        v("devices", devices);
    v("micro_batches", microBatches), v("auto", found);
  }
};

/// One factor of a symbolic group: `count` ranks, `stride` apart. `period` is the extent of their
/// axis, stride × size (the embedding group takes 2 ranks of a whole axis). A mirrored factor pairs
/// each rank of the axis with the opposite one; the first pair is the first and the last rank.
struct Stride {
  std::uint64_t count = 1, stride = 1, period = 1;
  bool mirrored = false;
  /// The contribution of the axis to a rank, minus that to the first rank of its group.
  std::uint64_t beyondFirst(std::uint64_t rank) const;
  /// Member i of the group that begins at `first`.
  std::uint64_t member(std::uint64_t first, std::uint64_t i) const;
  template <class V> void fields(V& v) {
    v("count", count), v("stride", stride), v("period", period), v("mirrored", mirrored);
  }
};

/// All groups over some axes. The group of r begins at base = r minus r's coordinates on them.
/// Members are base + Σ i_k·stride_k; the first factor varies slowest. Ranks are never listed.
struct Group {
  std::string name; ///< "tensor", "data", "data+context", "expert", "embedding", "stage_replica+…"
  std::vector<Axis> axes;
  std::vector<Stride> strides; ///< factors of the axes, outermost first
  std::uint64_t size = 1;      ///< ranks per group
  std::uint64_t groups = 1;    ///< number of such groups
  Level spans = Level::Gpu;
  /// Ranks of one group inside one unit of each link level, by index into Cluster::levels.
  std::vector<std::uint64_t> inside;
  std::vector<TorusRanks> torus; ///< ranks per dimension of the domain's torus; empty without one
  /// Order of ranks in rings, repeated for further ranks; empty: rank order.
  std::vector<std::uint64_t> order;
  std::vector<LinkLoad> loads; ///< load on each of Network::links; empty for a group of one rank
  /// The members of the group of `rank`, in group order, computed on demand for back ends and
  /// tests. The rank must belong to a group: embedding groups contain only first and last stages.
  std::vector<std::uint64_t> members(std::uint64_t rank) const;
  /// Whether the group includes both ranks with the same stages.
  bool overStageReplicas() const;
  template <class V> void fields(V& v) {
    v("name", name), v("axes", axes), v("strides", strides), v("size", size), v("groups", groups);
    v("level", spans), v("ranks_per_unit", inside), v("torus", torus);
    v("order", order), v("load", loads);
  }
};

// ---- schedule-pipeline --------------------------------------------------------------------------

/// One entry of a per-rank schedule, which runs in order. Messages are not entries: the placement
/// decides what an action sends and needs (messageInto, messageFrom).
struct ScheduledAction {
  ActionKind kind = ActionKind::Forward;
  std::uint16_t chunk = 0; ///< for a chunk action
  union {
    std::uint32_t microBatch; ///< for a chunk action
    CollectiveId collective;  ///< for a Collective
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

/// The schedule of a rank. `start` and `duration` are parallel to `actions`: times of the execution
/// without contention, ps from the start of the step.
struct RankSchedule {
  std::uint64_t rank = 0;
  IdVector<ScheduledAction> actions;
  IdVector<std::uint64_t, ScheduledAction> start, duration;
  /// ps in which the rank waits for its sends; 0 if sends are overlapped.
  std::uint64_t sending = 0;
  std::uint64_t endOf(std::size_t i) const { return start[i] + duration[i]; }
  std::uint64_t endOf(ActionId action) const { return endOf(action.index()); }
  template <class V> void fields(V& v) {
    std::vector<TimedAction> entries = printed();
    v("rank", rank), v("sending", sending), v("action", entries);
    if (entries.size() != actions.size())
      assign(entries);
  }

private:
  /// An action with its times, as in the plan's text.
  struct TimedAction {
    ActionKind kind = ActionKind::Forward;
    std::uint64_t chunk = 0, microBatch = 0;
    CollectiveId collective; ///< for a Collective
    std::uint64_t start = 0, duration = 0;
    template <class V> void fields(V& v) {
      v("kind", kind);
      if (kind == ActionKind::Collective)
        v("collective", collective);
      else
        v("chunk", chunk), v("micro_batch", microBatch);
      v("start", start), v("duration", duration);
    }
  };
  std::vector<TimedAction> printed() const;
  void assign(const std::vector<TimedAction>& entries);
};

/// Steps without a flush: each begins `period` ps after the one before, and its actions overlap
/// with those of neighbouring steps.
struct SteadySteps {
  std::uint64_t period = 0;
  template <class V> void fields(V& v) { v("period", period); }
};

/// A message between chunks: the activation or the gradient of a micro-batch. The sender's chunk
/// identifies it.
struct PipelineMessage {
  Placement::ChunkLocation from, to;
  std::uint64_t microBatch = 0;
  bool forward = true;
};
/// The message that an action of `rank` needs before it begins, or sends when it ends. Nothing at
/// the ends of the model, for weight gradients and recomputations, and within a rank.
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
  Broadcast, ///< broadcast from the first rank
  Reduce     ///< reduction to the first rank
};
enum class CollectivePurpose : std::uint8_t {
  TensorActivation,
  ContextKeys,
  ExpertTokens,
  PipelineActivation,
  GradientReduce,
  ParameterGather,
  EmbeddingGradient,
  MomentumGather ///< of matrices that are orthogonalized whole
};

/// A collective of the step, per pipeline rank and chunk. `count` is the number of these in which
/// one device takes part per step; `bytes` is d, the whole buffer of a rank.
struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  CollectivePurpose purpose = CollectivePurpose::GradientReduce;
  GroupId group;
  std::uint64_t rank = 0, chunk = 0; ///< its pipeline rank and chunk
  std::uint64_t bytes = 0, count = 0;
  Algorithm algorithm = Algorithm::Ring;
  std::uint64_t time = 0;  ///< ps of one run
  bool overlapped = false; ///< may overlap with computation
  std::vector<std::uint64_t>
      bytesPerLevel; ///< bytes that one device sends in one collective, by Cluster::levels
  template <class V> void fields(V& v) {
    v("kind", kind), v("purpose", purpose), v("group", group), v("rank", rank), v("chunk", chunk);
    v("bytes", bytes), v("count", count), v("algorithm", algorithm), v("time", time);
    v("overlapped", overlapped), v("bytes_per_level", bytesPerLevel);
  }
};

/// The programs of a chunk: its collectives, `collectives` entries of Plan::collectives from
/// `firstCollective` on, and its stage programs, as indexes into Plan::stagePrograms.
struct ChunkPrograms {
  std::uint64_t rank = 0, chunk = 0;
  CollectiveId firstCollective;
  std::uint64_t collectives = 0;
  std::vector<StageProgramId> stagePrograms;
  /// ps of the forward and the backward pass of one micro-batch, including exposed collectives.
  std::uint64_t forward = 0, backward = 0;
  CollectiveId idOf(ChunkCollectiveId collective) const {
    return firstCollective + collective.index();
  }
  template <class V> void fields(V& v) {
    v("rank", rank), v("chunk", chunk), v("first_collective", firstCollective);
    v("collectives", collectives), v("stage_programs", stagePrograms);
    v("forward", forward), v("backward", backward);
  }
};

/// A part of each run in which nodes are degraded: ps since the run's start, and the time of a
/// step.
struct DegradedTime {
  std::uint64_t begin = 0;
  std::uint64_t end = 0; ///< 0: the end of the run
  std::uint64_t step = 0;
  template <class V> void fields(V& v) { v("begin", begin), v("end", end), v("step", step); }
};

// ---- the whole ----------------------------------------------------------------------------------

struct Plan {
  DPL_SPECIAL_MEMBERS(Plan);
  std::string name; ///< name of the layout block
  std::string file; ///< path as given on the command line
  std::string hash; ///< hash of the front end's output, 16 hex digits; in every generated file
  Model model;
  Cluster cluster;
  Layout layout;
  Framework framework; ///< its name is part of `hash`; runs, launches and spaces are not
  Lint lint;
  std::vector<Assertion> assertions;
  std::vector<Run> runs;        ///< runs that use this layout
  std::vector<Launch> launches; ///< each belongs to one of the runs
  std::vector<Space> spaces; ///< the search of this plan; studies of the layout or one of its runs

  std::vector<ScheduleCandidate>
      scheduleCandidates; ///< for `schedule = auto`, in the order of Schedules.def

  Mesh mesh;
  IdVector<Group> groups;
  Placement placement;                  ///< model chunks of each pipeline rank
  std::vector<SplitChoice> splitChoice; ///< one entry if the split was searched
  IdVector<Chunk> chunks;           ///< in model order, direction by direction: Placement::indexOf
  IdVector<ChunkCost, Chunk> costs; ///< parallel to `chunks`
  IdVector<Collective> collectives; ///< collectives, chunk by chunk
  IdVector<StageProgram> stagePrograms;         ///< without duplicates
  IdVector<ChunkPrograms, Chunk> chunkPrograms; ///< parallel to `chunks`
  std::vector<RankSchedule> schedule;
  std::vector<SteadySteps> steady;    ///< one entry if no flush separates the steps
  std::vector<RankMemory> memory;     ///< by pipeline rank
  std::vector<DegradedTime> degraded; ///< in order, apart (check-runs)
  std::optional<StepResult> step;     ///< not in the text; it follows from the other parts

  /// Number of devices with the same dense parameters and gradients, without replicas; they share
  /// state that is sharded over `data`. expertStateRanks: the same number for expert parameters.
  std::uint64_t stateRanks() const;
  std::uint64_t expertStateRanks() const;
  /// Micro-batches of each chunk: all of a replica, or those of its direction.
  std::uint64_t microBatchesOfChunk() const { return mesh.microBatches / placement.directions(); }
  /// Samples per micro-batch × tokens per sequence; samples for a layer list.
  std::uint64_t tokensPerMicroBatch() const;
  const Group* group(const std::string& groupName) const;
  /// The launch of the plan; null if it has none or several.
  const Launch* launch() const { return launches.size() == 1 ? &launches.front() : nullptr; }
  const Run& runOf(const Launch& launch) const;
  /// The optimizer settings: those of the run of its launches, otherwise those of the layout. Code
  /// that writes files keeps the launches of one run only.
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
    v("degraded", degraded);
  }
};

/// Text that reads back to the same bytes.
std::string print(const Plan& plan);
/// Whether two plans print the same text; source ranges are ignored.
bool equal(const Plan& a, const Plan& b);
/// Hash of the front end's output (name, model, cluster, layout, assertions, framework) as 16 hex
/// digits. The file's name and thresholds of advice are left out: they change no figure.
std::string contentHash(const Plan& plan);
/// Reads the output of `print`. Reports failures as "line N: found …, needed …" of `file`.
FailureOr<Plan> read(const std::string& text, const std::string& file, DiagnosticEngine& diags);
/// Checks the rules that every compiler pass may rely on; each broken rule is one sentence.
std::vector<std::string> verify(const Plan& plan);

/// The stage program of an action kind; nothing if the schedule has no such actions.
std::optional<StageProgramId> stageProgramOf(const Plan& plan, const ChunkPrograms& programs,
                                             ActionKind kind);

} // namespace dpl::ir
