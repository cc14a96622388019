//===- TargetTest.cpp - What holds for every target: releases, rules, quoting -----------------===//
#include "backends/Target.h"
#include <gtest/gtest.h>
#include <regex>
#include <set>

using namespace dpl;

namespace {

Release release(const std::string& text) {
  const std::optional<Release> out = Release::parse(text);
  EXPECT_TRUE(out.has_value()) << text;
  return out.value_or(Release());
}

TEST(Releases, AreOrderedByTheirNumbers) {
  EXPECT_LT(release("0.9"), release("0.19"));
  EXPECT_LT(release("0.19"), release("0.19.1"));
  EXPECT_LT(release("0.2.2"), release("0.3"));
}
TEST(Releases, AreWrittenWithOrWithoutTheNameOfTheTag) {
  EXPECT_EQ(release("core_v0.19.0"), release("0.19.0"));
  EXPECT_EQ(release("v0.2.2").text(), "0.2.2");
}
TEST(Releases, OtherTextIsNone) {
  for (const char* text : {"", "v", "latest", "0.19x", "0..19", "00.19", "0.1.2.3", "0.19.", "-1"})
    EXPECT_FALSE(Release::parse(text).has_value()) << text;
}
TEST(Releases, OneCoversItsPatches) {
  EXPECT_TRUE(release("0.19").covers(release("0.19.2")));
  EXPECT_FALSE(release("0.19.1").covers(release("0.19.2")));
  EXPECT_FALSE(release("0.1").covers(release("0.19")));
}
TEST(ReleaseRanges, HoldFromTheFirstToTheLast) {
  const ReleaseRange closed("0.12-0.15"), open("0.16"), every("");
  EXPECT_FALSE(closed.holds(release("0.11")));
  EXPECT_TRUE(closed.holds(release("0.12")));
  EXPECT_TRUE(closed.holds(release("0.15.3")));
  EXPECT_FALSE(closed.holds(release("0.16")));
  EXPECT_TRUE(open.holds(release("0.19")));
  EXPECT_FALSE(open.holds(release("0.15")));
  EXPECT_TRUE(every.holds(release("0.1")));
  EXPECT_EQ(closed.text() + ", " + open.text() + ", " + every.text(),
            "0.12 to 0.15, since 0.16, every release");
}

TEST(Targets, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Target* target : allTargets()) {
    EXPECT_TRUE(names.insert(target->name).second) << target->name;
    EXPECT_EQ(targetNamed(target->name), target);
  }
  EXPECT_EQ(targetNamed("nothing"), nullptr);
}
TEST(Targets, ListTheirReleasesOldestFirst) {
  for (const Target* target : allTargets())
    for (std::size_t i = 1; i < target->releases.size(); ++i)
      EXPECT_LT(target->releases[i - 1], target->releases[i]) << target->name;
}
TEST(Rules, HaveCodesAndNamesOfTheirOwnAndSayHowToMendThem) {
  for (const Target* target : allTargets()) {
    std::set<std::string> seen;
    for (const RuleInfo& rule : target->rules) {
      EXPECT_TRUE(std::regex_match(rule.code, std::regex("[A-Z]{1,2}[1-9][0-9]*"))) << rule.code;
      EXPECT_TRUE(std::regex_match(rule.name, std::regex("[a-z0-9]+(-[a-z0-9]+)*"))) << rule.name;
      EXPECT_TRUE(seen.insert(rule.code).second) << rule.code;
      EXPECT_TRUE(seen.insert(rule.name).second) << rule.name;
      EXPECT_EQ(std::string(rule.fix).back(), '.') << rule.name;
      EXPECT_EQ(rule.refused, *rule.errorClass != 0) << rule.name;
    }
  }
}

TEST(Quoting, ShellWordsStayPlainOrAreQuoted) {
  EXPECT_EQ(shellWord("--lr=1.0e-4"), "--lr=1.0e-4");
  EXPECT_EQ(shellWord(""), "''");
  EXPECT_EQ(shellWord("a b"), "'a b'");
  EXPECT_EQ(shellWord("it's $(rm -rf ~)"), "'it'\\''s $(rm -rf ~)'");
  EXPECT_EQ(shellWord("two\nlines"), "'two\nlines'");
}
TEST(Quoting, StringsEscapeWhatEndsThem) {
  EXPECT_EQ(quoted("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(quoted("\x7f\x01"), R"("\u007f\u0001")");
  EXPECT_EQ(quoted("naïve"), "\"naïve\"");
  EXPECT_EQ(quoted("\xff"), "\"\xEF\xBF\xBD\"");
}
TEST(Quoting, CommentsStayOnOneLine) { EXPECT_EQ(oneLine("a\nb\rc\x7f"), "a?b?c?"); }
TEST(Quoting, CommentsDoNotTurnTheDirectionOfWriting) {
  EXPECT_EQ(oneLine("a\u202eb\u2066c\u2028d\u00e9"), "a?b?c?d\u00e9");
  EXPECT_EQ(oneLine("\xff"), "\xef\xbf\xbd");
}
TEST(Quoting, CppStringsHoldPrintableAsciiOnly) {
  EXPECT_EQ(cppString("plain"), "\"plain\"");
  EXPECT_EQ(cppString("say \"hi\"\\"), R"x("say \"hi\"\\")x");
  EXPECT_EQ(cppString("\n9\u00e9"), R"x("\0129\303\251")x");
  EXPECT_EQ(cppString("what?\?/"), "\"what\\?\\?/\"");
}

} // namespace
