//===- ScoreTest.cpp - Reading tables, mapping rows, statistics -------------------------------===//
#include "driver/collective/Collective.h"
#include "driver/score/PlanText.h"
#include "driver/score/Scores.h"
#include "driver/score/Statistics.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>
using namespace dpl;
using namespace dpl::score;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// A table in a file of its own.
struct Written {
  explicit Written(const std::string& text)
      : path(std::filesystem::temp_directory_path() /
             fmt::format("dpl-score-{}-{}.csv", ::getpid(), ++made)) {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~Written() { std::filesystem::remove(path); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  std::filesystem::path path;
  static inline int made = 0;
};

/// Lines and cells; a row that cannot be taken apart is its message.
std::vector<std::string> rowsOf(const std::string& text) {
  const Written file(text);
  DiagnosticEngine diags;
  FailureOr<std::unique_ptr<CsvTable>> table = CsvTable::open(file.path.string(), diags);
  std::vector<std::string> out;
  if (table.failed())
    return {"failed"};
  CsvRow row;
  std::optional<Finding> wrong;
  while ((*table)->next(row, wrong)) {
    std::string line = std::to_string(row.line) + ":";
    for (const Cell& cell : row.cells)
      line += "[" + cell.text + "]";
    out.push_back(wrong ? fmt::format("{}:{} {}", row.line, wrong->begin, wrong->message.message)
                        : line);
  }
  return out;
}

constexpr const char* mapping = R"({
  "columns": {"id": "text", "n": "needed count", "t": "count else 1", "d": "count", "s": "number of s", "note": "text"},
  "agree": [{"of": "n", "product": ["t", "d"]}],
  "rules": [
    {"set": {"id": "{id}", "layout.mesh.tensor": "{t}", "measured.step_time": "{s}", "label.kind": "small"}},
    {"when": {"n": ">=8", "note": "^x([0-9]+)$"}, "set": {"label.kind": "large", "model.layers": "{note:1} { kept }"}},
    {"when": {"note": "!x"}, "set": {"outcome": "oom"}}
  ]
})";

struct Mapped {
  RowSettings settings;
  std::string wrong;
};

Mapped mapped(const std::string& row, const std::string& header = "id,n,t,d,s,note") {
  const Written file(header + "\n" + row + "\n");
  DiagnosticEngine diags;
  SourceManager sources;
  const FailureOr<Mapping> made = Mapping::parse("m", mapping, sources, diags);
  const FailureOr<std::unique_ptr<CsvTable>> table = CsvTable::open(file.path.string(), diags);
  CsvRow read;
  std::optional<Finding> wrong;
  EXPECT_TRUE((*table)->next(read, wrong));
  Mapped out;
  out.settings = made->apply((*table)->header(), read, made->placesIn((*table)->header()), wrong);
  if (wrong)
    out.wrong = fmt::format("{}: {}", wrong->begin, wrong->message.message);
  return out;
}

/// Step times in seconds, measured and predicted, of one family and choice.
ScoredRow run(float measured, float predicted, std::uint64_t choice = 1, std::uint32_t tensor = 1) {
  ScoredRow row;
  row.pairs[StepTime] = {measured, predicted};
  row.state = ScoredRow::ScoreState::Fits;
  row.ran = measured > 0 ? RunOutcome::Yes : RunOutcome::OutOfMemory;
  row.choice = choice;
  row.tensor = tensor;
  return row;
}
} // namespace

TEST(ScoreTable, Cells_MayHoldCommasQuotesAndLineEnds) {
  EXPECT_THAT(rowsOf("a,b\n1,\"x, \"\"y\"\"\"\n\n2,\"two\nlines\"\r\n3, blank \n"),
              ElementsAre("2:[1][x, \"y\"]", "4:[2][two\nlines]", "6:[3][blank]"));
  EXPECT_THAT(rowsOf("\xEF\xBB\xBF"
                     "a,b\n1,2"),
              ElementsAre("2:[1][2]"));
  EXPECT_THAT(rowsOf(""), ElementsAre("failed"));
}

