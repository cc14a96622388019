//===- CalibrationTest.cpp - Facts of a network from collectives timed on it ------------------===//
#include "driver/score/CsvTable.h"
#include "driver/score/Predictor.h"
#include "ir/Names.h"
#include "tests/SourceFolder.h"
#include "tests/unit/CalibrationMachines.h"
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::score;

namespace {
std::vector<double> sizesOfErrors(const Calibration& calibration, bool after) {
  std::vector<double> errors;
  for (const Residual& row : calibration.rows)
    errors.push_back(std::abs(row.error(after ? row.after : row.before)));
  std::sort(errors.begin(), errors.end());
  return errors;
}
/// Measured rows of one machine, collective and source.
struct Family {
  Machine machine;
  Harness harness = Harness::NcclTests;
  std::vector<CollectiveTiming> rows;
};
std::map<std::string, Family> measuredFamilies() {
  const std::map<std::string, Machine> machines = {
      {"A100", {"clusters.dgx_a100", 2}},       {"H100", {"clusters.dgx_h100", 12, true}},
      {"B200", {"clusters.dgx_b200", 4, true}}, {"GB200", {"clusters.gb200_nvl72", 36, true}},
      {"V100", {"clusters.dgx_1", 1}},          {"MI300X", {"clusters.mi300x_platform", 2}}};
  std::map<std::string, Family> families;
  DiagnosticEngine diags;
  const FailureOr<std::unique_ptr<CsvTable>> table =
      CsvTable::open((test::sourceFolder() / "tests/accuracy/collectives.csv").string(), diags);
  EXPECT_FALSE(table.failed());
  std::map<std::string, std::size_t> column;
  for (const Cell& cell : (*table)->header().cells)
    column.emplace(cell.text, column.size());
  CsvRow row;
  std::optional<Finding> wrong;
  while ((*table)->next(row, wrong)) {
    const auto cell = [&](const char* name) { return row.cells[column.at(name)].text; };
    CollectiveTiming made;
    if (!ir::valueNamed(cell("op"), made.kind))
      continue; // of experts
    made.bytes = std::stoull(cell("size_bytes"));
    made.ranks = std::stoull(cell("n_gpus")), made.nodes = std::stoull(cell("n_nodes"));
    made.seconds = std::stod(cell("time_us")) * 1e-6;
    Family& family = families[cell("gpu") + cell("n_nodes") + " " + cell("n_gpus") + cell("op") +
                              cell("source") + cell("interconnect")];
    const std::string gpu = cell("gpu").substr(0, cell("gpu").find('-'));
    family.machine = machines.at(gpu);
    if (cell("algo_notes").find("torch") != std::string::npos)
      family.harness = Harness::Torch;
    family.rows.push_back(made);
  }
  return families;
}

/// docs/guide/calibrate.md.
std::string page() {
  std::ifstream in(test::sourceFolder() / "docs/guide/calibrate.md");
  return {std::istreambuf_iterator<char>(in), {}};
}
} // namespace

// Oracle: times that the model itself makes of known facts lead back to them, from others.
TEST(CalibrationTest, TimesOfAKnownMachine_GiveItsFacts) {
  const Machine h100{"clusters.dgx_h100", 2, true};
  const ir::Cluster known = whole(
      h100, " domain { efficiency = 0.72, sharp_efficiency = 0.55 }\n network { efficiency = 0.6, "
            "latency = 15us }\n collectives = nccl { overhead = 10us }");
  std::vector<CollectiveTiming> rows;
  for (const std::uint64_t nodes : {1, 2})
    for (std::uint64_t bytes = 1024; bytes <= 8ULL << 30; bytes *= 8)
      for (const ir::CollectiveKind kind :
           {ir::CollectiveKind::AllReduce, ir::CollectiveKind::AllGather})
        rows.push_back({kind, 8 * nodes, nodes, bytes, 1, {}});
  DiagnosticEngine diags;
  const FailureOr<Calibration> times = calibrate(known, "known", rows, Harness::NcclTests, diags);
  ASSERT_FALSE(times.failed());
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].seconds = times->rows[i].before;
  const FailureOr<Calibration> found =
      calibrate(whole(h100, h100.unknown()), "unknown", rows, Harness::NcclTests, diags);
  ASSERT_FALSE(found.failed());
  EXPECT_LT(sizesOfErrors(*found, true).back(), 0.03);
  const std::map<std::string, double> expected = {{"domain.efficiency", 0.72},
                                                  {"domain.sharp_efficiency", 0.55},
                                                  {"network.efficiency", 0.6},
                                                  {"network.latency", 15e-6},
                                                  {"collectives.overhead", 10e-6}};
  ASSERT_EQ(found->facts.size(), expected.size());
  for (const FittedFact& fact : found->facts) {
    EXPECT_TRUE(fact.seen) << fact.path;
    EXPECT_NEAR(fact.is, expected.at(fact.path), fact.isTime ? 1.5e-6 : 0.02) << fact.path;
  }
}

