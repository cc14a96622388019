#pragma once
//===- EstimateTables.h - What many layouts of one plan share ---------------------------------===//
//
// A point is judged from three tables, each filled by the functions that the passes call: where a
// mesh puts the model, what a division of its layers costs, and the calls that the state of a chunk
// makes. Once they hold what a point needs, nothing is worked out again and nothing is allocated.
#include "cost/legality/Legality.h"
#include "cost/legality/Point.h"
#include "cost/memory/RankMemory.h"
#include "cost/programs/ChunkBodies.h"
#include "passes/Pass.h"
#include "planner/Bound.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include <map>
#include <memory>

namespace dpl::planner {

/// Points as keys of a DenseMap; no point has a degree of 0.
struct PointInfo {
  static cost::Point getEmptyKey() { return with(0); }
  static cost::Point getTombstoneKey() { return with(1); }
  static unsigned getHashValue(const cost::Point& point) {
    return static_cast<unsigned>(PointHash()(point));
  }
  static bool isEqual(const cost::Point& a, const cost::Point& b) { return a == b; }

private:
  static cost::Point with(std::uint32_t data) {
    cost::Point none;
    none.pipeline = 0, none.data = data;
    return none;
  }
};

/// ps of the data calls of one layer, and whether computation waits for them at once.
struct LayerCalls {
  double gather = 0, gatherFirst = 0, gatherAgain = 0, reduce = 0, reduceLast = 0;
  bool blocks = false, prefetch = false;
  bool joined = false; ///< those of several layers leave together
  LayerCalls() = default;
  explicit LayerCalls(llvm::ArrayRef<cost::StateCalls> state);
};

/// The calls of a chunk's state, and ps of those at the end of the step. What a quick estimate
/// reads comes first.
struct StateTimes {
  LayerCalls layer;
  std::uint64_t reductions = 0, gathers = 0;
  double updated = 0; ///< parameters whose optimizer state a device holds
  std::vector<cost::StateCalls> calls;
};

/// A chunk that others of its mesh may be equal to.
struct PlacedChunk {
  std::size_t first = 0;              ///< of the equal chunks, by index into Placed::chunks
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
struct PlacedPiece {
  std::uint32_t distinct = 0; ///< by index into Placed::distinct
  PlacedMessages messages;
  bool operator==(const PlacedPiece&) const = default;
};

/// Neighbouring ranks with equal chunks and messages.
struct PlacedRun {
  std::uint64_t first = 0, ranks = 1;
  std::size_t held = 0; ///< by index into Mesh::held
  llvm::SmallVector<PlacedPiece, 2> pieces;
  std::optional<ir::RankMemory> idle;  ///< of one while no micro-batch is live, without buffers
                                       ///< of messages; known when asked for
  std::optional<std::uint64_t> update; ///< ps of the update; known when asked for
};

/// Degrees without the micro-batch.
struct Placed {
  bool legal = false;
  std::vector<PlacedChunk> distinct;
  std::vector<PlacedRun> runs;
  // While it is not the plan's.
  ir::Mesh mesh;
  ir::Placement placement;
  std::vector<ir::Chunk> chunks;
  std::vector<ir::Group> groups;
  cost::StateGroups state;
  std::vector<PlacedPiece> pieces; ///< by chunk
};

/// ps of the passes of something without the calls of its state.
struct PassTotals {
  double forward = 0, backward = 0;
  void add(double count, const PassTotals& each) {
    forward += count * each.forward, backward += count * each.backward;
  }
};

/// Layers of a chunk that follow one another and are alike: how many, and the passes of one.
struct LayerPasses {
  double count = 0;
  PassTotals each;
};

/// What a chunk of one division was made of.
struct ChunkParts {
  std::vector<cost::ChunkPart> all;
  ir::ChunkCost cost;               ///< what it holds
  std::optional<cost::Units> units; ///< once they were written
};

/// The passes of a chunk of one division without the calls of its state, ps; what it keeps.
struct ChunkUnits {
  double contention = 0;
  PassTotals before, after; ///< as Units has them
  llvm::SmallVector<LayerPasses, 2> layers;
  double kept = 0, working = 0;      ///< bytes, as ChunkCost has them
  std::unique_ptr<ChunkParts> parts; ///< null until the chunk is asked for
};

/// The passes of a layer of a class, some of which are recomputed whole.
struct LayerUnit {
  std::uint64_t layerClass = 0;
  bool recomputed = false;
  cost::PassSegments segments;
  PassTotals each;
};

/// What the layers of a division cost and call; it refers to the plan of its table. What a quick
/// estimate reads lies together: among many layouts it waits for memory more than for anything
/// else.
struct Divided {
  explicit Divided(const ir::Plan& plan);
  static constexpr std::uint64_t unknown = UINT64_MAX;

