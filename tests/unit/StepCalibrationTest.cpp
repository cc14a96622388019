//===- StepCalibrationTest.cpp - Machines from measured steps ---------------------------------===//
#include "driver/calibrate/StepCalibration.h"
#include "driver/compare/Predicted.h"
#include "figures/Figures.h"
#include "passes/Pass.h"
#include "tests/SourceFolder.h"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace dpl;
using namespace dpl::score;
using testing::HasSubstr;

namespace {
using Lines = std::vector<std::string>;

Lines linesOf(const std::filesystem::path& path) {
  Lines out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

/// The rows of tests/accuracy/published_layouts.csv by series.
std::map<std::string, Lines> rowsBySeries() {
  const std::filesystem::path folder = test::sourceFolder() / "tests/accuracy";
  std::map<std::string, std::string> seriesOf;
  for (const std::string& line : linesOf(folder / "series.csv")) {
    const auto [id, series] = llvm::StringRef(line).split(',');
    seriesOf[id.str()] = series.trim('"').str();
  }
  std::map<std::string, Lines> out;
  const Lines table = linesOf(folder / "published_layouts.csv");
  for (const std::string& line : table)
    if (const auto found = seriesOf.find(llvm::StringRef(line).split(',').first.str());
        found != seriesOf.end() && found->first != "id") {
      Lines& rows = out[found->second];
      if (rows.empty())
        rows.push_back(table.front());
      rows.push_back(line);
    }
  return out;
}

struct ReadRuns {
  StepRuns runs;
  bool worked = false;
  std::string said;
};
ReadRuns readLines(const Lines& lines, const std::string& cluster = "") {
  const std::string path = testing::TempDir() + fmt::format("dpl_steps_{}.csv", ::getpid());
  {
    std::ofstream out(path);
    for (const std::string& line : lines)
      out << line << "\n";
  }
  SourceManager sources;
  DiagnosticEngine diags;
  FailureOr<StepRuns> runs = readStepRuns({path}, cluster, "", {}, sources, diags);
  std::filesystem::remove(path);
  ReadRuns out;
  out.worked = !runs.failed(), out.said = diags.firstError();
  if (out.worked)
    out.runs = std::move(*runs);
  return out;
}

double stepOf(const ir::Plan& given) {
  ir::Plan plan = given;
  DiagnosticEngine diags;
  (void)Workspace::complete(plan, diags, withoutAdvice());
  return figures::Figures(plan).value("step_time").value_or(std::nan(""));
}
} // namespace

namespace {
/// Runs of an 8B model on H100 with several layouts, whose times are those of a plan with changed
/// fields, times `factor`.
Lines runsWith(const std::string& fields, const std::string& values, double factor = 1) {
  const std::string head = "id,gpu,n_gpus,tp,pp,layers,hidden,ffn,heads,kv_heads,vocab,seq,micro_"
                           "batch,global_batch,zero_fsdp,recompute";
  Lines rows = {"a,H100,8,1,1,32,4096,14336,32,8,128256,8192,1,64,ZeRO-3,none",
                "b,H100,8,2,1,32,4096,14336,32,8,128256,8192,1,64,ZeRO-1,none",
                "c,H100,8,4,1,32,4096,14336,32,8,128256,2048,2,64,ZeRO-1,full",
                "d,H100,16,2,2,32,4096,14336,32,8,128256,32768,1,32,ZeRO-1,full"};
  Lines probe = {head + ",iter_time_s_derived" + fields};
  for (const std::string& row : rows)
    probe.push_back(row + ",1" + values);
  const ReadRuns read = readLines(probe);
  EXPECT_TRUE(read.worked) << read.said;
  Lines out = {head + ",iter_time_s_derived"};
  for (std::size_t i = 0; i < read.runs.runs.size(); ++i)
    out.push_back(rows[i] + fmt::format(",{:.6f}", factor * stepOf(read.runs.plans[i])));
  return out;
}

struct Calibrated {
  std::optional<StepCalibration> found;
  StepRuns runs;
  std::string said;
  const FittedStepFact* fact(llvm::StringRef path) const {
    const auto at = llvm::find_if(
        found->facts, [&](const FittedStepFact& fact) { return path == fact.kind->path; });
    return at == found->facts.end() ? nullptr : &*at;
  }
};
Calibrated calibrated(const Lines& lines) {
  Calibrated out;
  ReadRuns read = readLines(lines);
  out.said = read.said;
  if (!read.worked)
    return out;
  DiagnosticEngine diags;
  FailureOr<StepCalibration> found = calibrateSteps(read.runs, {}, false, diags);
  out.said = diags.firstError(), out.runs = std::move(read.runs);
  if (!found.failed())
    out.found = std::move(*found);
  return out;
}
} // namespace

TEST(StepCalibration, PlantedEfficiencies_AreFoundInsideTheirIntervals) {
  const Calibrated result = calibrated(runsWith(
      ",cluster.node.gpu.sustained.matmul,cluster.node.gpu.sustained.attention", ",0.62,0.45"));
  ASSERT_TRUE(result.found) << result.said;
  const FittedStepFact *matmul = result.fact("node.gpu.sustained.matmul"),
                       *attention = result.fact("node.gpu.sustained.attention");
  ASSERT_TRUE(matmul && attention);
  EXPECT_NEAR(matmul->is, 0.62, 0.03);
  EXPECT_TRUE(matmul->low <= 0.62 && 0.62 <= matmul->high) << matmul->low << " " << matmul->high;
  EXPECT_GT(attention->is, attention->was * 1.05);
  for (const JudgedRun& run : result.found->runs)
    EXPECT_LT(std::abs(run.after / run.measured - 1), 0.02) << run.name;
}

TEST(StepCalibration, FittedSharesStayInsidePhysicalBounds) {
  const Calibrated result = calibrated(runsWith("", "", 0.8));
  ASSERT_TRUE(result.found) << result.said;
  for (const FittedStepFact& fact : result.found->facts) {
    EXPECT_LE(fact.is, fact.kind->most) << fact.kind->path;
    EXPECT_LE(fact.high, fact.kind->most) << fact.kind->path;
    EXPECT_LE(fact.low, fact.is) << fact.kind->path;
  }
}

TEST(StepCalibration, RunsThatNoHealthyMachineExplains_AreRefused) {
  EXPECT_THAT(calibrated(runsWith("", "", 4)).said, HasSubstr("DPL1240"));
  EXPECT_THAT(calibrated(runsWith("", "", 0.1)).said, HasSubstr("DPL1240"));
}

TEST(StepCalibration, ThroughputAndMfu_AreTimes) {
  const std::string head = "id,gpu,n_gpus,layers,hidden,ffn,heads,kv_heads,vocab,seq,micro_batch,"
                           "global_batch,zero_fsdp,metric,value",
                    row = "a,H100,8,32,4096,14336,32,8,128256,8192,1,64,ZeRO-3,";
  const ReadRuns probe = readLines({head, row + "tokens_per_s,65536"});
  ASSERT_TRUE(probe.worked) << probe.said;
  EXPECT_DOUBLE_EQ(probe.runs.runs.front().seconds, 8);
  EXPECT_DOUBLE_EQ(readLines({head, row + "tokens_per_s_per_gpu,8192"}).runs.runs.front().seconds,
                   8);
  const Calibrated share = calibrated({head, row + "mfu,0.45"}),
                   percent = calibrated({head, row + "mfu,45"});
  ASSERT_TRUE(share.found && percent.found) << share.said << percent.said;
  EXPECT_DOUBLE_EQ(share.found->runs.front().measured, percent.found->runs.front().measured);
  EXPECT_NEAR(share.found->runs.front().measured, share.found->runs.front().before, 3);
}

// Hundreds of kernels determine more than one step does.
TEST(StepCalibration, PlantedEfficiencies_AreFoundInATrace) {
  using PartKind = compare::ComparedPart::PartKind;
  const ReadRuns read = readLines(runsWith("", ""));
  ASSERT_TRUE(read.worked) << read.said;
  const ir::Plan& plan = read.runs.plans[1];
  const std::map<std::string, double> planted = {{"node.gpu.sustained.matmul", 0.61},
                                                 {"node.gpu.sustained.attention", 0.5},
                                                 {"node.gpu.sustained.memory", 0.55}};
  const auto predicted = [&](bool changed) {
    ir::Plan with = plan;
    for (const StepFactKind& kind : stepFactKinds())
      if (const auto found = planted.find(kind.path); changed && found != planted.end())
        kind.set(with, found->second);
    DiagnosticEngine diags;
    (void)Workspace::complete(with, diags, withoutAdvice());
    return compare::predictedOn(with, 0);
  };
  const compare::Predicted before = predicted(false), after = predicted(true);
  std::map<std::string, compare::ComparedPart> parts;
  for (std::size_t i = 0; i < before.operators.size(); ++i)
    for (const bool backward : {false, true}) {
      const compare::PredictedOperator &a = before.operators[i], &b = after.operators[i];
      compare::ComparedPart& part =
          parts[std::string(compare::nameOf(a.work)) + (backward ? ", backward" : ", forward")];
      part.kind = PartKind::Operator;
      part.predicted += backward ? a.backward : a.forward;
      part.measured += backward ? b.backward : b.forward;
    }
  TracedRun trace{"rank0.json", plan, {}, 0};
  for (auto& [name, part] : parts) {
    part.name = name;
    trace.found.kernelTime += part.measured;
    trace.found.parts.push_back(part);
  }
  DiagnosticEngine diags;
  const FailureOr<StepCalibration> found = calibrateSteps({}, {trace}, false, diags);
  ASSERT_FALSE(found.failed()) << diags.firstError();
  std::size_t seen = 0;
  for (const FittedStepFact& fact : found->facts)
    if (const auto value = planted.find(fact.kind->path); value != planted.end()) {
      EXPECT_NEAR(fact.is / value->second, 1, 0.02) << fact.kind->path;
      EXPECT_LT(fact.varianceLeft, 0.2) << fact.kind->path;
      ++seen;
    }
  EXPECT_EQ(seen, planted.size());
  for (compare::ComparedPart& part : trace.found.parts)
    part.measured /= 8;
  EXPECT_TRUE(calibrateSteps({}, {trace}, false, diags).failed());
  EXPECT_THAT(diags.firstError(), HasSubstr("DPL1240"));
}

TEST(StepCalibration, RunsOfTwoMachines_AreRefused) {
  const std::string head = "id,gpu,n_gpus,layers,hidden,heads,seq,global_batch,iter_time_s_derived";
  const ReadRuns read =
      readLines({head, "a,H100,8,2,1024,16,1024,8,1", "b,A100,8,2,1024,16,1024,8,1"});
  EXPECT_FALSE(read.worked);
  EXPECT_THAT(read.said, HasSubstr("DPL1242"));
}

// Each series of published runs, calibrated from the first and the last of its runs and judged on
// the others. All series with six runs or more are judged with DPL_LONG. One factor for all runs of
// a series is nearly as good where its runs differ little.
TEST(StepCalibration, TwoRunsOfASeries_PredictTheOthers) {
  const bool all = std::getenv("DPL_LONG"); // NOLINT
  std::vector<double> errors, scaled;
  std::size_t series = 0;
  for (const auto& [name, lines] : rowsBySeries()) {
    if (lines.size() < (all ? 7 : 9))
      continue;
    ReadRuns read = readLines(lines);
    ASSERT_TRUE(read.worked) << name << ": " << read.said;
    const std::vector<MeasuredRun>& runs = read.runs.runs;
    std::vector<TimedPart> parts;
    for (const MeasuredRun& run : runs) {
      const bool known = &run == &runs.front() || &run == &runs.back();
      parts.push_back({run.name, run.plan, 0, run.seconds, known ? noiseOfSteps : 1e6});
    }
    std::vector<const StepFactKind*> kinds;
    for (const StepFactKind& kind : stepFactKinds())
      kinds.push_back(&kind);
    const StepFit fit =
        fitSteps(read.runs.plans, parts, kinds, [](std::size_t, const ir::Plan& plan) {
          return std::vector<double>{stepOf(plan)};
        });
    double factor = 1;
    for (const std::size_t i : {std::size_t(0), runs.size() - 1})
      factor *= std::sqrt(runs[i].seconds / fit.before[i]);
    for (std::size_t i = 1; i + 1 < runs.size(); ++i) {
      errors.push_back(std::abs(fit.after[i] / runs[i].seconds - 1));
      scaled.push_back(std::abs(fit.before[i] * factor / runs[i].seconds - 1));
    }
    ++series;
  }
  llvm::sort(errors);
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values)
      sum += value;
    return sum / static_cast<double>(values.size());
  };
  std::cout << fmt::format("{} series, {} other runs: mean {:.1f} %, p90 {:.1f} %; by one factor "
                           "{:.1f} %\n",
                           series, errors.size(), 100 * mean(errors),
                           100 * errors[errors.size() * 9 / 10], 100 * mean(scaled));
  EXPECT_GE(series, all ? 12U : 5U);
  EXPECT_GE(errors.size(), all ? 80U : 50U);
  EXPECT_LE(mean(errors), 0.05);
  EXPECT_LE(errors[errors.size() * 9 / 10], 0.10);
  EXPECT_LE(mean(errors), 0.9 * mean(scaled));
}