// The file that is written says what was found: plans on its cluster predict the same, with what
// else the cluster says of collectives.
TEST(CalibrationTest, TheFragment_PredictsWhatWasFitted) {
  for (const char* library : {"", "collectives = nccl { ring_order = scattered, pat = true }"}) {
    const Machine a100{"clusters.dgx_a100", 2};
    const std::vector<CollectiveTiming> rows = {
        {ir::CollectiveKind::AllReduce, 8, 1, 1 << 30, 9e-3, {}},
        {ir::CollectiveKind::AllReduce, 16, 2, 4096, 150e-6, {}},
        {ir::CollectiveKind::AllGather, 16, 2, 1 << 30, 25e-3, {}}};
    DiagnosticEngine diags;
    const ir::Cluster before = whole(a100, library);
    const FailureOr<Calibration> found = calibrate(before, "m", rows, Harness::NcclTests, diags);
    ASSERT_FALSE(found.failed());
    EXPECT_GT(std::abs(found->rows[0].before / found->rows[0].after - 1), 0.05);
    Workspace workspace;
    workspace.overlay("site.dpl", fmt::format("import std.clusters\ncluster pod from {} {{ {} }}\n",
                                              a100.base, library));
    workspace.overlay("ours.dpl", fragmentOf(*found, {"pod", "./site.dpl", "ours", {"a.log"}}));
    workspace.overlay("m.dpl", "import std.models\nimport \"./ours.dpl\" as site\nmodel any from "
                               "models.gpt2_small {}\ncluster pair from site.ours { nodes = 2 "
                               "}\nlayout run for any on pair {\n" +
                                   layoutOfRanks(2) + "}\n");
    const std::unique_ptr<CompiledUnit> unit = workspace.compile("m.dpl", diags);
    ASSERT_EQ(diags.errors(), 0U) << renderText(diags, workspace.sources(), false);
    const ir::Cluster& compiled = unit->file->plans.front().cluster;
    EXPECT_EQ(compiled.network.inStep, before.network.inStep);
    const FailureOr<Calibration> again = calibrate(compiled, "m", rows, Harness::NcclTests, diags);
    ASSERT_FALSE(again.failed());
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_NEAR(again->rows[i].before / found->rows[i].after, 1, 1e-6) << library << i;
  }
}

// A ring that leaves its node with every hop, as the cluster lists it.
TEST(CalibrationTest, AListedOrder_IsThatOfTheRows) {
  const std::vector<std::uint64_t> order = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
  const Machine h100{"clusters.dgx_h100", 2, true};
  const ir::Cluster listed =
      whole(h100, fmt::format("collectives = nccl {{ ring_order = custom {{ order = [{}] }} }}",
                              fmt::join(order, ", ")));
  const std::vector<CollectiveTiming> rows = {
      {ir::CollectiveKind::AllGather, 16, 2, 1 << 30, 3e-3, {}},
      {ir::CollectiveKind::AllGather, 8, 2, 1 << 30, 3e-3, {}}};
  DiagnosticEngine diags;
  const FailureOr<Calibration> found = calibrate(listed, "m", rows, Harness::NcclTests, diags);
  ASSERT_FALSE(found.failed());
  EXPECT_EQ(found->rows[0].cost.algorithm, ir::Algorithm::ListedRing);
  for (const Residual& row : found->rows) {
    // Of half of each node the order is that of every device that takes part.
    const std::uint64_t ranks = row.measured.ranks, ofNode = ranks / 2;
    const std::vector<std::uint64_t> inside = {ofNode, ranks};
    std::vector<std::uint64_t> taken;
    for (const std::uint64_t device : order)
      if (device % 8 < ofNode)
        taken.push_back(device / 8 * ofNode + device % 8);
    const double expected =
        cost::collectiveCost(row.measured.kind, static_cast<double>(row.measured.bytes),
                             {inside, {}, taken}, aloneLinks(listed))
            .seconds;
    EXPECT_NEAR(row.before / expected, 1, 1e-9) << ranks;
  }
}

