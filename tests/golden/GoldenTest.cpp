//===- GoldenTest.cpp - Each file of tests/golden gives what is recorded beside it ------------===//
#include "support/Diagnostics.h"
#include "tests/golden/Runner.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
using namespace dpl::test;

namespace {
const fs::path folder = sourceFolder() / "tests/golden";

std::string nameOf(const testing::TestParamInfo<fs::path>& info) {
  return testName(info.param, folder);
}

bool mustFail(const fs::path& path) { return path.filename().string().rfind("fail_", 0) == 0; }

class Golden : public testing::TestWithParam<fs::path> {};
} // namespace

TEST_P(Golden, OutputIsAsRecorded) {
  const std::vector<Case> cases = casesOf(GetParam().filename().string(), slurp(GetParam()));
  std::string actual;
  for (const Case& c : cases) {
    ASSERT_NE(c.command, "") << "the first line is `// RUN: COMMAND`";
    const CaseRun result = run(c);
    actual += result.record;
    EXPECT_EQ(result.outcome.exitCode != 0, mustFail(GetParam()))
        << "files named fail_* fail, and only those\n"
        << result.record;
    EXPECT_EQ(compareWithMarkers(c, result.outcome.error), "") << result.outcome.error;
  }
  const fs::path recorded = fs::path(GetParam()).replace_extension(".expected");
  if (updating())
    spill(recorded, actual);
  EXPECT_EQ(actual, slurp(recorded)) << "record again with DPL_UPDATE=1, then read the difference";
}

/// Formatting twice is formatting once, for every case that parses.
TEST_P(Golden, FormattingTwiceIsFormattingOnce_Slow) {
  const TemporaryFolder temporary;
  std::vector<std::string> command{"fmt"};
  for (const Case& c : casesOf(GetParam().filename().string(), slurp(GetParam()))) {
    command.push_back(std::to_string(command.size()) + ".dpl");
    spill(temporary.path / command.back(), c.text);
  }
  const Outcome once = dplc(command, temporary.path), twice = dplc(command, temporary.path);
  EXPECT_LE(once.exitCode, 1) << once.error;
  EXPECT_EQ(twice.out, "") << "are changed again";
  EXPECT_EQ(twice.error, once.error) << "one that was formatted does not parse";
  EXPECT_EQ(twice.exitCode, once.exitCode);
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(filesBelow(folder, ".dpl")), nameOf);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Golden);

namespace {
class GoldenCoverage : public testing::TestWithParam<dpl::DiagInfo> {};

/// Codes that no plan made by dplc can provoke: they guard against its own mistakes.
bool isInternal(llvm::StringRef code) { return code.startswith("DPL09"); }
} // namespace

TEST_P(GoldenCoverage, TheCodeHasATestAndAPage) {
  const dpl::DiagInfo row = GetParam();
  const std::string code = row.code;
  const fs::path path = sourceFolder() / "docs/explain" / (code + ".md");
  const std::string page = slurp(path);
  EXPECT_TRUE(fs::exists(path)) << row.name;
  // DocsTest runs the page's failing example and compares its output with what the page shows.
  bool tested = isInternal(code);
  for (const char* kind : {"error", "warning", "note"})
    tested = tested || page.find(fmt::format("```dpl {}={}", kind, code)) != std::string::npos;
  for (const char* place : {"tests/golden", "tests/broken"})
    for (const fs::path& recorded : filesBelow(sourceFolder() / place, ".expected"))
      tested = tested || slurp(recorded).find("[" + code + "]") != std::string::npos;
  // What one recorded run of dplc cannot show: two processes, folders of earlier runs, files of
  // many MiB, a machine without memory, a script that is executed where that is possible.
  for (const char* test : {"StudyFolderTest.cpp", "LimitsTest.cpp", "ImportTest.cpp",
                           "SearchShardsTest.cpp", "SearchCommandTest.cpp"})
    tested =
        tested || slurp(sourceFolder() / "tests/golden" / test).find(code) != std::string::npos;
  // Requests of a resident process.
  tested = tested ||
           slurp(sourceFolder() / "tests/python/serve_test.py").find(code) != std::string::npos;
  EXPECT_TRUE(tested) << row.name << " occurs in no .expected file";
}

/// Codes of errors of the command line and of files as a whole. Every other error has a line of a
/// file.
TEST(GoldenPlaces, EveryErrorOfATextHasOne) {
  const auto isOfNoLine = [](const std::string& code) {
    const bool files = code >= "DPL0001" && code <= "DPL0009";
    const bool tools = code >= "DPL0700" && code <= "DPL0739";
    static const std::set<std::string> whole = {
        "DPL0163", "DPL0605", "DPL0606",                       // an option
        "DPL0811", "DPL0815", "DPL0818", "DPL0819",            // a script that lacks something
        "DPL1007", "DPL1008", "DPL1011", "DPL1016",            // a row or file that is asked for
        "DPL1101", "DPL1102", "DPL1103", "DPL1104", "DPL1105", // a study and its folder
        "DPL1106", "DPL1201", "DPL1202", "DPL1209", "DPL1210",
        "DPL1212", "DPL1223", "DPL1224", "DPL1225", // a trace
        "DPL1240", "DPL1243"};                      // measured runs
    return files || tools || whole.count(code) != 0;
  };
  const auto isOfTheCommandLine = [](const std::string& text) {
    return text.rfind("`--define ", 0) == 0;
  };
  std::vector<fs::path> recorded = filesBelow(folder, ".expected");
  for (const fs::path& path : filesBelow(sourceFolder() / "tests/broken", ".expected"))
    recorded.push_back(path);
  std::size_t located = 0;
  for (const fs::path& path : recorded)
    for (const Message& message : messagesIn(slurp(path))) {
      located += message.line > 0 ? 1 : 0;
      EXPECT_TRUE(message.severity != "error" || message.line > 0 || isOfNoLine(message.code) ||
                  isOfTheCommandLine(message.text))
          << path << ": " << message.code << " " << message.text;
    }
  EXPECT_GT(located, 500U);
}

TEST(ExplainPages, EachExplainsACode) {
  std::set<std::string> codes;
  for (const dpl::DiagInfo& row : dpl::allDiagnostics())
    codes.insert(row.code);
  for (const fs::path& page : filesBelow(sourceFolder() / "docs/explain", ".md"))
    EXPECT_TRUE(codes.count(page.stem().string())) << page;
}

namespace {
/// Notes stand on other messages and are shown without their code.
std::vector<dpl::DiagInfo> errorsAndWarnings() {
  std::vector<dpl::DiagInfo> rows;
  for (const dpl::DiagInfo& row : dpl::allDiagnostics())
    if (row.severity != dpl::Severity::Note)
      rows.push_back(row);
  return rows;
}
} // namespace
INSTANTIATE_TEST_SUITE_P(Codes, GoldenCoverage, testing::ValuesIn(errorsAndWarnings()),
                         [](const testing::TestParamInfo<dpl::DiagInfo>& info) {
                           return std::string(info.param.code);
                         });
