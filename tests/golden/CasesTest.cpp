//===- CasesTest.cpp - Public reports: dplc answers as their authors experienced --------------===//
//
// tests/cases/README.md says what a case is and where its truth comes from.
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <regex>
#include <set>
using namespace dpl::test;

namespace {
const fs::path cases = sourceFolder() / "tests/cases";

/// The relative error that a prediction may have, for dense models and for mixtures of experts.
constexpr double denseTolerance = 0.25, expertTolerance = 0.35;
/// The most rows `cannot_be_said` that the table may have.
constexpr std::size_t mostUnsayable = 8;

const dpl::Json& table() {
  static const dpl::Json all =
      dpl::Json::parse(slurp(cases / "cases.json"), nullptr, /*allow_exceptions=*/false);
  return all;
}

dpl::Json field(const dpl::Json& object, const char* key) {
  return object.contains(key) ? object[key] : dpl::Json();
}

std::vector<std::string> texts(const dpl::Json& list) {
  std::vector<std::string> out;
  for (const dpl::Json& text : list)
    out.push_back(text.get<std::string>());
  return out;
}

/// The figures of one layout, by path.
dpl::Json figuresOf(const std::string& file, const std::string& layout, const fs::path& folder) {
  std::vector<std::string> command{"report", file, "--json"};
  if (!layout.empty())
    command.insert(command.end(), {"--layout", layout});
  const Outcome outcome = dplc(command, folder);
  const dpl::Json json = dpl::Json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(json.is_object()) << outcome.error;
  return json.is_object() ? json["figures"] : dpl::Json::object();
}

/// A figure in the unit of the reports: GiB for memory, else its base unit.
double figure(const dpl::Json& figures, const std::string& path) {
  if (!figures.contains(path))
    return std::numeric_limits<double>::quiet_NaN();
  const dpl::Json& entry = figures[path];
  const std::string unit = entry["unit"].get<std::string>();
  const double value = entry["value"].get<double>();
  return unit == "B" ? value / (1 << 30) : value;
}

class Cases : public testing::TestWithParam<std::string> {
protected:
  TemporaryFolder folder;

  void SetUp() override { fs::copy(cases / GetParam(), folder.path, fs::copy_options::recursive); }

  void runs(const dpl::Json& run) {
    const std::vector<std::string> command = texts(run["run"]);
    const Outcome outcome = dplc(command, folder.path);
    const std::string said = outcome.out + outcome.error;
    EXPECT_EQ(outcome.exitCode, run["exit"].get<int>()) << said;
    for (const std::string& pattern : texts(field(run, "says")))
      EXPECT_TRUE(std::regex_search(said, std::regex(pattern))) << pattern << "\n" << said;
    for (const std::string& pattern : texts(field(run, "never")))
      EXPECT_FALSE(std::regex_search(said, std::regex(pattern))) << pattern << "\n" << said;
  }

  void measures(const std::string& file, const dpl::Json& row) {
    const std::string layout = row["layout"].get<std::string>();
    const dpl::Json figures = figuresOf(file, layout, folder.path);
    const bool experts =
        figure(figures, "model.active_parameters") < figure(figures, "model.parameters");
    const double most = experts ? expertTolerance : denseTolerance;
    const double tolerance =
        field(row, "tolerance").is_number() ? row["tolerance"].get<double>() : most;
    EXPECT_LE(tolerance, most) << layout << " belongs into `cannot_be_said`";
    for (const auto& [path, measured] : row["measured"].items()) {
      const double predicted = figure(figures, path), truth = measured.get<double>();
      EXPECT_NEAR(predicted / truth, 1, tolerance)
          << layout << ": " << path << " is predicted as " << predicted << ", measured " << truth;
    }
  }
};

/// Whether a case judges more than exit codes.
bool hasTruth(const dpl::Json& c) {
  const dpl::Json runs = field(c, "runs");
  return c.contains("speeds") || c.contains("faster") ||
         std::any_of(runs.begin(), runs.end(), [](const dpl::Json& run) {
           return !texts(field(run, "says")).empty() || !texts(field(run, "never")).empty();
         });
}

std::vector<std::string> folders() {
  std::vector<std::string> names;
  for (const dpl::Json& c : table()["cases"])
    names.push_back(c["folder"].get<std::string>());
  return names;
}
} // namespace

TEST_P(Cases, AreAnsweredAsTheirAuthorsMetThem) {
  for (const dpl::Json& c : table()["cases"]) {
    if (c["folder"] != GetParam())
      continue;
    for (const dpl::Json& run : field(c, "runs"))
      runs(run);
    for (const dpl::Json& row : field(c, "speeds"))
      measures(c.contains("file") ? c["file"].get<std::string>() : "plan.dpl", row);
    for (const dpl::Json& pair : field(c, "faster"))
      EXPECT_GT(
          figure(figuresOf("plan.dpl", pair["than"].get<std::string>(), folder.path), "step_time") /
              figure(figuresOf("plan.dpl", pair["layout"].get<std::string>(), folder.path),
                     "step_time"),
          pair["by"].get<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(Reports, Cases, testing::ValuesIn(folders()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param;
                         });

/// Whether a run reads the file, or another file of its folder names it. `report` reads plan.dpl
/// where the case names no file.
bool isRead(const fs::path& file, const dpl::Json& c) {
  const std::string name = file.filename().string();
  if (!file.has_extension())
    return false; // such as `-`, which `-o -` once wrote
  if (name == "plan.dpl" || c.dump().find(name) != std::string::npos)
    return true;
  for (const fs::directory_entry& other : fs::directory_iterator(file.parent_path()))
    if (other.path() != file && slurp(other.path()).find(name) != std::string::npos)
      return true;
  return false;
}

TEST(CasesTable, HasNoFileThatNoRunReads) {
  for (const dpl::Json& c : table()["cases"])
    for (const fs::directory_entry& file :
         fs::directory_iterator(cases / c["folder"].get<std::string>()))
      EXPECT_TRUE(isRead(file.path(), c)) << file.path();
}

TEST(CasesTable, HasEachFolderOnceAndFewThingsThatCannotBeSaid) {
  std::set<std::string> listed, present;
  for (const dpl::Json& c : table()["cases"]) {
    EXPECT_TRUE(listed.insert(c["folder"].get<std::string>()).second) << c["folder"];
    EXPECT_TRUE(hasTruth(c)) << c["folder"] << " asserts exit codes only";
    EXPECT_FALSE(c["truth"].get<std::string>().empty());
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(cases))
    if (entry.is_directory())
      present.insert(entry.path().filename().string());
  EXPECT_EQ(listed, present);
  EXPECT_LE(table()["cannot_be_said"].size(), mostUnsayable);
}
