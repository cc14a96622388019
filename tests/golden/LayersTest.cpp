//===- LayersTest.cpp - support <- ir <- {frontend, passes, backends} <- tools
//--------------------===//
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
    {"passes", {"support", "ir"}},
    {"backends", {"support", "ir"}},
    {"tools", {"support", "ir", "frontend", "passes", "backends", "stdlib"}},
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
          if (allowed.count(target) && target != folder)
            EXPECT_TRUE(others.count(target)) << path << ": " << line;
        }
      }
}

TEST(Layers, OnlyTheParser_IncludesAntlr) {
  for (const auto& [folder, others] : allowed)
    for (const char* ending : {".h", ".cpp"})
      for (const fs::path& path : filesBelow(sourceFolder / folder, ending))
        if (slurp(path).find("#include \"antlr4-runtime.h\"") != std::string::npos)
          EXPECT_EQ(path.lexically_relative(sourceFolder).generic_string(),
                    "frontend/parse/ParseTree.cpp");
}
