//===- DocsOfRowsTest.cpp - The pages that list the rows of a table list all of them ----------===//
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
#include <sstream>
using namespace dpl::test;

namespace {
std::string page(const std::string& name) { return slurp(sourceFolder() / "docs" / name); }

/// As a name of the language, alone or with its fields.
bool mentions(const std::string& text, const std::string& name) {
  return text.find("`" + name + "`") != std::string::npos ||
         text.find("`" + name + " {") != std::string::npos;
}

/// The lines of a text that are rows of its tables.
std::string rowsOf(const std::string& text) {
  std::string rows, line;
  for (std::istringstream lines(text); std::getline(lines, line);)
    if (line.starts_with("| "))
      rows += line + '\n';
  return rows;
}
} // namespace

// docs/internals/add-a-schedule.md sends whoever adds a row here.
TEST(DocsOfRows, EachSchedule_StandsOnThePagesThatListThem) {
  const std::string list = page("schedules/README.md");
  const std::string schedules = page("reference/schedule.md");
  const std::size_t which = schedules.find("## Which one"),
                    chosen = schedules.find("## `schedule = auto`");
  ASSERT_TRUE(which < chosen && chosen != std::string::npos);
  const std::string orders = rowsOf(schedules.substr(0, which));
  const std::string figures = schedules.substr(which, chosen - which);
  for (const std::string name : {
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) NAME,
#include "ir/Schedules.def"
       }) {
    EXPECT_NE(list.find("| [" + name + "](" + name + ".md) |"), std::string::npos)
        << "docs/schedules/README.md does not list " << name;
    EXPECT_TRUE(mentions(page("reference/layout.md"), name))
        << "docs/reference/layout.md does not mention " << name;
    for (const std::string& part : {orders, figures})
      EXPECT_TRUE(mentions(part, name) || name == "custom")
          << "docs/reference/schedule.md lacks " << name << " below\n"
          << part.substr(0, 200);
  }
}

// docs/internals/add-an-algorithm.md.
TEST(DocsOfRows, EachAlgorithm_StandsInTheTablesOfTheCostModel) {
  const std::string tables = page("reference/cost-model.md");
  for (const char* name : {
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) SPELLING,
#include "ir/Algorithms.def"
       })
    EXPECT_NE(tables.find("| `" + std::string(name) + "` |"), std::string::npos)
        << "docs/reference/cost-model.md has no line for " << name;
}
