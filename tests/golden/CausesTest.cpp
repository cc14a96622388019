//===- CausesTest.cpp - Examples of one cause each are diagnosed by it ------------------------===//
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>

using namespace dpl;

TEST(Causes, OfTheExample_AreNamed) {
  const std::pair<const char*, const char*> all[] = {{"amplified", "jitter"},
                                                     {"contended", "contention"},
                                                     {"far", "locality"},
                                                     {"held_up", "interference"}};
  for (const auto& [layout, cause] : all) {
    const test::Outcome outcome = test::dplc({"simulate", "examples/causes.dpl", "--layout", layout,
                                              "--diagnose", "--json", "--steps", "20"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    const Json said = Json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(said.is_object());
    EXPECT_EQ(said["diagnosis"]["verdict"]["cause"], cause) << layout;
  }
}
