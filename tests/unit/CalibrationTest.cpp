//===- CalibrationTest.cpp - Facts of a network from collectives timed on it ------------------===//
#include "driver/Workspace.h"
#include "ir/Names.h"
#include "score/Predictor.h"
#include "score/Table.h"
#include "score/calibration/CalibrationText.h"
#include "tests/SourceFolder.h"
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::score;

namespace {
/// A machine of the library.
struct Machine {
  std::string base;
  std::uint64_t nodes;
  bool inSwitch = false;
  /// What a machine has of which nothing is known.
  std::string unknown() const {
    return fmt::format(" domain {{ efficiency = 0.8{} }}\n network {{ efficiency = 0.8, latency = "
                       "5us }}\n collectives = nccl {{ call = 0us }}",
                       inSwitch ? ", in_switch = 0.6" : "");
  }
};

/// As its file states it, with these fields in the place of its own.
ir::Cluster whole(const Machine& of, const std::string& fields) {
  DiagnosticEngine diags;
  Workspace workspace;
  workspace.overlay("m.dpl",
                    fmt::format("import std.clusters\nimport std.models\nmodel any from "
                                "models.gpt2_small {{}}\ncluster machine from {} {{\n nodes = "
                                "{}\n{}\n}}\nlayout run for any on machine {{\n{}}}\n",
                                of.base, of.nodes, fields, layoutOfRanks(2)));
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("m.dpl", diags);
  EXPECT_EQ(diags.errors(), 0U) << renderText(diags, workspace.sources(), false);
  return unit->file->plans.front().cluster;
}

/// A log of nccl-tests with these rows of one group.
std::string logOf(llvm::ArrayRef<Measured> rows) {
  const Measured& first = rows.front();
  std::string text = "# Collective test starting: ./build/all_reduce_perf\n# Using devices\n";
  for (std::uint64_t rank = 0; rank < first.ranks; ++rank)
    text += fmt::format("#  Rank {:2} Group  0 Pid  {} on  host{} device  {} [0x07] NVIDIA\n", rank,
                        100 + rank, rank / (first.ranks / first.nodes), rank % 8);
  text +=
      "#\n#       size         count      type   redop    root     time   algbw   busbw #wrong  "
      "   time   algbw   busbw #wrong\n#        (B)    (elements)                            "
      "   (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";
  for (const Measured& row : rows)
    text += fmt::format("{:12}  {:12}     float     sum      -1  {:.4f}   1.00    1.00      0  "
                        "  9.00    1.00    1.00      0\n",
                        row.bytes, row.bytes / 4, row.seconds * 1e6);
  return text + "# Out of bounds values : 0 OK\n";
}

struct Read {
  std::vector<Measured> rows;
  bool worked = false;
  std::size_t errors = 0;
  std::string said;
};
Read read(const std::string& text, const LogDefaults& defaults = {}) {
  SourceManager sources;
  DiagnosticEngine diags;
  Read out;
  const std::uint32_t file = sources.add("test.log", text);
  out.worked = readCollectiveLog(file, defaults, sources, diags, out.rows).succeeded();
  out.errors = diags.errors();
  out.said = renderText(diags, sources, false);
  return out;
}

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
  std::vector<Measured> rows;
};
std::map<std::string, Family> measuredFamilies() {
  const std::map<std::string, Machine> machines = {
      {"A100", {"clusters.dgx_a100", 2}},       {"H100", {"clusters.dgx_h100", 12, true}},
      {"B200", {"clusters.dgx_b200", 4, true}}, {"GB200", {"clusters.gb200_nvl72", 36, true}},
      {"V100", {"clusters.dgx_1", 1}},          {"MI300X", {"clusters.mi300x_platform", 2}}};
  std::map<std::string, Family> families;
  DiagnosticEngine diags;
  const FailureOr<std::unique_ptr<Table>> table =
      Table::open((test::sourceFolder() / "tests/accuracy/collectives.csv").string(), diags);
  EXPECT_FALSE(table.failed());
  std::map<std::string, std::size_t> column;
  for (const Cell& cell : (*table)->header().cells)
    column.emplace(cell.text, column.size());
  Row row;
  std::optional<Finding> wrong;
  while ((*table)->next(row, wrong)) {
    const auto cell = [&](const char* name) { return row.cells[column.at(name)].text; };
    Measured made;
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

/// docs/calibrate.md.
std::string page() {
  std::ifstream in(test::sourceFolder() / "docs/calibrate.md");
  return {std::istreambuf_iterator<char>(in), {}};
}
} // namespace

// Oracle: times that the model itself makes of known facts lead back to them, from others.
TEST(CalibrationTest, TimesOfAKnownMachine_GiveItsFacts) {
  const Machine h100{"clusters.dgx_h100", 2, true};
  const ir::Cluster known =
      whole(h100, " domain { efficiency = 0.72, in_switch = 0.55 }\n network { efficiency = 0.6, "
                  "latency = 15us }\n collectives = nccl { call = 10us }");
  std::vector<Measured> rows;
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
                                                  {"domain.in_switch", 0.55},
                                                  {"network.efficiency", 0.6},
                                                  {"network.latency", 15e-6},
                                                  {"collectives.call", 10e-6}};
  ASSERT_EQ(found->facts.size(), expected.size());
  for (const FittedFact& fact : found->facts) {
    EXPECT_TRUE(fact.seen) << fact.path;
    EXPECT_NEAR(fact.is, expected.at(fact.path), fact.isTime ? 1.5e-6 : 0.02) << fact.path;
  }
}

