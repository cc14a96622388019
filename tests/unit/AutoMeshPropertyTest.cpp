//===- AutoMeshPropertyTest.cpp - No layout of its space beats what `mesh = auto` chose -------===//
//
// DPL_BOUNDS=1000000 compares a million bounds with executed steps, and DPL_SPACES=700 exhausts 700
// spaces; the defaults are smaller. DPL_SEED draws other cases.
#include "SchemaCases.h"
#include "backends/ChangedPlans.h"
#include "cost/legality/Legality.h"
#include "ir/Arithmetic.h"
#include "ir/FoundFields.h"
#include "planner/AutoMesh.h"
#include "planner/MeshSearch.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace dpl;
using cost::LayoutCandidate;

namespace {
using Reasons = std::set<std::string>;

/// A layout of a space that fits, and the reasons for which the framework refuses it.
struct Layout {
  std::uint64_t step = 0; ///< ps
  double share = 0;       ///< of the memory
  std::size_t choice = 0;
  LayoutCandidate point;
  Reasons refused;
};

/// All layouts of a space, by the passes and the functions that judge each of them.
class Space {
public:
  Space(const ir::Plan& plan, const planner::PlanRefusals& refusals)
      : plan(plan), choices(planner::openChoices(plan, {})) {
    const std::vector<cost::LegalityInputs> facts = planner::legalityInputsOf(plan, choices);
    const std::vector<LayoutCandidate> candidates = planner::meshSpace(plan, choices);
    std::optional<Reasons> all;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      ir::Plan with = plan;
      choices[i].write(with.layout);
      planner::Estimator estimator(with);
      planner::Trial trial(with);
      for (const LayoutCandidate& candidate : candidates) {
        if (!planner::isLegal(plan, facts[i], choices[i], candidate))
          continue;
        Reasons found = refusals ? trial.refusalsOf(candidate, refusals) : Reasons();
        if (!all)
          all = found;
        std::erase_if(*all, [&](const std::string& reason) { return found.count(reason) == 0; });
        const planner::Estimate estimate = estimator.exact(candidate);
        if (estimate.runs && estimate.share <= 1)
          fitting.push_back({estimate.step, estimate.share, i, candidate, std::move(found)});
      }
    }
    unavoidable = all.value_or(Reasons());
    llvm::stable_sort(fitting, [](const Layout& a, const Layout& b) { return a.step < b.step; });
  }

  bool isTaken(const Reasons& refused) const {
    return std::includes(unavoidable.begin(), unavoidable.end(), refused.begin(), refused.end());
  }
  /// The fastest layout that the framework takes, that leaves the headroom and that the passes
  /// take; where there is none, without the headroom, and at last without the framework.
  const Layout* best() const {
    for (const bool asked : {true, false})
      for (const double share : {1 - plan.lint.headroom, 1.0})
        for (const Layout& layout : fitting)
          if (layout.share <= share && (!asked || isTaken(layout.refused)) &&
              isSound(layout, share))
            return &layout;
    return nullptr;
  }
  std::string textOf(const Layout& layout) const {
    ir::Plan with = plan;
    choices[layout.choice].write(with.layout);
    planner::writeCandidate(layout.point, with.layout, cost::hasExperts(with.model));
    std::string text = planner::textOf(layout.point, true);
    for (const std::string& line : ir::foundFields(with.layout))
      text += ", " + line;
    return text;
  }

private:
  /// Whether the passes take a layout, and it needs at most a share of the memory with the free
  /// blocks of an allocator.
  bool isSound(const Layout& layout, double share) const {
    ir::Plan with = plan;
    choices[layout.choice].write(with.layout);
    if (!planner::mayBeRefused(with))
      return true;
    planner::writeCandidate(layout.point, with.layout, cost::hasExperts(with.model));
    return planner::firstErrorOf(with).empty() &&
           llvm::all_of(with.memory, [&](const ir::RankMemory& rank) {
             return ir::real(rank.peak()) <= share * ir::real(rank.usable);
           });
  }

  const ir::Plan& plan;
  std::vector<planner::OpenChoice> choices;
  std::vector<Layout> fitting; ///< the fastest first
  Reasons unavoidable;         ///< all layouts are refused for them
};

/// Every second space has a framework.
void nameFramework(ir::Plan& plan, std::uint64_t space) {
  constexpr const char* names[] = {"megatron", "deepspeed",  "torchtitan",
                                   "pytorch",  "accelerate", "nanotron"};
  if (space % 2 == 1 && plan.framework.name.empty())
    plan.framework.name = names[space / 2 % std::size(names)];
}
} // namespace

