//===- PrinterTest.cpp - Plans print and read back --------------------------------------------===//
#include "SamplePlan.h"
#include "ir/Names.h"
#include "support/Diagnostics.h"
#include <gmock/gmock.h>
#include <limits>

using namespace dpl;
using namespace dpl::ir;

namespace {

Plan reread(const Plan& plan) {
  DiagnosticEngine diags;
  FailureOr<Plan> back = read(print(plan), "plan.ir", diags);
  for (const Diagnostic& d : diags.diagnostics())
    ADD_FAILURE() << d.message;
  return back.failed() ? Plan{} : *back;
}

std::string errorOf(const std::string& text) {
  DiagnosticEngine diags;
  EXPECT_TRUE(read(text, "plan.ir", diags).failed());
  return diags.errors() == 1 ? diags.diagnostics().front().message : "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

} // namespace

TEST(Printer, APlan_ReadsBackToTheSameBytes) {
  Plan plan = test::samplePlan();
  plan.groups.push_back({"tensor",
                         {Axis::Tensor},
                         {{2, 1, 2}},
                         2,
                         8,
                         Level::Node,
                         {2, 2},
                         {{2, 1, 2}},
                         {1, 0},
                         {{1, 1}, {}}});
  RankSchedule rank;
  rank.actions.resize(3);
  rank.actions[1].kind = ActionKind::BackwardWeight;
  rank.start = {0, 5, 7}, rank.duration = {5, 2, 1};
  plan.schedule = {rank, rank};
  EXPECT_EQ(print(reread(plan)), print(plan));
  EXPECT_TRUE(equal(reread(plan), plan));
}

TEST(Printer, AnEmptyPlan_ReadsBack) { EXPECT_TRUE(equal(reread(Plan{}), Plan{})); }

TEST(Printer, WhatAFileLeavesOut_HasNoLineAndZeroHasOne) {
  const Plan without = test::samplePlan();
  EXPECT_THAT(print(without), testing::Not(testing::HasSubstr("price_per_hour")));
  Plan plan = without;
  NodeType& nodes = plan.cluster.nodeTypes.front();
  nodes.pricePerHour = 0, nodes.device.idlePower = 0, plan.cluster.idlePower = 0.5;
  EXPECT_THAT(print(plan), testing::HasSubstr("price_per_hour = 0"));
  const Plan back = reread(plan);
  EXPECT_TRUE(equal(back, plan));
  EXPECT_FALSE(equal(back, without));
  EXPECT_EQ(back.cluster.nodeTypes.front().pricePerHour, 0);
  EXPECT_EQ(back.cluster.nodeTypes.front().device.idlePower, 0);
  EXPECT_FALSE(back.cluster.nodeTypes.front().device.busyPower);
  EXPECT_FALSE(reread(without).cluster.energyPrice);
}

TEST(Printer, AScheduledOperation_IsOneLine) {
  Plan plan;
  RankSchedule rank;
  rank.actions.resize(1);
  rank.start = rank.duration = {1'000'000'000'000'000};
  plan.schedule = {rank};
  EXPECT_THAT(print(plan),
              testing::HasSubstr("    action { kind = forward, chunk = 0, micro_batch = 0,"));
}

TEST(Printer, AScheduledCollective_HasItsIndexAndNoMicroBatch) {
  Plan plan;
  RankSchedule rank;
  rank.actions = {ScheduledAction(CollectiveId(7)), ScheduledAction(ActionKind::Backward, 1, 7)};
  rank.start = rank.duration = {5, 6};
  plan.schedule = {rank};
  const std::string text = print(plan);
  EXPECT_THAT(text, testing::HasSubstr("action { kind = collective, collective = 7, start = 5,"));
  EXPECT_EQ(reread(plan).schedule.front().actions, rank.actions);
  EXPECT_THAT(errorOf(replaced(text, "collective = 7", "chunk = 0, micro_batch = 7")),
              testing::HasSubstr("found `chunk`, needed `collective`"));
  EXPECT_THAT(errorOf(replaced(text, "chunk = 1, micro_batch = 7", "collective = 7")),
              testing::HasSubstr("found `collective`, needed `chunk`"));
}

TEST(Printer, Doubles_KeepEveryBit) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 5e-324, 1e22, 123456789012345678.0, 0.25,
                             std::numeric_limits<double>::max()}) {
    Plan plan;
    plan.cluster.jitter.spread = value;
    EXPECT_EQ(reread(plan).cluster.jitter.spread, value);
  }
}

