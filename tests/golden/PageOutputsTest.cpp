//===- PageOutputsTest.cpp - Guide pages show what dplc prints today --------------------------===//
//
// On these pages a plain fence that begins with `$ dplc COMMAND FILE …` holds lines of the output
// of that command on the page's first `dpl` fence. A line of an ellipsis stands for lines that are
// left out. DPL_UPDATE=1 replaces a line that is no longer printed by the printed line with the
// same label, where there is exactly one.
#include "tests/golden/Runner.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
using namespace dpl::test;

namespace {
std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// The words of a command line, 'quoted' ones as one.
std::vector<std::string> wordsOf(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : command)
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

/// What a line is about: its text up to the first gap.
std::string labelOf(const std::string& line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  return line.substr(0, line.find("  ", begin));
}

/// The printed line with the label of a line that is not printed; the line itself where there is
/// none or there are several.
std::string replacementOf(const std::string& line, const std::vector<std::string>& printed) {
  std::set<std::string> alike;
  for (const std::string& other : printed)
    if (labelOf(other) == labelOf(line))
      alike.insert(other);
  return alike.size() == 1 ? *alike.begin() : line;
}

class PageOutputs : public testing::TestWithParam<const char*> {};
} // namespace

TEST_P(PageOutputs, AreWhatDplcPrints) {
  const fs::path path = sourceFolder() / "docs/guide" / GetParam();
  std::vector<std::string> page = linesOf(slurp(path)), printed;
  std::string file, fence;
  unsigned commands = 0;
  for (std::size_t i = 0; i < page.size(); ++i) {
    std::string& line = page[i];
    if (line.rfind("```", 0) == 0) {
      fence = fence.empty() ? line : "";
      printed.clear();
      if (line == "```dpl" && file.empty())
        for (std::size_t l = i + 1; page[l] != "```"; ++l)
          file += page[l] + "\n";
    } else if (fence == "```" && line.rfind("$ dplc ", 0) == 0) {
      std::vector<std::string> words = wordsOf(line.substr(7));
      const TemporaryFolder folder;
      spill(folder.path / words[1], file);
      const Outcome outcome = dplc(words, folder.path);
      EXPECT_EQ(outcome.exitCode, 0) << line << '\n' << outcome.error;
      printed = linesOf(outcome.out);
      ++commands;
    } else if (!printed.empty() && line.find("…") == std::string::npos && !line.empty() &&
               std::find(printed.begin(), printed.end(), line) == printed.end()) {
      if (updating())
        line = replacementOf(line, printed);
      else
        ADD_FAILURE() << path << ":" << i + 1 << " is not printed: " << line;
    }
  }
  EXPECT_GT(commands, 2U);
  std::string text;
  for (const std::string& line : page)
    text += line + "\n";
  if (updating() && text != slurp(path))
    spill(path, text);
}

INSTANTIATE_TEST_SUITE_P(Guide, PageOutputs,
                         testing::Values("describe-a-cluster.md", "stragglers-and-failures.md"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           std::string name = info.param;
                           name.resize(name.size() - 3);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });
