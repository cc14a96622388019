//===- MeasuredTest.cpp - Predicted against published step times ------------------------------===//
//
// tests/measured/step_times.csv holds one published run a row: its seconds a step, the source, and
// the run as blocks of the language. The median error by family of sources is pinned as it is, so
// that a change of the cost model shows what it does to it; DPL_UPDATE=1 records it again.
#include "tests/golden/Runner.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
using namespace dpl::test;

namespace {
const fs::path measured = sourceFolder / "tests/measured";

/// Cells of one line; a cell in quotes may hold commas.
std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (char c : line)
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

struct Row {
  std::string name, family;
  double seconds = 0;
  std::string model, base, cluster, layout;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  std::istringstream lines(slurp(measured / "step_times.csv"));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::vector<std::string> c = cellsOf(line);
    std::string name = c.at(0);
    std::replace(name.begin(), name.end(), '-', '_');
    std::string layout = c.at(7);
    std::replace(layout.begin(), layout.end(), ';', '\n');
    all.push_back({name, c.at(1), std::stod(c.at(3)), c.at(4), c.at(5), c.at(6), layout});
  }
  return all;
}

std::string textOf(const std::vector<Row>& all) {
  std::string text = "import std.models\nimport std.clusters\nimport std.devices\n";
  for (const Row& r : all)
    text +=
        fmt::format("model m_{0} from models.decoder {{ {1} }}\ncluster c_{0} from {2} {{ {3} }}\n"
                    "layout {0} for m_{0} on c_{0} {{\n{4}\n}}\n",
                    r.name, r.model, r.base, r.cluster, r.layout);
  return text;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}
} // namespace

TEST(Measured, MedianErrorOfTheStepTime_IsAsRecorded) {
  const TemporaryFolder folder;
  const std::vector<Row> all = rows();
  spill(folder.path / "runs.dpl", textOf(all));
  const Outcome outcome = dplc({"check", "--json", "runs.dpl"}, folder.path);
  const auto report = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << outcome.out.substr(0, 2000) << outcome.error;
  std::map<std::string, double> predicted;
  for (const auto& layout : report.at("layouts"))
    predicted[layout.at("plan").at("name")] = layout.at("figures").at("step_time").at("value");

  struct Errors {
    unsigned refused = 0; ///< the compiler says that the run does not fit or is not legal
    std::vector<double> signedErrors, absolute;
  };
  std::map<std::string, Errors> families;
  for (const Row& r : all)
    for (Errors* e : {&families[r.family], &families["~ all"]}) {
      const auto found = predicted.find(r.name);
      if (found == predicted.end()) {
        ++e->refused;
        continue;
      }
      e->signedErrors.push_back(found->second / r.seconds - 1);
      e->absolute.push_back(std::abs(found->second / r.seconds - 1));
    }
  std::string actual = "family | rows | refused | median error % | bias %\n";
  for (const auto& [family, e] : families)
    actual +=
        fmt::format("{} | {} | {} | {:.1f} | {:+.1f}\n", family, e.absolute.size() + e.refused,
                    e.refused, 100 * median(e.absolute), 100 * median(e.signedErrors));
  if (updating())
    spill(measured / "step_times.expected", actual);
  EXPECT_EQ(actual, slurp(measured / "step_times.expected"))
      << "record again with DPL_UPDATE=1, then read the difference";
}
