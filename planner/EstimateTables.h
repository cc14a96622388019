#pragma once
//===- EstimateTables.h - Tables that estimates of many layouts of one plan share -------------===//
//
// Estimates use three tables, filled by the functions of the passes: the placement of the model on
// a mesh, the costs of a division of its layers, and the state collectives of a chunk. An estimate
// whose entries exist computes and allocates nothing again.
#include "cost/execution/Step.h"
#include "cost/legality/LayoutCandidate.h"
#include "cost/legality/Legality.h"
#include "cost/memory/RankMemory.h"
#include "cost/programs/ChunkPrograms.h"
#include "passes/Pass.h"
#include "planner/Bound.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include <map>
#include <memory>

namespace dpl::planner {

/// Candidates as keys of a DenseMap; no degree of a candidate is 0.
struct CandidateKeyInfo {
  static cost::LayoutCandidate getEmptyKey() { return with(0); }
  static cost::LayoutCandidate getTombstoneKey() { return with(1); }
  static unsigned getHashValue(const cost::LayoutCandidate& candidate) {
    return static_cast<unsigned>(CandidateHash()(candidate));
  }
  static bool isEqual(const cost::LayoutCandidate& a, const cost::LayoutCandidate& b) {
    return a == b;
  }

private:
  static cost::LayoutCandidate with(std::uint32_t data) {
    cost::LayoutCandidate none;
    none.pipeline = 0, none.data = data;
    return none;
  }
};

/// Times in ps of the data-parallel collectives of one layer, and whether computation waits for
/// them.
struct LayerCollectiveTimes {
  double gather = 0, gatherFirst = 0, gatherBackward = 0, reduce = 0, reduceLast = 0;
  bool blocks = false, prefetch = false;
  bool joined = false; ///< whether collectives of several layers run in one bucket
  LayerCollectiveTimes() = default;
  explicit LayerCollectiveTimes(llvm::ArrayRef<cost::StateCollectives> state);
};

/// The state collectives of a chunk, and the times in ps of those at the end of the step. Members
/// that quick estimates read come first.
struct StateTimes {
  LayerCollectiveTimes layer;
  std::uint64_t reductions = 0, gathers = 0;
  cost::UpdatedState updated;
  std::vector<cost::StateCollectives> collectives;
};

/// A chunk that represents equal chunks of its mesh.
struct DistinctChunk {
  std::size_t first = 0;              ///< index of the first equal chunk in PlacedMesh::chunks
  std::uint64_t key = 0;              ///< key among the chunks of all meshes
  std::optional<StateTimes> state[2]; ///< for steps of one micro-batch, and of several; none until
                                      ///< computed
};

/// The link types of the messages of a chunk in both directions, as indices; `none` if it sends
/// none.
struct PlacedMessages {
  static constexpr std::uint16_t none = UINT16_MAX;
  std::uint16_t forward = none, backward = none;
  bool operator==(const PlacedMessages&) const = default;
};

/// A chunk on its rank.
struct ChunkPlacement {
  std::uint32_t distinct = 0; ///< index into PlacedMesh::distinct
  PlacedMessages messages;
  bool operator==(const ChunkPlacement&) const = default;
};

/// Adjacent ranks with equal chunks and messages.
struct PlacedRun {
  std::uint64_t first = 0, ranks = 1;
  std::size_t rankNodeTypes = 0; ///< index into Mesh::rankNodeTypes
  llvm::SmallVector<ChunkPlacement, 2> chunks;
  std::optional<ir::RankMemory> idle;  ///< memory of one rank without micro-batches and message
                                       ///< buffers; computed on demand
  std::optional<std::uint64_t> update; ///< ps of the optimizer step; computed on demand
};

/// A placed mesh: depends on the degrees of a candidate, but not on the micro-batch.
struct PlacedMesh {
  bool legal = false;
  std::vector<DistinctChunk> distinct;
  std::vector<PlacedRun> runs;
  // These members are valid while the mesh is not in the plan.
  ir::Mesh mesh;
  ir::Placement placement;
  std::vector<ir::Chunk> chunks;
  std::vector<ir::Group> groups;
  cost::StateGroups state;
  std::vector<ChunkPlacement> chunkPlacements; ///< by chunk
};

/// Times in ps of forward and backward passes, without state collectives.
struct ActionTotals {
  double forward = 0, backward = 0;
  void add(double count, const ActionTotals& each) {
    forward += count * each.forward, backward += count * each.backward;
  }
};

/// Equal consecutive layers of a chunk: their number, and the times of one layer.
struct RepeatedLayer {
  double count = 0;
  ActionTotals each;
};

/// The modules of a chunk in one division.
struct ChunkModuleCosts {
  std::vector<cost::ChunkModule> modules;
  ir::ChunkCost cost;                          ///< memory costs of the chunk
  std::optional<cost::ChunkSegments> segments; ///< computed on demand
};

/// Times in ps of a chunk in one division, without state collectives, and its bytes.
struct ChunkActionTimes {
  double contention = 0;
  ActionTotals before, after; ///< actions before and after the layers, as in Units
  llvm::SmallVector<RepeatedLayer, 2> layers;
  double saved = 0, temporary = 0;           ///< bytes, as in ChunkCost
  std::unique_ptr<ChunkModuleCosts> modules; ///< null until needed
};

/// The actions of a layer of one type, with or without full recomputation.
struct LayerActions {
  std::uint64_t layerType = 0;
  bool recomputed = false;
  cost::ActionSegments segments;
  ActionTotals each;
};

/// The costs and collectives of the layers in a division; refers to the plan of its tables. Members
/// that quick estimates read are adjacent, because estimates of many layouts are bound by memory
/// latency.
struct DivisionEstimate {
  explicit DivisionEstimate(const ir::Plan& plan);
  static constexpr std::uint64_t unknown = UINT64_MAX;

