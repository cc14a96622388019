//===- LinkUseTest.cpp - The load of a step on each link type ---------------------------------===//
#include "cost/step/LinkUse.h"
#include "ir/Arithmetic.h"
#include "tests/unit/TinyPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The load on the links of a kind; fails the test and is empty if they carry nothing.
LinkUse useOf(const Plan& plan, const std::vector<LinkUse>& all, LinkKind kind) {
  for (const LinkUse& use : all)
    if (plan.cluster.network.links[use.link].kind == kind)
      return use;
  ADD_FAILURE() << "nothing is sent";
  return {};
}

/// Whole buffers of all collectives of a kind on a pipeline rank in a step.
double buffersOf(const Plan& plan, CollectiveKind kind, std::uint64_t rank) {
  double bytes = 0;
  for (const Collective& c : plan.collectives)
    if (c.kind == kind && c.rank == rank && plan.groups.has(c.group) &&
        plan.groups[c.group].name == "data")
      bytes += real(c.bytes) * real(c.count);
  return bytes;
}
} // namespace

TEST(LinkUse, OfARingOverTwoNodes_IsTheWholeBuffer) {
  // A device sends 2 (n - 1) / n of the buffer, in a ring of 2 all of it.
  const Plan plan = test::tinyPlan("data = 2, tensor = 8", "");
  const std::vector<LinkUse> all = linkUseOf(plan);
  const LinkUse ports = useOf(plan, all, LinkKind::Port);
  const double sent = buffersOf(plan, CollectiveKind::AllReduce, 0);
  ASSERT_GT(sent, 0);
  EXPECT_EQ(ports.devices, 1U);
  EXPECT_EQ(ports.count, 1U);
  EXPECT_NEAR(ports.sent, sent, 1e-6 * sent);
  EXPECT_DOUBLE_EQ(ports.busy(), ports.sent / 50e9) << "a port has 400 Gbit/s";
  EXPECT_GT(useOf(plan, all, LinkKind::ScaleUp).sent, 0) << "tensor ranks share a node";
  EXPECT_FALSE(llvm::any_of(all, [&](const LinkUse& use) {
    return plan.cluster.network.links[use.link].kind == LinkKind::Network;
  })) << "the ports limit what follows them";
  EXPECT_TRUE(
      llvm::is_sorted(all, [](const LinkUse& a, const LinkUse& b) { return a.busy() > b.busy(); }));
}

TEST(LinkUse, OfLinksThatRanksShare_IsTheirMean) {
  // Ranks 0 and 1 are in the first node, which is a leaf. Only rank 1 sends activations to the
  // other leaf: 16 micro-batches of 1024 tokens with 1024 values in bf16.
  const Plan plan =
      test::tinyPlan("pipeline = 4, data = 4", "", ", leaf { nodes = 1, oversubscription = 2 }");
  const LinkUse uplinks = useOf(plan, linkUseOf(plan), LinkKind::Leaf);
  EXPECT_EQ(uplinks.rank, 0U) << "the first rank of the leaf";
  EXPECT_EQ(uplinks.devices, 8U);
  EXPECT_DOUBLE_EQ(uplinks.bandwidth, 8 * 50e9 / 2);
  double sent = 0, messages = 0;
  for (const LinkUser& user : uplinks.users) {
    sent += user.sent;
    if (user.traffic.purpose == CollectivePurpose::PipelineActivation)
      messages += user.sent;
  }
  EXPECT_DOUBLE_EQ(messages, 16 * 1024 * 1024 * 2 / 2.0);
  EXPECT_DOUBLE_EQ(uplinks.sent, 8 * sent);
}
