//===- WorkspaceTest.cpp - Overlays, shared parses, sound blocks and what names mean ----------===//
#include "driver/workspace/Workspace.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
using namespace dpl;

namespace {
const std::string shared = R"(
import std.clusters
cluster node from clusters.dgx_h100 { nodes = 1 }
)";
const std::string plan = R"(
import std.models
import "./shared.dpl"
layout one for models.gpt2_small on shared.node { batch = 64seq, mesh { data = 8 } }
)";

/// A workspace of files from memory.
class WorkspaceTest : public testing::Test {
protected:
  WorkspaceTest() {
    workspace.overlay("shared.dpl", shared);
    workspace.overlay("plan.dpl", plan);
  }
  /// Codes of the messages, and how many plans there are.
  std::string compiled(const std::string& path) {
    DiagnosticEngine diags;
    unit = workspace.compile(path, diags, {}, true);
    std::string codes;
    for (const Diagnostic& d : diags.diagnostics())
      codes += std::string(d.info.code) + " ";
    return codes + (unit->file.failed() ? "none" : std::to_string(unit->file->plans.size()));
  }
  std::string meaningAt(const std::string& text, const std::string& word) const {
    const std::size_t byte = text.find(word);
    const std::optional<NameAt> name =
        unit->nameAt(*unit->source(), static_cast<std::uint32_t>(byte));
    return name ? workspace.sources().describe(name->meaning.declaration) : "nothing";
  }

  Workspace workspace{[](const std::string&) { return FileProblem::Missing; }};
  std::unique_ptr<CompiledUnit> unit;
};
} // namespace

TEST_F(WorkspaceTest, AnOverlay_TakesTheFilesPlaceUntilTheNext) {
  EXPECT_EQ(compiled("plan.dpl"), "1");
  workspace.overlay("./shared.dpl", "let a = 1");
  EXPECT_EQ(compiled("plan.dpl"), "DPL0121 0");
  workspace.overlay("shared.dpl", shared);
  EXPECT_EQ(compiled("plan.dpl"), "1");
  EXPECT_EQ(compiled("absent.dpl"), "DPL0002 none");
}

TEST_F(WorkspaceTest, EditsOfMoreThanTheLimit_KeepFewTexts) {
  const std::string comment = "// " + std::string(std::size_t{1} << 20, 'x') + "\n";
  std::size_t files = 0;
  for (int edit = 0; edit < 40; ++edit) { // 40 MiB, where all texts may have 16 MiB
    workspace.overlay("plan.dpl", comment + plan);
    ASSERT_EQ(compiled("plan.dpl"), "1") << edit;
    files = edit == 0 ? workspace.sources().files() : files;
    ASSERT_LE(workspace.sources().files(), files + 8); // half of the limit
  }
}

TEST_F(WorkspaceTest, AUnit_KeepsTheTextThatItWasCompiledFrom) {
  ASSERT_EQ(compiled("plan.dpl"), "1");
  const std::unique_ptr<CompiledUnit> before = std::move(unit);
  workspace.overlay("plan.dpl", "let a = 1");
  ASSERT_EQ(compiled("plan.dpl"), "0");
  EXPECT_EQ(before->history("one.batch").size(), 1U);
  EXPECT_EQ(before->history("one.batch").front().value, "64seq");
}

TEST_F(WorkspaceTest, WhatTwoFilesImport_IsReadOnceAndSpokenOfEachTime) {
  workspace.overlay("other.dpl", plan);
  ASSERT_EQ(compiled("plan.dpl"), "1");
  const std::size_t files = workspace.sources().files();
  ASSERT_EQ(compiled("other.dpl"), "1");
  EXPECT_EQ(workspace.sources().files(), files + 1);
  workspace.overlay("shared.dpl", "cluster node from {");
  const std::string first = compiled("plan.dpl");
  EXPECT_NE(first, "1");
  EXPECT_EQ(compiled("other.dpl"), first);
}

TEST_F(WorkspaceTest, OfAFileWithMistakes_SoundLayoutsArePlans) {
  workspace.overlay("plan.dpl", plan + R"(
cluster broken from shared.node { nodes = }
layout two for models.gpt2_small on broken { batch = 64seq, mesh { data = 8 } }
layout three from two { batch = 32seq }
layout four for models.gpt2_small on shared.node { batch = 64seq, mesh { dat = 8 } }
layout five for models.gpt2_small on shared.node { batch = 64seq, mesh { data = 8 } }
)");
  EXPECT_EQ(compiled("plan.dpl"), "DPL0018 DPL0201 2");
  EXPECT_EQ(unit->file->plans.at(1).name, "five");
}

TEST_F(WorkspaceTest, FieldsOfALaunchedLayout_AreItsOwnWhereAnotherHasItsName) {
  workspace.overlay("main.dpl", R"(
import std.models
import "./shared.dpl"
import "./plan.dpl"
layout one for models.gpt2_small on shared.node { batch = 128seq, mesh { data = 8 } }
run train for plan.one { phase[0] { steps = 1step } }
)");
  ASSERT_EQ(compiled("main.dpl"), "1");
  ASSERT_EQ(unit->file->launched.size(), 1U);
  const auto batchOf = [&](const ir::Plan& of) {
    for (const WrittenField& field : unit->fieldsOf(of))
      if (field.path == "layout.batch")
        return field.value;
    return std::string("not written");
  };
  EXPECT_EQ(batchOf(unit->file->plans[0]), "128seq");
  EXPECT_EQ(batchOf(unit->file->launched[0]), "64seq");
}

TEST_F(WorkspaceTest, PlansToWhichNothingIsAdded_ComeOneByOne) {
  DiagnosticEngine diags;
  unit = workspace.compile("plan.dpl", diags, {}, false, true);
  const std::optional<ir::Plan> first = unit->nextPlan();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name, "one");
  EXPECT_FALSE(unit->nextPlan());
  EXPECT_FALSE(unit->nextPlan());
  EXPECT_EQ(unit->file->plans.size(), 0U);
  workspace.overlay("plan.dpl", plan + "run first for one { phase[0] { tokens = 1Gtok } }\n");
  unit = workspace.compile("plan.dpl", diags, {}, false, true);
  EXPECT_FALSE(unit->nextPlan());
  EXPECT_EQ(diags.errors(), 0U);
  ASSERT_EQ(unit->file->plans.size(), 1U);
  EXPECT_EQ(unit->file->plans[0].runs.size(), 1U);
}

TEST_F(WorkspaceTest, AName_MeansWhereItIsDeclared) {
  ASSERT_EQ(compiled("plan.dpl"), "1");
  EXPECT_EQ(meaningAt(plan, "node {"), "shared.dpl:3:9");
  EXPECT_EQ(meaningAt(plan, "shared.node"), "plan.dpl:3:1");
  EXPECT_EQ(meaningAt(plan, "gpt2_small").substr(0, 11), "std.models:");
  EXPECT_EQ(meaningAt(plan, "data").substr(0, 12), "std.prelude:");
  EXPECT_EQ(meaningAt(plan, "64seq"), "nothing");
}
