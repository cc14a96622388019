//===- WalksTest.cpp - What the walks of docs/add-a*.md name is there -------------------------===//
#include "tests/golden/Runner.h"
#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <unordered_set>
using namespace dpl::test;

/// The words of all sources but this one, which has what the walks add.
static std::unordered_set<std::string> wordsOfSources() {
  std::unordered_set<std::string> words;
  for (const char* folder : {"backends", "cost", "driver", "figures", "frontend", "ir", "passes",
                             "planner", "simulate", "support", "tests", "tools"})
    for (const char* ending : {".h", ".cpp", ".def", ".inc"})
      for (const fs::path& path : filesBelow(sourceFolder() / folder, ending)) {
        const std::string text = path.filename() == "WalksTest.cpp" ? "" : slurp(path);
        const auto letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
        for (auto from = text.begin(); from != text.end();) {
          const auto begin = std::find_if(from, text.end(), letter);
          from = std::find_if_not(begin, text.end(), letter);
          words.emplace(begin, from);
        }
      }
  return words;
}

// All names of their C++, but LLVM's and those of the standard library, and in prose the long ones.
// What they add must not be there: a message that has the code of a walk is missing from `others`.
TEST(Walks, TheNamesThatTheyUse_AreOfTheSourcesOrAddedByThem) {
  const std::unordered_set<std::string> known = wordsOfSources();
  const std::regex code(R"re(//.*|"[^"]*"|(?:llvm|std)::\w+|([A-Za-z_]\w*))re"),
      prose(R"re(\b([A-Za-z_]\w*[a-z][A-Z]\w*))re");
  std::set<std::string> others;
  for (const fs::path& page : filesBelow(sourceFolder() / "docs", ".md")) {
    if (page.filename().string().rfind("add-a", 0) != 0)
      continue;
    std::istringstream lines(slurp(page));
    std::string fence; // its first line
    for (std::string line; std::getline(lines, line);)
      if (line.rfind("```", 0) == 0)
        fence = fence.empty() ? line : "";
      else if (fence.empty() || fence == "```cpp")
        for (std::sregex_iterator it(line.begin(), line.end(), fence.empty() ? prose : code), end;
             it != end; ++it)
          if (const std::string name = it->str(1); !name.empty() && known.count(name) == 0)
            others.insert(page.stem().string() + ": " + name);
  }
  EXPECT_EQ(others,
            (std::set<std::string>{"add-a-message: DPL0399", "add-a-message: StageWithoutLayers",
                                   "add-a-schedule: AheadOneForwardOneBackward",
                                   "add-a-schedule: AheadOneForwardOneBackwardSchedule",
                                   "add-an-algorithm: RecursiveDoubling",
                                   "add-an-algorithm: recursiveDoubling"}));
}
