//===- ScreensTest.cpp - Help, first steps, and the widths of screens and pages ---------------===//
#include "support/Json.h"
#include "support/Utf8.h"
#include "tests/golden/Runner.h"
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>
using namespace dpl::test;

namespace {
using Arguments = std::vector<std::string>;

std::vector<std::string> layoutsOf(const fs::path& example) {
  std::vector<std::string> names;
  const dpl::Json json = dpl::Json::parse(dplc({"check", "--json", example.string()}).out);
  for (const dpl::Json& layout : json["layouts"])
    names.push_back(layout["plan"]["name"].get<std::string>());
  return names;
}

/// Lines that are wider, or end in a blank.
std::string unfit(const Arguments& arguments, std::size_t width) {
  Arguments with{"COLUMNS=" + std::to_string(width)};
  with.insert(with.end(), arguments.begin(), arguments.end());
  std::istringstream lines(dplc(with).out);
  std::string found;
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    fenced ^= line.rfind("```", 0) == 0;
    if (!fenced && (dpl::codePoints(line) > width || (!line.empty() && line.back() == ' ')))
      found += line + "\n";
  }
  return found;
}

/// The commands that `dplc help` lists.
Arguments commands() {
  Arguments names;
  std::istringstream lines(dplc({"help"}).out);
  std::string line;
  while (std::getline(lines, line) && line != "Commands:") {
  }
  while (std::getline(lines, line) && !line.empty())
    if (line.size() > 2 && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}
} // namespace

class Width : public testing::TestWithParam<std::size_t> {};

TEST_P(Width, ScreensFit_Slow) {
  for (const fs::path& example : filesBelow(sourceFolder() / "examples", ".dpl")) {
    const std::string file = fs::relative(example, sourceFolder()).string();
    EXPECT_EQ(unfit({"check", file}, GetParam()), "");
    for (const std::string& layout : layoutsOf(example)) {
      EXPECT_EQ(unfit({"report", file, "--layout", layout}, GetParam()), "");
      EXPECT_EQ(unfit({"report", file, "--layout", layout, "--timeline"}, GetParam()), "");
    }
  }
}

TEST_P(Width, DifferencesStandSideBySide) {
  const Arguments command = {"diff", "examples/llama3_70b_h100.dpl",
                             "examples/dualpipe_v3_h800.dpl"};
  EXPECT_EQ(unfit(command, GetParam()), "");
  Arguments with{"COLUMNS=" + std::to_string(GetParam())};
  with.insert(with.end(), command.begin(), command.end());
  const std::string out = dplc(with).out;
  EXPECT_EQ(out.find("\n  field "), out.rfind("\n  field "));
}

INSTANTIATE_TEST_SUITE_P(Columns, Width, testing::Values(80, 200),
                         [](const auto& info) { return std::to_string(info.param); });

class HelpWidth : public testing::TestWithParam<std::size_t> {};

TEST_P(HelpWidth, HelpFits_AndHasNoTypesOfC) {
  const Arguments all = commands();
  EXPECT_EQ(all.size(), 23U);
  EXPECT_EQ(unfit({"help"}, GetParam()), "");
  for (const std::string& command : all) {
    EXPECT_EQ(unfit({"help", command}, GetParam()), "");
    const std::string help = dplc({"help", command}).out;
    for (const char* word : {"UINT", "TEXT", "INT ", "REQUIRED", " in [", "(2x)", "(1x)"})
      EXPECT_EQ(help.find(word), std::string::npos) << word << "\n" << help;
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, HelpWidth, testing::Values(60, 80, 120, 200),
                         [](const auto& info) { return std::to_string(info.param); });

TEST(CommandLine, HelpAndVersion_AreCommandsToo) {
  EXPECT_EQ(dplc({"help"}).out, dplc({"--help"}).out);
  EXPECT_EQ(dplc({"help", "check"}).out, dplc({"check", "--help"}).out);
  EXPECT_EQ(dplc({"version"}).out, dplc({"--version"}).out);
}

TEST(CommandLine, WithoutACommand_TheFirstFiveCommandsAreShown) {
  const Outcome outcome = dplc({});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.out, "");
  for (const char* part : {"dplc is the compiler for training layouts", "\n  dplc new first.dpl ",
                           "\n  dplc check first.dpl ", "\n  dplc report first.dpl --why ",
                           "\n  dplc emit megatron first.dpl ", "\n  dplc explain mfu ",
                           "`dplc help` lists all commands"})
    EXPECT_NE(outcome.error.find(part), std::string::npos) << part << "\n" << outcome.error;
  for (const char* command : {"new", "check", "report", "emit", "explain"})
    EXPECT_EQ(dplc({"help", command}).exitCode, 0);
}

