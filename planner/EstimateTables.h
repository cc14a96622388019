#pragma once
//===- EstimateTables.h - What many layouts of one plan share ---------------------------------===//
//
// A point is judged from four tables, each filled by the functions that the passes call: where a
// mesh puts the model, what a division of its layers costs, the lists of a pipeline's shape, and
// the calls that the state of a chunk makes. Once they hold what a point needs, nothing is worked
// out again and nothing is allocated.
#include "cost/Legality.h"
#include "cost/Point.h"
#include "cost/bodies/ChunkBodies.h"
#include "cost/memory/RankMemory.h"
#include "cost/schedules/Proof.h"
#include "cost/schedules/StepSweep.h"
#include "planner/Bound.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <memory>
#include <unordered_map>

namespace dpl::planner {

/// The calls of a chunk's state, and ps of those at the end of the step.
struct StateTimes {
  llvm::SmallVector<cost::StateCalls, 2> calls;
  std::uint64_t reductions = 0, gathers = 0;
  double updated = 0; ///< parameters whose optimizer state a device holds
};

/// A chunk that others of its mesh may be equal to.
struct PlacedChunk {
  std::size_t first = 0;              ///< of the equal chunks, by index into Placed::chunks
  std::uint64_t key = 0;              ///< among the chunks of all meshes
  std::optional<StateTimes> state[2]; ///< of a step of one micro-batch, of several
};

/// Messages of a chunk on and back: which of the meshes' kinds of links, none where it sends none.
struct PlacedMessages {
  static constexpr std::uint8_t none = UINT8_MAX;
  std::uint8_t forward = none, backward = none;
  bool operator==(const PlacedMessages&) const = default;
};

/// Neighbouring ranks with equal chunks and messages.
struct PlacedRun {
  std::uint64_t first = 0, ranks = 1;
  /// Bytes of one while no micro-batch is live, without buffers of messages; known when asked for.
  std::optional<ir::RankMemory> idle;
  std::optional<std::uint64_t> update; ///< ps of the update; known when asked for
};

/// Degrees without the micro-batch.
struct Placed {
  bool legal = false;
  ir::Mesh mesh;
  ir::Placement placement;
  std::vector<ir::Chunk> chunks;
  std::vector<ir::Group> groups;
  cost::StateGroups state;
  std::vector<PlacedChunk> distinct;
  std::vector<std::uint32_t> distinctOf; ///< by chunk
  std::vector<PlacedRun> runs;
  std::vector<ir::LinkLevel> links;          ///< that messages cross
  std::vector<PlacedMessages> messages;      ///< by chunk
  std::vector<std::vector<ir::Device>> held; ///< parallel to Mesh::held
};

/// ps of the passes of something without the calls of its state.
struct PassTotals {
  double forward = 0, backward = 0;
};

/// A chunk of one division.
struct ChunkUnits {
  cost::Units units;
  ir::ChunkCost cost;
  double contention = 0;
  PassTotals before, layers, after; ///< as Units has them
};

/// What the layers of a division cost and call; it refers to the plan of its table.
struct Divided {
  explicit Divided(const ir::Plan& plan);
  cost::ChunkEstimate estimate;
  cost::LayerLowering layers;
  double boundary = 0; ///< bytes of a message of the pipeline
  cost::BufferBytes buffers;
  llvm::DenseMap<std::uint64_t, std::unique_ptr<ChunkUnits>> chunks; ///< by PlacedChunk::key
};

/// ps of the messages of a pipeline.
class MessageTimes {
public:
  MessageTimes(const Placed& placed, const Divided& divided);
  std::uint64_t on(std::uint8_t link) const {
    return link == PlacedMessages::none ? 0 : times[link];
  }

private:
  llvm::SmallVector<std::uint64_t, 8> times;
};

/// The lists of a pipeline, proved and put in order once, and what each rank holds at most.
struct Shape {
  bool runs = false;
  std::unique_ptr<cost::StoredOrder> order;
  std::vector<cost::LivePeaks> peaks; ///< by rank
};

/// Whose the mesh is: that of each point, or the one that the layout gives, with the order and the
/// places of its axes; all points are that one then.
enum class MeshOf : std::uint8_t { Point, Layout };

class EstimateTables {
public:
  /// Keeps a copy of the plan, whose devices are taken.
  EstimateTables(const ir::Plan& plan, MeshOf mesh);
  EstimateTables(const EstimateTables&) = delete;

  bool isLegal(const cost::Point& point) const;
  /// The mesh of a legal point, in the plan; null where it cannot be placed.
  Placed* place(const cost::Point& point);
  /// Of the point that was placed last.
  Divided& divided(const cost::Point& point);
  const ChunkUnits& unitsOf(Divided& divided, const PlacedChunk& chunk);
  const StateTimes& stateOf(Placed& placed, PlacedChunk& chunk, const ir::ChunkCost& cost);
  /// `times` for a row whose order depends on them, which is made anew for each.
  const Shape& shapeOf(const cost::PipelineShape& shape, llvm::ArrayRef<cost::PieceTime> times);

  /// With the mesh, the groups and the chunks of the point that was placed last.
  ir::Plan plan;
  const cost::LegalityFacts facts;
  const ir::MicroBatchCosts microBatchCosts;

private:
  Shape made(const cost::PipelineShape& shape, llvm::ArrayRef<cost::PieceTime> times);
  void fill(Placed& placed, const cost::Point& point);
  void swap(Placed& placed);
  void findRuns(Placed& placed) const;
  std::uint64_t keyOf(const ir::Chunk& chunk);
  std::uint8_t linkTo(Placed& placed, std::uint64_t rank,
                      const std::optional<ir::Placement::Place>& to) const;

  MeshOf mesh;
  bool experts;
  Placed* inPlan = nullptr; ///< whose mesh, groups and chunks the plan holds
  std::unordered_map<cost::Point, Placed, PointHash> meshes;
  std::unordered_map<cost::Point, Divided, PointHash> divisions;
  std::map<std::array<std::uint64_t, 8>, std::uint64_t> chunkKeys;
  std::map<cost::PipelineShape, Shape> shapes;
  Shape timed; ///< the last of a row that orders by time
  cost::Proof proof;
};

} // namespace dpl::planner
