//===- ExamplesTest.cpp - examples compile and format; broken ones give one error -------------===//
#include "support/Json.h"
#include "tests/golden/Recorded.h"
#include "tests/golden/Runner.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
using namespace dpl::test;

namespace {
const fs::path examples = sourceFolder() / "examples";
const fs::path broken = sourceFolder() / "tests/broken";

/// Examples that check. RefutationsTest.cpp looks at claims, which are refused, and their twins.
std::vector<fs::path> wholeExamples() {
  std::vector<fs::path> out = filesBelow(examples, ".dpl");
  out.erase(std::remove_if(out.begin(), out.end(),
                           [](const fs::path& file) {
                             return file.parent_path().filename() == "refutations";
                           }),
            out.end());
  return out;
}

std::string nameOf(const testing::TestParamInfo<fs::path>& info) {
  return testName(info.param, info.param.parent_path());
}

/// Compares with a recorded file, or records it.
void expectRecorded(const fs::path& recorded, const std::string& text) {
  const std::string actual = masked(text);
  if (updating())
    spill(recorded, actual);
  EXPECT_EQ(actual, slurp(recorded)) << "record again with DPL_UPDATE=1, then read the difference";
}

class GoldenExample : public testing::TestWithParam<fs::path> {
protected:
  std::string file() const { return fs::relative(GetParam(), sourceFolder()).string(); }
  /// Names of the file's layouts.
  std::vector<std::string> layouts() const {
    const dpl::Json checked = dpl::Json::parse(dplc({"check", "--json", file()}).out);
    std::vector<std::string> names;
    if (checked.is_object() && checked.contains("layouts"))
      for (const dpl::Json& layout : checked["layouts"])
        names.push_back(layout["plan"].value("name", ""));
    return names;
  }
};
class GoldenBroken : public testing::TestWithParam<fs::path> {};
} // namespace

TEST_P(GoldenExample, Checks) {
  const Outcome checked = dplc({"check", "--no-advice", file()});
  EXPECT_EQ(checked.exitCode, 0) << checked.error;
  expectRecorded(sourceFolder() / "tests/golden/examples" /
                     GetParam().filename().replace_extension(".expected"),
                 checked.out + checked.error);
}

TEST_P(GoldenExample, GivesTheSameBytesTwice_Slow) {
  for (const char* command : {"check", "report"}) {
    const Outcome first = dplc({command, file()}), second = dplc({command, file()});
    EXPECT_EQ(first.out, second.out);
    EXPECT_EQ(first.error, second.error);
  }
}

/// The page of the first layout is written twice, those of other layouts once.
TEST_P(GoldenExample, HasPagesOfAtMostOneAndAHalfMegabytes_Slow) {
  const TemporaryFolder folder;
  const auto pageOf = [&](const std::string& layout) {
    const fs::path page = folder.path / "page.html";
    const Outcome done = dplc({"report", file(), "--layout", layout, "--html", page.string()});
    EXPECT_EQ(done.exitCode, 0) << done.error;
    return slurp(page);
  };
  std::string first;
  for (const std::string& layout : layouts()) {
    const std::string page = pageOf(layout);
    EXPECT_NE(page.find("</html>"), std::string::npos) << layout;
    EXPECT_LE(page.size(), 1'500'000U) << layout;
    if (first.empty())
      EXPECT_TRUE(pageOf(layout) == page) << layout;
    first = page;
  }
}

/// Shares of the rows that are not indented; "step" ends the table.
TEST_P(GoldenExample, RowsOfTheStepAddUpToIt) {
  for (const std::string& layout : layouts()) {
    const std::string report = dplc({"report", file(), "--layout", layout}).out;
    std::istringstream lines(
        report.substr(std::min(report.find("Time of one step"), report.size())));
    double sum = 0;
    std::string line;
    std::getline(lines, line), std::getline(lines, line);
    while (std::getline(lines, line) && line.rfind("  step ", 0) != 0 && !line.empty()) {
      const double share = std::stod(line.substr(line.rfind(' ')));
      EXPECT_GE(share, 0) << line;
      sum += line.rfind("    ", 0) == 0 ? 0 : share;
    }
    EXPECT_NEAR(sum, 100, 0.5) << report;
  }
}

TEST_P(GoldenExample, IsFormatted) {
  const Outcome formatted = dplc({"fmt", "--check", file()});
  EXPECT_EQ(formatted.exitCode, 0) << formatted.error;
}

