//===- DocsOfRowsTest.cpp - The pages that list the rows of a table list all of them ----------===//
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
using namespace dpl::test;

namespace {
std::string page(const std::string& name) { return slurp(sourceFolder() / "docs" / name); }

/// As a name of the language, alone or with its fields.
bool mentions(const std::string& text, const std::string& name) {
  return text.find("`" + name + "`") != std::string::npos ||
         text.find("`" + name + " {") != std::string::npos;
}
} // namespace

// docs/add-a-schedule.md sends whoever adds a row here.
TEST(DocsOfRows, EachSchedule_StandsOnThePagesThatListThem) {
  const std::string list = page("schedules/README.md");
  for (const std::string name : {
#define SCHEDULE(KIND, NAME, PLACEMENT, CHUNKS) NAME,
#include "ir/Schedules.def"
       }) {
    EXPECT_NE(list.find("| [" + name + "](" + name + ".md) |"), std::string::npos)
        << "docs/schedules/README.md does not list " << name;
    for (const char* where : {"schedule.md", "language.md"})
      EXPECT_TRUE(mentions(page(where), name)) << "docs/" << where << " does not mention " << name;
  }
}

// docs/add-an-algorithm.md.
TEST(DocsOfRows, EachAlgorithm_StandsInTheTablesOfTheCostModel) {
  const std::string tables = page("cost-model.md");
  for (const char* name : {
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) SPELLING,
#include "ir/Algorithms.def"
       })
    EXPECT_NE(tables.find("| `" + std::string(name) + "` |"), std::string::npos)
        << "docs/cost-model.md has no line for " << name;
}
