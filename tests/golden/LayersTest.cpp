//===- LayersTest.cpp - Which folder may include which ----------------------------------------===//
#include "tests/golden/Runner.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
using namespace dpl::test;

namespace {
/// The rooms of the house: the rooms of ours that the files of each may include besides their own.
/// Every permission is used. A file belongs to the longest room that its path begins with.
const std::map<std::string, std::set<std::string>> allowed = {
    {"support", {}},
    {"support/math", {}},
    {"ir", {"support"}},
    {"frontend", {"support", "support/math", "ir"}},
    {"frontend/import", {"support"}},
    {"cost", {"support", "support/math", "ir"}},
    {"cost/step", {"support", "support/math", "ir", "cost"}},
    {"figures", {"support", "support/math", "ir", "cost", "cost/step"}},
    {"passes", {"support", "ir", "cost", "cost/step", "figures"}},
    {"planner", {"support", "ir", "cost", "cost/step", "passes"}},
    {"backends", {"support", "ir", "cost/step", "figures"}},
    {"simulate/engine", {"support/math"}},
    {"simulate/converge", {"support/math", "simulate/engine"}},
    {"simulate/plan",
     {"support", "support/math", "ir", "cost", "cost/step", "figures", "backends",
      "simulate/engine"}},
    {"simulate/diagnosis",
     {"support", "support/math", "ir", "cost", "cost/step", "figures", "passes", "planner",
      "backends", "simulate/plan"}},
    {"driver",
     {"support", "support/math", "ir", "cost", "cost/step", "figures", "frontend", "passes",
      "planner", "backends", "simulate/converge", "simulate/engine", "simulate/plan"}},
    {"tools",
     {"support", "ir", "cost/step", "figures", "frontend", "frontend/import", "passes", "planner",
      "backends", "simulate/plan", "simulate/diagnosis", "driver"}},
};

/// The room of a file, by its path from the root of the sources; empty for what is not ours.
std::string roomOf(const std::string& path) {
  std::string room;
  for (const auto& [name, others] : allowed)
    if (path.rfind(name + "/", 0) == 0 && name.size() > room.size())
      room = name;
  return room;
}

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
  std::map<std::string, std::set<std::string>> used;
  for (const char* folder : {"support", "ir", "frontend", "cost", "figures", "passes", "planner",
                             "backends", "simulate", "driver", "tools"})
    for (const char* ending : {".h", ".cpp"})
      for (const fs::path& path : filesBelow(sourceFolder() / folder, ending)) {
        const std::string room = roomOf(fs::relative(path, sourceFolder()).string());
        EXPECT_NE(room, "") << path << " is in no room";
        for (const std::string& file : includesOf(path)) {
          const std::string target = roomOf(file);
          if (target.empty() || target == room)
            continue;
          used[room].insert(target);
          EXPECT_TRUE(allowed.at(room).count(target) > 0) << path << ": " << file;
        }
      }
  for (const auto& [room, others] : allowed)
    EXPECT_EQ(used[room], others) << room << " may include more than it does";
}

namespace {
/// Fails for an include between two folders of `room` that does not go to one before it in `order`.
void expectOrder(const std::string& room, const std::vector<std::string>& order) {
  const auto place = [&](const std::string& path) {
    const std::string folder = path.substr(0, path.rfind('/'));
    return std::find_if(order.begin(), order.end(),
                        [&](const std::string& name) {
                          return folder == room + "/" + name || (name.empty() && folder == room);
                        }) -
           order.begin();
  };
  const auto end = static_cast<std::ptrdiff_t>(order.size());
  for (const char* ending : {".h", ".cpp"})
    for (const fs::path& path : filesBelow(sourceFolder() / room, ending)) {
      const std::string own = fs::relative(path, sourceFolder()).string();
      if (roomOf(own) != roomOf(room + "/") && roomOf(own) != room + "/step")
        continue;
      EXPECT_LT(place(own), end) << own << " is in a folder that has no place in the order";
      for (const std::string& file : includesOf(path)) {
        EXPECT_TRUE(place(file) == end || place(file) <= place(own)) << own << ": " << file;
      }
    }
}
} // namespace

TEST(Layers, InsideTheCostModel_EachFolderUsesThoseBeforeIt) {
  expectOrder("cost", {"schedules", "compute", "legality", "network", "collectives", "programs",
                       "execution", "memory", "partition", "step", "run"});
}

