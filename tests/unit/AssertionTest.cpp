//===- AssertionTest.cpp - Assertions are evaluated and drawn ---------------------------------===//
#include "ir/Assertion.h"
#include "ir/Diagram.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
using Known = std::map<std::string, ResultValue>;
/// Reads what the plan has.
auto reading(const Known& known) {
  return [&known](const std::string& path) -> std::optional<ResultValue> {
    const auto found = known.find(path);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  };
}

/// Builds nodes whose place is found by their text in the source.
class Builder {
public:
  explicit Builder(std::string source) { a.source = std::move(source); }
  std::uint64_t number(const std::string& text, const std::string& value,
                       const std::string& dimension = "", const std::string& unit = "") {
    AssertionNode& node = add(Operation::Constant, text);
    node.number = value, node.dimension = dimension, node.unit = unit;
    return a.nodes.size() - 1;
  }
  std::uint64_t result(const std::string& path) {
    add(Operation::Result, path).path = path;
    return a.nodes.size() - 1;
  }
  std::uint64_t word(const std::string& text, const std::string& value) {
    add(Operation::Constant, text).text = value;
    return a.nodes.size() - 1;
  }
  /// `sign` is the operator's text; the node spans its operands.
  std::uint64_t apply(Operation operation, const std::string& sign,
                      std::vector<std::uint64_t> operands) {
    AssertionNode node;
    node.operation = operation;
    node.begin = a.nodes[operands.front()].begin;
    node.end = a.nodes[operands.back()].end;
    node.anchor = a.source.find(sign);
    node.operands = std::move(operands);
    a.nodes.push_back(node);
    return a.nodes.size() - 1;
  }
  Assertion a;

private:
  AssertionNode& add(Operation operation, const std::string& text) {
    AssertionNode node;
    node.operation = operation;
    node.begin = node.anchor = a.source.find(text);
    EXPECT_NE(node.begin, std::string::npos) << text;
    node.end = node.begin + text.size();
    a.nodes.push_back(node);
    return a.nodes.back();
  }
};

/// memory.peak <= 92pct * pod.node.gpu.memory, with 80GiB of memory.
Assertion memoryFits() {
  Builder b("memory.peak <= 92pct * pod.node.gpu.memory");
  const auto peak = b.result("memory.peak");
  const auto share = b.number("92pct", "0.92", "", "pct");
  const auto memory = b.number("pod.node.gpu.memory", "85899345920", "Bytes", "GiB");
  const auto limit = b.apply(Operation::Multiply, "*", {share, memory});
  b.apply(Operation::LessEqual, "<=", {peak, limit});
  return b.a;
}

} // namespace

TEST(Assertion, WithAResultInBounds_Holds) {
  const Known results{{"memory.peak", {70e9, *dimensionNamed("Bytes")}}};
  EXPECT_TRUE(evaluate(memoryFits(), reading(results)).holds);
}

TEST(Assertion, ThatFails_DrawsTheValueOfEachPartInOneUnit) {
  const Known results{{"memory.peak", {81.25 * 1073741824.0, *dimensionNamed("Bytes")}}};
  const Verdict verdict = evaluate(memoryFits(), reading(results));
  EXPECT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.diagram, "memory.peak <= 92pct * pod.node.gpu.memory\n"
                             "│           │        │ │\n"
                             "81.25GiB    false    │ 80GiB\n"
                             "                     73.6GiB");
}

TEST(Assertion, OfAResultThatDoesNotExist_IsNotKnown) {
  const Verdict verdict = evaluate(memoryFits(), noResult);
  EXPECT_FALSE(verdict.known);
  EXPECT_EQ(verdict.missing, "memory.peak");
}

TEST(Assertion, OnExactNumbers_IsExact) {
  Builder b("layers % 16 == 0");
  const auto layers = b.number("layers", "80");
  const auto sixteen = b.number("16", "16");
  const auto rest = b.apply(Operation::Remainder, "%", {layers, sixteen});
  const auto zero = b.number("0", "0");
  b.apply(Operation::Equal, "==", {rest, zero});
  EXPECT_TRUE(evaluate(b.a, noResult).holds);
  b.a.nodes[layers].number = "81";
  const Verdict verdict = evaluate(b.a, noResult);
  EXPECT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.diagram, "layers % 16 == 0\n"
                             "│      │    │\n"
                             "81     1    false");
}

