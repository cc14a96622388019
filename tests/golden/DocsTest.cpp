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
struct DplFence {
  fs::path page;
  unsigned line = 0;
  std::string kind; ///< what stands after "dpl"
  std::string text;
  std::vector<std::pair<std::string, std::string>> files; ///< of earlier `file=` fences of the page
};

std::vector<DplFence> allFences() {
  std::vector<DplFence> all;
  std::vector<fs::path> pages = filesBelow(sourceFolder() / "docs", ".md");
  pages.push_back(sourceFolder() / "README.md");
  for (const fs::path& page : pages) {
    std::vector<std::pair<std::string, std::string>> files;
    for (const Fence& fence : fencesOf(slurp(page))) {
      if (fence.kind != "dpl" && fence.kind.rfind("dpl ", 0) != 0)
        continue;
      const std::string kind = fence.kind.size() > 4 ? fence.kind.substr(4) : "";
      if (kind.rfind("file=", 0) == 0)
        files.emplace_back(kind.substr(5), fence.text);
      else
        all.push_back({page, fence.line, kind, fence.text, files});
    }
  }
  return all;
}

void PrintTo(const DplFence& fence, std::ostream* out) { *out << fence.page << ":" << fence.line; }

/// Compares the output with the plain fence after a failing one, or records it there.
void compareOutput(const DplFence& fence, const std::string& actual) {
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

class GoldenDocs : public testing::TestWithParam<DplFence> {};
} // namespace

TEST_P(GoldenDocs, TheFenceIsWhatItSays) {
  const DplFence& fence = GetParam();
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
  std::vector<std::string> command{"check", "--no-advice"};
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
                         [](const testing::TestParamInfo<DplFence>& info) {
                           return testName(info.param.page, sourceFolder()) + "_line_" +
                                  std::to_string(info.param.line);
                         });
