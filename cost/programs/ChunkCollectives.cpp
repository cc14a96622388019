//===- ChunkCollectives.cpp - The collectives of one chunk ------------------------------------===//
#include "cost/programs/ChunkCollectives.h"
#include "cost/compute/OperatorTime.h"
#include "cost/network/AxisSet.h"
#include "cost/network/RankLinks.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::optional<GroupId> find(const Plan& plan, llvm::ArrayRef<Axis> axes, bool copies) {
  if (llvm::all_of(axes, [&](Axis axis) { return plan.mesh.size(axis) == 1; }))
    return std::nullopt;
  const AxisSet wide = wideAxes(plan.mesh), wanted = setOfAll(axes) & wide;
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    if (const Group& group = plan.groups[i]; (setOfAll(group.axes) & wide) == wanted &&
                                             group.overStageReplicas() == copies &&
                                             group.name != "embedding")
      return GroupId(i);
  return std::nullopt;
}
} // namespace

std::optional<GroupId> dpl::cost::groupWith(const Plan& plan, llvm::ArrayRef<Axis> axes) {
  return find(plan, axes, false);
}

std::optional<GroupId> dpl::cost::groupWithStageReplicas(const Plan& plan,
                                                         llvm::ArrayRef<Axis> axes) {
  if (plan.placement.directions() == 1)
    return groupWith(plan, axes);
  llvm::SmallVector<Axis, 4> all(axes.begin(), axes.end());
  all.push_back(Axis::Pipeline);
  return find(plan, all, true);
}

std::optional<GroupId> dpl::cost::groupNamed(const Plan& plan, const std::string& name) {
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    if (plan.groups[i].name == name)
      return GroupId(i);
  return std::nullopt;
}

double dpl::cost::boundaryBytes(const Plan& plan, const Division& d) {
  if (!plan.model.isLayerList())
    return residualBytes(plan.model, d) * d.residualSplit() / d.messageSplit();
  double largest = 0;
  for (const LayerType& c : plan.model.layerTypes)
    largest = std::max(largest, c.stated.statesMessage
                                    ? real(c.stated.message)
                                    : real(c.listedOutput) * activationBytes(d.compute));
  return d.tokens * largest;
}

GatheredMessages dpl::cost::gatheredMessages(const Plan& plan, const Chunk& chunk) {
  if (!plan.layout.shard.scattersMessages(plan.mesh.size(Axis::Tensor)) || plan.model.isLayerList())
    return {};
  const Placement::ChunkLocation at{chunk.rank, chunk.chunk};
  const auto crosses = [&](const std::optional<Placement::ChunkLocation>& other) {
    return other && other->rank != chunk.rank;
  };
  return {crosses(plan.placement.previous(at)), crosses(plan.placement.next(at))};
}

std::uint64_t dpl::cost::levelBetween(const Plan& plan, std::uint64_t from, std::uint64_t to) {
  const MeshAxis* axis = plan.mesh.find(Axis::Pipeline);
  const std::uint64_t stride = axis ? axis->stride : 1;
  const auto parts = [&](const LinkLevel& level) {
    return level.devices <= stride || from * stride / level.devices != to * stride / level.devices;
  };
  std::size_t l = 0; // the outermost level contains all devices
  while (from != to && l + 1 < plan.cluster.levels.size() && parts(plan.cluster.levels[l]))
    ++l;
  return l;
}

LinkLevel dpl::cost::messageLink(const Plan& plan, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t level = levelBetween(plan, from, to);
  const LinkLevel link = plan.cluster.nodeTypes.size() == 1 ? plan.cluster.levels[level]
                                                            : levelsBetween(plan, from, to)[level];
  return levelsFor(plan, CollectivePurpose::PipelineActivation, {link}).front();
}

std::uint64_t dpl::cost::hostChecksOf(const Plan& plan, GroupId group) {
  return plan.layout.communication().checks * plan.groups[group].size;
}

std::uint64_t dpl::cost::timeAtEnd(const Plan& plan, const Collective& c) {
  return std::max(c.time, hostChecksOf(plan, c.group)) * c.count;
}

std::vector<TorusRanks> dpl::cost::torusOfMessages(const Plan& plan) {
  const std::optional<GroupId> pipeline = groupNamed(plan, "pipeline");
  std::vector<TorusRanks> torus;
  if (pipeline)
    torus = plan.groups[*pipeline].torus;
  bool first = true;
  for (TorusRanks& d : torus) {
    const bool crosses = std::exchange(first, first && d.ranks < 2) && d.ranks > 1;
    d = {crosses ? std::uint64_t{2} : 1, crosses ? d.apart : 1, d.size};
  }
  return torus;
}

