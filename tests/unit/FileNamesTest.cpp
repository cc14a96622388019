//===- FileNamesTest.cpp - What names mean, also in damaged files, and what may be written ----===//
#include "driver/workspace/Workspace.h"
#include "llvm/ADT/STLExtras.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
using namespace dpl;

namespace {
const std::string shared = R"(
import std.clusters
/// One node.
cluster node from clusters.dgx_h100 { nodes = 1 }
)";
const std::string plan = R"(
import std.models
import "./shared.dpl" as site
param width: Count in [4, 8] = 8
let total = 2 * width
layout one for models.gpt2_small on site.node {
  batch = 64seq
  mesh { tensor = rest within node, data = 1 }
  schedule = interleaved_1f1b { chunks = 2 }
  assert memory.peak < 70GiB and step_time < 2s and model.layers % 2 == 0
}
run train for one { phase[0] { steps = 10step } }
study widths for train {
  vary { one.batch in [64seq, 128seq], site.node.nodes = 1 }
  outputs = [step_time.p95, run[train].time]
  plot { x = one.batch, y = step_time.mean }
}
)";

/// Files from memory. A text may contain `|`, which marks a place and is taken out.
class FileNamesTest : public testing::Test {
protected:
  FileNamesTest() { workspace.overlay("shared.dpl", shared); }

  void open(std::string text) {
    const std::size_t mark = text.find('|');
    place = static_cast<std::uint32_t>(mark);
    if (mark != std::string::npos)
      text.erase(mark, 1);
    written = text;
    workspace.overlay("plan.dpl", std::move(text));
    names = workspace.names("plan.dpl");
    ASSERT_TRUE(names->source());
  }
  std::uint32_t file() const { return *names->source(); }
  /// The name at the first occurrence of a word after `before`.
  NameInfo at(const std::string& word, const std::string& before = "") const {
    const std::size_t from = written.find(before);
    const std::size_t byte = written.find(word, from);
    const auto found = names->at(file(), static_cast<std::uint32_t>(byte));
    return found ? *found : NameInfo();
  }
  std::vector<std::string> offers() const {
    std::vector<std::string> out;
    for (const Offer& offer : names->expectedAt(file(), place).offers)
      out.push_back(offer.text);
    return out;
  }
  Expected expected() const { return names->expectedAt(file(), place); }

  Workspace workspace{[](const std::string&) { return FileProblem::Missing; }};
  std::unique_ptr<FileNames> names;
  std::string written;
  std::uint32_t place = 0;
};
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using Kind = Expected::ExpectedKind;
} // namespace

TEST_F(FileNamesTest, AField_HasItsTypeValueAndWhoSetIt) {
  open(plan);
  const NameInfo batch = at("batch");
  EXPECT_EQ(batch.title, "layout.batch");
  EXPECT_EQ(batch.type, "Batch");
  EXPECT_EQ(batch.units, "seq, sample, tok");
  EXPECT_EQ(batch.value, "64seq");
  EXPECT_EQ(batch.setBy, "block");
  EXPECT_EQ(batch.path, "one.batch");
  EXPECT_THAT(batch.doc, HasSubstr("Global batch"));
  EXPECT_EQ(at("chunks").path, "one.schedule.chunks");
  EXPECT_EQ(at("layers").value, "12");
  EXPECT_EQ(at("layers").setBy, "block");
}

TEST_F(FileNamesTest, PartsOfImportsFiguresAndPaths_MeanSomething) {
  open(plan);
  EXPECT_EQ(at("std").name.thing, NamedThing::Module);
  EXPECT_EQ(at("models", "std").title, "std.models");
  EXPECT_EQ(names->sources().name(at("site").target.file), "shared.dpl");
  EXPECT_EQ(at("rest").name.thing, NamedThing::Word);
  EXPECT_THAT(at("rest").doc, HasSubstr("other axes"));
  EXPECT_EQ(at("node", "within").name.thing, NamedThing::Scope);
  EXPECT_EQ(at("peak").figure, "memory.peak");
  EXPECT_EQ(at("memory").figure, "memory.peak");
  EXPECT_EQ(at("GiB").name.thing, NamedThing::Unit);
  EXPECT_EQ(at("p95").name.thing, NamedThing::Statistic);
  EXPECT_THAT(at("p95").doc, HasSubstr("95 % quantile"));
  EXPECT_EQ(at("train", "run[").title, "train");
  EXPECT_EQ(at("nodes", "site.node.").title, "cluster.nodes");
  EXPECT_EQ(at("batch", "plot").title, "layout.batch");
  EXPECT_EQ(at("width", "2 *").value, "8");
  EXPECT_EQ(at("total").value, "16");
  EXPECT_EQ(at("interleaved_1f1b").title, "schedule.interleaved_1f1b");
}