TEST(ScoreTable, ARowThatCannotBeTakenApart_IsFollowedByTheNextLine) {
  EXPECT_THAT(rowsOf("a,b\n1\n2,2,2\n3,x\"y\n4,\"open\n5,5\n"),
              ElementsAre(HasSubstr("2:1 the row has 1 cells"),
                          HasSubstr("3:4 the row has 3 cells"),
                          HasSubstr("4:3 a quote inside a cell must be doubled"),
                          HasSubstr("5:2 a quote begins here"), "6:[5][5]"));
  EXPECT_THAT(rowsOf("a\n\"" + std::string(5000, 'x') + "\n2\n"),
              ElementsAre(HasSubstr("more than 4096 bytes"), "3:[2]"));
}

TEST(ScoreMapping, ALaterRule_HasTheLastWord) {
  const RowSettings s = mapped("one,8,2,4,12.50,x40").settings;
  EXPECT_EQ(s["layout.mesh.tensor"], "2");
  EXPECT_EQ(s["measured.step_time"], "12.5s");
  EXPECT_EQ(s["label.kind"], "large");
  EXPECT_EQ(s["model.layers"], "40 { kept }");
  EXPECT_EQ(s["outcome"], "");
  EXPECT_EQ(mapped("one,4,,4,980ms,").settings["measured.step_time"], "980ms");
  EXPECT_EQ(mapped("one,4,,4,980ms,").settings["layout.mesh.tensor"], "1");
  EXPECT_EQ(mapped("one,4,,4,980ms,").settings["outcome"], "oom");
  EXPECT_EQ(mapped("4.0,full", "n,layout.recompute").settings["layout.recompute"], "full");
}

TEST(ScoreMapping, ACellThatIsNotWhatItsColumnHolds_IsFoundWhereItStands) {
  EXPECT_EQ(mapped("one,4.5,1,4,1,").wrong, "4: `n` is `4.5`, a whole number is needed");
  EXPECT_EQ(mapped("one,-4,1,4,1,").wrong, "4: `n` is `-4`, a whole number is needed");
  EXPECT_EQ(mapped("one,,1,4,1,").wrong, "4: `n` is empty, a whole number is needed");
  EXPECT_THAT(mapped("one,4,1,4,1GB,").wrong,
              HasSubstr("10: `s` is `1GB`, a number above 0 in s or with its unit"));
  EXPECT_THAT(mapped("one,4,1,4,0,").wrong, HasSubstr("`s` is `0`"));
  EXPECT_THAT(mapped("one,4,1,4,1,=SUM(A1)").wrong, HasSubstr("its value, not a formula"));
  EXPECT_EQ(mapped("one,8,2,2,1,").wrong, "4: `n` is 8, `t` × `d` make 2 × 2 = 4");
}

TEST(ScorePlanText, AValueInBraces_Amends) {
  RowSettings s;
  s.set("cluster", "clusters.dgx_h100");
  s.set("cluster.nodes", "2");
  s.set("layout.mesh.experts", "{ data = rest }");
  EXPECT_THAT(planText(s), HasSubstr("cluster machine from clusters.dgx_h100 {\n  nodes = 2\n}"));
  EXPECT_THAT(planText(s), HasSubstr("  mesh.experts { data = rest }\n"));
}

TEST(ScoreTable, AHeader_NamesEachColumnOnce) {
  const auto fault = [](const std::string& text) {
    const Written file(text);
    DiagnosticEngine diags;
    const FailureOr<std::unique_ptr<CsvTable>> table = CsvTable::open(file.path.string(), diags);
    const std::optional<Finding> found = (*table)->headerFault();
    return found ? fmt::format("{}: {}", found->begin, found->message.message) : "";
  };
  EXPECT_EQ(fault("a,b,,\n1,2,3,4\n"), "");
  EXPECT_EQ(fault("a,b,a\n"), "4: two columns are called `a`");
  EXPECT_EQ(fault("a;b\n"), "1: cells are separated by `;`, a comma is needed");
  EXPECT_EQ(fault("a\tb\n"), "1: cells are separated by a tab, a comma is needed");
  EXPECT_THAT(fault(std::string("a\0,\0b\0\n", 7)), HasSubstr("1: a NUL byte is here"));
}

