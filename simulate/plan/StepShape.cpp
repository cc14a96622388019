//===- StepShape.cpp - Simulated ranks and their rendezvous -----------------------------------===//
#include "simulate/plan/StepShape.h"
#include "ir/LockstepGroups.h"
#include "ir/MergedProgram.h"
#include <numeric>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

namespace {
// Union-find: the representative of the set that contains `at`.
std::uint32_t rootOf(std::vector<std::uint32_t>& parent, std::uint32_t at) {
  while (parent[at] != at)
    at = parent[at] = parent[parent[at]];
  return at;
}
void join(std::vector<std::uint32_t>& parent, std::uint32_t one, std::uint32_t other) {
  const std::uint32_t a = rootOf(parent, one), b = rootOf(parent, other);
  parent[std::max(a, b)] = std::min(a, b);
}
} // namespace

StepShape::StepShape(const Plan& plan, Detail detail)
    : plan(plan), detail(detail), pipelineRanks(static_cast<std::uint32_t>(plan.placement.ranks)),
      grid(plan) {
  groupRendezvous.resize(plan.groups.size());
  if (detail == Detail::Folded)
    return;
  replicas = grid.count;
  if (detail == Detail::Operation) {
    foldReplicas();
    makeFoldedRendezvous();
  } else {
    makeGroupRendezvous();
  }
}

void StepShape::foldReplicas() {
  folded = joinedReplicas(plan, lockstepGroups(plan));
  replicas = static_cast<std::uint32_t>(folded.size());
}

/// Two simulated ranks meet if any two devices that they represent meet, in groups that are not
/// folded.
void StepShape::makeFoldedRendezvous() {
  const std::set<GroupId> inside = lockstepGroups(plan);
  std::vector<std::uint32_t> unitOf(plan.mesh.devices / pipelineRanks);
  for (std::uint32_t unit = 0; unit < replicas; ++unit)
    for (const std::uint32_t column : folded[unit])
      unitOf[column] = unit;
  for (const GroupId group : rendezvousGroups()) {
    if (inside.count(group) > 0)
      continue;
    std::vector<std::uint32_t> parent(replicas);
    std::iota(parent.begin(), parent.end(), 0);
    std::vector<char> seen(unitOf.size());
    for (std::uint32_t column = 0; column < unitOf.size(); ++column)
      if (!seen[column])
        for (const std::uint64_t device : plan.groups[group].members(grid.deviceOf(column, 0))) {
          seen[grid.replicaOf(device)] = 1;
          join(parent, unitOf[column], unitOf[grid.replicaOf(device)]);
        }
    GroupRendezvous& here = groupRendezvous[group];
    here.first = counted;
    here.instance.assign(simulatedRanks(), alone);
    here.place.assign(simulatedRanks(), 0);
    std::vector<std::uint32_t> instance(replicas, alone), size;
    for (std::uint32_t column = 0; column < replicas; ++column) {
      std::uint32_t& of = instance[rootOf(parent, column)];
      if (of == alone)
        of = static_cast<std::uint32_t>(size.size()), size.push_back(0);
      for (std::uint32_t rank = 0; rank < pipelineRanks; ++rank) {
        here.instance[simulatedRank(column, rank)] = of * pipelineRanks + rank;
        here.place[simulatedRank(column, rank)] = size[of];
      }
      ++size[of];
    }
    for (const std::uint32_t of : size)
      sizes.insert(sizes.end(), pipelineRanks, of);
    counted = streams * static_cast<std::uint32_t>(sizes.size());
  }
}

std::set<GroupId> StepShape::rendezvousGroups() const {
  std::set<GroupId> used;
  for (const ChunkPrograms& programs : plan.chunkPrograms)
    for (const StageProgramId body : programs.stagePrograms)
      for (const SegmentLoop& block : plan.stagePrograms[body].loops)
        for (const Segment& s : block.segments)
          if (s.asCollective())
            used.insert(plan.collectives[collectiveOf(plan, programs, s)].group);
  for (const Collective& c : plan.collectives)
    if (c.kind != CollectiveKind::SendReceive)
      used.insert(c.group);
  // Groups of the first and the last stage are left out. They communicate after their last backward
  // pass, when all ranks wait for each other anyway.
  for (auto group = used.begin(); group != used.end();)
    group = plan.groups[*group].size < 2 || crossesPipeline(plan.groups[*group]) ? used.erase(group)
                                                                                 : std::next(group);
  return used;
}

void StepShape::makeGroupRendezvous() {
  for (const GroupId group : rendezvousGroups()) {
    const Group& of = plan.groups[group];
    GroupRendezvous& here = groupRendezvous[group];
    here.first = counted;
    here.instance.assign(simulatedRanks(), alone);
    here.place.assign(simulatedRanks(), 0);
    const auto before = static_cast<std::uint32_t>(sizes.size());
    for (std::uint32_t unit = 0; unit < simulatedRanks(); ++unit) {
      if (here.instance[unit] != alone)
        continue;
      const auto members = of.members(grid.deviceOf(unit / pipelineRanks, pipelineRankOf(unit)));
      for (std::size_t i = 0; i < members.size(); ++i) {
        const std::uint32_t member =
            StepShape::simulatedRank(grid.replicaOf(members[i]), pipelineRankOf(unit));
        here.instance[member] = static_cast<std::uint32_t>(sizes.size()) - before;
        here.place[member] = static_cast<std::uint32_t>(i);
      }
      sizes.push_back(static_cast<std::uint32_t>(members.size()));
    }
    counted = streams * static_cast<std::uint32_t>(sizes.size());
  }
}

std::vector<std::uint32_t> StepShape::devicesOf(std::uint32_t unit) const {
  const std::uint32_t rank = pipelineRankOf(unit), column = unit / pipelineRanks;
  if (detail == Detail::Folded)
    return {};
  if (detail == Detail::Collective)
    return {grid.deviceOf(column, rank)};
  std::vector<std::uint32_t> devices;
  for (const std::uint32_t each : folded[column])
    devices.push_back(grid.deviceOf(each, rank));
  return devices;
}

const Collective* StepShape::messageOf(Placement::ChunkLocation from, bool forward) const {
  // A chunk has one message if both directions take equal time; otherwise the forward message is
  // the first of two.
  const ChunkPrograms& programs = plan.chunkPrograms[plan.placement.indexOf(from.rank, from.chunk)];
  const Collective* found = nullptr;
  for (std::uint64_t i = 0; i < programs.collectives; ++i)
    if (const Collective& c = plan.collectives[programs.firstCollective + i];
        c.kind == CollectiveKind::SendReceive) {
      found = &c;
      if (forward)
        break;
    }
  return found;
}

double StepShape::segments() const {
  double all = 0;
  for (const ChunkPrograms& programs : plan.chunkPrograms)
    for (const StageProgramId body : programs.stagePrograms)
      for (const SegmentLoop& block : plan.stagePrograms[body].loops)
        all += isMerged(plan.stagePrograms[body])
                   ? 0
                   : static_cast<double>(block.count) * static_cast<double>(block.segments.size());
  return all * static_cast<double>(plan.mesh.microBatches) * replicas;
}

double StepShape::bytes() const {
  const auto messages = 2.0 * static_cast<double>(plan.placement.chunks * plan.mesh.microBatches);
  constexpr double ofUnit = 3072; // bytes per simulated rank, two thirds of them for replayed
                                  // actions
  return static_cast<double>(simulatedRanks()) * (8 * messages + ofUnit) +
         static_cast<double>(groupRendezvous.size()) * 4.0 * simulatedRanks();
}
