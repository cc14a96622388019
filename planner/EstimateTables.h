#pragma once
//===- EstimateTables.h - What many layouts of one plan share ---------------------------------===//
//
// A point is judged from three tables, each filled by the functions that the passes call: where a
// mesh puts the model, what a division of its layers costs, and the calls that the state of a chunk
// makes. Once they hold what a point needs, nothing is worked out again and nothing is allocated.
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

/// Points as keys of a DenseMap; no point has a degree of 0.
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

/// ps of the data calls of one layer, and whether computation waits for them at once.
struct LayerCollectiveTimes {
  double gather = 0, gatherFirst = 0, gatherBackward = 0, reduce = 0, reduceLast = 0;
  bool blocks = false, prefetch = false;
  bool joined = false; ///< those of several layers leave together
  LayerCollectiveTimes() = default;
  explicit LayerCollectiveTimes(llvm::ArrayRef<cost::StateCollectives> state);
};

/// The calls of a chunk's state, and ps of those at the end of the step. What a quick estimate
/// reads comes first.
struct StateTimes {
  LayerCollectiveTimes layer;
  std::uint64_t reductions = 0, gathers = 0;
  double updated = 0; ///< parameters whose optimizer state a device holds
  std::vector<cost::StateCollectives> collectives;
};

/// A chunk that others of its mesh may be equal to.
struct DistinctChunk {
  std::size_t first = 0;              ///< of the equal chunks, by index into PlacedMesh::chunks
  std::uint64_t key = 0;              ///< among the chunks of all meshes
  std::optional<StateTimes> state[2]; ///< of a step of one micro-batch, of several
};

/// Messages of a chunk on and back: which of the kinds of links of all meshes, none where it sends
/// none.
struct PlacedMessages {
  static constexpr std::uint16_t none = UINT16_MAX;
  std::uint16_t forward = none, backward = none;
  bool operator==(const PlacedMessages&) const = default;
};

/// A chunk on its rank.
struct ChunkPlacement {
  std::uint32_t distinct = 0; ///< by index into PlacedMesh::distinct
  PlacedMessages messages;
  bool operator==(const ChunkPlacement&) const = default;
};

/// Neighbouring ranks with equal chunks and messages.
struct PlacedRun {
  std::uint64_t first = 0, ranks = 1;
  std::size_t rankNodeTypes = 0; ///< by index into Mesh::rankNodeTypes
  llvm::SmallVector<ChunkPlacement, 2> chunks;
  std::optional<ir::RankMemory> idle;  ///< of one while no micro-batch is live, without buffers
                                       ///< of messages; known when asked for
  std::optional<std::uint64_t> update; ///< ps of the update; known when asked for
};

/// Degrees without the micro-batch.
struct PlacedMesh {
  bool legal = false;
  std::vector<DistinctChunk> distinct;
  std::vector<PlacedRun> runs;
  // While it is not the plan's.
  ir::Mesh mesh;
  ir::Placement placement;
  std::vector<ir::Chunk> chunks;
  std::vector<ir::Group> groups;
  cost::StateGroups state;
  std::vector<ChunkPlacement> chunkPlacements; ///< by chunk
};

/// ps of the passes of something without the calls of its state.
struct ActionTotals {
  double forward = 0, backward = 0;
  void add(double count, const ActionTotals& each) {
    forward += count * each.forward, backward += count * each.backward;
  }
};

/// Layers of a chunk that follow one another and are alike: how many, and the passes of one.
struct RepeatedLayer {
  double count = 0;
  ActionTotals each;
};

/// What a chunk of one division was made of.
struct ChunkModuleCosts {
  std::vector<cost::ChunkModule> modules;
  ir::ChunkCost cost;                          ///< what it holds
  std::optional<cost::ChunkSegments> segments; ///< once they were written
};

/// The passes of a chunk of one division without the calls of its state, ps; what it keeps.
struct ChunkActionTimes {
  double contention = 0;
  ActionTotals before, after; ///< as Units has them
  llvm::SmallVector<RepeatedLayer, 2> layers;
  double saved = 0, temporary = 0;           ///< bytes, as ChunkCost has them
  std::unique_ptr<ChunkModuleCosts> modules; ///< null until the chunk is asked for
};

/// The passes of a layer of a class, some of which are recomputed whole.
struct LayerActions {
  std::uint64_t layerType = 0;
  bool recomputed = false;
  cost::ActionSegments segments;
  ActionTotals each;
};