// The file that is written says what was found: plans on its cluster predict the same, with what
// else the cluster says of collectives.
TEST(CalibrationTest, TheFragment_PredictsWhatWasFitted) {
  for (const char* library : {"", "collectives = nccl { rings = scattered, pat = true }"}) {
    const Machine a100{"clusters.dgx_a100", 2};
    const std::vector<Measured> rows = {{ir::CollectiveKind::AllReduce, 8, 1, 1 << 30, 9e-3, {}},
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
      whole(h100, fmt::format("collectives = nccl {{ rings = listed {{ order = [{}] }} }}",
                              fmt::join(order, ", ")));
  const std::vector<Measured> rows = {{ir::CollectiveKind::AllGather, 16, 2, 1 << 30, 3e-3, {}},
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
  Settings settings;
  for (const auto& [path, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"model", "models.gpt2_small"},
           {"cluster", "clusters.dgx_h100"},
           {"cluster.nodes", "2"},
           {"cluster.collectives", "nccl { rings = listed { order = [0, 8, 1, 9, 2, 10, 3, 11, 4, "
                                   "12, 5, 13, 6, 14, 7, 15] } }"},
           {"layout.devices", "16"},
           {"layout.mesh.data", "16"},
           {"layout.batch", "16seq"},
           {"collective.op", "all_gather"},
           {"collective.bytes", "1024"}})
    settings.set(path, value);
  std::string whyNot;
  const std::optional<TimedCall> call = Predictor().call(settings, whyNot);
  ASSERT_TRUE(call.has_value()) << whyNot;
  EXPECT_FALSE(call->order.empty());
}

// The run that docs/calibrate.md shows. No rings of ports at their full rate, of which the fit
// would have to call sums in the switch slow.
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
  const std::vector<Measured> rows = {{ir::CollectiveKind::AllGather, 8, 1, 1 << 30, 3e-3, {}}};
  DiagnosticEngine diags;
  const FailureOr<Calibration> found =
      calibrate(whole(h100, h100.unknown()), "unknown", rows, Harness::NcclTests, diags);
  ASSERT_FALSE(found.failed());
  for (const FittedFact& fact : found->facts) {
    const bool inside = fact.path == "domain.efficiency" || fact.path == "collectives.call";
    EXPECT_EQ(fact.seen, inside) << fact.path;
    if (!inside) {
      EXPECT_EQ(fact.is, fact.was) << fact.path;
    }
  }
}

TEST(CalibrationTest, NoFactLeavesWhatIsPhysical) {
  const Machine h100{"clusters.dgx_h100", 2, true};
  for (const double seconds : {1e-9, 100.0}) {
    std::vector<Measured> rows;
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
    llvm::stable_sort(family.rows,
                      [](const Measured& a, const Measured& b) { return a.bytes < b.bytes; });
    const std::size_t small = llvm::count_if(
        family.rows, [](const Measured& measured) { return measured.bytes < 1 << 20; });
    const std::size_t first = small / 2;
    const std::vector<Measured> two = {family.rows[first], family.rows.back()};
    const FailureOr<Calibration> fitted =
        calibrate(whole(family.machine, family.machine.unknown()), "m", two, family.harness, diags);
    ASSERT_FALSE(fitted.failed());
    std::string fields;
    for (const FittedFact& fact : fitted->facts)
      fields += fact.path == "collectives.call"
                    ? fmt::format(" collectives = nccl {{ call = {} }}\n", fact.text(fact.is))
                    : fmt::format(" {} = {}\n", fact.path, fact.text(fact.is));
    std::vector<Measured> others = family.rows;
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
    EXPECT_NE(page().find(cells), std::string::npos) << "docs/calibrate.md has not" << cells;
  }
}

TEST(CalibrationTest, ALogOfNcclTests_SaysItsGroupAndTimes) {
  const std::vector<Measured> rows = {{ir::CollectiveKind::AllReduce, 16, 2, 1024, 31.25e-6, {}},
                                      {ir::CollectiveKind::AllReduce, 16, 2, 1 << 20, 87.5e-6, {}}};
  const Read found = read(logOf(rows));
  ASSERT_TRUE(found.worked) << found.said;
  ASSERT_EQ(found.rows.size(), 2U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(found.rows[i].kind, rows[i].kind);
    EXPECT_EQ(found.rows[i].ranks, 16U);
    EXPECT_EQ(found.rows[i].nodes, 2U);
    EXPECT_EQ(found.rows[i].bytes, rows[i].bytes);
    EXPECT_NEAR(found.rows[i].seconds, rows[i].seconds, 1e-12);
  }
  // Two sweeps in one file are apart, and a log of several nodes may leave devices out.
  const std::vector<Measured> one = {{ir::CollectiveKind::AllReduce, 8, 1, 64, 9e-6, {}}};
  const Read both = read(logOf(rows) + logOf(one));
  ASSERT_TRUE(both.worked) << both.said;
  EXPECT_EQ(both.rows.back().ranks, 8U);
  EXPECT_EQ(both.rows.back().nodes, 1U);
}

// One thread that launches on eight devices takes 7 · 2.75 us more; the machine is the same.
TEST(CalibrationTest, ALogSaysHowManyDevicesAThreadHas) {
  const std::vector<Measured> rows = {{ir::CollectiveKind::AllReduce, 8, 1, 1024, 31.25e-6, {}},
                                      {ir::CollectiveKind::AllReduce, 8, 1, 1 << 20, 62.5e-6, {}}};
  const std::string head = "# nThread 1 nGpus 8 minBytes 1024 maxBytes 1048576 step: 1024\n";
  const std::string text = logOf(rows);
  const std::size_t end = text.find('\n') + 1;
  const Read found = read(text.substr(0, end) + head + text.substr(end) + text);
  ASSERT_TRUE(found.worked) << found.said;
  ASSERT_EQ(found.rows.size(), 4U);
  const Machine h100{"clusters.dgx_h100", 1, true};
  DiagnosticEngine diags;
  const FailureOr<Calibration> of =
      calibrate(whole(h100, ""), "m", found.rows, Harness::NcclTests, diags);
  ASSERT_FALSE(of.failed());
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(found.rows[i].ofThread, 8U);
    EXPECT_EQ(found.rows[i + 2].ofThread, 0U) << "another test follows in the same file";
    EXPECT_NEAR(of->rows[i].before - of->rows[i + 2].before, 7 * 2.75e-6, 1e-12);
  }
}

