//===- WrittenFieldsTest.cpp - Fields as a file sets them can be pasted into a file -----------===//
#include "driver/workspace/Workspace.h"
#include "tests/SourceFolder.h"
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
using namespace dpl;

namespace {
std::map<std::string, std::string> valuesOf(const std::vector<WrittenField>& fields) {
  std::map<std::string, std::string> out;
  for (const WrittenField& field : fields)
    EXPECT_TRUE(out.emplace(field.path, field.value).second) << field.path << " stands twice";
  return out;
}

/// The plan's fields after a compilation with settings; empty after an error, with its text in
/// `said`.
std::map<std::string, std::string> fieldsOf(const std::string& path, const std::string& layout,
                                            std::vector<Override> settings, std::string& said) {
  Workspace workspace;
  DiagnosticEngine diags;
  const auto unit = workspace.compile(path, diags, std::move(settings), false, {}, layout);
  said = diags.firstError();
  if (unit->file.failed() || diags.errors() > 0)
    return {};
  for (const ir::Plan& plan : unit->file->plans)
    if (plan.layout.name == layout)
      return valuesOf(unit->fieldsOf(plan));
  return {};
}

/// Whether a row has only the name of a block whose fields follow, such as `servers.dgx_h100`.
/// Setting one of these fields makes another block.
bool isBlock(const WrittenField& field) {
  const llvm::StringRef path = field.path;
  return !field.name.empty() && (path.endswith(".node") || path.endswith(".gpu"));
}

/// All but the claims of examples/refutations, which are refused.
std::vector<std::string> examples() {
  std::vector<std::string> out;
  const std::filesystem::path folder = test::sourceFolder() / "examples";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".dpl" &&
        !llvm::StringRef(entry.path().stem().string()).endswith("_claim"))
      out.push_back(entry.path().string());
  return out;
}

const std::string machine = R"(
import std.models
import std.clusters
model llm from models.mixtral_8x7b
cluster pod from clusters.dgx_h100 { nodes = 2 }
)";

std::map<std::string, std::string> fieldsOfText(const std::string& text) {
  Workspace workspace([](const std::string&) { return FileProblem::Missing; });
  workspace.overlay("main.dpl", machine + text);
  DiagnosticEngine diags;
  const auto unit = workspace.compile("main.dpl", diags);
  EXPECT_EQ(diags.firstError(), "");
  return valuesOf(unit->fieldsOf(unit->file->plans.back()));
}
} // namespace

/// Fields at their default are left out, because setting some of them is reported as an idle field.
/// The mesh is tested below.
TEST(WrittenFields, OfEveryExample_CanBeSetAndChangeNothing) {
  std::size_t layouts = 0, set = 0;
  for (const std::string& path : examples()) {
    Workspace workspace;
    DiagnosticEngine diags;
    const auto unit = workspace.compile(path, diags);
    ASSERT_FALSE(unit->file.failed()) << path;
    for (const ir::Plan& plan : unit->file->plans) {
      ++layouts;
      const std::vector<WrittenField> fields = unit->fieldsOf(plan);
      const auto chosen = workspace.compile(path, diags, {}, false, {}, plan.layout.name);
      std::vector<Override> settings;
      std::string within = "nothing";
      for (const WrittenField& field : fields) {
        const llvm::StringRef name = field.path;
        const bool byDefault = chosen->history(field.path).size() <= 1;
        if (isBlock(field) || name.startswith(within + ".") || field.path == "layout.mesh" ||
            byDefault)
          continue;
        if (!field.name.empty())
          within = field.path;
        settings.push_back({field.path, field.value, "--set"});
      }
      set += settings.size();
      std::string said;
      const auto after = fieldsOf(path, plan.layout.name, settings, said);
      EXPECT_EQ(said, "") << path << " " << plan.layout.name;
      for (const WrittenField& field : fields)
        if (!isBlock(field)) {
          EXPECT_EQ(after.count(field.path) ? after.at(field.path) : "absent", field.value)
              << path << " " << plan.layout.name << " " << field.path;
        }
    }
  }
  EXPECT_GT(layouts, 50U);
  EXPECT_GT(set, 18 * layouts);
}

TEST(WrittenFields, AMesh_IsThatOfTheLayout) {
  const std::string written = "mesh { replica = 1, data = rest, tensor = 2 within node, experts { "
                              "data = rest, expert = 4, tensor = 1 } }";
  const auto fields = fieldsOfText("layout plan for llm on pod { batch = 64seq\n" + written + " }");
  EXPECT_EQ(fields.at("layout.mesh"), written);
  EXPECT_EQ(fieldsOfText("layout plan for llm on pod { batch = 64seq\n" + fields.at("layout.mesh") +
                         " }"),
            fields);
  EXPECT_EQ(
      fieldsOfText("layout plan for llm on pod { batch = 64seq, mesh = auto }").at("layout.mesh"),
      "auto")
      << "no search has run";
}

TEST(WrittenFields, OfElements_StandOnceWhereAllShareThem) {
  const auto fields = fieldsOfText(R"(
model some from llm { layer[0..<3].attention.window = 1024tok, layer[7].attention.window = 2048tok }
layout plan for some on pod { batch = 64seq, mesh { data = rest } })");
  EXPECT_EQ(fields.at("model.layer[0..<3].attention.window"), "1024tok");
  EXPECT_EQ(fields.count("model.layer[3..<7].attention.window"), 0U) << "it is absent";
  EXPECT_EQ(fields.at("model.layer[7].attention.window"), "2048tok");
  EXPECT_EQ(fields.at("model.layer.ffn.count"), "8");
}

TEST(WrittenFields, OfRuns_StandUnderTheRunsName) {
  const auto fields = fieldsOfText(R"(
layout plan for llm on pod { batch = 64seq, mesh { data = rest } }
run train for plan { phase[0] { steps = 10step }, phase[1] { steps = 20step } })");
  EXPECT_EQ(fields.at("train.phase[0].steps"), "10step");
  EXPECT_EQ(fields.at("train.phase[1].steps"), "20step");
}