/// `dplc new --gpu` for every GPU of the library, which its error message lists.
TEST(CommandLine, ANewFileForAGpu_IsAcceptedAndFormatted) {
  const std::string error = dplc({"new", "--gpu", "none"}).error;
  const std::size_t begin = error.find("use `");
  ASSERT_NE(begin, std::string::npos) << error;
  const std::regex quoted("`([a-z0-9]+)`");
  const std::string list = error.substr(begin, error.find(';', begin) - begin);
  unsigned gpus = 0;
  for (std::sregex_iterator one(list.begin(), list.end(), quoted), end; one != end; ++one, ++gpus) {
    const TemporaryFolder folder;
    const std::string gpu = (*one)[1];
    const Outcome written = dplc({"new", "--gpu", gpu, "-o", "plan.dpl"}, folder.path);
    EXPECT_EQ(written.exitCode, 0) << gpu << written.error;
    const Outcome checked = dplc({"check", "plan.dpl"}, folder.path);
    EXPECT_EQ(checked.exitCode, 0) << gpu << checked.error;
    EXPECT_NE(checked.out.find(gpu), std::string::npos) << checked.out;
    EXPECT_EQ(dplc({"fmt", "--check", "plan.dpl"}, folder.path).exitCode, 0) << gpu;
  }
  EXPECT_GE(gpus, 9U);
}

TEST(CommandLine, EveryTermOfTheGlossary_IsExplained) {
  std::istringstream lines(slurp(sourceFolder() / "docs/glossary.md"));
  unsigned terms = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("- **", 0) != 0)
      continue;
    const std::size_t end = line.find("**", 4);
    const std::string term =
        line.substr(4, line.find(", ", 4) < end ? line.find(", ") - 4 : end - 4);
    const std::string sentence =
        line.substr(line.find("): ", end) == std::string::npos ? line.find(": ", end) + 2
                                                               : line.find("): ", end) + 3);
    const std::string page = dplc({"COLUMNS=1000", "explain", term}).out;
    // The name of a message leads to its page.
    EXPECT_TRUE(page.find(sentence) != std::string::npos || page.rfind("# DPL", 0) == 0)
        << term << "\n"
        << page;
    ++terms;
  }
  EXPECT_GT(terms, 100U);
}

TEST(Pages, Fit_Slow) {
  EXPECT_EQ(unfit({"explain"}, 80), "");
  EXPECT_EQ(unfit({"explain", "glossary"}, 60), "");
  EXPECT_EQ(unfit({"explain", "units"}, 80), "");
  EXPECT_EQ(unfit({"ir", "--list-passes"}, 80), "");
  for (const fs::path& page : filesBelow(sourceFolder() / "docs/explain", ".md"))
    EXPECT_EQ(unfit({"explain", page.stem().string()}, 80), "");
}

TEST(Pages, CommentsOfTheLibrary_AreWrappedOnlyWhenAsked) {
  const std::string text = slurp(sourceFolder() / "stdlib/frameworks.dpl");
  EXPECT_EQ(dplc({"show", "std.frameworks"}).out, text);
  const std::string narrow = dplc({"COLUMNS=80", "show", "std.frameworks"}).out;
  EXPECT_NE(
      narrow.find("  // build_model in models/base.py, get_block_compute_costs in models/llama.py\n"
                  "  split = by_parameters\n"),
      std::string::npos);
  // The text means the same: but for comments and line ends nothing moved.
  const TemporaryFolder folder;
  spill(folder.path / "narrow.dpl", narrow);
  EXPECT_EQ(dplc({"fmt", "narrow.dpl"}, folder.path).exitCode, 0);
}
