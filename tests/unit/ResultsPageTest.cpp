//===- ResultsPageTest.cpp - docs/reference/figures.md holds the table of figures -------------===//
#include "ir/FigureNames.h"
#include "support/FileIo.h"
#include "tests/SourceFolder.h"
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
/// The tables of docs/reference/figures.md, from the rows.
std::string tables() {
  std::string out, holes = "| in a path | is |\n|---|---|\n";
#define SECTION(TITLE)                                                                             \
  out += "\n### " TITLE "\n\n| path | dimension | what it is |\n|---|---|---|\n";
#define HOLE(NAME, MEANING) holes += "| `" #NAME "` | " MEANING " |\n";
#define FIGURE(PATH, DIMENSION, NOTE, ...) out += "| `" PATH "` | " DIMENSION " | " NOTE " |\n";
#include "ir/Results.def"
  return "\n" + holes + out + "\n";
}
} // namespace

TEST(ResultsPage, HoldsTheTableOfFigures) {
  const std::string path = (dpl::test::sourceFolder() / "docs/reference/figures.md").string();
  const FileText file = readFile(path);
  ASSERT_FALSE(file.failed()) << file.reason;
  std::string page = file.text;
  const std::string begin = "<!-- figures -->\n", end = "<!-- end of figures -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::size_t at = from + begin.size();
  if (std::getenv("DPL_UPDATE"))
    std::ofstream(path, std::ios::binary) << page.replace(at, to - at, tables());
  else
    EXPECT_TRUE(page.substr(at, to - at) == tables())
        << "figures.md is not what the table of figures says; DPL_UPDATE=1 writes it anew";
}

TEST(ResultsPage, EachDimensionIsOneOfTheLanguage) {
  for (const ir::FigureRow& row : ir::figureRows())
    EXPECT_TRUE(!row.dimension[0] || dimensionNamed(row.dimension)) << row.path;
}