  llvm::SmallVector<ChunkUnits, 4> chunks; ///< by PlacedChunk::key
  double boundary = 0;                     ///< bytes of a message of the pipeline
  cost::BufferBytes buffers;
  llvm::SmallVector<std::uint64_t, 4> messages; ///< ps of one, by kind of link
  cost::ChunkEstimate estimate;
  cost::LayerLowering layers;
  // Where all nodes are alike, chunks have their calls and what the same layers run in common.
  std::vector<ir::Collective> calls;
  llvm::SmallVector<LayerUnit, 2> units;
};

/// Whose the mesh is: that of each point, or the one that the layout gives, with the order and the
/// places of its axes; all points are that one then.
enum class MeshOf : std::uint8_t { Point, Layout };

/// What `steps` executed steps of a plan count as, in passes of a chunk. Lists whose order depends
/// on the times of passes are made anew for each step, which takes as long as so many more.
std::uint64_t countedPasses(const ir::Plan& plan, std::uint64_t steps);

class EstimateTables {
public:
  /// Keeps a copy of the plan, whose devices are taken.
  EstimateTables(const ir::Plan& plan, MeshOf mesh);
  EstimateTables(const EstimateTables&) = delete;

  bool isLegal(const cost::Point& point) const;
  /// The mesh of a legal point; null where it cannot be placed.
  Placed* find(const cost::Point& point);
  /// The plan gets the mesh, the groups and the chunks of the point.
  void enter(Placed& placed, const cost::Point& point);
  std::uint64_t microBatches(const cost::Point& point) const {
    return plan.layout.batch / (point.microBatch * point.dataRanks());
  }

  // Of a point and its mesh, which the plan gets where something has to be worked out.

  Divided& divided(Placed& placed, const cost::Point& point);
  /// It stays where it is until the division of another mesh is asked for.
  const ChunkUnits& unitsOf(Placed& placed, const cost::Point& point, Divided& divided,
                            const PlacedChunk& chunk);
  /// The same with its units, segment by segment.
  const ChunkUnits& writtenOf(Placed& placed, const cost::Point& point, Divided& divided,
                              const PlacedChunk& chunk);
  const StateTimes& stateOf(Placed& placed, const cost::Point& point, PlacedChunk& chunk,
                            const ir::ChunkCost& cost);
  /// ps of a message of the pipeline.
  std::uint64_t messageOn(Divided& divided, std::uint16_t link);

  /// With the mesh, the groups and the chunks of the point that was entered last.
  ir::Plan plan;
  const cost::LegalityFacts facts;
  const ir::MicroBatchCosts microBatchCosts;
  /// Counted passes (countedPasses) of all steps so far, for splits and for estimates.
  std::uint64_t executed = 0;

private:
  void fill(Placed& placed, const cost::Point& point);
  void swap(Placed& placed);
  void findMessages(Placed& placed);
  void findEqual(Placed& placed);
  void findRuns(Placed& placed) const;
  std::uint64_t keyOf(const ir::Chunk& chunk);
  template <class Lower> void lower(Divided& divided, const ir::Chunk& chunk, Lower lower) const;
  const LayerUnit& layerOf(Divided& divided, const cost::ChunkPart& part, std::uint64_t rank,
                           cost::Calls& calls) const;
  std::uint16_t linkTo(std::uint64_t rank, std::uint64_t to);

  MeshOf mesh;
  bool experts;
  const std::array<std::unique_ptr<Pass>, 3> placing; ///< what puts a model onto a mesh, in order
  Placed* inPlan = nullptr; ///< whose mesh, groups and chunks the plan holds
  llvm::DenseMap<cost::Point, std::unique_ptr<Placed>, PointInfo> meshes;
  llvm::SpecificBumpPtrAllocator<Divided> allDivided; ///< one after another, as they are asked for
  llvm::DenseMap<cost::Point, Divided*, PointInfo> divisions;
  std::pair<cost::Point, Divided*> lastDivision; ///< points that follow one another often share it
  std::vector<ir::LinkLevel> links;              ///< that messages of some mesh cross
  /// Of the mesh in the plan, where its messages cross them.
  llvm::SmallVector<std::pair<cost::MessageKind, std::uint16_t>, 4> linksOfKinds;
  std::map<std::array<std::uint64_t, 9>, std::uint64_t> chunkKeys;
};

} // namespace dpl::planner