namespace {
constexpr const char* runsOfEightB = R"({
  "columns": {"seconds": "needed number of s", "tensor": "count else 1"},
  "ignored": ["note"],
  "rules": [{"set": {"model": "models.llama3_8b", "cluster.nodes": "2", "layout.mesh": "{ data = rest }",
                     "layout.mesh.tensor": "{tensor}", "layout.batch": "64seq",
                     "layout.shard.optimizer": "data", "measured.step_time": "{seconds}"}}]
})";

/// Messages as "LINE:COLUMN message" of a table that is scored.
struct ScoredTable {
  explicit ScoredTable(const std::string& text, const std::string& path = "",
                       const std::string& value = "") {
    const Written table(text), json(runsOfEightB);
    ScoreOptions options;
    options.mapping = json.path.string();
    if (!path.empty())
      options.fields = {{path, value}};
    SourceManager sources;
    DiagnosticEngine diags;
    const FailureOr<Scores> scores = scoreTables({table.path.string()}, options, sources, diags);
    wrong = scores.failed() ? 0 : scores->wrong;
    rows = scores.failed() ? 0 : scores->rows.size();
    for (const Diagnostic& one : diags.diagnostics()) {
      const std::string message = one.message.substr(0, one.message.find("mapping `")) + // a path
                                  (one.help.empty() ? "" : "| " + one.help);
      messages.push_back(fmt::format("{} {} {}", one.info.code, one.range.begin, message));
    }
  }
  std::vector<std::string> messages;
  std::size_t wrong = 0, rows = 0;
};
} // namespace

TEST(ScoreTable, ColumnsThatSetNothing_AreNamedUnlessTheMappingIgnoresThem) {
  const ScoredTable scored("seconds,tensro,note,layout.micro_batch\n9,8,x,1seq\n");
  EXPECT_EQ(scored.rows, 1U);
  ASSERT_EQ(scored.messages.size(), 1U);
  EXPECT_THAT(scored.messages.front(), HasSubstr("DPL1017 8 "));
  EXPECT_THAT(scored.messages.front(), HasSubstr("did you mean `tensor`?"));
}

TEST(ScoreTable, AFieldThatIsIllegalInARow_IsNamedThere) {
  const std::string table = "seconds,tensor\n9,8\n9,4\n";
  const ScoredTable misspelt(table, "layout.schedul", "gpipe");
  EXPECT_EQ(misspelt.wrong, 2U);
  ASSERT_EQ(misspelt.messages.size(), 2U);
  EXPECT_THAT(misspelt.messages.front(),
              HasSubstr("`--set layout.schedul=gpipe`: DPL0201: layout `run` has no field"));
  // Four data ranks cannot have micro-batches of 32 sequences, two can.
  const ScoredTable second(table, "layout.micro_batch", "32seq");
  EXPECT_EQ(second.rows, 1U);
  EXPECT_EQ(second.wrong, 1U);
  // A row that is illegal by itself is no fault of the option.
  const ScoredTable itself("seconds,tensor\n9,5\n", "layout.micro_batch", "1seq");
  EXPECT_EQ(itself.wrong, 0U);
  EXPECT_EQ(itself.rows, 1U);
  const ScoredTable column("seconds,tensor,layout.schedul\n9,8,gpipe\n9,8,\n");
  EXPECT_EQ(column.wrong, 1U);
  EXPECT_EQ(column.rows, 1U);
  ASSERT_EQ(column.messages.size(), 1U);
  EXPECT_THAT(column.messages.front(), HasSubstr("column `layout.schedul`: DPL0201"));
}

TEST(ScoreTexts, PastTheirBound_AreOthers) {
  Texts texts;
  for (int i = 0; i < 70000; ++i)
    (void)texts.boundedNumber(std::to_string(i));
  EXPECT_EQ(texts[texts.boundedNumber("17")], "17");
  EXPECT_EQ(texts[texts.boundedNumber("69999")], "others");
}

