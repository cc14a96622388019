//===- GuideTest.cpp - The commands that pages show print what the pages show -----------------===//
//
// In README.md and docs/guide a ```console fence has a command of dplc and lines of its output in
// order; `…` stands for lines that are left out. The command runs in a folder where plan.dpl is the
// last ```dpl fence before it, next to the files of earlier fences with `file=NAME`. DPL_UPDATE=1
// records lines that differ only in numbers and blanks; other differences are mended by hand.
#include "tests/golden/Runner.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>
using namespace dpl::test;

namespace {
/// The lines of a text without the blanks at their ends.
std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  return lines;
}

/// The words of a command; single quotes hold blanks together.
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

std::string lettersOf(const std::string& line) {
  std::string letters;
  for (const char c : line)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      letters += c;
  return letters;
}

/// Says where the shown lines differ from the output; empty if they do not. While updating, lines
/// with the same letters take the numbers of the output.
std::string differenceOf(std::vector<std::string>& shown, const std::vector<std::string>& output) {
  std::size_t at = 0;
  bool leftOut = false;
  for (std::string& line : shown) {
    if (line == "…") {
      leftOut = true;
      continue;
    }
    const auto begin = output.begin() + static_cast<std::ptrdiff_t>(std::min(at, output.size()));
    const auto end = leftOut || begin == output.end() ? output.end() : begin + 1;
    auto found = std::find(begin, end, line);
    if (found == end && updating())
      found = std::find_if(begin, end, [&](const std::string& printed) {
        return lettersOf(printed) == lettersOf(line);
      });
    if (found == end)
      return fmt::format("the page shows\n{}\nthe command prints\n{}", line,
                         begin == output.end() ? "nothing more" : *begin);
    line = *found;
    at = static_cast<std::size_t>(found - output.begin()) + 1;
    leftOut = false;
  }
  if (!leftOut)
    for (; at < output.size(); ++at)
      if (!output[at].empty())
        return "the page leaves out without a mark\n" + output[at];
  return "";
}

std::vector<fs::path> pages() {
  std::vector<fs::path> all = filesBelow(sourceFolder() / "docs/guide", ".md");
  all.push_back(sourceFolder() / "README.md");
  return all;
}

class GoldenGuide : public testing::TestWithParam<fs::path> {};
} // namespace

TEST_P(GoldenGuide, ShowsWhatItsCommandsPrint) {
  std::string page = slurp(GetParam());
  const std::vector<Fence> fences = fencesOf(page);
  std::vector<std::pair<Fence, std::string>> changed; // with the text that replaces it
  const TemporaryFolder folder;
  for (const Fence& fence : fences) {
    if (const std::size_t file = fence.kind.find("file="); file != std::string::npos)
      spill(folder.path / fence.kind.substr(file + 5), fence.text);
    else if (fence.kind == "dpl")
      spill(folder.path / "plan.dpl", fence.text);
    if (fence.kind != "console")
      continue;
    std::vector<std::string> shown = linesOf(fence.text);
    ASSERT_EQ(shown.front().rfind("$ dplc ", 0), 0U) << shown.front();
    const std::string command = shown.front();
    const Outcome outcome = dplc(wordsOf(command.substr(7)), folder.path);
    shown.erase(shown.begin());
    const std::string difference = differenceOf(shown, linesOf(outcome.out + outcome.error));
    EXPECT_EQ(difference, "") << command;
    std::string text = command + "\n";
    for (const std::string& line : shown)
      text += line + "\n";
    if (text != fence.text)
      changed.emplace_back(fence, text);
  }
  if (updating() && !changed.empty()) {
    for (auto it = changed.rbegin(); it != changed.rend(); ++it)
      page.replace(it->first.at, it->first.text.size(), it->second);
    spill(GetParam(), page);
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, GoldenGuide, testing::ValuesIn(pages()),
                         [](const testing::TestParamInfo<fs::path>& info) {
                           return testName(info.param, sourceFolder());
                         });

TEST(GoldenReadme, HasThePictureThatDplcDraws) {
  const std::vector<Fence> fences = fencesOf(slurp(sourceFolder() / "README.md"));
  const auto plan = std::find_if(fences.begin(), fences.end(), [](const Fence& fence) {
    return fence.kind == "dpl file=first.dpl";
  });
  ASSERT_NE(plan, fences.end());
  const TemporaryFolder folder;
  spill(folder.path / "first.dpl", plan->text);
  ASSERT_EQ(dplc({"report", "first.dpl", "--svg", "first.svg"}, folder.path).exitCode, 0);
  const fs::path recorded = sourceFolder() / "docs/first.svg";
  const std::string picture = slurp(folder.path / "first.svg");
  if (updating())
    spill(recorded, picture);
  else
    EXPECT_TRUE(slurp(recorded) == picture) << "record it with DPL_UPDATE=1, then look at it";
}