TEST(AutoMeshProperty, NoLayoutOfAnExhaustedSpace_IsFaster) {
  const std::uint64_t spaces = test::numberOf("DPL_SPACES", 20, 700),
                      seed = test::numberOf("DPL_SEED", 1);
  const std::uint64_t most = test::numberOf("DPL_SPACE_LAYOUTS", 1500, 4000);
  test::SchemaCases cases(static_cast<unsigned>(seed));
  std::uint64_t exhausted = 0, layouts = 0, found = 0, asked = 0, refused = 0;
  while (exhausted < spaces) {
    ir::Plan plan = cases.plan();
    const std::size_t size = planner::MeshSearch(plan, planner::openChoices(plan, {}), 0).size();
    if (size == 0 || size > most)
      continue;
    nameFramework(plan, exhausted);
    const planner::PlanRefusals refusals = refusalsOf(plan);
    const std::string text = cases.text() + plan.framework.name + "\n";
    ++exhausted, layouts += size;
    ir::Plan chosen = plan;
    DiagnosticEngine unheard;
    const bool failed = planner::chooseMesh(chosen, unheard, UINT64_MAX / 4, {}, refusals).failed();
    const Space space(plan, refusals);
    const Layout* best = space.best();
    EXPECT_EQ(failed, best == nullptr) << text << (best ? space.textOf(*best) : "");
    if (failed || !best)
      continue;
    ++found, asked += refusals ? 1 : 0;
    ir::Plan written = chosen;
    if (runPipeline(written, unheard, withoutAdvice()).failed()) {
      // An error that no layout can avoid is reported for the layout that was found.
      EXPECT_NE(planner::Trial(plan).errorOf(planner::meshSpace(plan).front()), "") << text;
      continue;
    }
    if (refusals) {
      const bool isTaken = space.isTaken(refusals(written));
      EXPECT_EQ(isTaken, space.isTaken(best->refused)) << text << space.textOf(*best);
      refused += isTaken ? 0 : 1;
    }
    EXPECT_LE(planner::Estimator(chosen).exact(planner::candidateOf(written)).step, best->step)
        << text << "faster: " << space.textOf(*best);
  }
  EXPECT_GT(found * 4, spaces);
  std::printf("%llu spaces of %llu layouts, in %llu of them one fits; %llu have a framework, which "
              "refuses all that fit of %llu\n",
              static_cast<unsigned long long>(exhausted), static_cast<unsigned long long>(layouts),
              static_cast<unsigned long long>(found), static_cast<unsigned long long>(asked),
              static_cast<unsigned long long>(refused));
}

TEST(AutoMeshProperty, NoStepAndNoMemory_IsBelowItsBound) {
  const std::uint64_t bounds = test::numberOf("DPL_BOUNDS", 10'000, 1'000'000),
                      seed = test::numberOf("DPL_SEED", 2);
  constexpr std::uint64_t ofEach = 100; // points for each case
  test::SchemaCases cases(static_cast<unsigned>(seed));
  std::uint64_t judged = 0, above = 0;
  double closest = 0, closestOfAny = 0;
  while (judged < bounds) {
    const ir::Plan plan = cases.plan();
    const std::vector<planner::OpenChoice> choices = planner::openChoices(plan, {});
    planner::Bounds of(plan, choices);
    const std::size_t choice = cases.below(choices.size());
    of.choose(choice);
    ir::Plan with = plan;
    choices[choice].write(with.layout);
    const std::vector<LayoutCandidate> space = planner::meshSpace(with);
    planner::Estimator estimator(with);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(ofEach, space.size()); ++i) {
      const LayoutCandidate& candidate = space[cases.below(space.size())];
      const planner::Estimate estimate = estimator.exact(candidate);
      // The schedule refuses this limit of in-flight micro-batches.
      if (!estimate.runs)
        continue;
      ++judged;
      const std::vector<ir::Chunk> split = estimator.split(candidate).vec();
      const planner::Bound bound = of.of(candidate, split);
      const double step = static_cast<double>(estimate.step) * ir::picosecond;
      std::uint64_t memory = 0;
      for (const ir::NodeType& c : plan.cluster.nodeTypes)
        memory = std::max(memory, c.device.memory);
      LayoutCandidate wider = candidate;
      wider.context = 1, wider.microBatch *= 1 + cases.below(8);
      if (cases.below(2) == 0) // no whole multiple of the point's tokens
        wider.context = 2, wider.microBatch = 2 * wider.microBatch + 1;
      const planner::Bound cheap = of.of(candidate, split, wider), any = of.ofAny(candidate, wider);
      const bool holds =
          bound.step <= step * (1 + 1e-6) &&
          bound.memory <= estimate.share * static_cast<double>(memory) * (1 + 1e-9) &&
          cheap.step <= bound.step * (1 + 1e-9) && cheap.memory <= bound.memory * (1 + 1e-9) &&
          any.step <= cheap.step * (1 + 1e-9) && any.memory <= cheap.memory * (1 + 1e-9);
      EXPECT_TRUE(holds || ++above > 3)
          << cases.text() << planner::textOf(candidate, true) << ": step " << step << ", bounds "
          << bound.step << " " << cheap.step << " " << any.step << "; memory of "
          << estimate.share * static_cast<double>(memory) << ", bounds " << bound.memory << " "
          << cheap.memory << " " << any.memory;
      closest = std::max(closest, bound.step / step);
      closestOfAny = std::max(closestOfAny, any.step / cheap.step);
    }
  }
  EXPECT_EQ(above, 0U) << "bounds above the exact step or memory, of " << judged;
  EXPECT_GT(closest, 0.95) << "a bound that is far from every step prunes nothing";
  EXPECT_GT(closestOfAny, 0.95) << "nor does one that is far from that of every split";
  std::printf("%llu bounds, %llu above\n", static_cast<unsigned long long>(judged),
              static_cast<unsigned long long>(above));
}
