//===- RewritesTest.cpp - What each rewrite is worth, in docs/reference/collectives.md --------===//
//
// DPL_UPDATE=1 makes the table anew.
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
using namespace dpl::test;

namespace {
struct Column {
  const char* head;
  std::vector<std::string> arguments; ///< of `report --rewrites`
};
const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"70B", {"examples/llama3_70b_h100.dpl"}},
      {"70B, tensor 4",
       {"examples/llama3_70b_h100.dpl", "--set", "dense3d.mesh.tensor=4", "--set",
        "dense3d.mesh.data=16"}},
      {"Mixtral 8x22B", {"examples/mixtral_8x22b_h100.dpl"}},
      {"DeepSeek-V3", {"examples/deepseek_v3_h800.dpl"}},
      {"DeepSeek-V3, experts 8",
       {"examples/deepseek_v3_h800.dpl", "--set", "megatron.mesh.experts.expert=8"}}};
  return all;
}

/// The switch, without sizes that differ from plan to plan.
std::string switchOf(const std::string& field) {
  if (field.starts_with("mesh"))
    return "mesh { replica = R, data = D }";
  return field.starts_with("gradient_bucket_size") ? "gradient_bucket_size = SIZE" : field;
}

/// The share of the step without the rewrite, and whether only one of both fits.
std::string cellOf(const dpl::Json& rewrite) {
  std::string text = fmt::format("{:.2f} %", 100 * rewrite["share"].get<double>());
  const bool without = rewrite["without_fits"].get<bool>(), with = rewrite["with_fits"].get<bool>();
  return without == with ? text : text + (with ? ", fits" : ", does not fit");
}

std::string table() {
  std::vector<std::string> rows; ///< of the first column, in the order of the reports
  std::map<std::string, std::map<std::string, std::string>> cells;
  std::string head = "| switch |", line = "|---|";
  for (const Column& column : columns()) {
    std::vector<std::string> command = {"report", "--rewrites", "--json"};
    command.insert(command.end(), column.arguments.begin(), column.arguments.end());
    const dpl::Json report = dpl::Json::parse(dplc(command).out);
    EXPECT_TRUE(report.is_object()) << column.head;
    for (const dpl::Json& rewrite : report["rewrites"]) {
      const std::string name = switchOf(rewrite["field"].get<std::string>());
      if (cells[name].empty())
        rows.push_back(name);
      cells[name][column.head] = cellOf(rewrite);
    }
    head += fmt::format(" {} |", column.head), line += "---:|";
  }
  std::string text = head + "\n" + line + "\n";
  for (const std::string& name : rows) {
    text += fmt::format("| `{}` |", name);
    for (const Column& column : columns()) {
      const std::string& cell = cells[name][column.head];
      text += cell.empty() ? " |" : fmt::format(" {} |", cell);
    }
    text += "\n";
  }
  return text;
}
} // namespace

TEST(Rewrites, OfThreeModels_AreWorthWhatThePageSays) {
  const fs::path path = sourceFolder() / "docs/reference/collectives.md";
  std::string page = slurp(path);
  const std::string begin = "<!-- rewrites -->\n", end = "<!-- end of rewrites -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::size_t at = from + begin.size();
  const std::string made = "\n" + table() + "\n";
  EXPECT_NE(made.find("replica = R"), std::string::npos);
  if (updating())
    spill(path, page.replace(at, to - at, made));
  else
    EXPECT_EQ(page.substr(at, to - at), made) << "DPL_UPDATE=1 writes it anew";
}
