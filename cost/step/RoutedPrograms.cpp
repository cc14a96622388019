//===- RoutedPrograms.cpp - Times of segments by expert load ----------------------------------===//
#include "cost/step/RoutedPrograms.h"
#include "cost/compute/Routing.h"
#include "cost/programs/ChunkPrograms.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Whether the time of a layer depends on random choices of experts. Padded experts receive
/// different loads, but take the same time.
bool byChance(const LayerType& c) {
  return c.feedForward.popularity != PopularityKind::Even && !c.feedForward.padded;
}

/// The loads at which times are computed. They are dense where kernels are short. At the last one
/// all tokens go to one rank.
std::vector<double> knotsUpTo(double most) {
  std::vector<double> out{1.0 / 16, 0.25, 0.5, 1};
  for (double power = 1; power < most; power *= 2)
    out.push_back(1.5 * power), out.push_back(2 * power);
  return out;
}

/// The plan if the busiest ranks have `load` times the mean load.
Plan planAt(const Plan& plan, double load) {
  Plan out = plan;
  for (LayerType& c : out.model.layerTypes)
    if (byChance(c)) {
      FeedForward& f = c.feedForward;
      f.popularity = PopularityKind::Even, f.capacity = 0, f.imbalance = load;
    }
  const cost::ChunkEstimate estimate(out);
  out.costs.clear();
  for (const Chunk& chunk : out.chunks)
    out.costs.push_back(estimate.of(chunk));
  cost::lowerChunks(out, estimate);
  return out;
}

bool alike(const StageProgram& a, const StageProgram& b) {
  return std::equal(a.loops.begin(), a.loops.end(), b.loops.begin(), b.loops.end(),
                    [](const SegmentLoop& x, const SegmentLoop& y) {
                      return x.count == y.count &&
                             std::equal(x.segments.begin(), x.segments.end(), y.segments.begin(),
                                        y.segments.end(), [](const Segment& s, const Segment& t) {
                                          const auto* one = s.asCollective();
                                          const auto* other = t.asCollective();
                                          return s.kind() == t.kind() &&
                                                 (!one || one->stream == other->stream) &&
                                                 s.collective() == t.collective() &&
                                                 s.backward == t.backward &&
                                                 s.selection == t.selection;
                                        });
                    });
}
} // namespace

bool RoutedPrograms::has(const Plan& plan) {
  return plan.mesh.size(Axis::Expert) > 1 &&
         std::any_of(plan.model.layerTypes.begin(), plan.model.layerTypes.end(), byChance);
}

RoutedPrograms::RoutedPrograms(const Plan& plan) : plan(plan) {
  for (const LayerType& c : plan.model.layerTypes)
    if (!feedForward && byChance(c))
      feedForward = &c.feedForward;
  const cost::Division division = cost::divisionOf(plan);
  ranks = division.expert, tokens = cost::routedTokens(division);
  knots = knotsUpTo(real(ranks));
  std::vector<Plan> plans;
  std::vector<ProgramVariants> all;
  for (const double knot : knots) {
    plans.push_back(planAt(plan, knot));
    // Stage programs that are equal in the plan share one entry, even if they differ at other
    // loads.
    ProgramVariants& of = all.emplace_back(plan.stagePrograms.size());
    for (std::size_t p = 0; p < plan.chunkPrograms.size(); ++p)
      for (std::size_t i = 0; i < plan.chunkPrograms[p].stagePrograms.size(); ++i)
        of[plan.chunkPrograms[p].stagePrograms[i].index()] =
            &plans.back().stagePrograms[plans.back().chunkPrograms[p].stagePrograms[i]];
  }
  compare(all);
}

void RoutedPrograms::compare(const std::vector<ProgramVariants>& all) {
  for (std::size_t b = 0; b < plan.stagePrograms.size(); ++b) {
    const StageProgram& program = plan.stagePrograms[b];
    firstBlock.push_back(static_cast<std::uint32_t>(blocks.size()));
    const bool known = std::all_of(all.begin(), all.end(), [&](const ProgramVariants& at) {
      return at[b] && alike(*at[b], program);
    });
    for (std::size_t k = 0; k < program.loops.size(); ++k) {
      blocks.push_back(static_cast<std::uint32_t>(rows.size()));
      for (std::size_t s = 0; s < program.loops[k].segments.size(); ++s) {
        std::vector<Segment> at;
        for (const ProgramVariants& bodies : all)
          at.push_back(known ? bodies[b]->loops[k].segments[s] : program.loops[k].segments[s]);
        const bool same = std::all_of(
            at.begin(), at.end(), [&](const Segment& segment) { return segment == at.front(); });
        rows.push_back(same ? fixed : static_cast<std::uint32_t>(times.size()));
        if (!same)
          times.push_back(std::move(at));
      }
    }
  }
}

std::vector<double> RoutedPrograms::chances(simulate::Draws& draws) const {
  return drawChances(cost::routingOf(*feedForward), draws);
}

std::array<double, 7> RoutedPrograms::routing() const {
  return {static_cast<double>(feedForward->popularity),
          feedForward->spread,
          feedForward->capacity,
          real(feedForward->experts),
          real(feedForward->active),
          real(ranks),
          tokens};
}

std::vector<double> RoutedPrograms::loads(const std::vector<double>& chances,
                                          simulate::Draws& draws) const {
  std::vector<double> out =
      simulate::loadsOfUnits(cost::loadsOf({*feedForward, ranks, tokens}, chances, draws), ranks);
  for (double& each : out)
    each /= std::max(1.0, tokens) * real(feedForward->active);
  return out;
}

Segment RoutedPrograms::at(std::size_t body, std::size_t block, std::size_t segment,
                           double load) const {
  const std::vector<Segment>& of = times[rowOf(body, block, segment)];
  const double within = std::clamp(load, knots.front(), knots.back());
  const auto above = static_cast<std::size_t>(
      std::upper_bound(knots.begin() + 1, knots.end() - 1, within) - knots.begin());
  const Segment &low = of[above - 1], &high = of[above];
  const double share = (within - knots[above - 1]) / (knots[above] - knots[above - 1]);
  const auto between = [&](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(real(a) + share * (real(b) - real(a)) + 0.5);
  };
  Segment out = low;
  if (ComputeSegment* const compute = out.asCompute()) {
    compute->time = between(low.time(), high.time());
  } else if (CollectiveSegment* const launch = out.asCollective()) {
    launch->time = between(low.time(), high.time());
    launch->holdsFor = between(launch->holdsFor, high.asCollective()->holdsFor);
    launch->slowdown = between(low.slowdown(), high.slowdown());
  }
  return out;
}