TEST(ScoreStatistics, OfTenErrors_AreWorkedOutByHand) {
  // 1, 2, … 10 percent, every other one below.
  std::vector<double> errors;
  for (int i = 1; i <= 10; ++i)
    errors.push_back((i % 2 == 0 ? 1 : -1) * i / 100.0);
  const Errors e = errorsOf(errors);
  EXPECT_EQ(e.count, 10U);
  EXPECT_NEAR(e.mean, 0.055, 1e-12);
  EXPECT_NEAR(e.median, 0.055, 1e-12);
  EXPECT_NEAR(e.p90, 0.09, 1e-12); // nine of ten are at most that
  EXPECT_NEAR(e.bias, 0.005, 1e-12);
  EXPECT_NEAR(e.within10, 1, 1e-12);
  EXPECT_EQ(errorsOf({}).count, 0U);
}

TEST(ScoreStatistics, TheFirstChoiceAndPairs_AreCountedInGroups) {
  Scores scores;
  // The prediction takes the second, 10 % slower than the best; the rule takes the least tensor.
  scores.rows = {run(10, 5, 1, 4), run(11, 4, 1, 2), run(20, 9, 1, 1),
                 // A group whose first choice was out of memory.
                 run(0, 1, 2, 1), run(3, 2, 2, 2), run(4, 3, 2, 4),
                 // Alone with a time: no group.
                 run(5, 5, 3), run(0, 1, 3)};
  const ChoiceQualities c = choices(scores);
  EXPECT_EQ(c.model.groups, 2U);
  EXPECT_EQ(c.model.regret.count, 1U);
  EXPECT_NEAR(c.model.regret.mean, 0.1, 1e-6);
  EXPECT_EQ(c.model.outOfMemory, 1U);
  EXPECT_EQ(c.model.pairs, 4U);
  EXPECT_EQ(c.model.ordered, 3); // all but 10 s against 11 s
  EXPECT_NEAR(c.rule.regret.mean, 1, 1e-6);
  EXPECT_EQ(c.rule.ordered, 1); // 3 s against 4 s
}

TEST(ScoreStatistics, Verdicts_LeaveOutWhatCarriesBothMarks) {
  Scores scores;
  ScoredRow wrong = run(0, 1), both = run(1, 1), refused = run(1, 1);
  both.ran = RunOutcome::Both;
  refused.state = ScoredRow::ScoreState::DoesNotFit;
  scores.rows = {run(1, 1), wrong, both, refused};
  const Verdicts v = verdicts(scores, false);
  EXPECT_EQ(v.rightFits, 1U);
  EXPECT_EQ(v.falseFits, 1U);
  EXPECT_EQ(v.falseOutOfMemory, 1U);
  EXPECT_EQ(verdicts(scores, true).falseFits, 2U);
}

TEST(ScoreCollective, BusBandwidth_IsThatOfNcclTests) {
  Workspace workspace;
  DiagnosticEngine diags;
  workspace.overlay("c.dpl",
                    "import std.clusters\nimport std.models\nmodel any from models.gpt2_small {}\n"
                    "cluster machine from clusters.dgx_h100 { domain.efficiency = 1.0, collectives "
                    "= closed_form }\n"
                    "layout run for any on machine {\n" +
                        layoutOfRanks(8) + "}\n");
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("c.dpl", diags);
  ASSERT_EQ(unit->file->plans.size(), 1U);
  ir::Plan& plan = unit->file->plans.front();
  ASSERT_TRUE(runThrough(plan, diags, "build-groups").succeeded());
  CollectiveRequest request;
  request.bytes = 1 << 30;
  const FailureOr<CollectivePrediction> found = predictCollective(plan, request, diags);
  ASSERT_FALSE(found.failed());
  // Without latency a ring sends 2 · 7/8 of the buffer at 450 GB/s: that is the bus bandwidth.
  EXPECT_NEAR(found->busBandwidth, 450e9, 1e3);
  EXPECT_NEAR(found->seconds(), 2.0 * 7 / 8 * (1 << 30) / 450e9, 1e-12);
  EXPECT_NEAR(found->levels.front().bytes, 2.0 * 7 / 8 * (1 << 30), 1);
  const auto added = [&](const char* name) {
    request.harness = harnessNamed(name);
    return predictCollective(plan, request, diags)->seconds() - found->seconds();
  };
  EXPECT_NEAR(added("torch"), 20e-6, 1e-12);
  // The eighth device is launched on seven launches after the first.
  EXPECT_NEAR(added("one_thread"), 7 * 2.75e-6, 1e-12);
  EXPECT_EQ(added("nccl_tests"), 0);
}
