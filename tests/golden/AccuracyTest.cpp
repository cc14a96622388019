//===- AccuracyTest.cpp - No family of measured runs is predicted worse than before -----------===//
//
// tests/accuracy/README.md says what is recorded and how.
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
using namespace dpl::test;

namespace {
const fs::path accuracy = sourceFolder() / "tests/accuracy";

/// Of the recorded share: a change of that size is none.
constexpr double noise = 0.003;

dpl::Json at(const dpl::Json& value, const char* key) {
  return value.is_object() && value.contains(key) ? value[key] : dpl::Json();
}

/// Mean, p90 and bias by family, a key each.
void addFamilies(dpl::Json& out, const std::string& name, const dpl::Json& errors) {
  const auto add = [&](const std::string& family, const dpl::Json& e) {
    out[name + " | " + family] = {
        {"rows", e["rows"]}, {"mean", e["mean"]}, {"p90", e["p90"]}, {"bias", e["bias"]}};
  };
  add("all", errors["all"]);
  const dpl::Json families = at(at(errors, "by"), "family");
  for (const auto& [family, e] : families.items())
    add(family, e);
}

/// What is recorded of an output of `dplc score --json`.
dpl::Json recordOf(const dpl::Json& scores) {
  dpl::Json errors = dpl::Json::object();
  for (const auto& [quantity, value] : scores["errors"].items())
    if (quantity == "bus_bandwidth")
      for (const auto& [size, part] : value.items())
        addFamilies(errors, quantity + " " + size, part);
    else
      addFamilies(errors, quantity, value);
  const auto rowsOf = [&](const char* kind) {
    std::size_t n = 0;
    for (const dpl::Json& reason : scores[kind])
      n += reason["rows"].get<std::size_t>();
    return n;
  };
  const dpl::Json verdicts = at(scores["verdicts"], "all");
  const dpl::Json choice = at(scores["choice"], "predicted_time");
  return {{"errors", errors},
          {"wrong_at_most",
           {{"false fits", verdicts["false_fits"]},
            {"false out of memory", verdicts["false_out_of_memory"]},
            {"refused", rowsOf("refused")},
            {"not expressible", rowsOf("inexpressible")},
            {"rows that cannot be read", scores["rows_wrong"]}}},
          {"choice",
           {{"regret", at(at(choice, "regret"), "mean")},
            {"ordered_right", at(choice, "ordered_right")}}}};
}

double number(const dpl::Json& value) { return value.is_number() ? value.get<double>() : 0; }

/// Names of the runs in the table of tests/accuracy/results.md.
std::set<std::string> listedAsNotFitting() {
  const std::string page = slurp(accuracy / "results.md");
  const std::size_t begin = page.find("## Runs that are predicted not to fit");
  const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  const std::regex name("[a-z]{3}-[0-9]{3}");
  std::set<std::string> names;
  std::istringstream lines(section);
  for (std::string line; std::getline(lines, line);)
    if (const std::string runs = line.substr(0, line.find('|', 1)); line.rfind("| ", 0) == 0)
      for (std::sregex_iterator it(runs.begin(), runs.end(), name), end; it != end; ++it)
        names.insert(it->str());
  return names;
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  const std::size_t half = of.size() / 2;
  return of.size() % 2 == 1 ? of[half] : (of[half - 1] + of[half]) / 2;
}

/// The table of tests/accuracy/sources.md: a line for each source, device and data type that has
/// three runs or more with the verdict that they fit.
std::string sourcesOf(const dpl::Json& scores) {
  std::map<std::array<std::string, 3>, std::vector<double>> errors;
  for (const dpl::Json& row : scores["rows"]) {
    const dpl::Json predicted = at(at(row, "predicted"), "step_time"),
                    measured = at(at(row, "measured"), "step_time"), labels = at(row, "labels");
    if (row["verdict"] == "fits" && predicted.is_number() && measured.is_number())
      errors[{labels["family"].get<std::string>(), labels["device"].get<std::string>(),
              labels["precision"].get<std::string>()}]
          .push_back(predicted.get<double>() / measured.get<double>() - 1);
  }
  std::string table = "| source | device | type | rows | median error | bias |\n"
                      "|---|---|---|---:|---:|---:|\n";
  for (const auto& [source, all] : errors) {
    std::vector<double> sizes;
    for (const double error : all)
      sizes.push_back(std::abs(error));
    if (all.size() >= 3)
      table += fmt::format("| {} | {} | {} | {} | {:.1f} % | {:+.1f} % |\n", source[0], source[1],
                           source[2], all.size(), 100 * median(sizes), 100 * median(all));
  }
  return table;
}
} // namespace

TEST(Accuracy, OfEachSource_IsInTheTableOfSources) {
  const Outcome outcome = dplc({"score", "published_layouts.csv", "--json"}, accuracy);
  const dpl::Json scores = dpl::Json::parse(outcome.out);
  ASSERT_TRUE(scores.is_object()) << outcome.error;
  const fs::path path = accuracy / "sources.md";
  std::string page = slurp(path);
  const std::string begin = "<!-- sources -->\n", end = "<!-- end of sources -->";
  const std::size_t from = page.find(begin) + begin.size(), to = page.find(end);
  ASSERT_TRUE(from < to && to != std::string::npos);
  const std::string table = "\n" + sourcesOf(scores) + "\n";
  if (updating())
    spill(path, page.replace(from, to - from, table));
  else
    EXPECT_EQ(page.substr(from, to - from), table) << "DPL_UPDATE=1 writes it anew";
  const dpl::Json all = scores["errors"]["step_time"]["all"];
  const std::string errors = fmt::format(
      "of {} published rows is {:.1f} %, the mean {:.1f} %", all["rows"].get<std::size_t>(),
      100 * all["median"].get<double>(), 100 * all["mean"].get<double>());
  EXPECT_NE(slurp(sourceFolder() / "docs/reference/accuracy.md").find(errors), std::string::npos)
      << errors;
}

