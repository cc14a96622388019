#pragma once
//===- ChunkCollectives.h - The collectives of one chunk --------------------------------------===//
#include "cost/collectives/CollectiveCost.h"
#include "cost/collectives/TokenDispatch.h"
#include "cost/compute/LayerCost.h"
#include <array>
#include <optional>

namespace dpl::cost {

/// Finds the group over exactly these axes, where axes of size 1 do not count. Returns nothing if
/// all of them have size 1.
std::optional<ir::GroupId> groupWith(const ir::Plan& plan, llvm::ArrayRef<ir::Axis> axes);
/// Finds the group of groupWith, extended over the ranks with stage replicas if there are any.
std::optional<ir::GroupId> groupWithStageReplicas(const ir::Plan& plan,
                                                  llvm::ArrayRef<ir::Axis> axes);
std::optional<ir::GroupId> groupNamed(const ir::Plan& plan, const std::string& name);

/// Bytes of a message between two chunks: b·s·h, divided over tensor ranks with sequence
/// parallelism or scattered messages. For a model given as a list of layers: the output of its
/// largest layer.
double boundaryBytes(const ir::Plan& plan, const Division& d);
/// The messages that a chunk receives scattered and all-gathers over tensor ranks before it runs.
struct GatheredMessages {
  bool activations = false, gradients = false;
  auto operator<=>(const GatheredMessages&) const = default;
};
GatheredMessages gatheredMessages(const ir::Plan& plan, const ir::Chunk& chunk);
/// The level of the links between two pipeline ranks.
std::uint64_t levelBetween(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);
/// The link that a message between two pipeline ranks uses.
ir::LinkLevel messageLink(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);

/// Positions of two consecutive pipeline ranks along the dimensions of a torus; empty without a
/// torus.
std::vector<ir::TorusRanks> torusOfMessages(const ir::Plan& plan);

/// The level of the links between two pipeline ranks and the node types at both ends. Messages of
/// one mesh and size with equal MessageKind have the same cost.
using MessageKind = std::array<std::uint64_t, 3>;
MessageKind messageKind(const ir::Plan& plan, std::uint64_t from, std::uint64_t to);
/// Cost of one message between two pipeline ranks.
CollectiveCost messageCost(const ir::Plan& plan, double bytes, std::uint64_t from,
                           std::uint64_t to);

/// ps in which PyTorch on the host checks one collective of a group
/// (`communication_options.consistency_check`).
std::uint64_t hostChecksOf(const ir::Plan& plan, ir::GroupId group);
/// ps of all `c.count` runs of a collective at the end of the step, where they are not overlapped.
std::uint64_t timeAtEnd(const ir::Plan& plan, const ir::Collective& c);

/// A collective that stage programs launch, and its time in ps.
struct TimedCollective {
  ir::ChunkCollectiveId id;
  std::uint64_t time = 0;
};

/// Interface that receives the collectives of a chunk.
class CollectiveBuilder {
public:
  virtual ~CollectiveBuilder() = default;
  virtual TimedCollective inAction(ir::CollectiveKind kind, ir::CollectivePurpose purpose,
                                   ir::GroupId group, double bytes) = 0;
  /// Adds collectives at the end of the step, which are not overlapped.
  virtual void atStepEnd(ir::CollectiveKind kind, ir::CollectivePurpose purpose, ir::GroupId group,
                         double bytes, double count) = 0;
};

/// The collectives of a chunk, once per kind, purpose, group and size. `count` reads from the stage
/// programs how often each one runs.
class ChunkCollectives final : public CollectiveBuilder {
public:
  /// Estimates omit the bytes per link level.
  enum class LevelTraffic : bool { Omitted, Known };
  ChunkCollectives(const ir::Plan& plan, const ir::Chunk& chunk,
                   LevelTraffic traffic = LevelTraffic::Known)
      : plan(plan), chunk(chunk), traffic(traffic) {}

  TimedCollective inAction(ir::CollectiveKind kind, ir::CollectivePurpose purpose,
                           ir::GroupId group, double bytes) override;
  void atStepEnd(ir::CollectiveKind kind, ir::CollectivePurpose purpose, ir::GroupId group,
                 double bytes, double count) override;
  /// Adds a token exchange between the ranks that divide the experts of a layer.
  TimedCollective tokens(const ir::FeedForward& f, TokenWay way, ir::GroupId group, TokenRows rows);
  /// Adds `count` pipeline messages of one direction. `cost` is the cost of one message.
  void messages(ir::GroupId group, double bytes, double count, const CollectiveCost& cost);
  /// Counts the collectives that a stage program launches in `microBatches` micro-batches.
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
