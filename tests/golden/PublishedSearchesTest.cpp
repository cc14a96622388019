//===- PublishedSearchesTest.cpp - Searches against the layouts of published runs -------------===//
//
// Each file of examples/searches imports the example of a published run and leaves its fields open.
// docs/guide/published-layouts.md has a row for each; DPL_UPDATE=1 writes the rows anew.
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
using namespace dpl::test;
using dpl::Json;

namespace {
struct PublishedRun {
  const char *name, *search, *example;
};
constexpr PublishedRun runs[] = {
    {"Llama 3 405B, 16,384 H100", "llama3_405b", "llama3_405b_h100"},
    {"GPT-3 175B, 1,024 A100", "gpt3_175b", "gpt3_175b_a100"},
    {"DeepSeek-V3, 2,048 H800", "deepseek_v3", "dualpipe_v3_h800"},
    {"Mixtral 8x22B, 128 H100", "mixtral_8x22b", "mixtral_8x22b_h100"},
};

/// The best layout of a search.
Json best(const PublishedRun& run) {
  const Outcome outcome = dplc({"search", fmt::format("examples/searches/{}.dpl", run.search),
                                "searched", "--top", "1", "--json"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
  return Json::parse(outcome.out)["layouts"][0];
}

double stepOf(const Json& layout) { return layout["figures"]["step_time"]["value"].get<double>(); }

/// "tensor 4, context 4, pipeline 16, `interleaved_zb { chunks = 8 }`"; with what is recomputed.
std::string words(const Json& layout) {
  std::string mesh, rest;
  for (const auto& [path, value] : layout["values"].items()) {
    const std::string text = value.get<std::string>();
    if (path.rfind("mesh.", 0) == 0 && text != "1")
      mesh += fmt::format("{} {}, ", path.substr(5), text);
    if (path == "schedule" || (path == "recompute" && text != "none"))
      rest += (rest.empty() ? "`" : ", `") + text + "`";
  }
  return mesh + rest;
}

std::string rowOf(const PublishedRun& run) {
  const std::string example = fmt::format("examples/{}.dpl", run.example);
  const Outcome checked = dplc({"check", example, "--json", "--figures", "step_time"});
  const double published =
      Json::parse(checked.out)["layouts"][0]["figures"]["step_time"]["value"].get<double>();
  const Json found = best(run);
  const double step = stepOf(found);
  EXPECT_LT(step, published);
  return fmt::format("| [{}](../../{}) | {:.4g} s | {:.4g} s | {:.0f} % | {} |\n", run.name,
                     example, published, step, 100 * (1 - step / published), words(found));
}
} // namespace

TEST(PublishedSearches, AreThoseOfThePage_Slow) {
  const fs::path page = sourceFolder() / "docs/guide/published-layouts.md";
  const std::string text = slurp(page), head = "|---|---:|---:|---:|---|\n";
  const std::size_t at = text.find(head) + head.size(), end = text.find("\n\n", at - 1);
  std::string rows;
  for (const PublishedRun& run : runs)
    rows += rowOf(run);
  if (updating())
    spill(page, text.substr(0, at) + rows + text.substr(end + 1));
  else
    EXPECT_EQ(text.substr(at, end + 1 - at), rows);
}