TEST(Layers, InsideTheDriver_EachFolderUsesThoseBeforeIt) {
  expectOrder("driver",
              {"workspace", "study", "search", "collective", "score", "compare", "calibrate"});
}

TEST(Layers, InsideTheFrontEnd_EachFolderUsesThoseBeforeIt) {
  expectOrder("frontend", {"ast", "parse", "format", "sema", "names", ""});
}

TEST(Layers, InsideTheImports_EachFolderUsesThoseBeforeIt) {
  expectOrder("frontend/import", {"", "settings", "shell", "sandbox", "huggingface", "megatron",
                                  "nemo", "torchtitan", "deepspeed"});
}

TEST(Layers, InsideThePlanner_TheSearchUsesTheEstimates) { expectOrder("planner", {"", "search"}); }

TEST(Layers, InsideDplc_TheServersUseTheCommands) {
  expectOrder("tools/dplc", {"", "serve", "lsp"});
}

TEST(Layers, InsideTheImports_WhatReadsAFormatKnowsNoFramework) {
  const std::string begin = "frontend/import/";
  const std::set<std::string> ofFrameworks = {begin + "Configuration.h", begin + "HuggingFace.h",
                                              begin + "Megatron.h"};
  for (const std::string reader : {"sandbox", "settings", "shell"})
    for (const char* ending : {".h", ".cpp"})
      for (const fs::path& path : filesBelow(sourceFolder() / begin / reader, ending)) {
        for (const std::string& file : includesOf(path)) {
          const std::string folder = file.substr(0, file.rfind('/') + 1);
          const bool shared =
              reader == "settings" && folder == begin && ofFrameworks.count(file) == 0;
          EXPECT_TRUE(roomOf(file) != "frontend/import" || folder == begin + reader + "/" || shared)
              << path << ": " << file;
        }
        const std::string text = llvm::StringRef(slurp(path)).lower();
        EXPECT_TRUE(reader != "shell" || text.find("megatron") == std::string::npos)
            << path << " names Megatron-LM";
      }
}

TEST(Layers, TheFolders_AreThoseOfTheArchitecture) {
  const auto foldersOf = [](const std::string& room) {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(sourceFolder() / room))
      if (entry.is_directory() && entry.path().filename().string().front() != '.' &&
          !filesBelow(entry.path(), "").empty())
        names.insert(entry.path().filename().string());
    return names;
  };
  using Names = std::set<std::string>;
  Names top = foldersOf("");
  top.erase("build"); // the presets build there
  EXPECT_EQ(top, (Names{"backends", "cost", "docs", "driver", "editors", "examples", "figures",
                        "frontend", "grammar", "ir", "passes", "planner", "python", "simulate",
                        "stdlib", "support", "tests", "tools"}));
  EXPECT_EQ(foldersOf("support"), (Names{"diagnostics", "fmt", "math"}));
  EXPECT_EQ(foldersOf("frontend"), (Names{"ast", "format", "import", "names", "parse", "sema"}));
  EXPECT_EQ(foldersOf("simulate"), (Names{"converge", "diagnosis", "engine", "plan"}));
  EXPECT_EQ(foldersOf("driver"),
            (Names{"calibrate", "collective", "compare", "score", "search", "study", "workspace"}));
  EXPECT_EQ(foldersOf("planner"), Names{"search"});
  for (const char* flat : {"figures", "ir", "passes"})
    EXPECT_EQ(foldersOf(flat), Names()) << flat;
}

TEST(Layers, OneSource_IncludesAntlr) {
  // Three headers beside it are parts of it.
  for (const auto& [room, others] : allowed)
    for (const fs::path& path : filesBelow(sourceFolder() / room, ".cpp")) {
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
      {"Value", "ResultNames", "NameMeaning", "ParsedFiles", "FieldTexts", "RowFunctions",
       "Functions"},
      {"Schema"},
      {"FirstWords"},
      {"Object"},
      {"Budget"},
      {"Modules"},
      {"Schemas", "Scopes", "Columns"},
      {"Lookup"},
      {"Conversions"},
      {"ExpressionEvaluator"},
      {"FrameGuard"},
      {"Evaluator"},
      {"FieldLevels"},
      {"ObjectFields", "CandidateNames", "Written", "OverrideSettings", "VariedPath"},
      {"Checker", "Lower"},
      {"Lowering"},
      {"ClusterFields", "LowerJitter"},
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
