//===- HashedPlansTest.cpp - Plans whose flows are hashed onto uplinks ------------------------===//
#include "ir/Uplinks.h"
#include "simulate/diagnosis/Diagnosis.h"
#include "simulate/plan/Simulation.h"
#include "tests/unit/CompiledPlan.h"
#include <map>
#include <set>

using namespace dpl;
using namespace dpl::simulation;

namespace {
/// Two leaves of `leafNodes` nodes each, whose devices reduce gradients behind one pass.
ir::Plan planOf(const std::string& collectives, std::uint64_t gpus, std::uint64_t leafNodes,
                std::uint64_t uplinks, const std::string& more = "") {
  return test::completedPlan(
      "hashed.dpl",
      fmt::format(
          "import std.textbook\n"
          "cluster fabric from textbook.{} {{\n"
          "  nodes = {}\n  {}\n  collectives = {}\n"
          "  leaf {{ nodes = {}, uplinks = {} }}\n{}}}\n"
          "model list from layer_list {{\n"
          "  layer[0..<1] {{ name = \"block\", parameters = 250_000_000, "
          "time {{ forward = 5ms, backward = 7.5ms }} }}\n}}\n"
          "layout plain for list on fabric {{\n  mesh {{ data = rest }}\n  batch = 64sample\n"
          "  optimizer_time = 0s\n  overlap {{ gradients = false }}\n}}\n",
          gpus > 1 ? "two_levels" : "flat", 2 * leafNodes,
          gpus > 1 ? fmt::format("node.gpus = {}", gpus) : "", collectives, leafNodes, uplinks,
          more));
}

double stepOf(const ir::Plan& plan, std::uint64_t seed, bool messages = true) {
  SimulationRequest request;
  request.messages = messages, request.seed = seed, request.links = false;
  return runSteps(plan, request).sample().mean();
}

/// Most of the rings that leave a leaf of devices 0, 1, … from its last node that one link has.
std::size_t mostOnALink(const ir::Plan& plan, std::uint64_t seed) {
  const auto devices = static_cast<std::uint32_t>(plan.cluster.devices()), inLeaf = devices / 2,
             inNode = static_cast<std::uint32_t>(plan.cluster.gpusPerNode);
  const StepLinks links(plan.cluster, devices, seed);
  std::map<std::uint32_t, std::size_t> on;
  std::size_t most = 0;
  for (std::uint32_t leaf = 0; leaf < 2; ++leaf)
    for (std::uint32_t i = (leaf + 1) * inLeaf - inNode; i < (leaf + 1) * inLeaf; ++i) {
      StepLinks::LinkRoute route;
      links.route(i, (i + inNode) % devices, plan.cluster.levels.size() - 1, route);
      most = std::max(most, ++on[route[2]]);
    }
  return most;
}
} // namespace

TEST(HashedPlans, OfARing_SendOneFlowOutOfALeafOfSingleDevices) {
  for (const char* how : {"closed_form { algorithm = ring }", "nccl"}) {
    const double even = stepOf(planOf(how, 1, 4, 1), 1), bytes = 69.9e9; // ps
    // Four links are as wide as a port, eight half as wide.
    EXPECT_NEAR(stepOf(planOf(how, 1, 4, 4), 1), even, 1e6) << how;
    EXPECT_GT(stepOf(planOf(how, 1, 4, 8), 1), even + bytes) << how;
  }
}

TEST(HashedPlans, OfARing_TakeAsLongAsTheLinkThatMostRingsHave) {
  for (const char* how : {"closed_form { algorithm = ring }", "nccl"}) {
    const ir::Plan even = planOf(how, 8, 2, 1), hashed = planOf(how, 8, 2, 16);
    const double quiet = stepOf(even, 1);
    double each = 0; // that shares the link with one
    std::set<std::size_t> seen;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const double more = stepOf(hashed, seed) - quiet;
      const std::size_t others = mostOnALink(hashed, seed) - 1;
      if (each == 0 && others > 0)
        each = more / static_cast<double>(others);
      seen.insert(others);
      EXPECT_NEAR(more, static_cast<double>(others) * each, 0.001 * each) << how << " " << seed;
    }
    EXPECT_GE(seen.size(), 2U) << how;
    EXPECT_GT(each, 1e9) << how;
  }
}

TEST(HashedPlans, OfALeafThatIsANode_HashFlowsOutOfIt) {
  const ir::Plan plan = planOf("closed_form", 8, 1, 4), one = planOf("closed_form", 8, 1, 1);
  EXPECT_TRUE(ir::hashesFlows(plan.cluster));
  EXPECT_GT(stepOf(plan, 1), stepOf(one, 1) + 1e6);
}