MessageKind dpl::cost::messageKind(const Plan& plan, std::uint64_t from, std::uint64_t to) {
  const auto held = [&](std::uint64_t rank) {
    return plan.mesh.rankNodeTypes.size() == 1 ? 0 : plan.mesh.rankNodeTypesIndex(rank);
  };
  return {levelBetween(plan, from, to), held(from), held(to)};
}

CollectiveCost dpl::cost::messageCost(const Plan& plan, double bytes, std::uint64_t from,
                                      std::uint64_t to) {
  // Units below levelBetween contain one of the two ranks, units from that level on contain both.
  std::array<std::uint64_t, linkLevelCount> pair;
  pair.fill(2);
  std::fill_n(pair.begin(), levelBetween(plan, from, to), 1);
  return collectiveCost(
      CollectiveKind::SendReceive, bytes, {pair, torusOfMessages(plan)},
      levelsFor(plan, CollectivePurpose::PipelineActivation, levelsBetween(plan, from, to)));
}

Collective& ChunkCollectives::add(CollectiveKind kind, CollectivePurpose purpose, GroupId group,
                                  double bytes, const CollectiveCost& cost) {
  Collective& c = all.emplace_back();
  c.kind = kind, c.purpose = purpose, c.group = group;
  c.rank = chunk.rank, c.chunk = chunk.chunk;
  c.bytes = whole(bytes);
  c.algorithm = cost.algorithm;
  c.time = toPicoseconds(cost.seconds);
  const std::size_t levels = traffic == LevelTraffic::Known ? plan.cluster.levels.size() : 0;
  c.bytesPerLevel.reserve(levels);
  for (std::size_t l = 0; l < levels; ++l)
    c.bytesPerLevel.push_back(whole(cost.bytesPerLevel[l]));
  return c;
}

CollectiveCost ChunkCollectives::costOf(CollectiveKind kind, CollectivePurpose purpose,
                                        GroupId group, double bytes) const {
  const Group& of = plan.groups[group];
  return collectiveCost(kind, bytes, shapeOf(of), levelsFor(plan, purpose, of, chunk.rank));
}

TimedCollective ChunkCollectives::inAction(CollectiveKind kind, CollectivePurpose purpose,
                                           GroupId group, double bytes) {
  const std::uint64_t size = whole(bytes);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].kind == kind && all[i].purpose == purpose && all[i].group == group &&
        all[i].bytes == size)
      return {ChunkCollectiveId(i), all[i].time};
  const Collective& c = add(kind, purpose, group, bytes, costOf(kind, purpose, group, bytes));
  return {all.lastId(), c.time};
}

TimedCollective ChunkCollectives::tokens(const FeedForward& f, TokenWay way, GroupId group,
                                         TokenRows rows) {
  const TokenCollective exchange =
      exchangeOf(plan.layout.kernels, f, way, rows, real(plan.model.hidden),
                 shapeOf(plan.groups[group]), levelsOf(plan, plan.groups[group], chunk.rank));
  const std::uint64_t bytes = whole(exchange.bytes), time = toPicoseconds(exchange.cost.seconds);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].purpose == CollectivePurpose::ExpertTokens && all[i].group == group &&
        all[i].kind == exchange.kind && all[i].bytes == bytes && all[i].time == time)
      return {ChunkCollectiveId(i), time};
  add(exchange.kind, CollectivePurpose::ExpertTokens, group, exchange.bytes, exchange.cost);
  return {all.lastId(), time};
}

void ChunkCollectives::atStepEnd(CollectiveKind kind, CollectivePurpose purpose, GroupId group,
                                 double bytes, double count) {
  add(kind, purpose, group, bytes, costOf(kind, purpose, group, bytes)).count = whole(count);
}

void ChunkCollectives::messages(GroupId group, double bytes, double count,
                                const CollectiveCost& cost) {
  Collective& c =
      add(CollectiveKind::SendReceive, CollectivePurpose::PipelineActivation, group, bytes, cost);
  c.count = whole(count);
  c.overlapped = plan.layout.overlap.pipeline;
  // Forward and backward messages over equal links share one row.
  for (Collective& other : llvm::MutableArrayRef<Collective>(all).drop_back())
    if (other.kind == c.kind && other.time == c.time && other.bytesPerLevel == c.bytesPerLevel) {
      other.count += c.count;
      all.pop_back();
      return;
    }
}

void ChunkCollectives::count(const StageProgram& program, std::uint64_t microBatches) {
  for (const SegmentLoop& block : program.loops)
    for (const Segment& s : block.segments)
      if (const CollectiveSegment* const launch = s.asCollective()) {
        Collective& c = all[launch->collective];
        c.count += block.count * (s.selection == MicroBatchSelection::Every ? microBatches : 1);
        c.overlapped = c.overlapped || launch->holdsFor < launch->time;
      }
}
