#include "support/Json.h"
#include "support/diagnostics/Files.h"
#include <gtest/gtest.h>
#include <set>
using namespace dpl;

namespace {
class Diagnostics : public testing::Test {
protected:
  SourceRange find(llvm::StringRef what) {
    const auto begin = static_cast<std::uint32_t>(sources.text(file).find(what));
    return {file, begin, begin + static_cast<std::uint32_t>(what.size())};
  }
  void read(std::string text) { file = sources.add("plans/dense.dpl", std::move(text)); }
  std::string text() {
    diags.endPhase();
    return renderText(diags, sources, false);
  }
  SourceManager sources;
  DiagnosticEngine diags;
  std::uint32_t file = 0;
};
} // namespace

TEST_F(Diagnostics, Text_ShowsTheLineTheCaretTheNoteAndTheHelp) {
  read("cluster pod { }\n\n\n\n\n\n\n\n\n  mesh { pipeline = 4 }\n");
  (void)diags.report<diag::FileMissing>(find("mesh"), "x").label("4 × 8 = 32").help("write `y`");
  EXPECT_EQ(text(), "error[DPL0002]: there is no file `x`\n"
                    "  --> plans/dense.dpl:10:3\n"
                    "   |\n"
                    "10 |   mesh { pipeline = 4 }\n"
                    "   |   ^^^^ 4 × 8 = 32\n"
                    "help: write `y`\n"
                    "   = `dplc explain DPL0002` says more\n");
}

TEST_F(Diagnostics, Text_AlignsTabsAndWideCharacters) {
  read("\tnote = \"模型\" + x\n");
  (void)diags.report<diag::FileMissing>(find("x"), "x");
  const std::string shown = text();
  EXPECT_NE(shown.find("1 |     note = \"模型\" + x\n"
                       "  |                     ^\n"),
            std::string::npos)
      << shown;
}

TEST_F(Diagnostics, Text_ClipsLongLinesAroundTheCaret) {
  read(std::string(5000, 'a') + "HERE" + std::string(5000, 'b') + "\n");
  (void)diags.report<diag::FileMissing>(find("HERE"), "x");
  const std::string shown = text();
  EXPECT_LT(shown.size(), 500U);
  EXPECT_NE(shown.find("…" + std::string(60, 'a') + "HERE" + std::string(56, 'b') + "…"),
            std::string::npos)
      << shown;
  EXPECT_NE(shown.find("| " + std::string(61, ' ') + "^^^^\n"), std::string::npos) << shown;
}

TEST_F(Diagnostics, Text_ShowsBytesThatAreNotText) {
  read("a\x01\xFF b\n");
  (void)diags.report<diag::FileMissing>(SourceRange{file, 2, 3}, "x");
  EXPECT_NE(text().find("1 | a\xEF\xBF\xBD\xEF\xBF\xBD b\n  |   ^\n"), std::string::npos);
}

TEST_F(Diagnostics, APhase_IsSortedByPosition) {
  read("a b c\n");
  (void)diags.report<diag::FileMissing>(SourceRange{}, "nowhere");
  (void)diags.report<diag::FileMissing>(find("c"), "third");
  (void)diags.report<diag::FileMissing>(find("a"), "first");
  diags.endPhase();
  (void)diags.report<diag::FileMissing>(find("b"), "next phase");
  diags.endPhase();
  std::vector<std::string> order;
  for (const Diagnostic& d : diags.diagnostics())
    order.push_back(d.message);
  EXPECT_EQ(order, (std::vector<std::string>{"there is no file `first`", "there is no file `third`",
                                             "there is no file `nowhere`",
                                             "there is no file `next phase`"}));
}

