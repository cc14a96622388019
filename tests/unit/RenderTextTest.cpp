//===- RenderTextTest.cpp - Messages that keep to a width -------------------------------------===//
#include "support/RenderText.h"
#include "support/Utf8.h"
#include "support/diagnostics/Cost.h"
#include <gmock/gmock.h>

using namespace dpl;

namespace {
std::string rendered(unsigned width) {
  SourceManager sources;
  const std::string line = "layout l for m on c { mesh { data = 8 } } // " + std::string(150, 'x');
  const std::uint32_t file = sources.add("plan.dpl", line);
  DiagnosticEngine diags;
  (void)diags
      .report<diag::RunOverBudget>(SourceRange{file, 22, 26}, std::string(30, 'r'),
                                   std::string(30, 'a'), std::string(30, 'b'))
      .label("one two three four five six seven eight nine ten eleven twelve thirteen")
      .help(
          "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q");
  diags.endPhase();
  return renderText(diags, sources, false, width);
}
} // namespace

TEST(RenderText, OfAWidth_KeepsToIt) {
  for (const unsigned width : {60U, 80U, 120U, 200U}) {
    const std::string text = rendered(width);
    llvm::StringRef rest = text, line;
    while (!rest.empty()) {
      std::tie(line, rest) = rest.split('\n');
      EXPECT_LE(codePoints(line.str()), width) << line.str();
    }
  }
}

TEST(RenderText, OfAnyWidth_SaysTheSame) {
  const auto words = [](std::string text) {
    std::string out;
    for (const char c : text)
      if (c != ' ' && c != '\n' && c != '|' && c != 'x' && c != '^' && c != '-')
        out += c;
    return out.substr(0, out.find("-->")) + out.substr(out.find("help:"));
  };
  EXPECT_EQ(words(rendered(60)).size(), words(rendered(1000)).size());
}

TEST(RenderText, OfALineOfMegabytes_ShowsWhatStandsAround) {
  std::string line = "x";
  for (int i = 0; i < 1'000'000; ++i)
    line += "ä";
  const auto begin = static_cast<std::uint32_t>(line.size());
  line += "word" + line;
  SourceManager sources;
  const std::uint32_t file = sources.add("plan.dpl", line);
  DiagnosticEngine diags;
  (void)diags.report<diag::RunOverBudget>(SourceRange{file, begin, begin + 4}, "a", "b", "c");
  diags.endPhase();
  const std::string text = renderText(diags, sources, false, 80);
  EXPECT_THAT(text, testing::HasSubstr("ääwordxää"));
  EXPECT_THAT(text, testing::HasSubstr(" ^^^^\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\xEF\xBF\xBD"))); // no half characters
}

TEST(RenderText, OfWhatAMessageQuotes_NothingOrdersATerminal) {
  SourceManager sources;
  DiagnosticEngine diags;
  (void)diags.report<diag::RunOverBudget>(SourceRange{}, "\x1b[2Jrun", "a\rb", "c")
      .help("\x1b]0;d\a");
  diags.endPhase();
  const std::string text = renderText(diags, sources, false, 80);
  EXPECT_EQ(text.find_first_of("\x1b\a\r"), std::string::npos) << text;
  EXPECT_THAT(text, testing::HasSubstr("?[2Jrun"));
}