// And of the rows of a table.
TEST(CalibrationTest, AListedOrder_IsThatOfATable) {
  RowSettings settings;
  for (const auto& [path, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"model", "models.gpt2_small"},
           {"cluster", "clusters.dgx_h100"},
           {"cluster.nodes", "2"},
           {"cluster.collectives",
            "nccl { ring_order = custom { order = [0, 8, 1, 9, 2, 10, 3, 11, 4, "
            "12, 5, 13, 6, 14, 7, 15] } }"},
           {"layout.devices", "16"},
           {"layout.mesh.data", "16"},
           {"layout.batch", "16seq"},
           {"collective.op", "all_gather"},
           {"collective.bytes", "1024"}})
    settings.set(path, value);
  const Predictor::RowCollective found = Predictor().collective(settings);
  ASSERT_TRUE(found.collective.has_value()) << found.whyNot;
  EXPECT_FALSE(found.collective->order.empty());
}

// The run that docs/guide/calibrate.md shows. No rings of ports at their full rate, of which the
// fit would have to call sums in the switch slow.
TEST(CalibrationTest, TheDocumentedRun_IsWhatThePageShows) {
  for (const auto& [name, family] : measuredFamilies()) {
    if (name.find("EFA") == std::string::npos || name.find("all_reduce") == std::string::npos ||
        name.find("H100") == std::string::npos || family.rows.size() != 32)
      continue;
    DiagnosticEngine diags;
    const FailureOr<Calibration> found = calibrate(whole({"clusters.dgx_h100", 2, true}, ""), "m",
                                                   family.rows, Harness::NcclTests, diags);
    ASSERT_FALSE(found.failed());
    const std::string text =
        fragmentOf(*found, {"clusters.dgx_h100", "", "dgx_h100_calibrated", {"two_nodes.log"}});
    EXPECT_NE(page().find("```dpl\n" + text.substr(text.find("import")) + "```"), std::string::npos)
        << text;
    return;
  }
  FAIL() << "there are no such rows";
}

TEST(CalibrationTest, WhatNoRowDependsOn_IsLeft) {
  const Machine h100{"clusters.dgx_h100", 2, true};
  const std::vector<CollectiveTiming> rows = {
      {ir::CollectiveKind::AllGather, 8, 1, 1 << 30, 3e-3, {}}};
  DiagnosticEngine diags;
  const FailureOr<Calibration> found =
      calibrate(whole(h100, h100.unknown()), "unknown", rows, Harness::NcclTests, diags);
  ASSERT_FALSE(found.failed());
  for (const FittedFact& fact : found->facts) {
    const bool inside = fact.path == "domain.efficiency" || fact.path == "collectives.overhead";
    EXPECT_EQ(fact.seen, inside) << fact.path;
    if (!inside) {
      EXPECT_EQ(fact.is, fact.was) << fact.path;
    }
  }
}

TEST(CalibrationTest, NoFactLeavesWhatIsPhysical) {
  const Machine h100{"clusters.dgx_h100", 2, true};
  for (const double seconds : {1e-9, 100.0}) {
    std::vector<CollectiveTiming> rows;
    for (const std::uint64_t bytes : {8ULL, 1ULL << 20, 1ULL << 33})
      rows.push_back({ir::CollectiveKind::AllReduce, 16, 2, bytes, seconds, {}});
    DiagnosticEngine diags;
    const FailureOr<Calibration> found =
        calibrate(whole(h100, h100.unknown()), "unknown", rows, Harness::NcclTests, diags);
    ASSERT_FALSE(found.failed());
    for (const FittedFact& fact : found->facts) {
      EXPECT_GE(fact.is, 0) << fact.path;
      EXPECT_LE(fact.is, fact.isTime ? 1e-3 : 1.0) << fact.path;
    }
  }
}

