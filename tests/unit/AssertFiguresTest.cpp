//===- AssertFiguresTest.cpp - What the report prints can be asserted -------------------------===//
#include "backends/report/Report.h"
#include "driver/workspace/Workspace.h"
#include "frontend/Frontend.h"
#include "frontend/sema/ParsedFiles.h"
#include "support/FileIo.h"
#include "support/Json.h"
#include "support/UnitTable.h"
#include "tests/SourceFolder.h"
#include "tests/unit/CompiledPlan.h"
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

using namespace dpl;
namespace fs = std::filesystem;

namespace {

/// A value of a figure as a file writes it: `0.5J/tok`.
std::string literal(const std::string& path, const std::string& unit, double value) {
  // Of no unit is what counts up in time: `(3 / 1s)`.
  const std::string whole = unit.compare(0, 2, "1/") == 0
                                ? fmt::format("({:.9g} / 1{})", value, unit.substr(2))
                                : fmt::format("{:.9g}{}", value, unit);
  // The field of that path, which says the same, is a price of each device.
  return path == "cluster.price" ? "(" + whole + " per gpu)" : whole;
}

/// `memory.peak in 7.99e10B..8.01e10B`.
std::string assertionOf(const std::string& path, const Json& figure) {
  const auto value = figure["value"].get<double>();
  const double slack = 1e-7 * std::abs(value);
  const std::string unit = figure["unit"].str();
  return fmt::format("  assert {} in {}..{}\n", path, literal(path, unit, value - slack),
                     literal(path, unit, value + slack));
}

std::vector<std::string> exampleFiles() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(test::sourceFolder() / "examples"))
    if (entry.path().extension() == ".dpl")
      files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  return files;
}

class AssertedExample : public testing::TestWithParam<std::string> {
protected:
  const std::string path = (test::sourceFolder() / "examples" / GetParam()).string();

  /// The plans of the example with more text at its end, completed.
  std::vector<ir::Plan> plansWith(const std::string& more) {
    SourceManager sources;
    DiagnosticEngine diags;
    FrontendOptions options;
    const FileReader reader = [&](const std::string& name) {
      FileText read = readFile(name);
      if (name == path)
        read.text += more;
      return read;
    };
    ParsedFiles files(sources, reader);
    Compilation compilation(files, diags, options);
    FailureOr<CompiledFile> file = compilation.compile(path);
    std::vector<ir::Plan> plans;
    if (!file.failed())
      plans = std::move(file->plans);
    for (ir::Plan& plan : plans)
      EXPECT_TRUE(Workspace::complete(plan, diags).succeeded()) << plan.name;
    diags.endPhase();
    if (diags.errors() > 0)
      ADD_FAILURE() << renderText(diags, sources, false);
    return plans;
  }
};
} // namespace

TEST_P(AssertedExample, EachFigure_CanBeAsserted) {
  std::string asserted;
  for (const ir::Plan& plan : plansWith("")) {
    const Json report = report::reportJson(plan);
    asserted += fmt::format("\nlayout {0}_asserted from {0} {{\n", plan.name);
    for (const auto& [figure, said] : report["figures"].items())
      // A run is of the layout that it names, and the field counts nodes that the layout leaves
      // idle.
      if (figure.rfind("run[", 0) != 0 && figure != "cluster.nodes")
        asserted += assertionOf(figure, said);
    asserted += "}\n";
  }
  (void)plansWith(asserted);
}

/// Figures of all dimensions that have a name; no example has all of them.
TEST(AssertedLiteral, OfEachDimension_IsComparedWithFigures) {
  std::string asserts;
  for (const NamedDimension& named : namedDimensions()) {
    const std::string unit = baseUnit(named.dimension);
    asserts += fmt::format("  assert step_time / 1s * 0 * {0} < {0}\n", literal("", unit, 0.5));
  }
  (void)test::completedPlan("plan.dpl", R"(
import std.models
import std.clusters

layout plan for models.gpt2_small on clusters.dgx_h100 {
  mesh { data = rest }
  batch = 64seq
)" + asserts + "}\n");
}

TEST_P(AssertedExample, EachFigure_CanBeAnObjective) {
  std::string searches;
  for (const ir::Plan& plan : plansWith("")) {
    const Json report = report::reportJson(plan);
    searches += fmt::format("\nsearch layout {0}_searched from {0} {{\n  minimize [", plan.name);
    const char* between = "";
    for (const auto& [figure, said] : report["figures"].items())
      searches += std::exchange(between, ", ") + figure;
    searches += "]\n}\n";
  }
  (void)plansWith(searches);
}

// What the tables of the report say of communication are the values of figures.
TEST_P(AssertedExample, EachRowOfTraffic_IsOfFigures) {
  for (const ir::Plan& plan : plansWith("")) {
    const Json report = report::reportJson(plan);
    const auto figure = [&](const std::string& figurePath) {
      const Json& all = report["figures"];
      return all.contains(figurePath) ? all[figurePath]["value"].get<double>() : 0;
    };
    for (const Json& row : report["traffic"]) {
      const std::string prefix = row["figures"].get<std::string>();
      EXPECT_EQ(row["count"].get<double>(), figure(prefix + ".count")) << prefix;
      EXPECT_DOUBLE_EQ(row["time_s"].get<double>(), figure(prefix + ".time")) << prefix;
      EXPECT_EQ(row["exposed_s"].get<double>(), figure(prefix + ".exposed")) << prefix;
      EXPECT_DOUBLE_EQ(row["sent_bytes"].get<double>(), figure(prefix + ".sent")) << prefix;
      for (const auto& [level, bytes] : row["sent_bytes_by_level"].items())
        EXPECT_EQ(bytes.get<double>(), figure(prefix + "." + level)) << prefix;
    }
    for (const Json& stage : report["stages"]) {
      const std::string prefix =
          plan.layout.chunks > 1
              ? fmt::format("stage[{}.{}]", stage["rank"].get<int>(), stage["chunk"].get<int>())
              : fmt::format("stage[{}]", stage["rank"].get<int>());
      for (const char* pass : {"forward_communication", "backward_communication"})
        EXPECT_NEAR(stage[std::string(pass) + "_ps"].get<double>() * 1e-12,
                    figure(prefix + "." + pass), 1e-15)
            << prefix;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, AssertedExample, testing::ValuesIn(exampleFiles()),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });
