#pragma once
//===- ChunkCollectives.h - The collectives of one chunk
//---------------------------------------===//
#include "cost/collectives/CollectiveCost.h"
#include "cost/collectives/TokenDispatch.h"
#include "cost/compute/LayerCost.h"
#include <array>
#include <optional>

namespace dpl::cost {

/// The group whose axes larger than 1 are exactly these; nothing when all of them are 1.
std::optional<ir::GroupId> groupWith(const ir::Plan& plan, llvm::ArrayRef<ir::Axis> axes);
/// The same over the ranks that hold copies of a stage too, where there are any.
std::optional<ir::GroupId> groupWithStageReplicas(const ir::Plan& plan,
                                                  llvm::ArrayRef<ir::Axis> axes);
std::optional<ir::GroupId> groupNamed(const ir::Plan& plan, const std::string& name);

/// Bytes of a message between two pieces of the model: b·s·h, divided by tensor with sequence
/// parallelism or scattered messages; of a layer list the output of its largest layer.
double boundaryBytes(const ir::Plan& plan, const Division& d);
/// What a chunk receives in parts from another rank and gathers over tensor before it runs.
struct GatheredMessages {
  bool activations = false, gradients = false;
  auto operator<=>(const GatheredMessages&) const = default;
};
GatheredMessages gatheredMessages(const ir::Plan& plan, const ir::Chunk& chunk);
/// The level of the links between two pipeline ranks.
std::uint64_t levelBetween(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);
/// What a message between them goes over.
ir::LinkLevel messageLink(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);

/// Of two pipeline ranks that follow one another, along the dimensions of a torus; empty without
/// one.
std::vector<ir::TorusRanks> torusOfMessages(const ir::Plan& plan);

/// The level of the links between two pipeline ranks and the kinds of nodes at its ends: messages
/// of one mesh and size that have these in common cost the same.
using MessageKind = std::array<std::uint64_t, 3>;
MessageKind messageKind(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);
/// Of one message between two pipeline ranks.
CollectiveCost messageCost(const ir::Plan& plan, double bytes, std::uint64_t from,
                           std::uint64_t to);

/// ps of the host in which PyTorch checks one call of a group
/// (`communication_options.consistency_check`).
std::uint64_t hostChecksOf(const ir::Plan& plan, ir::GroupId group);
/// ps of the calls of a collective at the end of the step, which nothing runs beside.
std::uint64_t timeAtEnd(const ir::Plan& plan, const ir::Collective& c);

/// A collective that programs launch, and ps of one.
struct TimedCollective {
  ir::ChunkCollectiveId id;
  std::uint64_t time = 0;
};

/// Who makes the collectives of a chunk.
class CollectiveBuilder {
public:
  virtual ~CollectiveBuilder() = default;
  virtual TimedCollective inAction(ir::CollectiveKind kind, ir::CollectivePurpose purpose,
                                   ir::GroupId group, double bytes) = 0;
  /// At the end of the step, where nothing runs beside it.
  virtual void atStepEnd(ir::CollectiveKind kind, ir::CollectivePurpose purpose, ir::GroupId group,
                         double bytes, double count) = 0;
};

/// Collectives of a chunk, each kind, purpose, group and size once. How often those inside bodies
/// run is counted from the bodies.
class ChunkCollectives final : public CollectiveBuilder {
public:
  /// Estimates do not ask what each level carries.
  enum class LevelTraffic : bool { Omitted, Known };
  ChunkCollectives(const ir::Plan& plan, const ir::Chunk& chunk,
                   LevelTraffic traffic = LevelTraffic::Known)
      : plan(plan), chunk(chunk), traffic(traffic) {}

  TimedCollective inAction(ir::CollectiveKind kind, ir::CollectivePurpose purpose,
                           ir::GroupId group, double bytes) override;
  void atStepEnd(ir::CollectiveKind kind, ir::CollectivePurpose purpose, ir::GroupId group,
                 double bytes, double count) override;
  /// Of tokens with the ranks that divide the experts of a layer.
  TimedCollective tokens(const ir::FeedForward& f, TokenWay way, ir::GroupId group, TokenRows rows);
  /// Messages of the pipeline, of a direction, each of that cost.
  void messages(ir::GroupId group, double bytes, double count, const CollectiveCost& cost);
  /// Counts what the bodies call in `microBatches` micro-batches.
  void count(const ir::StageProgram& program, std::uint64_t microBatches);

  IdVector<ir::Collective, ir::ChunkCollective> all;

private:
  ir::Collective& add(ir::CollectiveKind kind, ir::CollectivePurpose purpose, ir::GroupId group,
                      double bytes, const CollectiveCost& cost);
  CollectiveCost costOf(ir::CollectiveKind kind, ir::CollectivePurpose purpose, ir::GroupId group,
                        double bytes) const;
  const ir::Plan& plan;
  const ir::Chunk& chunk;
  LevelTraffic traffic;
};

} // namespace dpl::cost