/// What the layers of a division cost and call; it refers to the plan of its table. What a quick
/// estimate reads lies together: among many layouts it waits for memory more than for anything
/// else.
struct DivisionEstimate {
  explicit DivisionEstimate(const ir::Plan& plan);
  static constexpr std::uint64_t unknown = UINT64_MAX;

  llvm::SmallVector<ChunkActionTimes, 4> chunks; ///< by DistinctChunk::key
  double boundary = 0;                           ///< bytes of a message of the pipeline
  cost::BufferBytes buffers;
  llvm::SmallVector<std::uint64_t, 4> messages; ///< ps of one, by kind of link
  cost::ChunkEstimate estimate;
  cost::LayerLowering layers;
  // Where all nodes are alike, chunks have their calls and what the same layers run in common.
  std::vector<ir::Collective> collectives;
  llvm::SmallVector<LayerActions, 2> layerActions;
};

/// Whose the mesh is: that of each point, or the one that the layout gives, with the order and the
/// places of its axes; all points are that one then.
enum class MeshOf : std::uint8_t { Candidate, Layout };

/// What `steps` executed steps of a plan count as, in passes of a chunk. Lists whose order depends
/// on the times of passes are made anew for each step, which takes as long as so many more.
std::uint64_t countedActions(const ir::Plan& plan, std::uint64_t steps);

class EstimateTables {
public:
  /// Keeps a copy of the plan, whose devices are taken.
  EstimateTables(const ir::Plan& plan, MeshOf mesh);
  EstimateTables(const EstimateTables&) = delete;

  bool isLegal(const cost::LayoutCandidate& candidate) const;
  /// The mesh of a legal point; null where it cannot be placed.
  PlacedMesh* find(const cost::LayoutCandidate& candidate);
  /// The plan gets the mesh, the groups and the chunks of the point.
  void enter(PlacedMesh& placed, const cost::LayoutCandidate& candidate);
  std::uint64_t microBatches(const cost::LayoutCandidate& candidate) const {
    return plan.layout.batch / (candidate.microBatch * candidate.dataRanks());
  }

  // Of a point and its mesh, which the plan gets where something has to be worked out.

  DivisionEstimate& divided(PlacedMesh& placed, const cost::LayoutCandidate& candidate);
  /// It stays where it is until the division of another mesh is asked for.
  const ChunkActionTimes& chunkActionTimesOf(PlacedMesh& placed,
                                             const cost::LayoutCandidate& candidate,
                                             DivisionEstimate& divided, const DistinctChunk& chunk);
  /// The same with its units, segment by segment.
  const ChunkActionTimes& writtenChunkOf(PlacedMesh& placed, const cost::LayoutCandidate& candidate,
                                         DivisionEstimate& divided, const DistinctChunk& chunk);
  const StateTimes& stateOf(PlacedMesh& placed, const cost::LayoutCandidate& candidate,
                            DistinctChunk& chunk, const ir::ChunkCost& cost);
  /// ps of a message of the pipeline.
  std::uint64_t messageOn(DivisionEstimate& divided, std::uint16_t link);

  /// With the mesh, the groups and the chunks of the point that was entered last.
  ir::Plan plan;
  const cost::LegalityInputs legality;
  const ir::MicroBatchCosts microBatchCosts;
  /// Counted passes (countedActions) of all steps so far, for splits and for estimates.
  std::uint64_t executed = 0;

private:
  void fill(PlacedMesh& placed, const cost::LayoutCandidate& candidate);
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
  const std::array<std::unique_ptr<Pass>, 3> placing; ///< what puts a model onto a mesh, in order
  PlacedMesh* inPlan = nullptr; ///< whose mesh, groups and chunks the plan holds
  llvm::DenseMap<cost::LayoutCandidate, std::unique_ptr<PlacedMesh>, CandidateKeyInfo> meshes;
  llvm::SpecificBumpPtrAllocator<DivisionEstimate>
      allDivided; ///< one after another, as they are asked for
  llvm::DenseMap<cost::LayoutCandidate, DivisionEstimate*, CandidateKeyInfo> divisions;
  std::pair<cost::LayoutCandidate, DivisionEstimate*>
      lastDivision;                 ///< points that follow one another often share it
  std::vector<ir::LinkLevel> links; ///< that messages of some mesh cross
  /// Of the mesh in the plan, where its messages cross them.
  llvm::SmallVector<std::pair<cost::MessageKind, std::uint16_t>, 4> linksOfKinds;
  std::map<std::array<std::uint64_t, 9>, std::uint64_t> chunkKeys;
};

} // namespace dpl::planner
