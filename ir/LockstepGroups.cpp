//===- LockstepGroups.cpp - Groups whose devices run in lockstep ------------------------------===//
#include "ir/LockstepGroups.h"
#include "ir/MergedProgram.h"
#include <map>
#include <numeric>

using namespace dpl;
using namespace dpl::ir;

namespace {
// If one device is slow on a pipeline rank and another one on the next rank, the second computes
// the part before its first meeting while the first computes the part after its last one. In
// lockstep they would do so one after the other. With groups of two axes, devices that finish the
// wider meeting early also send early. Both limits are shares of the computation of actions.
/// Limit of the computation before the first meeting or after the last one, whichever is less.
constexpr double mostApart = 0.15;
/// Limit of the sum of both, for all groups except the one that meets over the longest time.
constexpr double mostOutside = 0.2;

/// ps of computation before the members of a group first meet, and after they last meet.
struct Outside {
  double before = 0, after = 0;
  double both() const { return before + after; }
  double less() const { return std::min(before, after); }
};

class LockstepActions {
public:
  explicit LockstepActions(const Plan& plan) : plan(plan) {
    for (const ChunkPrograms& programs : plan.chunkPrograms)
      for (const StageProgramId body : programs.stagePrograms)
        if (relaysMessage(plan.stagePrograms[body].kind) && !isMerged(plan.stagePrograms[body]))
          walk(programs, plan.stagePrograms[body]);
  }
  /// For groups that meet forward and backward: the computation outside of their meetings.
  std::map<GroupId, Outside> outside() const {
    std::map<GroupId, Outside> out;
    for (const auto& [group, seen] : groups)
      if (seen.forward && seen.back)
        out[group] = {seen.in.before + computed - seen.of, seen.in.after + computed - seen.of};
    return out;
  }
  double computed = 0; ///< ps of computation in all actions

private:
  struct ComputeSpan {
    double first, last;
  };
  struct Seen {
    Outside in;    ///< computation of actions with meetings
    double of = 0; ///< ps of these actions
    bool forward = false, back = false;
  };
  void walk(const ChunkPrograms& programs, const StageProgram& body) {
    std::map<GroupId, ComputeSpan> met;
    double clock = 0;
    for (const SegmentLoop& block : body.loops)
      for (std::uint64_t turn = 0; turn < block.count; ++turn)
        for (const Segment& s : block.segments)
          if (s.asCompute())
            clock += static_cast<double>(s.time());
          else if (s.selection == MicroBatchSelection::Every)
            met.try_emplace(plan.collectives[programs.idOf(*s.collective())].group,
                            ComputeSpan{clock, clock})
                .first->second.last = clock;
    computed += clock;
    for (const auto& [group, span] : met) {
      Seen& seen = groups[group];
      seen.in.before += span.first, seen.in.after += clock - span.last, seen.of += clock;
      (isForward(body.kind) ? seen.forward : seen.back) = true;
    }
  }
  const Plan& plan;
  std::map<GroupId, Seen> groups;
};
} // namespace

std::set<GroupId> dpl::ir::lockstepGroups(const Plan& plan) {
  const LockstepActions passes(plan);
  const std::map<GroupId, Outside> outside = passes.outside();
  double least = INFINITY;
  for (const auto& [group, of] : outside)
    least = std::min(least, of.both());
  std::set<GroupId> out;
  for (const auto& [group, of] : outside)
    if (of.less() <= mostApart * passes.computed &&
        (of.both() == least || of.both() <= mostOutside * passes.computed))
      out.insert(group);
  return out;
}

bool dpl::ir::crossesPipeline(const Group& group) {
  return group.name == "embedding" ||
         std::find(group.axes.begin(), group.axes.end(), Axis::Pipeline) != group.axes.end();
}

dpl::ir::PipelineReplicas::PipelineReplicas(const Plan& plan)
    : ranks(static_cast<std::uint32_t>(plan.placement.ranks)) {
  const MeshAxis* axis = plan.mesh.find(Axis::Pipeline);
  stride = axis ? static_cast<std::uint32_t>(axis->stride) : 1;
  count = static_cast<std::uint32_t>(plan.mesh.devices / ranks);
}

std::set<GroupId> dpl::ir::synchronizingGroups(const Plan& plan) {
  std::set<GroupId> out;
  for (const auto& [group, of] : LockstepActions(plan).outside())
    out.insert(group);
  return out;
}

std::vector<std::vector<std::uint32_t>> dpl::ir::joinedReplicas(const Plan& plan,
                                                                const std::set<GroupId>& groups) {
  const PipelineReplicas columns(plan);
  std::vector<std::uint32_t> parent(columns.count);
  std::iota(parent.begin(), parent.end(), 0);
  const auto rootOf = [&](std::uint32_t at) {
    while (parent[at] != at)
      at = parent[at] = parent[parent[at]];
    return at;
  };
  for (const GroupId group : groups) {
    std::vector<char> seen(columns.count);
    for (std::uint32_t replica = 0; replica < columns.count; ++replica)
      if (!seen[replica] && !crossesPipeline(plan.groups[group]))
        for (const std::uint64_t device :
             plan.groups[group].members(columns.deviceOf(replica, 0))) {
          const std::uint32_t other = columns.replicaOf(device);
          seen[other] = 1;
          const std::uint32_t a = rootOf(replica), b = rootOf(other);
          parent[std::max(a, b)] = std::min(a, b);
        }
  }
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<std::uint32_t> number(columns.count, UINT32_MAX);
  for (std::uint32_t replica = 0; replica < columns.count; ++replica) {
    std::uint32_t& of = number[rootOf(replica)];
    if (of == UINT32_MAX) {
      of = static_cast<std::uint32_t>(out.size());
      out.emplace_back();
    }
    out[of].push_back(replica);
  }
  return out;
}
