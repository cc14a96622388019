//===- PassesTest.cpp - Every pass has a golden file of its own -------------------------------===//
#include "tests/golden/PassCase.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
using namespace dpl::test;

/// tests/golden/passes/check_memory.dpl runs `pass check-memory`.
TEST(Passes, EachHasAGoldenFile) {
  std::istringstream list(dplc({"ir", "--list-passes"}).out);
  unsigned passes = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line.front() == ' ')
      continue; // the rest of a summary
    ++passes;
    const std::string pass = line.substr(0, line.find(' '));
    std::string name = pass + ".dpl";
    std::replace(name.begin(), name.end(), '-', '_');
    const fs::path path = sourceFolder() / "tests/golden/passes" / name;
    ASSERT_TRUE(fs::exists(path)) << pass;
    for (const Case& c : casesOf(name, slurp(path)))
      EXPECT_EQ(passOf(c), pass) << path;
    const std::string recorded = slurp(fs::path(path).replace_extension(".expected"));
    EXPECT_EQ(recorded.find("==== but among all passes"), std::string::npos) << path;
  }
  EXPECT_GE(passes, 11u);
}
