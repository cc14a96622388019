#pragma once
//===- StepShape.h - Simulated ranks and their rendezvous -------------------------------------===//
#include "ir/LockstepGroups.h"
#include <set>

namespace dpl::simulation {

/// The level of detail of a simulation.
enum class Detail : std::uint8_t {
  Folded,    ///< one device represents its pipeline rank, because nothing varies
  Operation, ///< one device represents all that communicate in every action, and has the time of
             ///< the slowest; it has a rendezvous only for other collectives
  Collective ///< every device is simulated, with a rendezvous for each collective
};

/// Simulated ranks and their rendezvous. A column is one combination of coordinates on all axes but
/// pipeline. It has one simulated rank on each pipeline rank, and pipeline messages stay inside it.
class StepShape {
public:
  /// Relies on: a complete plan.
  StepShape(const ir::Plan& plan, Detail detail);

  static constexpr std::uint32_t alone = UINT32_MAX;

  const ir::Plan& plan;
  const Detail detail;
  std::uint32_t pipelineRanks = 1, replicas = 1;
  std::uint32_t simulatedRanks() const { return pipelineRanks * replicas; }
  std::uint32_t simulatedRank(std::uint32_t column, std::uint32_t pipelineRank) const {
    return column * pipelineRanks + pipelineRank;
  }
  std::uint32_t pipelineRankOf(std::uint32_t unit) const { return unit % pipelineRanks; }
  /// The devices that a simulated rank represents; none if it is folded.
  std::vector<std::uint32_t> devicesOf(std::uint32_t unit) const;

  /// The rendezvous of a simulated rank for the collectives of a group on a stream; `alone` if it
  /// waits for nobody.
  std::uint32_t rendezvousOf(std::uint32_t unit, ir::GroupId group, ir::Stream stream) const {
    const GroupRendezvous& of = groupRendezvous[group];
    return of.first == alone
               ? alone
               : of.first + streams * of.instance[unit] + static_cast<std::uint32_t>(stream);
  }
  /// The index of a simulated rank among the members of its group, in group order.
  std::uint32_t placeOf(std::uint32_t unit, ir::GroupId group) const {
    return groupRendezvous[group].place[unit];
  }
  static std::size_t streamOf(std::uint32_t rendezvous) { return rendezvous % streams; }
  std::uint32_t rendezvousCount() const { return counted; }
  /// The number of simulated ranks that arrive at a rendezvous.
  std::uint32_t sizeOf(std::uint32_t rendezvous) const { return sizes[rendezvous / streams]; }

  /// The message that a chunk sends, or null.
  const ir::Collective* messageOf(ir::Placement::ChunkLocation from, bool forward) const;
  /// The number of segments that all simulated ranks run in a step.
  double segments() const;
  /// An upper bound on the bytes that one step needs.
  double bytes() const;

private:
  static constexpr std::uint32_t streams = 5;
  struct GroupRendezvous {
    std::uint32_t first = alone;
    std::vector<std::uint32_t> instance, place; ///< instance of the group, and index in it, by
                                                ///< simulated rank
  };
  void foldReplicas();
  void makeFoldedRendezvous();
  void makeGroupRendezvous();
  /// The groups that run collectives and whose members are all on one pipeline rank.
  std::set<ir::GroupId> rendezvousGroups() const;

  ir::PipelineReplicas grid;
  IdVector<GroupRendezvous, ir::Group> groupRendezvous;
  std::vector<std::uint32_t> sizes;               ///< number of members of each instance of a group
  std::vector<std::vector<std::uint32_t>> folded; ///< by column, the columns of devices that it
                                                  ///< represents; for Operation
  std::uint32_t counted = 0;
};

} // namespace dpl::simulation
