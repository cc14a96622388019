//===- CollectiveLogTest.cpp - Logs of timed collectives as rows ------------------------------===//
#include "tests/unit/CalibrationMachines.h"

using namespace dpl;
using namespace dpl::score;

namespace {
/// A log of nccl-tests with these rows of one group.
std::string logOf(llvm::ArrayRef<CollectiveTiming> rows) {
  const CollectiveTiming& first = rows.front();
  std::string text = "# Collective test starting: ./build/all_reduce_perf\n# Using devices\n";
  for (std::uint64_t rank = 0; rank < first.ranks; ++rank)
    text += fmt::format("#  Rank {:2} Group  0 Pid  {} on  host{} device  {} [0x07] NVIDIA\n", rank,
                        100 + rank, rank / (first.ranks / first.nodes), rank % 8);
  text +=
      "#\n#       size         count      type   redop    root     time   algbw   busbw #wrong  "
      "   time   algbw   busbw #wrong\n#        (B)    (elements)                            "
      "   (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";
  for (const CollectiveTiming& row : rows)
    text += fmt::format("{:12}  {:12}     float     sum      -1  {:.4f}   1.00    1.00      0  "
                        "  9.00    1.00    1.00      0\n",
                        row.bytes, row.bytes / 4, row.seconds * 1e6);
  return text + "# Out of bounds values : 0 OK\n";
}

struct Read {
  std::vector<CollectiveTiming> rows;
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

} // namespace

TEST(CollectiveLog, ALogOfNcclTests_SaysItsGroupAndTimes) {
  const std::vector<CollectiveTiming> rows = {
      {ir::CollectiveKind::AllReduce, 16, 2, 1024, 31.25e-6, {}},
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
  const std::vector<CollectiveTiming> one = {{ir::CollectiveKind::AllReduce, 8, 1, 64, 9e-6, {}}};
  const Read both = read(logOf(rows) + logOf(one));
  ASSERT_TRUE(both.worked) << both.said;
  EXPECT_EQ(both.rows.back().ranks, 8U);
  EXPECT_EQ(both.rows.back().nodes, 1U);
}

// One thread that launches on eight devices takes 7 · 2.75 us more; the machine is the same.
TEST(CollectiveLog, ALogSaysHowManyDevicesAThreadHas) {
  const std::vector<CollectiveTiming> rows = {
      {ir::CollectiveKind::AllReduce, 8, 1, 1024, 31.25e-6, {}},
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

// Launchers and collectors of logs put words before each line.
TEST(CollectiveLog, PrefixesOfLaunchersAreStripped) {
  const std::vector<CollectiveTiming> rows = {
      {ir::CollectiveKind::AllReduce, 16, 2, 1024, 31.25e-6, {}},
      {ir::CollectiveKind::AllReduce, 16, 2, 1 << 20, 87.5e-6, {}}};
  const std::string text = logOf(rows);
  for (const char* prefix : {"[1,0]<stdout>:", "0: ", "node-3: ", "[node-3] ", "rank0  | ",
                             "[rank0]: ", "2026-11-30T10:00:00.123Z ", "\x1b[32m",
                             "2026-11-30 10:00:00,123 [1,0]<stdout>: "}) {
    std::string prefixed;
    for (llvm::StringRef rest = text; !rest.empty(); rest = rest.split('\n').second)
      prefixed += prefix + rest.split('\n').first.str() + "\n" + prefix + "epoch: 3 of 9\n";
    const Read found = read(prefixed);
    ASSERT_TRUE(found.worked) << prefix << found.said;
    ASSERT_EQ(found.rows.size(), 2U) << prefix;
    EXPECT_EQ(found.rows.back().ranks, 16U) << prefix;
    EXPECT_NEAR(found.rows.back().seconds, 87.5e-6, 1e-12) << prefix;
  }
}

// What its head says and the command line, or its devices, do not is an error at its first row.
TEST(CollectiveLog, ALogThatContradictsItsHarness_IsRefused) {
  const std::vector<CollectiveTiming> rows = {
      {ir::CollectiveKind::AllReduce, 8, 1, 1024, 31.25e-6, {}}};
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
TEST(CollectiveLog, ALogCutOffAnywhere_IsOneLocatedErrorAtMost) {
  const std::vector<CollectiveTiming> rows = {
      {ir::CollectiveKind::AllReduce, 4, 2, 1024, 31.25e-6, {}},
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
