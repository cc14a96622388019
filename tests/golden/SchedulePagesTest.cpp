//===- SchedulePagesTest.cpp - The page of each schedule shows what dplc makes today ----------===//
//
// docs/schedules/NAME.md holds a plan, its picture NAME.svg and a table of its figures over eight
// ranks; DPL_UPDATE=1 makes picture and table anew.
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
using namespace dpl::test;

namespace {
const std::vector<std::string>& schedules() {
  static const std::vector<std::string> names = {
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) NAME,
#include "ir/Schedules.def"
  };
  return names;
}
fs::path pageOf(const std::string& name) {
  return sourceFolder() / "docs/schedules" / (name + ".md");
}
/// The first plan of a page.
std::string planIn(const std::string& page) {
  const std::string fence = "```dpl\n";
  const std::size_t from = page.find(fence) + fence.size();
  return page.substr(from, page.find("```\n", from) - from);
}
std::string percent(const dpl::Json& figures, const char* path) {
  return figures.contains(path)
             ? fmt::format("{:.2f} %", 100 * figures[path]["value"].get<double>())
             : "-";
}
/// The table of a page: a row for each number of micro-batches.
std::string tableOf(const fs::path& folder) {
  std::string table = "| micro-batches | makespan | bubble | bubble, equal stages | bubble, "
                      "longest rank | in flight |\n"
                      "|---|---|---|---|---|---|\n";
  for (const int m : {8, 16, 32}) {
    const Outcome run =
        dplc({"report", "plan.dpl", "--json", "--set", "plan.devices=8", "--set",
              "plan.mesh.pipeline=8", "--set", fmt::format("plan.batch={}sample", m)},
             folder);
    if (run.exitCode != 0) { // too few for the schedule
      table += fmt::format("| {} | refused | | | | |\n", m);
      continue;
    }
    const dpl::Json report = dpl::Json::parse(run.out);
    const dpl::Json& figures = report["figures"];
    double held = 0;
    for (const dpl::Json& rank : report["memory"]["ranks"])
      held = std::max(held, rank["micro_batches_in_flight"].get<double>());
    table += fmt::format("| {} | {:.1f} ms | {} | {} | {} | {:g} |\n", m,
                         1000 * figures["time.makespan"]["value"].get<double>(),
                         percent(figures, "bubble_fraction"),
                         percent(figures, "bubble_fraction.equal_stages"),
                         percent(figures, "bubble_fraction.longest_rank"), held);
  }
  return table;
}
class SchedulePages : public testing::TestWithParam<std::string> {};
} // namespace

TEST_P(SchedulePages, ShowWhatDplcMakes) {
  const std::string& name = GetParam();
  ASSERT_TRUE(fs::exists(pageOf(name)))
      << "write " << pageOf(name) << " as its neighbours are: docs/internals/add-a-schedule.md";
  std::string page = slurp(pageOf(name));
  const TemporaryFolder folder;
  spill(folder.path / "plan.dpl", planIn(page));
  ASSERT_EQ(dplc({"report", "plan.dpl", "--svg", "picture.svg"}, folder.path).exitCode, 0);
  const std::string picture = slurp(folder.path / "picture.svg");
  EXPECT_NE(picture.find("): " + name), std::string::npos) << "the plan is of another schedule";
  const fs::path recorded = pageOf(name).replace_extension(".svg");
  EXPECT_NE(page.find("](" + name + ".svg)"), std::string::npos);
  if (updating())
    spill(recorded, picture);
  else
    EXPECT_TRUE(fs::exists(recorded) && slurp(recorded) == picture)
        << "record " << recorded << " again with DPL_UPDATE=1, then look at it";
  if (name == "custom")
    return; // its lists are for one number of ranks and micro-batches
  const std::string begin = "<!-- figures -->\n", end = "<!-- end of figures -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::size_t at = from + begin.size();
  const std::string table = "\n" + tableOf(folder.path) + "\n";
  if (updating())
    spill(pageOf(name), page.replace(at, to - at, table));
  else
    EXPECT_EQ(page.substr(at, to - at), table) << "DPL_UPDATE=1 writes it anew";
}

TEST(SchedulePictures, OnTheScreen_AreTheFile) {
  const TemporaryFolder folder;
  spill(folder.path / "plan.dpl", planIn(slurp(pageOf("1f1b"))));
  EXPECT_EQ(dplc({"report", "plan.dpl", "--svg", "-"}, folder.path).out,
            slurp(pageOf("1f1b").replace_extension(".svg")));
  EXPECT_FALSE(fs::exists(folder.path / "-"));
}

INSTANTIATE_TEST_SUITE_P(Rows, SchedulePages, testing::ValuesIn(schedules()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return "of_" + info.param;
                         });
