//===- CollectiveShares.cpp - Plans with shares of the time of collectives --------------------===//
#include "simulate/diagnosis/CollectiveShares.h"
#include "cost/collectives/TokenDispatch.h"
#include "cost/network/RankLinks.h"
#include "cost/programs/ChunkCollectives.h"
#include "ir/Arithmetic.h"
#include "ir/MergedProgram.h"
#include <algorithm>
#include <array>

using namespace dpl;
using namespace dpl::ir;

void diagnosis::scaleCollectives(Plan& plan, llvm::function_ref<double(const Collective&)> share) {
  IdVector<double, Collective> of;
  for (const Collective& c : plan.collectives)
    of.push_back(share(c));
  const auto scaled = [](std::uint64_t& ps, double by) {
    ps = static_cast<std::uint64_t>(static_cast<double>(ps) * by + 0.5);
  };
  for (std::size_t i = 0; i < of.size(); ++i)
    scaled(plan.collectives[i].time, of[i]);
  IdVector<char, StageProgram> done(plan.stagePrograms.size());
  for (const ChunkPrograms& programs : plan.chunkPrograms)
    for (const StageProgramId body : programs.stagePrograms)
      if (!std::exchange(done[body], 1))
        for (SegmentLoop& block : plan.stagePrograms[body].loops)
          for (Segment& s : block.segments)
            if (CollectiveSegment* const launch = s.asCollective()) {
              const double by = of[collectiveOf(plan, programs, s)];
              scaled(launch->time, by), scaled(launch->holdsFor, by), scaled(launch->slowdown, by);
            }
}

namespace {
/// The cost of a collective with its ranks as placed, or, if `near` is set, with all ranks in one
/// unit of the innermost links.
cost::CollectiveCost costOf(const Plan& plan, const Collective& c, bool near) {
  std::array<std::uint64_t, linkLevelCount> all;
  if (c.kind == CollectiveKind::SendReceive) {
    const Placement::ChunkLocation at{c.rank, c.chunk};
    for (const auto& to : {plan.placement.next(at), plan.placement.previous(at)})
      if (to && to->rank != c.rank) {
        all.fill(2);
        const auto levels = cost::levelsBetween(plan, c.rank, to->rank);
        std::fill_n(all.begin(), near ? 0 : cost::levelBetween(plan, c.rank, to->rank), 1);
        const std::vector<TorusRanks> torus =
            near ? std::vector<TorusRanks>() : cost::torusOfMessages(plan);
        return cost::collectiveCost(c.kind, real(c.bytes), {all, torus}, levels);
      }
    return {};
  }
  const Group& group = plan.groups[c.group];
  const LinkLevels levels = cost::levelsOf(plan, group, c.rank);
  cost::GroupShape shape = cost::shapeOf(group);
  all.fill(group.size);
  if (near)
    shape = {llvm::makeArrayRef(all).take_front(shape.inside.size()), {}};
  if (!cost::isOfLibrary(plan, c)) {
    llvm::SmallVector<double, linkLevelCount> sent(levels.size());
    for (std::size_t l = 0; l < levels.size(); ++l)
      sent[l] = near ? 0 : real(c.bytesPerLevel[l]);
    if (near)
      sent.front() = real(c.bytes) * (1 - 1 / real(group.size));
    return cost::dispatchCost(plan.layout.kernels.dispatch, sent, shape, levels);
  }
  return cost::collectiveCost(c.kind, real(c.bytes), shape, levels);
}

} // namespace

double diagnosis::latencyShare(const Plan& plan, const Collective& c) {
  const cost::CollectiveCost cost = costOf(plan, c, false);
  return cost.seconds > 0 ? std::min(1.0, cost.latency / cost.seconds) : 0;
}

bool diagnosis::isFar(const Plan& plan, const Collective& c) {
  const bool inLayers = c.purpose == CollectivePurpose::TensorActivation ||
                        c.purpose == CollectivePurpose::ContextKeys ||
                        c.purpose == CollectivePurpose::ExpertTokens;
  const Group& group = plan.groups[c.group];
  return inLayers && !group.inside.empty() && group.inside.front() < group.size;
}

double diagnosis::nearShare(const Plan& plan, const Collective& c) {
  const double far = isFar(plan, c) ? costOf(plan, c, false).seconds : 0;
  return far > 0 ? std::min(1.0, costOf(plan, c, true).seconds / far) : 1;
}