  llvm::SmallVector<ChunkActionTimes, 4> chunks; ///< by DistinctChunk::key
  double boundary = 0;                           ///< bytes of a pipeline message
  cost::BufferBytes buffers;
  llvm::SmallVector<std::uint64_t, 4> messages; ///< time of a message in ps, by link type
  cost::ChunkEstimate estimate;
  cost::LayerLowering layers;
  // If all nodes are alike, chunks share their collectives and the actions of equal layers.
  std::vector<ir::Collective> collectives;
  llvm::SmallVector<LayerActions, 2> layerActions;
};

/// What the mesh comes from: each candidate, or the layout with its order and placement of axes. In
/// the second case all candidates have the same mesh.
enum class MeshOf : std::uint8_t { Candidate, Layout };

/// The number of actions that `steps` executed steps of a plan count as. Schedules whose order
/// depends on action times are built for each step, which counts as additional actions.
std::uint64_t countedActions(const ir::Plan& plan, std::uint64_t steps);

class EstimateTables {
public:
  /// Copies the plan, whose devices must be selected.
  EstimateTables(const ir::Plan& plan, MeshOf mesh);
  EstimateTables(const EstimateTables&) = delete;

  bool isLegal(const cost::LayoutCandidate& candidate) const;
  /// The mesh of a legal candidate, or null if it cannot be placed. `split` is the result of
  /// partition-layers, if the caller knows it.
  PlacedMesh* find(const cost::LayoutCandidate& candidate, llvm::ArrayRef<ir::Chunk> split = {});
  /// Puts the mesh, groups and chunks of the candidate into the plan.
  void enter(PlacedMesh& placed, const cost::LayoutCandidate& candidate);
  std::uint64_t microBatches(const cost::LayoutCandidate& candidate) const {
    return plan.layout.batch / (candidate.microBatch * candidate.dataRanks());
  }

  // The functions for a candidate and its mesh put the mesh into the plan if they must compute.

  DivisionEstimate& divided(PlacedMesh& placed, const cost::LayoutCandidate& candidate);
  /// The reference is valid until the division of another mesh is requested.
  const ChunkActionTimes& chunkActionTimesOf(PlacedMesh& placed,
                                             const cost::LayoutCandidate& candidate,
                                             DivisionEstimate& divided, const DistinctChunk& chunk);
  /// The same, and the chunk has its stage programs by segment.
  const ChunkActionTimes& writtenChunkOf(PlacedMesh& placed, const cost::LayoutCandidate& candidate,
                                         DivisionEstimate& divided, const DistinctChunk& chunk);
  const StateTimes& stateOf(PlacedMesh& placed, const cost::LayoutCandidate& candidate,
                            DistinctChunk& chunk, const ir::ChunkCost& cost);
  /// The time in ps of a pipeline message on a link type.
  std::uint64_t messageOn(DivisionEstimate& divided, std::uint16_t link);

  /// Frees all entries, which later estimates compute again.
  void forget();

  /// The plan with the mesh, groups and chunks of the last entered candidate.
  ir::Plan plan;
  const cost::LegalityInputs legality;
  const ir::MicroBatchCosts microBatchCosts;
  /// The number of actions (countedActions) of all steps executed so far, for splits and estimates.
  std::uint64_t executed = 0;

private:
  void fill(PlacedMesh& placed, const cost::LayoutCandidate& candidate,
            llvm::ArrayRef<ir::Chunk> split);
  LogicalResult place(llvm::ArrayRef<ir::Chunk> split);
  void swap(PlacedMesh& placed);
  void findMessages(PlacedMesh& placed);
  void findEqual(PlacedMesh& placed);
  void findRuns(PlacedMesh& placed) const;
  std::uint64_t keyOf(const ir::Chunk& chunk);
  template <class Lower>
  void lower(DivisionEstimate& divided, const ir::Chunk& chunk, Lower lower) const;
  const LayerActions& layerOf(DivisionEstimate& divided, const cost::ChunkModule& module,
                              std::uint64_t rank, cost::ChunkCollectives& collectives) const;
  std::uint16_t linkTo(std::uint64_t rank, std::uint64_t to);

  MeshOf mesh;
  bool experts;
  const std::array<std::unique_ptr<Pass>, 3> placing; ///< passes that place the model, in order
  PlacedMesh* inPlan = nullptr;                       ///< mesh that the plan contains
  llvm::DenseMap<cost::LayoutCandidate, std::unique_ptr<PlacedMesh>, CandidateKeyInfo> meshes;
  llvm::SpecificBumpPtrAllocator<DivisionEstimate> allDivided; ///< divisions in order of creation
  llvm::DenseMap<cost::LayoutCandidate, DivisionEstimate*, CandidateKeyInfo> divisions;
  std::pair<cost::LayoutCandidate, DivisionEstimate*>
      lastDivision;                 ///< division of the last candidate, which the next often shares
  std::vector<ir::LinkLevel> links; ///< links of messages of all meshes
  /// For the mesh in the plan, the links of its messages.
  llvm::SmallVector<std::pair<cost::MessageKind, std::uint16_t>, 4> linksOfKinds;
  std::map<std::array<std::uint64_t, 9>, std::uint64_t> chunkKeys;
};

} // namespace dpl::planner
