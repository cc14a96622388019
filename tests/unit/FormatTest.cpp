#include "frontend/format/Format.h"
#include "ParseTesting.h"
#include "frontend/ast/Encoding.h"
#include <gtest/gtest.h>
using namespace dpl;
using dpl::test::dplFiles;
using dpl::test::Parsed;
using dpl::test::slurp;

namespace {

std::string formatted(const std::string& text) {
  SourceManager sources;
  DiagnosticEngine diags;
  const FailureOr<std::string> out = dpl::format(sources, sources.add("test.dpl", text), diags);
  return out.failed() ? "error" : *out;
}

TEST(Format, EveryFileMeansTheSameAndIsFormattedOnce) {
  unsigned files = 0;
  for (const char* folder : {"stdlib", "examples", "tests"})
    for (const auto& path : dplFiles(folder)) {
      const Parsed before(slurp(path));
      if (before.result.failed)
        continue;
      ++files;
      const std::string once = formatted(before.sources.text(before.id).str());
      const Parsed after(once);
      ASSERT_FALSE(after.result.failed) << path << "\n" << once;
      EXPECT_EQ(structure(*before.result.file, before.sources.text(before.id)),
                structure(*after.result.file, after.sources.text(after.id)))
          << path;
      EXPECT_EQ(formatted(once), once) << path;
    }
  EXPECT_GT(files, 4U);
}

TEST(Format, SpacesAreCanonical) {
  EXPECT_EQ(formatted("k   b{x=1,y  =  [ 1 ,2, ] ,z=f ( a:1 )}\n"),
            "k b { x = 1, y = [1, 2], z = f(a: 1) }\n");
  EXPECT_EQ(formatted("k b { x = - 1 + -y *( 2-z ) , r = 1 .. 8, s = 0 ..< n }"),
            "k b { x = -1 + -y * (2 - z), r = 1..8, s = 0..<n }\n");
  EXPECT_EQ(formatted("k b { layer [ 1 ] . in [ 2 ] { } v in [ 1 ] }"), "error");
  EXPECT_EQ(formatted("k b { layer [ 1 ] . in [ 2 ] { }, v in [ 1 ] }"),
            "k b { layer[1].in[2] {}, v in [1] }\n");
  EXPECT_EQ(formatted("schema s{x :Bytes  per gpu ?=1\nchoice a|b}"),
            "schema s {\n  x: Bytes per gpu? = 1\n  choice a | b\n}\n");
  EXPECT_EQ(formatted("k b { x = not ( a ) and (b), y = 64seq / dp, z = 400Gbps  per gpu }"),
            "k b { x = not (a) and (b), y = 64seq / dp, z = 400Gbps per gpu }\n");
}

TEST(Format, NothingIsAligned) {
  EXPECT_EQ(formatted("k b {\n  layers  = 80    // eighty\n  vocab   = 3 // three\n}\n"),
            "k b {\n  layers = 80  // eighty\n  vocab = 3  // three\n}\n");
}

TEST(Format, CommentsAndOneBlankLineAreKept) {
  EXPECT_EQ(formatted("\n\n// top\n\n\n\nk b { // open\n\n  // inside\n  x = 1 /// trailing\n\n\n"
                      "  y = 2\n\n  // last\n\n}\n// end"),
            "// top\n\nk b {  // open\n\n  // inside\n  x = 1  /// trailing\n\n  y = 2\n\n"
            "  // last\n}\n// end\n");
}

TEST(Format, ABlockThatIsBrokenHasItsBracesAtLineEnds) {
  EXPECT_EQ(formatted("k b { x = 1\n  y = 2 }\n"), "k b {\n  x = 1\n  y = 2\n}\n");
  EXPECT_EQ(formatted("k b {\n\n  x = 1\n\n}\n"), "k b {\n  x = 1\n}\n");
  EXPECT_EQ(formatted("k b {\n}\n"), "k b {}\n");
}

TEST(Format, ContinuationsAreIndentedTwice) {
  EXPECT_EQ(
      formatted("search layout l for m\non c {\nx = a +\nb\nlet w = if a then 1\nelse 2\n}\n"),
      "search layout l for m\n    on c {\n  x = a +\n      b\n  let w = if a then 1\n"
      "      else 2\n}\n");
}

TEST(Format, AListGoesOverLines) {
  EXPECT_EQ(formatted("k b { x in [\nnone,\nfull { a = 1,\nb = 2 },\n] }\n"),
            "k b {\n  x in [\n    none,\n    full {\n      a = 1\n      b = 2\n    },\n  ]\n}\n");
}

TEST(Format, TheLastCommaOfAListStaysWhereItsBracketHasALine) {
  EXPECT_EQ(formatted("let a = [1,\n2,\n]\n"), "let a = [1,\n  2]\n");
  EXPECT_EQ(formatted("let a = [\n1,\n2,]\n"), "let a = [\n  1,\n  2,\n]\n");
  EXPECT_EQ(formatted("let a = [1, // one\n]\n"), "let a = [1,  // one\n]\n");
}

TEST(Format, ElseStandsBehindItsBrace) {
  EXPECT_EQ(formatted("k b {\n if a {\n x = 1\n }\n\n else {\n y = 2\n }\n}\n"),
            "k b {\n  if a {\n    x = 1\n  } else {\n    y = 2\n  }\n}\n");
}

TEST(Format, CommasThatSeparateNothingGo) {
  EXPECT_EQ(formatted("k b {\n , x = 1,\n y = 2,, z = 3, // c\n assert x,\n \"why\"\n}\n"),
            "k b {\n  x = 1\n  y = 2, z = 3  // c\n  assert x,\n      \"why\"\n}\n");
}

TEST(Format, LineEndsBecomeLineFeeds) {
  EXPECT_EQ(formatted("\xEF\xBB\xBFk b {\r\n  x = 1 // c\r\n}\r\n"), "k b {\n  x = 1  // c\n}\n");
}

TEST(Format, AFileWithMistakesIsLeftAlone) { EXPECT_EQ(formatted("k b { x = }\n"), "error"); }

TEST(Format, NothingIsNothing) {
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted("\n\n"), "");
}

} // namespace
