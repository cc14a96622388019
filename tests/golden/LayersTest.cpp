//===- LayersTest.cpp - Which folder may include which ---------------------------------------===//
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
using namespace dpl::test;

namespace {
/// What the files of a folder may include of ours, besides their own folder.
const std::map<std::string, std::set<std::string>> allowed = {
    {"support", {}},
    {"ir", {"support"}},
    {"frontend", {"support", "ir", "stdlib"}},
    {"cost", {"support", "ir"}},
    {"figures", {"support", "ir", "cost"}},
    {"passes", {"support", "ir", "cost", "figures"}},
    {"planner", {"support", "ir", "cost", "figures", "passes"}},
    {"backends", {"support", "ir", "figures"}},
    {"imports", {"support"}},
    {"driver",
     {"support", "ir", "cost", "figures", "frontend", "passes", "planner", "backends", "imports"}},
    {"tools",
     {"support", "ir", "cost", "figures", "frontend", "passes", "planner", "backends", "imports",
      "driver", "stdlib"}},
};
} // namespace

TEST(Layers, Includes_FollowTheLayers) {
  for (const auto& [folder, others] : allowed)
    for (const char* ending : {".h", ".cpp"})
      for (const fs::path& path : filesBelow(sourceFolder / folder, ending)) {
        std::istringstream lines(slurp(path));
        for (std::string line; std::getline(lines, line);) {
          if (line.rfind("#include \"", 0) != 0)
            continue;
          const std::string target = line.substr(10, line.find('/') - 10);
          const bool other = allowed.count(target) > 0 && target != folder;
          EXPECT_TRUE(!other || others.count(target) > 0) << path << ": " << line;
        }
      }
}

TEST(Layers, OneSource_IncludesAntlr) {
  // Three headers beside it are parts of it.
  for (const auto& [folder, others] : allowed)
    for (const fs::path& path : filesBelow(sourceFolder / folder, ".cpp")) {
      const std::string text = slurp(path);
      for (const char* header : {"antlr4-runtime.h", "DplParser.h", "DplLexer.h", "AntlrStreams.h"})
        EXPECT_TRUE(path == sourceFolder / "frontend/parse/ParseTree.cpp" ||
                    text.find(header) == std::string::npos)
            << path;
    }
}