TEST(Printer, Strings_KeepEveryByte) {
  Plan plan;
  plan.name = std::string("a\"b\\c\nd\te\x01\x7f ü {}=[],\\x41", 24);
  EXPECT_EQ(reread(plan).name, plan.name);
}

TEST(Printer, EverySpelling_NamesItsValue) {
  const auto check = [](auto first) {
    for (std::size_t i = 0; i < namesOf(first).size(); ++i) {
      auto value = first;
      EXPECT_TRUE(valueNamed(namesOf(first)[i], value));
      EXPECT_EQ(static_cast<std::size_t>(value), i)
          << "two values are called " << namesOf(first)[i];
    }
  };
  check(DataType{}), check(Level{}), check(Axis{}), check(AttentionKind{}),
      check(FeedForwardKind{});
  check(NormKind{}), check(PositionKind{}), check(RotaryScalingKind{}), check(Activation{});
  check(Balance{}), check(RouterScore{}), check(DropPolicy{}), check(BatchUnitKind{}),
      check(ScheduleKind{});
  check(SplitKind{}), check(RecomputeKind{}), check(RecomputeMethod{}), check(ModuleKind{});
  check(SavedOperator{});
  check(ShardAxis{}), check(OptimizerKind{}), check(Operation{});
  check(MuonTensorMode{}), check(ModelPart{}), check(AdapterModule{}), check(FrozenFormat{});
  check(ActionKind{}), check(CollectiveKind{}), check(CollectivePurpose{}), check(Algorithm{});
}

TEST(Reader, AnUnknownField_IsNamedWithItsLine) {
  EXPECT_EQ(errorOf(replaced(print(Plan{}), "  file =", "  fiel =")),
            "`plan.ir` is not a printed plan: line 3: found `fiel`, needed `file`");
}

TEST(Reader, AMissingField_IsNamed) {
  EXPECT_EQ(errorOf(replaced(print(Plan{}), "  file = \"\"\n", "")),
            "`plan.ir` is not a printed plan: line 3: found `hash`, needed `file`");
}

TEST(Reader, AWrongValue_IsNamedWithWhatIsNeeded) {
  EXPECT_THAT(errorOf(replaced(print(Plan{}), "norm = rms", "norm = square")),
              testing::HasSubstr(": found `square`, needed one of `rms`, `layer`"));
  EXPECT_THAT(errorOf(replaced(print(Plan{}), "hidden = 0", "hidden = 18446744073709551616")),
              testing::HasSubstr("needed a whole number below 2^64"));
  EXPECT_THAT(errorOf(replaced(print(Plan{}), "hidden = 0", "hidden = -1")),
              testing::HasSubstr("found `-1`, needed a whole number"));
}

TEST(Reader, ATextThatEndsEarly_IsRefusedAtEveryByte) {
  const std::string text = print(Plan{});
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    DiagnosticEngine diags;
    EXPECT_TRUE(read(text.substr(0, size), "plan.ir", diags).failed()) << size;
  }
}

TEST(Reader, TextAfterThePlan_IsRefused) {
  EXPECT_THAT(errorOf(print(Plan{}) + "plan"), testing::HasSubstr("needed the end of the plan"));
}

TEST(Reader, AStringThatDoesNotEnd_IsRefused) {
  EXPECT_THAT(errorOf("plan { name = \"abc\\\""), testing::HasSubstr("needed a string"));
}

TEST(ContentHash, DependsOnWhatTheFrontEndPutIn_Alone) {
  Plan plan = test::samplePlan();
  const std::string hash = contentHash(plan);
  EXPECT_THAT(hash, testing::MatchesRegex("[0-9a-f]{16}"));
  plan.file = "other.dpl";
  EXPECT_EQ(contentHash(plan), hash);
  plan.layout.batch += 1;
  EXPECT_NE(contentHash(plan), hash);
}