TEST_F(FileNamesTest, AHalfTypedLine_TakesNothingFromTheLinesAroundIt) {
  std::string damaged = plan;
  damaged.replace(damaged.find("64seq"), 5, "");
  open(damaged);
  EXPECT_EQ(at("batch").title, "layout.batch");
  EXPECT_EQ(at("batch").value, "");
  EXPECT_EQ(at("chunks").value, "2");
  EXPECT_EQ(at("peak").figure, "memory.peak");
  EXPECT_EQ(at("one", "plot").title, "one");
  open(R"(
import std.models
import "./shared.dpl" as site
layout a for models.gpt2_small on site.node {
  mesh { data = within node, tensor = 8 }
  recompute = selective {
  micro_batch = 1seq
}
layout b for on site.node {
  batch = 64seq
}
)");
  EXPECT_EQ(at("tensor").title, "mesh.tensor");
  EXPECT_EQ(at("selective").title, "recompute.selective");
  EXPECT_EQ(at("batch", "layout b").value, "64seq");
}

TEST_F(FileNamesTest, References_AreInAllFilesThatAreImported) {
  open(plan);
  const NameInfo node = at("node", "site.");
  const std::vector<NameUse> uses = names->references(node.name.declaration);
  ASSERT_EQ(uses.size(), 3U);
  EXPECT_EQ(llvm::count_if(uses, [](const NameUse& use) { return use.isDeclaration; }), 1);
  const std::vector<NameUse> alias = names->references(at("site").name.declaration);
  EXPECT_EQ(alias.size(), 3U);
  EXPECT_EQ(node.doc, "One node.");
}

TEST_F(FileNamesTest, AValue_IsOfferedByTheTypeOfItsField) {
  open("layout a for models.gpt2_small { recompute = | }");
  EXPECT_EQ(expected().kind, Kind::Value);
  EXPECT_EQ(expected().field, "recompute");
  EXPECT_EQ(expected().type, "a `recompute`");
  EXPECT_THAT(offers(), IsSupersetOf({"none", "full", "selective"}));
  open("layout a { mesh { data = | } }");
  EXPECT_THAT(offers(), Contains("rest"));
  open("layout a { schedule = | \n batch = 4Mitok }");
  EXPECT_THAT(offers(), IsSupersetOf({"auto", "gpipe", "interleaved_1f1b"}));
  open("layout a { recompute = selective { modules = [|] } }");
  EXPECT_THAT(offers(), Contains("core_attention"));
  open("layout a { assert schedule == | }");
  EXPECT_THAT(offers(), Contains("gpipe"));
  open("layout a { overlap.gradients = | }");
  EXPECT_THAT(offers(), IsSupersetOf({"true", "false"}));
}

TEST_F(FileNamesTest, FieldsAndMembers_AreOffered) {
  open("layout a { mi| }");
  EXPECT_EQ(expected().kind, Kind::Statement);
  EXPECT_EQ(expected().word.end - expected().word.begin, 2U);
  EXPECT_THAT(offers(), IsSupersetOf({"micro_batch", "mesh", "assert"}));
  open("layout a { shard.| }");
  EXPECT_EQ(expected().kind, Kind::Member);
  EXPECT_THAT(offers(), IsSupersetOf({"optimizer", "sequence"}));
  open("layout a { assert memory.| }");
  EXPECT_THAT(offers(), Contains("peak"));
  open("layout a { assert step_time.| }");
  EXPECT_THAT(offers(), IsSupersetOf({"p95", "mean"}));
  open("import std.|");
  EXPECT_THAT(offers(), Contains("clusters"));
  open("import std.models\nlayout a for |");
  EXPECT_EQ(expected().kind, Kind::BlockName);
  EXPECT_THAT(offers(), Contains("models"));
  open("import std.models\nimport std.clusters\nlayout a for models.gpt2_small on clusters.|");
  EXPECT_THAT(offers(), Contains("dgx_h100"));
  open("|");
  EXPECT_EQ(expected().kind, Kind::Declaration);
  EXPECT_THAT(offers(), IsSupersetOf({"layout", "cluster", "import"}));
  open("layout a { // batch |\n}");
  EXPECT_EQ(expected().kind, Kind::Nothing);
}

TEST_F(FileNamesTest, TheOutline_HasBlocksAndTheirParts) {
  open(plan);
  const std::vector<Symbol> outline = names->outline(file());
  std::vector<std::string> found;
  for (const Symbol& symbol : outline)
    found.push_back(symbol.name);
  EXPECT_THAT(found,
              testing::ElementsAre("models", "site", "width", "total", "one", "train", "widths"));
  EXPECT_EQ(outline[4].detail, "layout for models.gpt2_small on site.node");
  ASSERT_EQ(outline[4].children.size(), 2U);
  EXPECT_EQ(outline[4].children[0].name, "mesh");
}

TEST_F(FileNamesTest, LayoutsThatReadNoMissingValue_KeepTheirPlans) {
  const std::string two = R"(
import std.models
import "./shared.dpl"
layout one for models.gpt2_small on shared.node { batch = 64seq, mesh { data = 8 }, recompute = }
layout two from one { recompute = full }
layout three from one { micro_batch = 1seq }
)";
  workspace.overlay("plan.dpl", two);
  DiagnosticEngine diags;
  EXPECT_EQ(workspace.compile("plan.dpl", diags)->file->plans.size(), 0U);
  EXPECT_EQ(diags.errors(), 1U);
  const std::unique_ptr<CompiledUnit> unit = workspace.compileAroundMissingValues("plan.dpl");
  ASSERT_FALSE(unit->file.failed());
  ASSERT_EQ(unit->file->plans.size(), 1U);
  EXPECT_EQ(unit->file->plans[0].name, "two");
  workspace.overlay("plan.dpl", two + "layout four on shared.node for {\n");
  EXPECT_TRUE(workspace.compileAroundMissingValues("plan.dpl")->file.failed());
}