TEST(Assertion, WithAndThatIsDecided_LeavesTheRestUnread) {
  Builder b("small and mfu > 0.5");
  const auto small = b.word("small", "false");
  const auto mfu = b.result("mfu");
  const auto half = b.number("0.5", "0.5");
  const auto high = b.apply(Operation::Greater, ">", {mfu, half});
  b.apply(Operation::And, "and ", {small, high});
  const Verdict verdict = evaluate(b.a, noResult);
  EXPECT_TRUE(verdict.known);
  EXPECT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.diagram, "small and mfu > 0.5\n"
                             "│     │\n"
                             "false false");
}

TEST(Assertion, InAList_ComparesWithEach) {
  Builder b("kind in [gpipe, 1f1b]");
  const auto kind = b.word("kind", "interleaved_1f1b");
  const auto gpipe = b.word("gpipe", "gpipe");
  const auto oneByOne = b.word("1f1b", "1f1b");
  b.apply(Operation::In, "in [", {kind, gpipe, oneByOne});
  EXPECT_EQ(evaluate(b.a, noResult).diagram, "kind in [gpipe, 1f1b]\n"
                                             "│    │\n"
                                             "│    false\n"
                                             "interleaved_1f1b");
  b.a.nodes[kind].text = "1f1b";
  EXPECT_TRUE(evaluate(b.a, noResult).holds);
}

TEST(Assertion, InARange_IncludesBothEnds) {
  Builder b("x in 1..8");
  const auto x = b.number("x", "8");
  const auto low = b.number("1", "1");
  const auto high = b.number("8", "8");
  b.apply(Operation::In, "in 1", {x, low, high});
  b.a.nodes.back().text = "..";
  EXPECT_TRUE(evaluate(b.a, noResult).holds);
  b.a.nodes[x].number = "9";
  EXPECT_FALSE(evaluate(b.a, noResult).holds);
}

TEST(Assertion, ThatDividesByZero_SaysSo) {
  Builder b("a / b == c");
  const auto left = b.number("a", "1");
  const auto right = b.number("b", "0");
  const auto quotient = b.apply(Operation::Divide, "/", {left, right});
  const auto other = b.number("c", "1");
  b.apply(Operation::Equal, "==", {quotient, other});
  EXPECT_EQ(evaluate(b.a, noResult).error, "division by zero");
}

TEST(Assertion, ComparingUnlikeDimensions_SaysBoth) {
  Builder b("step_time <= memory");
  const auto time = b.result("step_time");
  const auto memory = b.number("memory", "1", "Bytes", "B");
  b.apply(Operation::LessEqual, "<=", {time, memory});
  const Known results{{"step_time", {1.5, *dimensionNamed("Duration")}}};
  EXPECT_EQ(evaluate(b.a, reading(results)).error, "time and bytes cannot be combined");
}

TEST(Assertion, OfNearlyEqualSides_ShowsWhereTheyDiffer) {
  Builder b("mfu == goal");
  const auto mfu = b.result("mfu");
  const auto goal = b.result("goal");
  b.apply(Operation::Equal, "==", {mfu, goal});
  const Known results{{"mfu", {0.4200001, {}}}, {"goal", {0.42, {}}}};
  EXPECT_THAT(evaluate(b.a, reading(results)).diagram, testing::HasSubstr("0.4200001"));
}

TEST(Diagram, ThatIsTooWide_IsAListOfParts) {
  const std::string wide = "alpha + " + std::string(90, 'x');
  EXPECT_EQ(drawDiagram(wide, {{0, 5, 0, "3"}}), wide + "\n  alpha  is  3");
}

TEST(Diagram, CountsCharactersAndNotBytes) {
  EXPECT_EQ(drawDiagram("µ < b", {{0, 2, 0, "1"}, {5, 6, 5, "2"}}), "µ < b\n"
                                                                    "│   │\n"
                                                                    "1   2");
}