TEST_F(Diagnostics, PhasesOfAnotherEngine_ComeBehindUnderOneLimit) {
  read(std::string(100, 'x'));
  DiagnosticEngine later;
  for (std::uint32_t i = 0; i < 15; ++i) {
    (void)diags.report<diag::FileMissing>(SourceRange{file, 50 + i, 51 + i}, std::to_string(i));
    (void)later.report<diag::FileMissing>(SourceRange{file, i, i + 1}, std::to_string(100 - i));
  }
  later.endPhase();
  diags.continueWith(std::move(later));
  ASSERT_EQ(diags.diagnostics().size(), 20U);
  EXPECT_EQ(diags.diagnostics()[14].message, "there is no file `14`");
  EXPECT_EQ(diags.diagnostics()[15].message, "there is no file `100`");
  EXPECT_EQ(diags.errors(), 30U);
  EXPECT_EQ(diags.heldBack(), 10U);
}

TEST_F(Diagnostics, TheLimit_KeepsTheFirstByPositionAndCountsTheRest) {
  read(std::string(100, 'x'));
  for (std::uint32_t i = 50; i-- > 0;)
    (void)diags.report<diag::FileMissing>(SourceRange{file, i, i + 1}, std::to_string(i));
  diags.endPhase();
  ASSERT_EQ(diags.diagnostics().size(), 20U);
  EXPECT_EQ(diags.diagnostics().back().message, "there is no file `19`");
  EXPECT_EQ(diags.errors(), 50U);
  EXPECT_EQ(diags.heldBack(), 30U);
  EXPECT_NE(text().find("further messages that are not shown: 30\n"), std::string::npos);
}

TEST_F(Diagnostics, TheSameMessageAtTheSamePlace_IsSaidOnce) {
  read("a\n");
  (void)diags.report<diag::FileMissing>(find("a"), "x");
  (void)diags.report<diag::FileMissing>(find("a"), "x");
  EXPECT_EQ(diags.errors(), 1U);
}

TEST_F(Diagnostics, Rollback_ForgetsWhatWasTried) {
  read("a b\n");
  (void)diags.report<diag::FileMissing>(find("b"), "kept");
  const std::size_t mark = diags.mark();
  (void)diags.report<diag::FileMissing>(find("a"), "tried");
  const std::vector<Diagnostic> tried = diags.rollback(mark);
  ASSERT_EQ(tried.size(), 1U);
  EXPECT_EQ(tried.front().message, "there is no file `tried`");
  EXPECT_EQ(diags.errors(), 1U);
  EXPECT_EQ(diags.diagnostics().size(), 1U);
}

TEST_F(Diagnostics, OnlyWarnings_CanBeMapped) {
  EXPECT_FALSE(diags.map("file-missing", DiagnosticEngine::SeverityMapping::Off));
  EXPECT_FALSE(diags.map("no-such-name", DiagnosticEngine::SeverityMapping::Off));
}

TEST_F(Diagnostics, Json_HasBytesLinesAndFixes) {
  read("größe = 80gb\n");
  (void)diags.report<diag::FileMissing>(find("80gb"), "x")
      .help("write `80GB`")
      .edit(find("gb"), "GB");
  diags.endPhase();
  const Json j = Json::parse(renderJson(diags, sources));
  ASSERT_FALSE(j.is_discarded());
  EXPECT_EQ(j["range"]["begin"], 10);
  EXPECT_EQ(j["range"]["start"]["column"], 9);
  EXPECT_EQ(j["fixes"][0]["text"], "GB");
}

TEST_F(Diagnostics, Sarif_HasRulesAndCodePointColumns) {
  read("größe = 80gb\n");
  (void)diags.report<diag::FileMissing>(find("80gb"), "x").edit(find("gb"), "GB");
  diags.endPhase();
  const Json j =
      Json::parse(renderSarif(diags, sources, "0.2.0", [](llvm::StringRef) { return "page"; }));
  const Json& run = j["runs"][0];
  EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["fullDescription"]["text"], "page");
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startColumn"], 9);
  EXPECT_EQ(run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"][0]
               ["insertedContent"]["text"],
            "GB");
}

TEST(DiagnosticTable, CodesAndNames_AreUnique) {
  std::set<std::string> codes, names;
  for (const DiagInfo& row : allDiagnostics()) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}
