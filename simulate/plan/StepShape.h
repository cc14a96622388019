#pragma once
//===- StepShape.h - Who takes part in a simulated step, and who meets whom ---------------===//
#include "ir/LockstepGroups.h"
#include <set>

namespace dpl::simulation {

/// How far ranks are told apart.
enum class Detail : std::uint8_t {
  Folded,    ///< one device stands for its pipeline rank: nothing varies
  Operation, ///< one for all that meet in every pass, as slow as the slowest of them; they meet
             ///< for all else
  Collective ///< each device, and each arrives at each collective
};

/// Simulated ranks and the collectives in which they meet. Columns are what is left of the devices
/// without the pipeline axis: a column has a unit on each pipeline rank, and messages stay inside.
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
  /// Devices that a unit stands for; none where it is folded.
  std::vector<std::uint32_t> devicesOf(std::uint32_t unit) const;

  /// Where a unit meets others for a collective of a stream; `alone` where nobody is waited for.
  std::uint32_t rendezvousOf(std::uint32_t unit, ir::GroupId group, ir::Stream stream) const {
    const GroupRendezvous& of = groupRendezvous[group];
    return of.first == alone
               ? alone
               : of.first + streams * of.instance[unit] + static_cast<std::uint32_t>(stream);
  }
  /// Its place among the members of the group that it meets, in group order.
  std::uint32_t placeOf(std::uint32_t unit, ir::GroupId group) const {
    return groupRendezvous[group].place[unit];
  }
  static std::size_t streamOf(std::uint32_t rendezvous) { return rendezvous % streams; }
  std::uint32_t rendezvousCount() const { return counted; }
  /// How many arrive there.
  std::uint32_t sizeOf(std::uint32_t rendezvous) const { return sizes[rendezvous / streams]; }

  /// A message, by the chunk that sends it; null where it sends none.
  const ir::Collective* messageOf(ir::Placement::ChunkLocation from, bool forward) const;
  /// Segments that all units run in a step.
  double segments() const;
  /// Bytes that one step needs, at most.
  double bytes() const;

private:
  static constexpr std::uint32_t streams = 5;
  struct GroupRendezvous {
    std::uint32_t first = alone;
    std::vector<std::uint32_t> instance, place; ///< by unit
  };
  void foldReplicas();
  void makeFoldedRendezvous();
  void makeGroupRendezvous();
  /// Whose collectives are called, and whose members are not of several pipeline ranks.
  std::set<ir::GroupId> rendezvousGroups() const;

  ir::PipelineReplicas grid;
  IdVector<GroupRendezvous, ir::Group> groupRendezvous;
  std::vector<std::uint32_t> sizes;               ///< of groups of devices
  std::vector<std::vector<std::uint32_t>> folded; ///< columns of devices, by column; of Operation
  std::uint32_t counted = 0;
};

} // namespace dpl::simulation
