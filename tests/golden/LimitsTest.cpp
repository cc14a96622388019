//===- LimitsTest.cpp - Files that ask for more than any machine has --------------------------===//
#include "tests/golden/Runner.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
using namespace dpl::test;

namespace {
/// The head, then a line for each number below `n`.
std::string lines(std::string text, unsigned n, const std::function<std::string(unsigned)>& line) {
  for (unsigned i = 0; i < n; ++i)
    text += line(i) + "\n";
  return text;
}

struct Hostile {
  const char* name;
  const char* code;                  ///< of the only error; empty: the file is right
  std::function<std::string()> text; ///< made for its own test alone: some have megabytes
};

const std::string models = "import std.models\n";

std::vector<Hostile> hostileFiles() {
  const auto twice = [](const char* names) {
    return [names](unsigned i) {
      return fmt::format("let {0}{1} = [{0}{2}, {0}{2}]", names, i + 1, i);
    };
  };
  return {
      // Each block of the last schema holds 2^39 of the first.
      {"defaults_of_defaults", "DPL0135",
       [=] {
         return lines("schema s0 { a: Count = 1 }\n", 39,
                      [](unsigned i) {
                        return fmt::format(
                            "schema s{} {{ x: s{} = s{} {{ }}, y: s{} = s{} {{ }} }}", i + 1, i, i,
                            i, i);
                      }) +
                "s39 b { }\n";
       }},
      {"required_fields_of_required_fields", "",
       [=] {
         return lines("schema s0 { a: Count = 1 }\n", 39,
                      [](unsigned i) {
                        return fmt::format("schema s{} {{\n  x: s{}\n  y: s{}\n}}", i + 1, i, i);
                      }) +
                "s39 b { }\n";
       }},
      {"a_list_of_2_to_the_59_items_is_itself", "",
       [=] { return lines("let l0 = [1, 2]\n", 58, twice("l")) + "assert l58 == l58\n"; }},
      {"two_lists_of_2_to_the_59_items", "DPL0135",
       [=] {
         return lines("let l0 = [1, 2]\n", 58, twice("l")) +
                lines("let m0 = [1, 2]\n", 58, twice("m")) + "assert l58 == m58\n";
       }},
      {"a_chain_of_bases", "DPL0135",
       [=] {
         return lines(models + "model m0 from models.gpt2_small\n", 3000, [](unsigned i) {
           return fmt::format("model m{} from m{} {{ layers = 8 }}", i + 1, i);
         });
       }},
      {"a_chain_of_bases_from_its_end", "DPL0127",
       [=] {
         return lines(models, 1000,
                      [](unsigned i) { return fmt::format("model m{} from m{}", i, i + 1); }) +
                "model m1000 from models.gpt2_small\n";
       }},
      {"a_chain_of_schemas", "DPL0135",
       [=] {
         return lines("schema s0 { a: Count = 1 }\n", 6000, [](unsigned i) {
           return fmt::format("schema s{} from s{} {{ f{}: Count = 1 }}", i + 1, i, i);
         });
       }},
      {"a_chain_of_schemas_from_its_end", "DPL0127",
       [=] {
         return lines(
                    "", 1000,
                    [](unsigned i) { return fmt::format("schema s{} from s{} {{ }}", i, i + 1); }) +
                "schema s1000 { a: Count = 1 }\n";
       }},
      {"a_chain_of_lets_from_its_end", "DPL0127",
       [=] {
         return lines("", 1000,
                      [](unsigned i) { return fmt::format("let a{} = a{} + 1", i, i + 1); }) +
                "let a1000 = 1\n";
       }},
      {"loops_after_loops", "DPL0135",
       [=] {
         return lines("", 30, [](unsigned i) {
           return fmt::format("let l{} = [for j in 0..<400_000: j]", i);
         });
       }},
      {"loops_within_loops_that_set_a_field", "DPL0123",
       [=] {
         return models + "model m from models.llama3_8b {\n" +
                lines("", 5, [](unsigned i) { return fmt::format("for l{} in 0..<1000 {{", i); }) +
                "layers = 3\n}}}}}\n}\n";
       }},
      {"a_field_for_each_of_many_layers", "DPL0135",
       [=] {
         return models +
                "model m from models.llama3_8b {\n  layers = 1_000_000\n  for i in 0..<1_000_000 { "
                "layer[i].ffn = plain { width = 1024 } }\n}\n";
       }},
      {"divisors_of_many_numbers", "DPL0135",
       [=] { return "let a = [for i in 0..<1000: count(divisors(999_999_999_989 - i))]\n"; }},
      {"kinds_of_layer", "DPL0345",
       [=] {
         return models +
                "import std.clusters\nmodel m from models.llama3_8b {\n  layers = 5000\n  for i in "
                "0..<5000 { layer[i].ffn = plain { width = 1024 + 8 * i } }\n}\ncluster node from "
                "clusters.dgx_h100 { nodes = 1 }\nlayout l for m on node { batch = 64seq, mesh = "
                "auto }\n";
       }},
      {"many_phases_with_batches_of_their_own", "DPL0345",
       [=] {
         return lines(models +
                          "import std.clusters\ncluster node from clusters.dgx_h100 { nodes = 1 }\n"
                          "layout l for models.gpt2_small on node { batch = 64seq, mesh { data = 8 "
                          "} }\n"
                          "run train for l {\n",
                      500,
                      [](unsigned i) {
                        return fmt::format("phase[{}] {{ steps = 1step, batch = {}seq }}", i,
                                           64 + 8 * i);
                      }) +
                "}\n";
       }},
      {"a_declaration_of_many_words", "DPL0039",
       [=] { return "let a = [" + lines("", 500'001, [](unsigned) { return "1,"; }) + "1]\n"; }},
      {"a_unit_of_many_letters", "DPL0100",
       [=] { return "let a = 1" + std::string(1'000'000, 'x') + "\n"; }},
      {"a_name_of_many_letters", "DPL0110",
       [=] { return "let a = " + std::string(1'000'000, 'x') + "\n"; }},
      {"more_than_16MiB", "DPL0009",
       [=] { return "// " + std::string((16U << 20) - 3, 'x') + "\n"; }},
  };
}

class Limits : public testing::TestWithParam<Hostile> {};

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif
} // namespace

TEST_P(Limits, EndInOneMessage) {
  const Hostile& hostile = GetParam();
  const TemporaryFolder folder;
  spill(folder.path / "plan.dpl", hostile.text());
  const std::string expected = hostile.code;
  // What may be worked out goes with the limit: less is as good a test, and sooner over.
  const std::string limit = expected == "DPL0135" ? "2MiB" : "16MiB";
  const Outcome outcome = dplc({"check", "plan.dpl", "--limit", limit}, folder.path);
  EXPECT_EQ(outcome.exitCode, expected.empty() ? 0 : 1) << outcome.error;
  const std::vector<Message> messages = messagesIn(outcome.error);
  ASSERT_EQ(messages.size(), expected.empty() ? 0U : 1U) << outcome.error;
  if (!expected.empty()) {
    EXPECT_EQ(messages.front().code, expected);
  }
}
INSTANTIATE_TEST_SUITE_P(Files, Limits, testing::ValuesIn(hostileFiles()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Limits, ASearchForAMeshThatTakesTooMuch_AnswersWithTheFastestSoFar_Slow) {
  const TemporaryFolder folder;
  spill(folder.path / "plan.dpl",
        "import std.models\nimport std.clusters\nmodel llm from models.deepseek_v3\n"
        "cluster pod from clusters.hgx_h800 { nodes = 512 }\nlayout plan for llm on pod {\n"
        "  batch = 15_360seq\n  mesh = auto\n  split = balanced\n  shard.optimizer = data\n"
        "  recompute = full\n}\n");
  const Outcome outcome = dplc({"check", "plan.dpl"}, folder.path);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
  const std::vector<Message> messages = messagesIn(outcome.error);
  EXPECT_EQ(std::count_if(messages.begin(), messages.end(),
                          [](const Message& m) { return m.code == "DPL0396"; }),
            1)
      << outcome.error;
}

TEST(Limits, OfTheCommandLine_AllowMore) {
  const TemporaryFolder folder;
  spill(folder.path / "plan.dpl",
        "let a = [for i in 0..<400_000: i]\nassert count(a) == 400_000\n");
  EXPECT_EQ(dplc({"check", "plan.dpl", "--limit", "1MiB"}, folder.path).exitCode, 1);
  EXPECT_EQ(dplc({"check", "plan.dpl", "--limit", "8MiB"}, folder.path).exitCode, 0);
  EXPECT_EQ(dplc({"check", "plan.dpl", "--limit", "much"}, folder.path).exitCode, 2);
}

/// DPL0723: what a limit of the system leaves is told like any other failure.
TEST(Limits, WithoutMemory_OneMessageAndTheExitCodeOfOutput) {
  if (sanitized)
    GTEST_SKIP() << "a sanitizer has its own allocator, which ends the program in its own words";
  const TemporaryFolder folder;
  spill(folder.path / "plan.dpl", "let a = [for i in 0..<900_000: i]\n");
  const std::string command =
      fmt::format("cd '{}' && ulimit -v 200000 && {} check plan.dpl >out 2>said",
                  folder.path.string(), DPL_DPLC);
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 3); // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(slurp(folder.path / "out"), "");
  const std::vector<Message> messages = messagesIn(slurp(folder.path / "said"));
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages.front().code, "DPL0723");
}