TEST(HashedPlans, ThatALeafHoldsWhole_HaveNothingToHash) {
  ir::Plan plan = planOf("closed_form", 1, 4, 4);
  plan.cluster.nodes = 4;
  plan.cluster.network.units.back().nodes = 4;
  plan.cluster.levels = ir::linkLevels(plan.cluster);
  EXPECT_FALSE(ir::hashesFlows(plan.cluster));
}

TEST(HashedPlans, AtOtherLevels_AreAsLateAsWhereFlowsSpreadEvenly) {
  const std::string late = "  message_delay { mean = 1ms }\n";
  for (const char* how : {"closed_form", "nccl"})
    EXPECT_EQ(stepOf(planOf(how, 1, 4, 4, late), 1, false),
              stepOf(planOf(how, 1, 4, 1, late), 1, false))
        << how;
}

TEST(HashedPlans, FillNoLinkBeyondWhatItCarries) {
  const ir::Plan plan = planOf("closed_form", 1, 8, 8);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SimulationRequest request;
    request.messages = true, request.seed = seed;
    const MessagesOfStep of = *runSteps(plan, request).messages;
    ASSERT_FALSE(of.over.empty());
    double mean = 0;
    for (const double part : of.over) {
      EXPECT_LE(part, 1 + 1e-6) << seed;
      mean += part / static_cast<double>(of.over.size());
    }
    EXPECT_NEAR(mean, of.hottestUse, 1e-9); // and all that it carried is told
  }
}

TEST(HashedPlans, OfOneFlow_CostWhatItsLinkIsSlowerThanAllOfThem) {
  for (const char* how : {"closed_form { algorithm = ring }", "nccl"})
    for (const unsigned taper : {2, 4}) {
      // Of two links each is as wide as a port, or half as wide.
      const auto taken = [&](std::uint64_t uplinks) {
        SimulationRequest request;
        request.messages = true;
        return *runSteps(planOf(how, 1, 4, uplinks,
                                fmt::format("  leaf.oversubscription = {}\n", taper)),
                         request)
                    .messages;
      };
      const MessagesOfStep even = taken(1), hashed = taken(2);
      const auto more = static_cast<double>(hashed.step) - static_cast<double>(even.step);
      EXPECT_EQ(more > 1e9, taper == 4) << how;
      EXPECT_NEAR(static_cast<double>(hashed.queued), static_cast<double>(even.queued), 1e6);
      EXPECT_NEAR(hashed.beyond, 0, 1e6) << how << taper;
      const auto leaf = llvm::find_if(
          hashed.links, [](const LinkTypeUse& use) { return use.name == "out of a leaf"; });
      ASSERT_NE(leaf, hashed.links.end());
      EXPECT_GT(leaf->shared, 0U);
      EXPECT_NEAR(leaf->costs, more, 1e6) << how << taper;
    }
}

TEST(HashedPlans, AreDiagnosedMessageByMessage) {
  SimulationRequest request;
  const ir::Plan plan = planOf("closed_form { algorithm = ring }", 1, 8, 32);
  const auto savedByHashing = [&](const diagnosis::Diagnosis& of) -> double {
    for (const diagnosis::Saving& saving : of.savings)
      if (saving.cause->key == std::string("ecmp_hashing"))
        return saving.saved;
    return 0;
  };
  EXPECT_EQ(savedByHashing(diagnosis::diagnose(plan, request, {})), 0);
  request.messages = true;
  const diagnosis::Diagnosis found = diagnosis::diagnose(plan, request, {});
  const double step = static_cast<double>(found.step.ranks->steady);
  EXPECT_NEAR(savedByHashing(found) * step,
              step - stepOf(planOf("closed_form { algorithm = ring }", 1, 8, 1), 1), 1e6);
  EXPECT_GT(savedByHashing(found), 0.1);
  ASSERT_NE(found.verdict, nullptr);
  EXPECT_STREQ(found.verdict->key, "ecmp_hashing");
}

TEST(HashedPlans, AreNotFasterByChangesWhoseFlowsAreEven) {
  SimulationRequest request;
  request.messages = true;
  const auto found = [&](std::uint64_t uplinks) {
    return diagnosis::diagnose(planOf("closed_form { algorithm = ring }", 1, 8, uplinks), request,
                               {});
  };
  // Steps of data ranks by themselves are compared where sharing leaves all as the plan has it.
  const diagnosis::Diagnosis even = found(1), asWide = found(8), hashed = found(32);
  EXPECT_FALSE(even.learning.empty());
  EXPECT_EQ(asWide.learning.size(), even.learning.size());
  EXPECT_TRUE(hashed.learning.empty());
  EXPECT_LT(hashed.tried, even.tried);
  for (const diagnosis::Saving& change : hashed.changes)
    EXPECT_EQ(change.text.find("batch_balancing"), std::string::npos) << change.text;
}
