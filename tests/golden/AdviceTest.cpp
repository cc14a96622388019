//===- AdviceTest.cpp - The advice of `check` is what the changed file gives ------------------===//
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
#include <sstream>
using namespace dpl;
using namespace dpl::test;

namespace {
/// The advice of a screen: the layout, the change as it is written, and the step that it states.
struct Stated {
  std::string layout, change, step;
};

/// What `check` of a file advises. Its lines are not wrapped.
std::vector<Stated> adviceIn(const std::string& screens) {
  const std::string plan = "plan       ", advice = "advice     ", step = "           step ";
  std::vector<Stated> all;
  std::string layout;
  std::istringstream lines(screens);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(plan, 0) == 0)
      layout = line.substr(plan.size(), line.find(' ', plan.size()) - plan.size());
    if (line.rfind(advice, 0) == 0 && line.find("no single change") == std::string::npos)
      all.push_back({layout, line.substr(advice.size()), ""});
    if (line.rfind(step, 0) == 0 && !all.empty())
      all.back().step = line.substr(step.size(), line.find(' ', step.size()) - step.size());
  }
  return all;
}
} // namespace

TEST(GoldenAdvice, GivesTheStatedStep_WhenTheFileSaysIt_Slow) {
  const TemporaryFolder folder;
  fs::copy(sourceFolder() / "examples", folder.path, fs::copy_options::recursive);
  std::size_t advised = 0;
  for (const fs::path& example : filesBelow(folder.path, ".dpl")) {
    if (example.parent_path() != folder.path)
      continue;
    const std::string name = example.filename().string(), text = slurp(example);
    for (const Stated& stated : adviceIn(dplc({"COLUMNS=400", "check", name}, folder.path).out)) {
      ++advised;
      spill(folder.path / "changed.dpl", text + "\nlayout advised_change from " + stated.layout +
                                             " {\n" + stated.change + "\n}\n");
      const Outcome changed =
          dplc({"check", "changed.dpl", "--layout", "advised_change", "--figures", "step_time"},
               folder.path);
      EXPECT_EQ(changed.exitCode, 0) << name << " " << stated.change << "\n" << changed.error;
      EXPECT_NE(changed.out.find(" " + stated.step + "\n"), std::string::npos)
          << name << " " << stated.layout << " " << stated.change << ": " << stated.step << "\n"
          << changed.out;
    }
  }
  EXPECT_GE(advised, 10U);
}

TEST(GoldenAdvice, IsInTheOrderOfTheStep_WhenJitterLengthensSomeStepsMore) {
  // Of two changes the one with the shorter schedule has the longer step here.
  const Outcome advised = dplc({"report", "examples/unequal_nodes.dpl", "--advice", "--json"});
  const Json changes = Json::parse(advised.out)["advice"]["changes"];
  ASSERT_GE(changes.size(), 2U) << advised.error;
  for (std::size_t i = 1; i < changes.size(); ++i)
    EXPECT_LE(changes[i - 1]["step_s"].get<double>(), changes[i]["step_s"].get<double>()) << i;
  const std::string screen = dplc({"check", "examples/unequal_nodes.dpl"}).out;
  EXPECT_NE(screen.find("advice     " + changes[0]["change"].get<std::string>() + "\n"),
            std::string::npos)
      << screen;
}
