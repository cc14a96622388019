//===- RefutationsTest.cpp - Claims that dplc refuses, and the right figures that pass --------===//
//
// examples/refutations has two files for each claim. The comment of `rNN_claim.dpl` says the claim
// and why it is wrong, and `// refuted: [CODE] {{FIGURE}}` stands above the refused line.
// `rNN_right.dpl` asserts the right figure. DPL_UPDATE=1 writes the table of the page anew.
#include "tests/golden/Runner.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>
using namespace dpl::test;

namespace {
const fs::path folder = sourceFolder() / "examples/refutations";
constexpr std::size_t claimCount = 40;

/// The sentence, the code and the figure that the file of a claim states.
struct Claim {
  std::string sentence, code, figure;
  unsigned line = 0; ///< the refused one
};

std::string between(const std::string& text, const std::string& open, const std::string& close) {
  const std::size_t at = text.find(open);
  const std::size_t end = at == std::string::npos ? at : text.find(close, at + open.size());
  return end == std::string::npos ? "" : text.substr(at + open.size(), end - at - open.size());
}

Claim claimOf(const fs::path& file) {
  const std::string text = slurp(file);
  Claim out;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.rfind("/// ", 0) == 0 && number < 5)
      out.sentence += (out.sentence.empty() ? "" : " ") + line.substr(4);
    if (line.find("// refuted: ") == std::string::npos)
      continue;
    out.code = between(line, "[", "]");
    out.figure = between(line, "{{", "}}");
    out.line = number + 1;
  }
  return out;
}

std::vector<fs::path> claims() { return filesBelow(folder, "_claim.dpl"); }

std::string stemOf(const fs::path& claim) {
  const std::string name = claim.stem().string();
  return name.substr(0, name.size() - std::string("_claim").size());
}

/// A file with a study is studied, any other is checked.
Outcome judged(const fs::path& file) {
  const bool studied = slurp(file).find("\nstudy ") != std::string::npos;
  return dplc({studied ? "study" : "check", fs::relative(file, sourceFolder()).string()});
}

class Refutation : public testing::TestWithParam<fs::path> {};
} // namespace

TEST(Refutations, AreFortyPairs) {
  EXPECT_EQ(claims().size(), claimCount);
  EXPECT_EQ(filesBelow(folder, "_right.dpl").size(), claimCount);
}

TEST_P(Refutation, TheClaimIsRefusedWithTheRightFigure) {
  const Claim claim = claimOf(GetParam());
  ASSERT_FALSE(claim.sentence.empty() || claim.code.empty() || claim.figure.empty());
  const Outcome outcome = judged(GetParam());
  EXPECT_EQ(outcome.exitCode, 1);
  std::vector<Message> errors = messagesIn(outcome.error);
  errors.erase(std::remove_if(errors.begin(), errors.end(),
                              [](const Message& m) { return m.severity != "error"; }),
               errors.end());
  ASSERT_EQ(errors.size(), 1U) << outcome.error;
  EXPECT_EQ(errors.front().code, claim.code);
  EXPECT_EQ(errors.front().line, claim.line);
  EXPECT_NE(outcome.error.find(claim.figure), std::string::npos) << outcome.error;
}

TEST_P(Refutation, TheRightFigurePasses) {
  const fs::path file = folder / (stemOf(GetParam()) + "_right.dpl");
  const std::string text = slurp(file);
  EXPECT_NE(text.find("assert "), std::string::npos);
  EXPECT_EQ(claimOf(file).code, "");
  const Outcome outcome = judged(file);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.out << outcome.error;
}

TEST_P(Refutation, BothFilesAreFormatted) {
  const std::string claim = fs::relative(GetParam(), sourceFolder()).string(),
                    right = "examples/refutations/" + stemOf(GetParam()) + "_right.dpl";
  const Outcome formatted = dplc({"fmt", "--check", claim, right});
  EXPECT_EQ(formatted.exitCode, 0) << formatted.error;
}

INSTANTIATE_TEST_SUITE_P(Files, Refutation, testing::ValuesIn(claims()),
                         [](const auto& info) { return stemOf(info.param); });

TEST(Refutations, AreAsThePageSays) {
  const fs::path path = sourceFolder() / "docs/guide/refutations.md";
  std::string page = slurp(path);
  const std::string begin = "<!-- claims -->\n", end = "<!-- end of claims -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::size_t at = from + begin.size();
  std::string made = "\n| | claim | why it is wrong |\n|---|---|---|\n";
  for (const fs::path& file : claims()) {
    const std::string sentence = claimOf(file).sentence, claim = between(sentence, "\"", "\" is ");
    const std::size_t why = sentence.find(" is wrong: ");
    ASSERT_TRUE(!claim.empty() && why != std::string::npos) << sentence;
    made += fmt::format("| [{0}](../../examples/refutations/{0}_claim.dpl) | {1} | {2} |\n",
                        stemOf(file), claim, sentence.substr(why + 11, sentence.size() - why - 12));
  }
  made += "\n";
  if (updating())
    spill(path, page.replace(at, to - at, made));
  else
    EXPECT_EQ(page.substr(at, to - at), made) << "DPL_UPDATE=1 writes it anew";
}