TEST(Accuracy, RunsThatAreSaidNotToFit_AreThoseOfTheTable) {
  const Outcome outcome = dplc({"score", "published_layouts.csv", "--json"}, accuracy);
  const dpl::Json scores = dpl::Json::parse(outcome.out);
  ASSERT_TRUE(scores.is_object()) << outcome.error;
  std::set<std::string> names;
  for (const dpl::Json& row : scores["rows"])
    if (row["verdict"] == "does_not_fit" && at(row, "ran") == "yes") {
      names.insert(row["id"].get<std::string>());
      EXPECT_FALSE(row["labels"]["quality"] == "A" && row["labels"]["machine"] == "library")
          << row["id"];
    }
  EXPECT_EQ(names, listedAsNotFitting());
}

TEST(Accuracy, NoFamilyIsPredictedWorse_Slow) {
  const Outcome outcome =
      dplc({"score", "published_layouts.csv", "nanotron_sweep.csv", "collectives.csv", "--json"},
           accuracy);
  const dpl::Json scores = dpl::Json::parse(outcome.out);
  ASSERT_TRUE(scores.is_object()) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  const dpl::Json now = recordOf(scores);
  if (updating())
    spill(accuracy / "recorded.json", dpl::textOf(now));
  const dpl::Json recorded = dpl::Json::parse(slurp(accuracy / "recorded.json"));
  ASSERT_TRUE(recorded.is_object());
  for (const auto& [name, before] : recorded["errors"].items()) {
    const dpl::Json after = at(now["errors"], name.c_str());
    EXPECT_GE(number(at(after, "rows")), number(before["rows"])) << name;
    for (const char* key : {"mean", "p90", "bias"})
      EXPECT_LE(std::abs(number(at(after, key))), std::abs(number(before[key])) + noise)
          << name << ": " << key;
  }
  for (const auto& [name, before] : recorded["wrong_at_most"].items())
    EXPECT_LE(number(now["wrong_at_most"][name]), number(before)) << name;
  for (const dpl::Json& list : scores["shortlists"])
    EXPECT_GE(number(list["held"]), 0.88 * number(list["groups"])) << list["length"];
  EXPECT_LE(number(now["choice"]["regret"]), number(recorded["choice"]["regret"]) + noise);
  EXPECT_GE(number(now["choice"]["ordered_right"]),
            number(recorded["choice"]["ordered_right"]) - noise);
}

TEST(Accuracy, ExpectedErrors_AreThoseOfTheRows_Slow) {
  const Outcome outcome =
      dplc({"score", "published_layouts.csv", "nanotron_sweep.csv", "--error-table"}, accuracy);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
  const fs::path path = sourceFolder() / "figures/ErrorTable.def";
  std::string table = slurp(path);
  const std::string begin = "// begin of what the command prints\n",
                    end = "// end of what the command prints\n", month = "MONTH(\"";
  const std::size_t from = table.find(begin) + begin.size(), to = table.find(end);
  ASSERT_TRUE(from < to && to != std::string::npos);
  if (!updating() || table.substr(from, to - from) == outcome.out) {
    EXPECT_EQ(table.substr(from, to - from), outcome.out) << "DPL_UPDATE=1 writes it anew";
    return;
  }
  const std::chrono::year_month_day today =
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  table.replace(table.find(month) + month.size(), std::string("2026-11").size(),
                fmt::format("{:04}-{:02}", static_cast<int>(today.year()),
                            static_cast<unsigned>(today.month())));
  spill(path, table.replace(from, to - from, outcome.out));
}

// The intervals of each family's rows are fitted to all other families.
TEST(Accuracy, IntervalsOfOtherFamilies_CoverFourOfFiveRows_Slow) {
  const Outcome outcome = dplc(
      {"score", "published_layouts.csv", "nanotron_sweep.csv", "--intervals", "--json"}, accuracy);
  const dpl::Json intervals = dpl::Json::parse(outcome.out);
  ASSERT_TRUE(intervals.is_object()) << outcome.error;
  for (const dpl::Json& kind : intervals["step_time"]) {
    const bool all = kind["kind"] == "all";
    if (kind["rows"].get<std::size_t>() < 30)
      continue;
    EXPECT_GE(number(kind["inside"]), all ? 0.75 : 0.7) << kind["kind"];
    EXPECT_LE(number(kind["inside"]), all ? 0.85 : 0.9) << kind["kind"];
  }
}

TEST(Accuracy, AnyNumberOfJobs_GivesTheSameBytes) {
  const auto scored = [](const char* jobs) {
    return dplc({"score", "published_layouts.csv", "collectives.csv", "--where", "machine=library",
                 "--where", "quality=B", "--json", "--jobs", jobs},
                accuracy)
        .out;
  };
  const std::string one = scored("1");
  EXPECT_GT(one.size(), 10000U);
  EXPECT_EQ(one, scored("7"));
}