// All measured sweeps are of healthy machines. A sweep with a slow network, with sockets, with a
// collapse at large buffers or with random times is not.
TEST(CalibrationTest, SickLogsAreRefused_HealthyOnesAreNot) {
  const auto said = [](const Family& family, const std::vector<CollectiveTiming>& rows) {
    DiagnosticEngine diags;
    const FailureOr<Calibration> found = calibrate(whole(family.machine, family.machine.unknown()),
                                                   "m", rows, family.harness, diags);
    EXPECT_FALSE(found.failed());
    (void)judge(*found, diags);
    return diags.firstError();
  };
  std::size_t sick = 0;
  for (const auto& [name, family] : measuredFamilies()) {
    EXPECT_EQ(said(family, family.rows), "") << name;
    const bool large = family.rows.size() >= 5 && family.rows.back().bytes >= (64U << 20);
    if (!large || family.rows.front().nodes < 2)
      continue;
    std::vector<CollectiveTiming> slow = family.rows, collapsed = family.rows, noisy = family.rows;
    for (std::size_t i = 0; i < slow.size(); ++i) {
      slow[i].seconds *= 6;
      noisy[i].seconds *= i % 2 == 0 ? 3 : 1.0 / 3;
    }
    for (CollectiveTiming& row : collapsed)
      row.seconds *= row.bytes >= (1U << 30) ? 4 : 1;
    EXPECT_NE(said(family, slow), "") << name;
    EXPECT_NE(said(family, noisy), "") << name;
    if (family.rows.back().bytes > (1U << 30)) {
      EXPECT_NE(said(family, collapsed), "") << name;
    }
    ++sick;
  }
  EXPECT_GE(sick, 3U);
}

// A family of measured rows, calibrated from two of its own on a machine of which nothing but
// rates of links is known: the middle one of those below 1 MiB, or the smallest, and the largest.
TEST(CalibrationTest, TwoRowsOfAFamily_PredictTheOthers) {
  std::map<std::string, Family> families = measuredFamilies();
  DiagnosticEngine diags;
  std::vector<double> all;
  std::pair<double, double> worst; // its median, nine of ten
  std::size_t count = 0;
  for (auto& [name, family] : families) {
    if (family.rows.size() < 5)
      continue;
    ++count;
    llvm::stable_sort(family.rows, [](const CollectiveTiming& a, const CollectiveTiming& b) {
      return a.bytes < b.bytes;
    });
    const std::size_t small = llvm::count_if(
        family.rows, [](const CollectiveTiming& measured) { return measured.bytes < 1 << 20; });
    const std::size_t first = small / 2;
    const std::vector<CollectiveTiming> two = {family.rows[first], family.rows.back()};
    const FailureOr<Calibration> fitted =
        calibrate(whole(family.machine, family.machine.unknown()), "m", two, family.harness, diags);
    ASSERT_FALSE(fitted.failed());
    std::string fields;
    for (const FittedFact& fact : fitted->facts)
      fields += fact.path == "collectives.overhead"
                    ? fmt::format(" collectives = nccl {{ overhead = {} }}\n", fact.text(fact.is))
                    : fmt::format(" {} = {}\n", fact.path, fact.text(fact.is));
    std::vector<CollectiveTiming> others = family.rows;
    others.pop_back();
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(first));
    const FailureOr<Calibration> judged =
        calibrate(whole(family.machine, fields), "m", others, family.harness, diags);
    ASSERT_FALSE(judged.failed());
    const std::vector<double> errors = sizesOfErrors(*judged, false);
    EXPECT_LE(errors[errors.size() / 2], 0.12) << name;
    EXPECT_LE(errors[errors.size() * 9 / 10], 0.40) << name;
    worst = std::max(worst, std::pair(errors[errors.size() / 2], errors[errors.size() * 9 / 10]));
    all.insert(all.end(), errors.begin(), errors.end());
  }
  EXPECT_EQ(count, 13U);
  std::sort(all.begin(), all.end());
  EXPECT_LE(all[all.size() / 2], 0.08);
  EXPECT_LE(all[all.size() * 9 / 10], 0.25);
  for (const auto& [median, most] :
       {std::pair(all[all.size() / 2], all[all.size() * 9 / 10]), worst}) {
    const std::string cells = fmt::format(" | {:.1f} % | {:.1f} % |", 100 * median, 100 * most);
    EXPECT_NE(page().find(cells), std::string::npos) << "docs/guide/calibrate.md has not" << cells;
  }
}
