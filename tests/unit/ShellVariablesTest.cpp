//===- ShellVariablesTest.cpp - What `+=` and unset leave in variables of a followed script ---===//
#include "frontend/import/shell/ShellVariables.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::imports::shell;

namespace {
constexpr std::size_t most = 1'000;

ShellWords words(std::initializer_list<const char*> texts) {
  ShellWords out;
  for (const char* text : texts)
    out.push_back({text, {}, nullptr});
  return out;
}
std::string textOf(const ShellVariables& variables) { return joined(variables.find("A")->words); }
} // namespace

TEST(ShellVariables, WhatWasAdded_IsTakenBack) {
  ShellVariables variables({});
  variables.set("A", {words({"a"}), true});
  const std::size_t mark = variables.mark();
  EXPECT_TRUE(variables.add("A", words({"b", "c"}), true, most));
  EXPECT_TRUE(variables.add("A", words({"z"}), false, most)); // to the first of an array
  EXPECT_EQ(textOf(variables), "az b c");
  EXPECT_EQ(joined(variables.at("A", mark).words), "a");
  variables.set("A", {words({"new"}), false});
  EXPECT_TRUE(variables.add("A", words({" x"}), false, most));
  EXPECT_EQ(textOf(variables), "new x");
  EXPECT_EQ(joined(variables.at("A", mark).words), "a");
  EXPECT_EQ(variables.changedSince(mark), std::vector<std::string>{"A"});
  variables.rollBack(mark);
  EXPECT_EQ(textOf(variables), "a");
  EXPECT_TRUE(variables.add("A", words({"d"}), true, most)) << "on what was there";
  EXPECT_EQ(textOf(variables), "a d");
}

TEST(ShellVariables, OfValuesThatGrowByWords_TheLastIsSeen) {
  ShellVariables variables({});
  variables.set("A", {words({"a"}), true});
  const std::size_t mark = variables.mark();
  EXPECT_TRUE(variables.add("A", words({"b"}), true, most));
  EXPECT_TRUE(variables.add("A", words({"c"}), true, most));
  variables.set("A", {words({"d"}), true});
  EXPECT_TRUE(variables.add("A", words({"e"}), false, most)); // the word is another one before
  std::vector<std::string> seen;
  EXPECT_TRUE(variables.everySince("A", mark, [&](const ShellVariable& value) {
    seen.push_back(joined(value.words));
    return true;
  }));
  EXPECT_EQ(seen, (std::vector<std::string>{"de", "d", "a b c"}));
}

TEST(ShellVariables, AValueThatIsTooLong_IsNotAdded) {
  ShellVariables variables({});
  variables.set("A", {words({"1234"}), true});
  EXPECT_TRUE(variables.add("A", words({"678"}), true, 9));
  EXPECT_FALSE(variables.add("A", words({""}), true, 9)) << "a byte stands behind each word";
  EXPECT_FALSE(variables.add("A", words({"x"}), false, 9));
  EXPECT_EQ(textOf(variables), "1234 678");
}

TEST(ShellVariables, WordsThatAreHeld_AreCountedWithThoseOfBefore) {
  ShellVariables variables({});
  const ShellWords many(ShellVariables::mostWords / 4, ShellWord{"x", {}, nullptr});
  for (int i = 0; i < 3; ++i)
    variables.set("A", {many, true});
  const std::size_t mark = variables.mark();
  EXPECT_FALSE(variables.tooMany());
  variables.set("A", {many, true});
  EXPECT_TRUE(variables.tooMany()) << "each change counts, too";
  variables.rollBack(mark);
  EXPECT_FALSE(variables.tooMany());
  for (int i = 0; i < 1'000; ++i)
    EXPECT_TRUE(variables.add("A", words({"x"}), true, ShellVariables::mostWords));
  EXPECT_FALSE(variables.tooMany()) << "what grows is not kept as often as it grows";
}
