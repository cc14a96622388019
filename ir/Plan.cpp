//===- Plan.cpp - Derived values of a plan ----------------------------------------------------===//
#include "ir/Plan.h"
#include <algorithm>
#include <cassert>

using namespace dpl::ir;

DPL_DEFINE_SPECIAL_MEMBERS(Plan);

const MeshAxis* Mesh::find(Axis a) const {
  for (const MeshAxis& axis : axes)
    if (axis.axis == a)
      return &axis;
  for (const MeshAxis& axis : expertAxes)
    if (axis.axis == a)
      return &axis;
  return nullptr;
}

std::uint64_t Mesh::size(Axis a) const {
  const MeshAxis* axis = find(a);
  return axis ? axis->size : 1;
}

std::size_t Mesh::rankNodeTypesIndex(std::uint64_t pipelineRank) const {
  for (std::size_t i = 0; i < rankNodeTypes.size(); ++i)
    if (pipelineRank - rankNodeTypes[i].first < rankNodeTypes[i].count)
      return i;
  assert(false && "place-ranks places every pipeline rank");
  return 0;
}

std::uint64_t Stride::beyondFirst(std::uint64_t rank) const {
  const std::uint64_t at = rank % period;
  if (!mirrored)
    return at / stride * stride;
  const std::uint64_t step = period - stride, place = at / step, last = stride / step;
  return place > last / 2 ? (2 * place - last) * step : 0;
}

std::uint64_t Stride::member(std::uint64_t first, std::uint64_t i) const {
  if (!mirrored)
    return first + i * stride;
  const std::uint64_t step = period - stride, place = first % period / step;
  return first + i * (stride - 2 * place * step);
}

bool Group::overStageReplicas() const {
  return std::any_of(strides.begin(), strides.end(), [](const Stride& s) { return s.mirrored; });
}

std::vector<std::uint64_t> Group::members(std::uint64_t rank) const {
  std::uint64_t base = rank;
  for (const Stride& s : strides)
    base -= s.beyondFirst(rank);
  std::vector<std::uint64_t> ranks{base};
  ranks.reserve(size);
  for (const Stride& s : strides) {
    const std::vector<std::uint64_t> outer = std::move(ranks);
    ranks.clear();
    for (const std::uint64_t r : outer)
      for (std::uint64_t i = 0; i < s.count; ++i)
        ranks.push_back(s.member(r, i));
  }
  return ranks;
}

std::uint64_t Plan::stateRanks() const {
  return placement.directions() * mesh.size(Axis::Data) * mesh.size(Axis::Context);
}

std::uint64_t Plan::expertStateRanks() const {
  return mesh.expertAxes.empty() ? stateRanks()
                                 : placement.directions() * mesh.size(Axis::ExpertData);
}

std::uint64_t Plan::tokensPerMicroBatch() const {
  return layout.microBatch * (model.isLayerList() ? 1 : model.context);
}

const Group* Plan::group(const std::string& groupName) const {
  for (const Group& g : groups)
    if (g.name == groupName)
      return &g;
  return nullptr;
}

const Run& Plan::runOf(const Launch& launch) const {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const Run& run) { return run.name == launch.run; });
  assert(found != runs.end() && "a launch has its run beside it");
  return *found;
}

const Space* Plan::search() const {
  for (const Space& space : spaces)
    if (space.kind == SpaceKind::Search)
      return &space;
  return nullptr;
}

std::vector<RankSchedule::TimedAction> RankSchedule::printed() const {
  std::vector<TimedAction> entries;
  entries.reserve(actions.size());
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const ScheduledAction& action = actions[i];
    TimedAction& entry = entries.emplace_back();
    entry.kind = action.kind, entry.chunk = action.chunk;
    if (action.kind == ActionKind::Collective)
      entry.collective = action.collective;
    else
      entry.microBatch = action.microBatch;
    entry.start = i < start.size() ? start[i] : 0;
    entry.duration = i < duration.size() ? duration[i] : 0;
  }
  return entries;
}

void RankSchedule::assign(const std::vector<TimedAction>& entries) {
  actions.clear(), start.clear(), duration.clear();
  for (const TimedAction& e : entries) {
    actions.push_back(e.kind == ActionKind::Collective
                          ? ScheduledAction(e.collective)
                          : ScheduledAction{e.kind, static_cast<std::uint16_t>(e.chunk),
                                            static_cast<std::uint32_t>(e.microBatch)});
    start.push_back(e.start);
    duration.push_back(e.duration);
  }
}

std::optional<PipelineMessage> dpl::ir::messageInto(const Placement& placement, std::uint64_t rank,
                                                    const ScheduledAction& op) {
  if (!relaysMessage(op.kind))
    return std::nullopt;
  const Placement::ChunkLocation at{rank, op.chunk};
  const auto from = op.forward() ? placement.previous(at) : placement.next(at);
  if (!from || from->rank == rank)
    return std::nullopt;
  return PipelineMessage{*from, at, op.microBatch, op.forward()};
}

std::optional<PipelineMessage> dpl::ir::messageFrom(const Placement& placement, std::uint64_t rank,
                                                    const ScheduledAction& op) {
  if (!relaysMessage(op.kind))
    return std::nullopt;
  const Placement::ChunkLocation at{rank, op.chunk};
  const auto to = op.forward() ? placement.next(at) : placement.previous(at);
  if (!to || to->rank == rank)
    return std::nullopt;
  return PipelineMessage{at, *to, op.microBatch, op.forward()};
}

std::optional<StageProgramId>
dpl::ir::stageProgramOf(const Plan& plan, const ChunkPrograms& programs, ActionKind kind) {
  for (const StageProgramId body : programs.stagePrograms)
    if (plan.stagePrograms[body].kind == kind)
      return body;
  return std::nullopt;
}

PlacementKind dpl::ir::placementOf(ScheduleKind kind) {
  static constexpr PlacementKind rows[] = {
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) PlacementKind::PLACEMENT,
#include "ir/Schedules.def"
  };
  return rows[static_cast<std::size_t>(kind)];
}

std::uint64_t dpl::ir::chunksOf(ScheduleKind kind) {
  static constexpr std::uint64_t rows[] = {
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) CHUNKS,
#include "ir/Schedules.def"
  };
  return rows[static_cast<std::size_t>(kind)];
}
