//===- LayersTest.cpp - Which folder may include which ---------------------------------------===//
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
using namespace dpl::test;

namespace {
/// What the files of a folder may include of ours, besides their own folder; all of it is used.
const std::map<std::string, std::set<std::string>> allowed = {
    {"support", {}},
    {"ir", {"support"}},
    {"frontend", {"support", "ir"}},
    {"cost", {"support", "ir", "simulate"}},
    {"figures", {"support", "ir", "cost", "simulate"}},
    {"passes", {"support", "ir", "cost", "figures"}},
    {"planner", {"support", "ir", "cost", "figures", "passes"}},
    {"simulate", {}},
    {"backends", {"support", "ir", "figures", "simulate"}},
    {"imports", {"support"}},
    {"driver", {"frontend", "planner"}},
    {"score", {"support", "ir", "cost", "figures", "passes", "simulate", "driver", "backends"}},
    {"diagnosis",
     {"support", "ir", "cost", "figures", "passes", "planner", "simulate", "backends"}},
    {"study", {"support", "ir", "figures", "simulate", "driver", "backends"}},
    {"tools",
     {"support", "ir", "cost", "figures", "frontend", "passes", "planner", "backends", "imports",
      "driver", "score", "study", "diagnosis"}},
};

/// The files that a file includes in quotes.
std::vector<std::string> includesOf(const fs::path& path) {
  std::vector<std::string> out;
  std::istringstream lines(slurp(path));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("#include \"", 0) == 0)
      out.push_back(line.substr(10, line.rfind('"') - 10));
  return out;
}
} // namespace

TEST(Layers, Includes_FollowTheLayers) {
  for (const auto& [folder, others] : allowed) {
    std::set<std::string> used;
    for (const char* ending : {".h", ".cpp"})
      for (const fs::path& path : filesBelow(sourceFolder() / folder, ending))
        for (const std::string& file : includesOf(path)) {
          const std::string target = file.substr(0, file.find('/'));
          const bool other = allowed.count(target) > 0 && target != folder;
          EXPECT_TRUE(!other || others.count(target) > 0) << path << ": " << file;
          if (other)
            used.insert(target);
        }
    EXPECT_EQ(used, others) << folder << " may include more than it does";
  }
}

TEST(Layers, OneSource_IncludesAntlr) {
  // Three headers beside it are parts of it.
  for (const auto& [folder, others] : allowed)
    for (const fs::path& path : filesBelow(sourceFolder() / folder, ".cpp")) {
      const std::string text = slurp(path);
      for (const char* header : {"antlr4-runtime.h", "DplParser.h", "DplLexer.h", "AntlrStreams.h"})
        EXPECT_TRUE(path == sourceFolder() / "frontend/parse/ParseTree.cpp" ||
                    text.find(header) == std::string::npos)
            << path;
    }
}

TEST(Layers, InsideSema_NobodyIncludesWhatComesLater) {
  // In this order; those of a row do not know one another.
  const std::vector<std::set<std::string>> rows = {
      {"Value", "ResultNames"},
      {"Schema"},
      {"FirstWords"},
      {"Object"},
      {"Budget"},
      {"Modules"},
      {"Schemas", "Scopes", "Columns"},
      {"Lookup"},
      {"Conversions"},
      {"Expressions"},
      {"FrameGuard"},
      {"Evaluator"},
      {"Fields", "Candidate", "Written", "WrittenFields", "Settings", "VariedPath"},
      {"Checker", "Lower"},
      {"Lowering"},
      {"ClusterFields", "LowerTopology", "LowerJitter"},
  };
  const std::string begin = "frontend/sema/";
  std::map<std::string, std::size_t> rank;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const std::string& name : rows[i])
      rank[begin + name + ".h"] = i;
  for (const fs::path& path : filesBelow(sourceFolder() / "frontend/sema", ".h")) {
    const std::string own = begin + path.filename().string();
    ASSERT_TRUE(rank.count(own)) << own << " has no place in the order";
    for (const std::string& target : includesOf(path)) {
      const auto other = rank.find(target);
      const bool lower = other == rank.end() || other->second < rank.at(own);
      EXPECT_TRUE(lower) << own << " includes " << target;
    }
  }
  // What a value of an expression is does not hang on how a field comes about.
  for (const char* source : {"Scopes", "Lookup", "Conversions", "Evaluate", "Names", "Members",
                             "Paths", "Operators", "Functions", "Derived"})
    for (const std::string& target : includesOf(sourceFolder() / (begin + source + ".cpp"))) {
      const auto other = rank.find(target);
      const bool lower = other == rank.end() || other->second < rank.at(begin + "Evaluator.h");
      EXPECT_TRUE(lower) << source << " includes " << target;
    }
}
