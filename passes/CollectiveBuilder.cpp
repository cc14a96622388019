//===- CollectiveBuilder.cpp - Collects the collectives of one chunk and what of them shows ---===//
#include "passes/CollectiveBuilder.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// What one of the collective costs.
void charge(Collective& c, const CollectiveCost& cost, const Cluster& cluster) {
  c.algorithm = cost.algorithm;
  c.time = toPicoseconds(cost.seconds);
  for (std::size_t l = 0; l < cluster.levels.size(); ++l)
    c.bytesPerLevel.push_back(whole(cost.bytesPerLevel[l]));
}
} // namespace

std::optional<std::uint64_t> dpl::groupWith(const Plan& plan, const std::vector<Axis>& axes) {
  const auto wide = [&](std::vector<Axis> all) {
    all.erase(std::remove_if(all.begin(), all.end(), [&](Axis a) { return plan.mesh.size(a) < 2; }),
              all.end());
    std::sort(all.begin(), all.end());
    return all;
  };
  const std::vector<Axis> wanted = wide(axes);
  if (wanted.empty())
    return std::nullopt;
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    if (plan.groups[i].name != "embedding" && wide(plan.groups[i].axes) == wanted)
      return i;
  return std::nullopt;
}

std::optional<std::uint64_t> dpl::groupNamed(const Plan& plan, const std::string& name) {
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    if (plan.groups[i].name == name)
      return i;
  return std::nullopt;
}

std::uint64_t dpl::recomputedLayers(const Recompute& r, std::uint64_t layers) {
  if (r.kind != RecomputeKind::Full)
    return 0;
  return r.method == RecomputeMethod::Block ? std::min(r.layers, layers) : layers;
}

double dpl::boundaryBytes(const Plan& plan, const Division& d) {
  if (!plan.model.isLayerList())
    return residualBytes(plan.model, d);
  std::uint64_t largest = 0;
  for (const LayerClass& c : plan.model.classes)
    largest = std::max(largest, c.listedOutput);
  return d.tokens * real(largest) * activationBytes(d.compute);
}

std::uint64_t dpl::levelBetween(const Plan& plan, std::uint64_t from, std::uint64_t to) {
  const MeshAxis* axis = plan.mesh.find(Axis::Pipeline);
  const std::uint64_t stride = axis ? axis->stride : 1;
  for (std::size_t l = 0; l < plan.cluster.levels.size(); ++l)
    if (from * stride / plan.cluster.levels[l].devices ==
        to * stride / plan.cluster.levels[l].devices)
      return l;
  return plan.cluster.levels.size() - 1;
}

Collective CollectiveBuilder::of(CollectiveKind kind, CollectivePurpose purpose,
                                 std::uint64_t group, double bytes, double count) const {
  Collective c;
  c.kind = kind;
  c.purpose = purpose;
  c.group = group;
  c.rank = chunk.rank;
  c.chunk = chunk.chunk;
  c.bytes = whole(bytes);
  c.count = whole(count);
  return c;
}

double CollectiveBuilder::add(CollectiveKind kind, CollectivePurpose purpose, std::uint64_t group,
                              double bytes, const PerPass& counts, const Hiding& hiding) {
  const CollectiveCost cost =
      collectiveCost(kind, bytes, {plan.groups[group].inside}, plan.cluster);
  double perMicroBatch = 0, count = 0;
  bool hides = false;
  for (double PerPass::*pass : {&PerPass::forward, &PerPass::backward, &PerPass::recompute}) {
    const double n = counts.*pass;
    if (n <= 0)
      continue;
    const double left = std::max(0.0, cost.seconds - hiding.beside.*pass);
    const double spare = hiding.idle ? idle.*pass / n : 0;
    const double shows =
        hiding.least >= 1 ? cost.seconds : std::max(hiding.least * cost.seconds, left - spare);
    idle.*pass -= n * std::max(0.0, std::min(left - shows, spare));
    // What hides takes memory bandwidth and cores from the computation beside it.
    const double each = shows + contention * (cost.seconds - shows);
    exposed.*pass += n * each;
    perMicroBatch += n * each;
    count += n;
    hides = hides || shows < cost.seconds;
  }
  const double microBatches = real(plan.mesh.microBatches);
  Collective c = of(kind, purpose, group, bytes, count * microBatches);
  charge(c, cost, plan.cluster);
  c.exposed = toPicoseconds(perMicroBatch * microBatches);
  c.overlapped = hides;
  plan.collectives.push_back(std::move(c));
  return cost.seconds;
}

void CollectiveBuilder::addOnce(CollectiveKind kind, CollectivePurpose purpose, std::uint64_t group,
                                double bytes, double count, bool overlapped) {
  const CollectiveCost cost =
      collectiveCost(kind, bytes, {plan.groups[group].inside}, plan.cluster);
  Collective c = of(kind, purpose, group, bytes, count);
  charge(c, cost, plan.cluster);
  c.exposed = overlapped ? 0 : c.time * c.count;
  c.overlapped = overlapped;
  plan.collectives.push_back(std::move(c));
}

void CollectiveBuilder::addMessage(std::uint64_t group, double bytes, double count,
                                   std::uint64_t level, bool overlapped) {
  if (count <= 0)
    return;
  // Two ranks whose innermost common unit is of that level.
  std::array<std::uint64_t, mostLinkLevels> pair;
  pair.fill(2);
  std::fill_n(pair.begin(), level, 1);
  const CollectiveCost cost =
      collectiveCost(CollectiveKind::SendReceive, bytes, {pair}, plan.cluster);
  Collective c =
      of(CollectiveKind::SendReceive, CollectivePurpose::PipelineActivation, group, bytes, count);
  charge(c, cost, plan.cluster);
  c.overlapped = overlapped;
  plan.collectives.push_back(std::move(c));
}

void CollectiveBuilder::store(ChunkCost& cost) const {
  cost.forwardCommunication = toPicoseconds(exposed.forward);
  cost.backwardCommunication = toPicoseconds(exposed.backward);
  cost.recomputeCommunication = toPicoseconds(exposed.recompute);
}
