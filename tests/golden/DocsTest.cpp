//===- DocsTest.cpp - Every `dpl` fence of the documentation is what it says ------------------===//
//
// ```dpl is a file that checks, ```dpl error=DPL0301 one that fails with that code (and no other),
// ```dpl fragment parses: as a file, or inside a block. ```dpl file=site.dpl is a file that later
// fences of the same page import. In docs/explain the output of a failing fence stands in the plain
// fence after it, and is recorded with DPL_UPDATE=1.
#include "tests/golden/Runner.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
using namespace dpl::test;

namespace {
struct Fence {
  fs::path page;
  unsigned line = 0;
  std::string kind; ///< what stands after "dpl"
  std::string text;
  std::vector<std::pair<std::string, std::string>> files; ///< of earlier `file=` fences of the page
};

std::vector<Fence> fencesOf(const fs::path& page) {
  std::vector<Fence> fences;
  std::vector<std::pair<std::string, std::string>> files;
  std::istringstream lines(slurp(page));
  Fence fence;
  bool inside = false, other = false;
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.rfind("```", 0) == 0) {
      if (inside) {
        inside = false;
        if (fence.kind.rfind("file=", 0) == 0)
          files.emplace_back(fence.kind.substr(5), fence.text);
        else
          fences.push_back(std::move(fence));
      } else if (other) {
        other = false;
      } else if (line == "```dpl" || line.rfind("```dpl ", 0) == 0) {
        inside = true;
        fence = {page, number, line.size() > 7 ? line.substr(7) : "", "", files};
      } else {
        other = true;
      }
    } else if (inside) {
      fence.text += line + "\n";
    }
  }
  return fences;
}

std::vector<Fence> allFences() {
  std::vector<Fence> fences;
  std::vector<fs::path> pages = filesBelow(sourceFolder() / "docs", ".md");
  pages.push_back(sourceFolder() / "README.md");
  for (const fs::path& page : pages)
    for (Fence& fence : fencesOf(page))
      fences.push_back(std::move(fence));
  return fences;
}

void PrintTo(const Fence& fence, std::ostream* out) { *out << fence.page << ":" << fence.line; }

/// The plain fence that follows the failing one, recorded when it differs.
void compareOutput(const Fence& fence, const std::string& actual) {
  const std::string page = slurp(fence.page);
  const std::string failing = "```dpl " + fence.kind + "\n" + fence.text + "```\n";
  const std::size_t end = page.find(failing) + failing.size();
  std::string recorded;
  std::size_t after = end;
  if (page.compare(end, 5, "\n```\n") == 0) {
    const std::size_t close = page.find("\n```\n", end + 4);
    recorded = page.substr(end + 5, close + 1 - (end + 5));
    after = close + 5;
  }
  if (updating() && recorded != actual)
    spill(fence.page, page.substr(0, end) + "\n```\n" + actual + "```\n" + page.substr(after));
  else
    EXPECT_EQ(actual, recorded) << "record again with DPL_UPDATE=1, then read the difference";
}

class GoldenDocs : public testing::TestWithParam<Fence> {};
} // namespace

TEST_P(GoldenDocs, TheFenceIsWhatItSays) {
  const Fence& fence = GetParam();
  const TemporaryFolder folder;
  for (const auto& [name, text] : fence.files)
    spill(folder.path / name, text);
  spill(folder.path / "plan.dpl", fence.text);
  if (fence.kind == "fragment") {
    Outcome outcome = dplc({"fmt", "plan.dpl"}, folder.path);
    if (outcome.exitCode != 0) {
      spill(folder.path / "plan.dpl", "layout fragment for m on c {\n" + fence.text + "}\n");
      outcome = dplc({"fmt", "plan.dpl"}, folder.path);
    }
    EXPECT_EQ(outcome.exitCode, 0) << fence.text << outcome.error;
    return;
  }
  // A fence that begins with `// RUN: emit megatron --dry-run` fails there and not in check.
  std::vector<std::string> command{"check"};
  if (const std::string given = casesOf("plan.dpl", fence.text).front().command; !given.empty()) {
    std::istringstream words(given);
    command.assign(std::istream_iterator<std::string>(words), {});
  }
  command.push_back("plan.dpl");
  const Outcome outcome = dplc(command, folder.path);
  if (fence.kind.empty()) {
    EXPECT_EQ(outcome.exitCode, 0) << fence.text << outcome.error;
    return;
  }
  const bool warning = fence.kind.rfind("warning=", 0) == 0 || fence.kind.rfind("note=", 0) == 0;
  ASSERT_TRUE(warning || fence.kind.rfind("error=", 0) == 0)
      << "unknown kind of fence: " << fence.kind;
  const std::string code = fence.kind.substr(fence.kind.find('=') + 1);
  EXPECT_EQ(outcome.exitCode == 0, warning) << fence.text << outcome.error;
  // Advice often comes in company; an error comes alone.
  bool asSaid = true, present = false;
  for (const Message& message : messagesIn(outcome.error)) {
    present = present || message.code == code;
    asSaid = asSaid && (message.code == code || (warning && message.severity != "error"));
  }
  EXPECT_TRUE(asSaid && present) << fence.text << outcome.error;
  if (fence.page.parent_path().filename() == "explain" && asSaid && present)
    compareOutput(fence, outcome.error);
}

INSTANTIATE_TEST_SUITE_P(Fences, GoldenDocs, testing::ValuesIn(allFences()),
                         [](const testing::TestParamInfo<Fence>& info) {
                           return testName(info.param.page, sourceFolder()) + "_line_" +
                                  std::to_string(info.param.line);
                         });