TEST_P(GoldenExample, RoundTripsAsAPlan) {
  for (const std::string& layout : layouts()) {
    const Outcome printed = dplc({"ir", file(), "--layout", layout});
    ASSERT_EQ(printed.exitCode, 0) << printed.error;
    const TemporaryFolder folder;
    spill(folder.path / "plan.ir", printed.out);
    const Outcome again = dplc({"ir", "--read", "plan.ir"}, folder.path);
    EXPECT_EQ(again.exitCode, 0) << again.error;
    EXPECT_EQ(again.out == printed.out, true) << "layout " << layout << " of " << file();
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenExample, testing::ValuesIn(wholeExamples()), nameOf);

TEST(ReadPlan, ComesFromStandardInputToo) {
  const TemporaryFolder folder;
  const std::string printed = dplc({"ir", "examples/llama3_70b_h100.dpl"}).out;
  spill(folder.path / "plan.ir", printed);
  EXPECT_TRUE(dplc({"ir", "--read", "-", "<", "plan.ir"}, folder.path).out == printed);
}

TEST(ReadPlan, ThatDoesNotHoldTogether_IsRefused) {
  std::string text = dplc({"ir", "examples/llama3_70b_h100.dpl"}).out;
  // The first two forwards of the first rank in the other order: its neighbour takes them in turn.
  const std::string first = "kind = forward, chunk = 0, micro_batch = ";
  const std::size_t zero = text.find(first + "0,"), one = text.find(first + "1,");
  ASSERT_TRUE(zero != std::string::npos && one != std::string::npos);
  text[zero + first.size()] = '1';
  text[one + first.size()] = '0';
  const TemporaryFolder folder;
  spill(folder.path / "plan.ir", text);
  const Outcome read = dplc({"ir", "--read", "plan.ir"}, folder.path);
  EXPECT_EQ(read.exitCode, 1);
  EXPECT_EQ(read.out, "");
  EXPECT_EQ(
      read.error.rfind("error[DPL0901]: the plan is inconsistent after reading it: rank 0 ", 0), 0U)
      << read.error;
}

namespace {
/// `// RUN: report --layout best` in the file; `check` without one.
std::vector<std::string> commandOf(const std::string& text, const std::string& file) {
  const std::size_t at = text.find("// RUN: ");
  std::vector<std::string> words;
  if (at == std::string::npos)
    return {"check", "--no-advice", file};
  std::istringstream in(text.substr(at + 8, text.find('\n', at) - at - 8));
  for (std::string word; in >> word;)
    words.push_back(word);
  words.push_back(file);
  return words;
}

std::string applied(std::string text, const dpl::Json& fixes) {
  std::vector<dpl::Json> ordered(fixes.begin(), fixes.end());
  std::sort(ordered.begin(), ordered.end(), [](const dpl::Json& a, const dpl::Json& b) {
    return a["range"].value("begin", 0U) > b["range"].value("begin", 0U);
  });
  for (const dpl::Json& fix : ordered) {
    const auto begin = fix["range"].value("begin", 0U), end = fix["range"].value("end", 0U);
    text.replace(begin, end - begin, fix.value("text", ""));
  }
  return text;
}
} // namespace

TEST_P(GoldenBroken, GivesOneLocatedError) {
  const std::string file = GetParam().filename().string();
  const Outcome outcome = dplc(commandOf(slurp(GetParam()), file), broken);
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_LT(outcome.exitCode, 4) << outcome.error;
  const std::vector<Message> messages = messagesIn(outcome.error);
  EXPECT_EQ(std::count_if(messages.begin(), messages.end(),
                          [](const Message& m) { return m.severity == "error"; }),
            1)
      << outcome.error;
  for (const Message& message : messages)
    EXPECT_NE(message.line, 0U) << message.text;
  expectRecorded(fs::path(GetParam()).replace_extension(".expected"), outcome.error);
}

TEST_P(GoldenBroken, TheEditMendsIt) {
  const std::string file = GetParam().filename().string(), text = slurp(GetParam());
  std::vector<std::string> command = commandOf(text, file);
  command.insert(command.begin() + 1, "--diagnostics=json");
  const Outcome outcome = dplc(command, broken);
  const std::string lines = outcome.out.empty() ? outcome.error : outcome.out;
  const dpl::Json error = dpl::Json::parse(lines.substr(0, lines.find('\n')));
  if (!error.is_object() || !error.contains("fixes") || error["fixes"].empty())
    return;
  // Beside the others, so that imports are found; under a name that no test looks at.
  const TemporaryFolder folder;
  for (const fs::path& other : filesBelow(broken, ".dpl"))
    fs::copy_file(other, folder.path / other.filename());
  spill(folder.path / file, applied(text, error["fixes"]));
  const Outcome mended = dplc(commandOf(text, file), folder.path);
  for (const Message& message : messagesIn(mended.error))
    EXPECT_NE(message.code, error.value("code", "")) << slurp(folder.path / file) << mended.error;
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenBroken, testing::ValuesIn(filesBelow(broken, ".dpl")),
                         nameOf);

TEST(GoldenNew, TheFirstFile_ChecksAndIsFormatted) {
  const TemporaryFolder folder;
  EXPECT_EQ(dplc({"new", "first.dpl"}, folder.path).exitCode, 0);
  const Outcome checked = dplc({"check", "first.dpl"}, folder.path);
  EXPECT_EQ(checked.exitCode, 0) << checked.error;
  const Outcome formatted = dplc({"fmt", "--check", "first.dpl"}, folder.path);
  EXPECT_EQ(formatted.exitCode, 0) << formatted.error;
}