// What its head says and the command line, or its devices, do not is an error at its first row.
TEST(CalibrationTest, ALogThatContradictsItsHarness_IsRefused) {
  const std::vector<Measured> rows = {{ir::CollectiveKind::AllReduce, 8, 1, 1024, 31.25e-6, {}}};
  const auto logWith = [&](const std::string& devices) {
    const std::string text = logOf(rows);
    const std::size_t end = text.find('\n') + 1;
    return read(text.substr(0, end) + "# nThread 1 nGpus " + devices + " minBytes 8\n" +
                text.substr(end));
  };
  const ir::Cluster cluster = whole({"clusters.dgx_h100", 1, true}, "");
  const auto errors = [&](const std::string& devices, Harness harness) {
    DiagnosticEngine diags;
    (void)calibrate(cluster, "m", logWith(devices).rows, harness, diags);
    return diags.firstError().substr(0, 7);
  };
  EXPECT_EQ(errors("1", Harness::NcclTests), "");
  EXPECT_EQ(errors("8", Harness::OneThread), "");
  EXPECT_EQ(errors("1", Harness::OneThread), "DPL1012");
  EXPECT_EQ(errors("8", Harness::Torch), "DPL1012");
  for (const char* devices : {"9", "999999999999"}) {
    const Read found = logWith(devices);
    EXPECT_FALSE(found.worked);
    EXPECT_NE(found.said.find("DPL1012"), std::string::npos) << found.said;
  }
}

// Wherever a log ends, it is read or there is one error, at a place of it.
TEST(CalibrationTest, ALogCutOffAnywhere_IsOneLocatedErrorAtMost) {
  const std::vector<Measured> rows = {{ir::CollectiveKind::AllReduce, 4, 2, 1024, 31.25e-6, {}},
                                      {ir::CollectiveKind::AllReduce, 4, 2, 4096, 35.5e-6, {}}};
  const std::string text = logOf(rows);
  const std::string json =
      R"({"version":2,"args":["./all_reduce_perf","-b","8"],"config":{"nthreads":1,"ngpus":8,)"
      R"("devices":[{"rank":0,"group":0,"hostname":"a"},{"rank":8,"group":0,"hostname":"b"}]},)"
      R"("results":[{"size":1024,"redop":"sum","out_of_place":{"time":31.25,"nwrong":0.0},)"
      R"("in_place":{"time":9.0,"nwrong":0.0}}],"errors":[]})";
  for (const std::string& whole : {text, json})
    for (std::size_t end = 0; end <= whole.size(); ++end) {
      const Read found = read(whole.substr(0, end));
      EXPECT_EQ(found.errors, found.worked ? 0U : 1U) << end << "\n" << found.said;
      if (!found.worked) {
        EXPECT_NE(found.said.find("test.log:"), std::string::npos) << found.said;
      }
    }
  const Read found = read(json);
  ASSERT_TRUE(found.worked) << found.said;
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].ranks, 16U);
  EXPECT_EQ(found.rows[0].nodes, 2U);
  EXPECT_EQ(found.rows[0].ofThread, 8U);
  EXPECT_NEAR(found.rows[0].seconds, 31.25e-6, 1e-12);
}
