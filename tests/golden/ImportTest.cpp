//===- ImportTest.cpp - What emit megatron wrote comes back as an equal plan ------------------===//
#include "tests/golden/Runner.h"
#include <gtest/gtest.h>
#include <sstream>
using namespace dpl::test;

namespace {
/// The plan that a file compiles to, without what no launch says: names, the machine and what is
/// computed from it, within which level an axis stays, and how a split was asked for that is the
/// same layer by layer.
std::string planOf(const std::string& file) {
  const Outcome outcome = dplc({"ir", file});
  EXPECT_EQ(outcome.exitCode, 0) << file << "\n" << outcome.error;
  std::istringstream lines(outcome.out);
  std::string kept, section;
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 2 && line[2] != ' ' && line[2] != '}' && line.rfind("  ", 0) == 0)
      section = line.substr(2, line.find_first_of(" =", 2) - 2); // what stands in `plan { }`
    const std::size_t word = line.find_first_not_of(' ');
    const std::string field =
        word == std::string::npos ? "" : line.substr(word, line.find_first_of(" =", word) - word);
    const bool compared =
        section == "model" || section == "layout" || section == "mesh" || section == "chunk";
    const bool asked = section == "layout" &&
                       (field == "axis" || field == "expert_axis" || field == "automatic" ||
                        field == "has_experts" || field == "split" || field == "split_layers" ||
                        field == "embedding_slots" || field == "head_slots" ||
                        field == "micro_batch_given" || field == "fused_kernels");
    std::string text = line.substr(0, line.find(", spans = "));
    if (compared && !asked && field != "name" && field != "found" && field != "momentum")
      kept += text + "\n";
  }
  return kept;
}

class ImportLaunch : public testing::TestWithParam<const char*> {};
} // namespace

TEST_P(ImportLaunch, OfWhatWasEmitted_IsAnEqualPlan) {
  const TemporaryFolder folder;
  const std::string source = GetParam();
  const std::string launch = (folder.path / "launch").string(),
                    imported = (folder.path / "imported.dpl").string();
  const Outcome emitted = dplc({"emit", "megatron", source, "-o", launch});
  ASSERT_EQ(emitted.exitCode, 0) << emitted.error;
  const Outcome read = dplc({"import", "megatron", launch + "/arguments.txt", "-o", imported});
  ASSERT_EQ(read.exitCode, 0) << read.error;
  EXPECT_NE(planOf(source).find("micro_batch = "), std::string::npos);
  EXPECT_EQ(planOf(imported), planOf(source)) << slurp(imported);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, ImportLaunch,
    testing::Values("examples/gpt3_175b_a100.dpl", "examples/llama3_70b_h100.dpl",
                    "examples/llama3_405b_h100.dpl", "examples/mixtral_8x22b_h100.dpl",
                    "examples/fsdp_hybrid_7b_two_sites.dpl", "examples/smallest.dpl",
                    "tests/conformance/plans/data_outside_pipeline.dpl",
                    "tests/conformance/plans/deepseek_v3.dpl",
                    "tests/conformance/plans/latent_experts.dpl",
                    "tests/conformance/plans/sharded_replicas.dpl"));
