//===- RoutedBodies.cpp - What passes take by how many tokens the experts of a rank are sent --===//
#include "cost/step/RoutedBodies.h"
#include "cost/compute/Routing.h"
#include "cost/programs/ChunkBodies.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// What comes to padded experts differs, what they take does not.
bool byChance(const LayerClass& c) {
  return c.feedForward.popularity != PopularityKind::Even && !c.feedForward.padded;
}

/// Closer where kernels are short; beyond the last all tokens are at one rank.
std::vector<double> knotsUpTo(double most) {
  std::vector<double> out{1.0 / 16, 0.25, 0.5, 1};
  for (double power = 1; power < most; power *= 2)
    out.push_back(1.5 * power), out.push_back(2 * power);
  return out;
}

/// The plan as it is when so much more than the mean comes to the busiest ranks.
Plan planAt(const Plan& plan, double load) {
  Plan out = plan;
  for (LayerClass& c : out.model.classes)
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

bool alike(const Body& a, const Body& b) {
  return std::equal(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
                    [](const Block& x, const Block& y) {
                      return x.count == y.count &&
                             std::equal(x.segments.begin(), x.segments.end(), y.segments.begin(),
                                        y.segments.end(), [](const Segment& s, const Segment& t) {
                                          return s.kind == t.kind && s.stream == t.stream &&
                                                 s.called() == t.called() && s.when == t.when;
                                        });
                    });
}
} // namespace

bool RoutedBodies::has(const Plan& plan) {
  return plan.mesh.size(Axis::Expert) > 1 &&
         std::any_of(plan.model.classes.begin(), plan.model.classes.end(), byChance);
}

RoutedBodies::RoutedBodies(const Plan& plan) : plan(plan) {
  for (const LayerClass& c : plan.model.classes)
    if (!part && byChance(c))
      part = &c.feedForward;
  const cost::Division division = cost::divisionOf(plan);
  ranks = division.expert, tokens = cost::ownTokens(division);
  knots = knotsUpTo(real(ranks));
  std::vector<Plan> plans;
  std::vector<Bodies> all;
  for (const double knot : knots) {
    plans.push_back(planAt(plan, knot));
    // Bodies that are equal in the plan are one there, whatever they are in the others.
    Bodies& of = all.emplace_back(plan.bodies.size());
    for (std::size_t p = 0; p < plan.programs.size(); ++p)
      for (std::size_t i = 0; i < plan.programs[p].bodies.size(); ++i)
        of[plan.programs[p].bodies[i]] = &plans.back().bodies[plans.back().programs[p].bodies[i]];
  }
  compare(all);
}

void RoutedBodies::compare(const std::vector<Bodies>& all) {
  for (std::size_t b = 0; b < plan.bodies.size(); ++b) {
    const Body& body = plan.bodies[b];
    firstBlock.push_back(static_cast<std::uint32_t>(blocks.size()));
    const bool known = std::all_of(all.begin(), all.end(),
                                   [&](const Bodies& at) { return at[b] && alike(*at[b], body); });
    for (std::size_t k = 0; k < body.blocks.size(); ++k) {
      blocks.push_back(static_cast<std::uint32_t>(rows.size()));
      for (std::size_t s = 0; s < body.blocks[k].segments.size(); ++s) {
        std::vector<Segment> at;
        for (const Bodies& bodies : all)
          at.push_back(known ? bodies[b]->blocks[k].segments[s] : body.blocks[k].segments[s]);
        const bool same = std::all_of(
            at.begin(), at.end(), [&](const Segment& segment) { return segment == at.front(); });
        rows.push_back(same ? fixed : static_cast<std::uint32_t>(times.size()));
        if (!same)
          times.push_back(std::move(at));
      }
    }
  }
}

std::vector<double> RoutedBodies::chances(simulate::Draws& draws) const {
  return drawChances(cost::routingOf(*part), draws);
}

std::array<double, 7> RoutedBodies::routing() const {
  return {static_cast<double>(part->popularity),
          part->spread,
          part->capacity,
          real(part->experts),
          real(part->active),
          real(ranks),
          tokens};
}

std::vector<double> RoutedBodies::loads(const std::vector<double>& chances,
                                        simulate::Draws& draws) const {
  std::vector<double> out =
      simulate::loadsOfUnits(cost::loadsOf({*part, ranks, tokens}, chances, draws), ranks);
  for (double& each : out)
    each /= std::max(1.0, tokens) * real(part->active);
  return out;
}

Segment RoutedBodies::at(std::size_t body, std::size_t block, std::size_t segment,
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
  out.time = between(low.time, high.time);
  out.holds = between(low.holds, high.holds);
  out.slows = between(low.slows, high.slows);
  return out;
}
