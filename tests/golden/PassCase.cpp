//===- PassCase.cpp - What one pass does, started from a printed plan -------------------------===//
#include "tests/golden/PassCase.h"
#include "tests/golden/Recorded.h"
#include <algorithm>
#include <cstdint>
#include <sstream>
using namespace dpl::test;

namespace {

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// The plan with its figures counted: they are recorded with the examples.
std::string figuresCounted(const std::string& plan) {
  std::string text;
  unsigned figures = 0;
  bool inside = false;
  for (const std::string& line : linesOf(plan)) {
    inside = inside || line == "  results {";
    figures += inside && line.find("quantity {") != std::string::npos;
    if (!inside)
      text += line + "\n";
    else if (line == "  }") {
      inside = false;
      text += "  results { " + std::to_string(figures) + " figures }\n";
    }
  }
  return text;
}

/// The lines of the one that the other lacks, behind `- ` and `+ `, in their order.
std::string changes(const std::string& before, const std::string& after) {
  const std::vector<std::string> a = linesOf(before), b = linesOf(after);
  // common[i][j]: how many lines of a[i…] and b[j…] can be paired.
  std::vector<std::vector<std::uint32_t>> common(a.size() + 1,
                                                 std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::string text;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();)
    if (i < a.size() && j < b.size() && a[i] == b[j])
      ++i, ++j;
    else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1]))
      text += "- " + a[i++] + "\n";
    else
      text += "+ " + b[j++] + "\n";
  return text;
}

} // namespace

std::string dpl::test::passOf(const Case& c) {
  const std::string word = "pass ";
  return c.command.rfind(word, 0) == 0 ? c.command.substr(word.size()) : "";
}

CaseRun dpl::test::runPass(const Case& c, const fs::path& folder) {
  const std::string pass = passOf(c);
  const Outcome before = dplc({"ir", "--dump-before=" + pass, "--locations", c.name}, folder);
  spill(folder / "plan.ir", before.out);
  CaseRun result;
  result.outcome = dplc({"ir", "--run=" + pass, "--locations", "plan.ir"}, folder);
  result.record = "$ dplc ir --run=" + pass + " plan.ir\n";
  if (result.outcome.exitCode == 0) {
    result.record += changes(figuresCounted(before.out), figuresCounted(result.outcome.out));
    const Outcome whole = dplc({"ir", "--dump-after=" + pass, "--locations", c.name}, folder);
    if (const std::string differs = changes(whole.out, result.outcome.out); !differs.empty())
      result.record += "==== but among all passes\n" + differs;
  }
  if (!result.outcome.error.empty())
    result.record += "==== error output\n" + result.outcome.error;
  if (result.outcome.exitCode != 0)
    result.record += "==== exit " + std::to_string(result.outcome.exitCode) + "\n";
  result.record = masked(result.record);
  return result;
}
