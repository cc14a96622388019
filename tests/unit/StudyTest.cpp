//===- StudyTest.cpp - Which points a study takes, and what is said of each -------------------===//
#include "driver/study/Study.h"
#include "cost/execution/OrderStatistics.h"
#include "driver/study/Candidate.h"
#include "figures/Variation.h"
#include "ir/DrawnFigures.h"
#include "tests/unit/Jitters.h"
#include "tests/unit/StudyRuns.h"
#include <cmath>
#include <gmock/gmock.h>
#include <set>

using namespace dpl;
using namespace dpl::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
ir::Space spaceOf(std::vector<std::uint64_t> sizes) {
  ir::Space space;
  space.kind = ir::SpaceKind::Study;
  for (const std::uint64_t size : sizes)
    space.open.push_back({"a.b", false, {}, true, 1, size, ""});
  return space;
}

/// The figures of a plan as `check` has them.
ir::Plan planWith(const std::string& nodes, const std::string& batch) {
  Workspace workspace;
  DiagnosticEngine diags;
  workspace.overlay("plan.dpl", fileOf("  vary { pod.nodes = 2 }\n  outputs = [mfu]"));
  const auto unit = workspace.compile(
      "plan.dpl", diags, {{"pod.nodes", nodes, "--set", {}}, {"plain.batch", batch, "--set", {}}});
  EXPECT_EQ(diags.errors(), 0U) << renderText(diags, workspace.sources(), false);
  ir::Plan plan = unit->file->plans.front();
  EXPECT_TRUE(Workspace::complete(plan, diags).succeeded());
  return plan;
}

double figureOf(const ir::Plan& plan, const char* path) {
  return figures::Figures(plan).value(path).value_or(std::nan(""));
}
} // namespace

TEST(StudyPoints, OfAGrid_AreItsCombinationsWithTheLastFieldFastest) {
  const ir::Space space = spaceOf({2, 3});
  const study::StudyPoints points(space);
  ASSERT_EQ(points.size(), 6U);
  EXPECT_THAT(points.at(0), ElementsAre(0U, 0U));
  EXPECT_THAT(points.at(1), ElementsAre(0U, 1U));
  EXPECT_THAT(points.at(5), ElementsAre(1U, 2U));
}

TEST(StudyPoints, OfZip_AreTheCandidatesSideBySide) {
  ir::Space space = spaceOf({3, 3});
  space.sampling.kind = ir::SamplingKind::Zip;
  const study::StudyPoints points(space);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_THAT(points.at(2), ElementsAre(2U, 2U));
}

TEST(StudyPoints, AtRandom_AreDifferentOnesSpreadOverTheGrid) {
  for (const auto& [sizes, drawn] : {std::pair(std::vector<std::uint64_t>{10, 10}, 100U),
                                     {{7}, 7U},
                                     {{1}, 1U},
                                     {{3, 1, 2}, 6U}}) {
    ir::Space space = spaceOf(sizes);
    space.sampling = {ir::SamplingKind::Random, drawn, 1};
    const study::StudyPoints points(space);
    std::set<std::vector<std::uint64_t>> found;
    for (std::uint64_t i = 0; i < points.size(); ++i)
      found.insert(points.at(i));
    EXPECT_EQ(found.size(), drawn); // a permutation: as many as there are, each once
  }
  // Of a large grid the mean of each field is that of a uniform draw, within 4 standard errors.
  ir::Space large = spaceOf({1000, 1000});
  large.sampling = {ir::SamplingKind::Random, 2000, 5};
  for (const std::size_t field : {0U, 1U}) {
    double sum = 0;
    for (std::uint64_t i = 0; i < 2000; ++i)
      sum += static_cast<double>(study::StudyPoints(large).at(i)[field]);
    EXPECT_NEAR(sum / 2000, 499.5, 4 * 288.7 / std::sqrt(2000)) << field;
  }
  // More points are the same ones and others; another seed gives others.
  const auto first = study::StudyPoints(large).at(17);
  large.sampling.points = 3000;
  EXPECT_EQ(study::StudyPoints(large).at(17), first);
  large.sampling.seed = 6;
  EXPECT_NE(study::StudyPoints(large).at(17), first);
}

TEST(StudyCandidate, IsANumberInBaseUnits) {
  EXPECT_EQ(ir::numberWritten("64seq")->value, 64);
  EXPECT_EQ(ir::numberWritten("64seq")->dimension, *dimensionNamed("Sequences"));
  EXPECT_EQ(ir::numberWritten("0.05")->value, 0.05);
  EXPECT_EQ(ir::numberWritten("2.5e9")->value, 2.5e9);
  EXPECT_EQ(ir::numberWritten("400Gbps per nic")->value, 50e9);
  EXPECT_EQ(ir::numberWritten("4Mitok")->value, 4.0 * (1 << 20));
  EXPECT_FALSE(ir::numberWritten("gpipe").has_value());
  EXPECT_FALSE(ir::numberWritten("full { layers = 2 }").has_value());
  EXPECT_FALSE(ir::numberWritten("").has_value());
}

TEST(DrawnFigures, AreOfTheFiguresWhoseFormulaReadsTheStep) {
  const ir::Plan plan = planWith("2", "64seq");
  const figures::Figures figures(plan);
  figures::Variation variation(figures);
  const figures::Figure* step = figures.find("step_time");
  std::set<std::string> listed(ir::figuresOfSteps().begin(), ir::figuresOfSteps().end());
  for (const figures::Figure* figure : figures.all())
    EXPECT_TRUE(listed.count(figure->path) == 0 ||
                variation.evaluate(*figure, *step, 2) != figure->value)
        << figure->path;
  EXPECT_DOUBLE_EQ(variation.evaluate(*figures.find("mfu"), *step, 2),
                   figures.find("mfu")->value / 2);
  EXPECT_FALSE(ir::drawnFigureNamed("memory.peak.p50").has_value());
  EXPECT_FALSE(ir::drawnFigureNamed("step_time.p51").has_value());
  EXPECT_FALSE(ir::drawnFigureNamed("run[train]").has_value());
  EXPECT_EQ(ir::drawnFigureNamed("step_time.p99")->statistic->quantile, 0.99);
}

TEST(Study, PointsAreWhatCheckSaysOfTheFileWithThoseSettings) {
  const Ran ran = run(fileOf("  vary { pod.nodes in [1, 2, 4], plain.batch in [64seq, 128seq] }\n"
                             "  outputs = [step_time, memory.peak, mfu]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  ASSERT_EQ(ran.results->points.size(), 6U);
  std::size_t point = 0;
  for (const char* nodes : {"1", "2", "4"})
    for (const char* batch : {"64seq", "128seq"}) {
      const ir::Plan plan = planWith(nodes, batch);
      EXPECT_EQ(ran.value(point, 0), figureOf(plan, "step_time")) << nodes << batch;
      EXPECT_EQ(ran.value(point, 1), figureOf(plan, "memory.peak")) << nodes << batch;
      EXPECT_EQ(ran.value(point++, 2), figureOf(plan, "mfu")) << nodes << batch;
    }
  EXPECT_EQ(ran.results->points[0].steps, 0U); // nothing asked for simulated steps
}

/// What is listed by a field that varies too is of the file as it is written: at 4 nodes both
/// batches would be alike, and a list with a value twice is a mistake.
TEST(Study, ListsAreWorkedOutOnceAndNotAtEachPoint) {
  const Ran ran =
      run(fileOf("  vary { pod.nodes in [2, 4], plain.batch in [64seq, 16seq * pod.nodes], "
                 "scale.steps in [10, 20] }\n"
                 "  outputs = [step_time, step_time.mean]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  ASSERT_EQ(ran.results->points.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(ran.results->points[i].steps, i % 2 == 0 ? 10U : 20U) << i;
}

TEST(Study, HeldPerWorker_TheBatchGrowsWithTheDataRanks) {
  const Ran ran = run(fileOf("  vary { pod.nodes in [1, 2, 4] }\n  outputs = [sequences_per_step]\n"
                             "  scaling = fixed_per_worker_batch"));
  ASSERT_TRUE(ran.results) << ran.errors;
  // The file's 2 nodes have 8 data ranks of 8 sequences.
  EXPECT_EQ(ran.value(0), 32);
  EXPECT_EQ(ran.value(1), 64);
  EXPECT_EQ(ran.value(2), 128);
  std::string searched = fileOf("  vary { pod.nodes in [1] }\n  outputs = [mfu]\n"
                                "  scaling = fixed_per_worker_batch");
  searched.replace(searched.find("scale for plain"), 15, "scale for searched");
  EXPECT_THAT(run(searched, 1, 1, 1, "searched").errors, HasSubstr("DPL1108"));
}

// A phase without a batch follows that of the layout: 2,048 sequences are 64, 32 and 16 steps.
TEST(Study, HeldPerWorker_PhasesFollowTheBatch) {
  std::string text =
      fileOf("  vary { pod.nodes in [1, 2, 4] }\n"
             "  outputs = [run[train].steps, run[train].productive_time, step_time]\n"
             "  scaling = fixed_per_worker_batch");
  text.replace(text.find("scale for plain"), 15, "scale for train");
  text += "run train for plain { phase[0] { tokens = 2048 * 1024tok } }\n";
  const Ran ran = run(text);
  ASSERT_TRUE(ran.results) << ran.errors;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ran.value(i, 0), 64 >> i) << ran.results->points[i].refused;
    EXPECT_DOUBLE_EQ(ran.value(i, 1), ran.value(i, 0) * ran.value(i, 2));
  }
}

TEST(Study, APointThatIsNotLegal_IsARowThatSaysWhy) {
  const Ran ran =
      run(fileOf("  vary { plain.mesh.pipeline in [2, 5] }\n  outputs = [mfu, mfu.p50]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_TRUE(ran.results->points[0].ran());
  EXPECT_THAT(ran.results->points[1].refused, HasSubstr("DPL0"));
  EXPECT_TRUE(std::isnan(ran.value(1)));
  EXPECT_THAT(study::screen(*ran.results, 80),
              HasSubstr("1 point cannot be run:\n  pipeline = 5: DPL0"));
  EXPECT_EQ(ran.errors, "");
}

TEST(Study, APointThatDoesNotFit_HasItsMemoryAlone) {
  const Ran ran = run(fileOf("  vary { pod.node.gpu.memory in [2GiB, 80GiB] }\n"
                             "  outputs = [memory.peak, step_time]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_THAT(ran.results->points[0].refused, HasSubstr("DPL0401"));
  EXPECT_EQ(ran.value(0, 0), ran.value(1, 0));
  EXPECT_TRUE(std::isnan(ran.value(0, 1)));
  EXPECT_GT(ran.value(1, 1), 0);
}

TEST(Study, StatisticsAreOfSimulatedSteps) {
  const std::string study =
      "  vary { pod.jitter.cv in [0, 0.2] }\n  seeds = [3, 4], steps = 40\n"
      "  outputs = [step_time, step_time.mean, step_time.p5, step_time.max, mfu.mean, mfu.p5]";
  const Ran ran = run(fileOf(study));
  ASSERT_TRUE(ran.results) << ran.errors;
  const std::vector<study::StudyPoint>& points = ran.results->points;
  // Without jitter all steps are alike and as long as predicted.
  EXPECT_EQ(points[0].steps, 1U);
  EXPECT_NEAR(ran.value(0, 1) / ran.value(0, 0), 1, 1e-9);
  EXPECT_EQ(points[1].steps, 80U);
  EXPECT_LT(ran.value(1, 2), ran.value(1, 1));
  EXPECT_GT(ran.value(1, 3), ran.value(1, 1));
  // A step of p5 of all utilisations is one of the longest.
  EXPECT_LT(ran.value(1, 5), ran.value(1, 4));
  EXPECT_NEAR(ran.value(1, 4) * ran.value(1, 1), ran.value(0, 4) * ran.value(0, 1),
              0.02 * ran.value(0, 4) * ran.value(0, 1));
}

TEST(Study, SeedsAreTakenUntilTheMeanIsKnown) {
  const auto stepsOf = [](const char* until) {
    const Ran ran = run(fileOf(std::string("  vary { pod.jitter.cv in [0.1] }\n  seeds = 1..30, "
                                           "steps = 10\n  outputs = [step_time.mean]\n") +
                               until));
    return ran.results->points.front();
  };
  EXPECT_EQ(stepsOf("").steps, 300U);
  const study::StudyPoint coarse = stepsOf("  target_half_width = 2pct"),
                          fine = stepsOf("  target_half_width = 1pct");
  EXPECT_LE(*coarse.halfWidth, 0.02);
  EXPECT_LE(*fine.halfWidth, 0.01);
  EXPECT_LT(coarse.steps, fine.steps);
  EXPECT_LT(fine.steps, 300U);
  EXPECT_EQ(coarse.steps % 10, 0U); // looked at behind each seed alone
}

// Two steps may be alike by chance: seeds of two are not stopped by fewer than ten steps.
TEST(Study, AFewSteps_DoNotStopIt) {
  for (const char* seeds : {"1..8", "21..28", "101..108"}) {
    const Ran ran = run(fileOf(fmt::format("  vary {{ pod.jitter.cv in [0.1] }}\n  seeds = {}, "
                                           "steps = 2, target_half_width = 50pct\n"
                                           "  outputs = [step_time.mean]",
                                           seeds)));
    EXPECT_EQ(ran.results->points.front().steps, 10U);
  }
}

TEST(Study, ALetThatDividesByZeroAtAPoint_SaysSo) {
  const Ran ran = run(fileOf("  vary { pod.jitter.cv in [0, 0.1] }\n  outputs = [ratio]\n"
                             "  let ratio = step_time / pod.jitter.cv"));
  ASSERT_TRUE(ran.results);
  EXPECT_TRUE(std::isnan(ran.value(0)));
  EXPECT_GT(ran.value(1), 0);
  EXPECT_THAT(ran.errors, HasSubstr("warning[DPL1110]: `ratio` has no value at 1 of 2 points: "
                                    "division by zero"));
  EXPECT_THAT(ran.errors, HasSubstr("help: the first is cv = 0"));
  // A point that is refused has one reason.
  std::string text = fileOf("  vary { plain.schedule in [1f1b, pipedream] }\n"
                            "  outputs = [slower]\n  let slower = 2 * step_time.mean");
  text.replace(text.find("models.gpt2_small"), 17, "untied");
  text += "model untied from models.gpt2_small { tied_embeddings = false }\n";
  const Ran refused = run(text);
  ASSERT_TRUE(refused.results) << refused.errors;
  EXPECT_THAT(refused.results->points[1].refused, HasSubstr("steps are simulated one by one"));
  EXPECT_THAT(refused.errors, testing::Not(HasSubstr("DPL1110")));
}

// A device that keeps its number for 50 steps says the same in all 50 steps of a seed: only other
// seeds tell how near the mean is.
TEST(Study, StepsThatDependOnOneAnother_AreNoIndependentOnes) {
  const Ran ran =
      run(fileOf("  vary { pod.jitter = lognormal { cv = 0.1, persistence = 50step } }\n"
                 "  seeds = 1..8, steps = 20, target_half_width = 0.2pct\n"
                 "  outputs = [step_time.mean]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_EQ(ran.results->points.front().steps, 160U);
  EXPECT_GT(*ran.results->points.front().halfWidth, 0.01);
  const Ran one =
      run(fileOf("  vary { pod.jitter = lognormal { cv = 0.1, persistence = 50step } }\n"
                 "  steps = 20\n  outputs = [step_time.mean]"));
  EXPECT_FALSE(one.results->points.front().halfWidth);
  EXPECT_THAT(study::screen(*one.results, 100),
              HasSubstr("20 simulated steps per point at action level, too few for an interval"));
}

TEST(Study, OneStep_IsNotCalledOneThatDoesNotVary) {
  const Ran ran = run(fileOf("  vary { pod.jitter.cv in [0.1] }\n  steps = 1\n"
                             "  outputs = [step_time.mean]"));
  const std::string screen = study::screen(*ran.results, 100);
  EXPECT_THAT(screen, HasSubstr("1 simulated step per point"));
  EXPECT_THAT(screen, HasSubstr("too few for an interval"));
  const Ran still = run(fileOf("  vary { pod.jitter.cv in [0] }\n  outputs = [step_time.mean]"));
  EXPECT_THAT(study::screen(*still.results, 100), HasSubstr("no random variation"));
}

// Two thousand steps of data ranks by themselves are told as 19 runs of consecutive ones.
TEST(Study, StepsOfDataRanks_AreCountedAsSteps) {
  std::string text = fileOf("  vary { plain.synchronization = asynchronous }\n  steps = 200\n"
                            "  outputs = [step_time.mean]");
  text.replace(text.find("pipeline = 2, data = rest"), 25, "data = rest");
  const Ran ran = run(text);
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_EQ(ran.results->points.front().steps, 200U);
  const std::string screen = study::screen(*ran.results, 100);
  EXPECT_THAT(screen, HasSubstr("200 simulated steps per point, mean within"));
}

TEST(Study, ThreadsAndShards_ChangeNothing) {
  const std::string text =
      fileOf("  vary { pod.nodes in [1, 2, 4], pod.jitter.cv in [0.05, 0.1, 0.2] }\n"
             "  steps = 5\n  outputs = [step_time.p90, mfu]\n"
             "  plot { x = pod.nodes, y = mfu, series = pod.jitter.cv }");
  const Ran one = run(text, 1), many = run(text, 5);
  ASSERT_TRUE(one.results && many.results);
  EXPECT_EQ(study::csv(*one.results), study::csv(*many.results));
  EXPECT_EQ(study::picture(*one.results).svg(), study::picture(*many.results).svg());
  std::map<std::uint64_t, double> parts;
  for (const std::uint64_t shard : {1U, 2U, 3U, 4U}) {
    const Ran part = run(text, 2, shard, 4);
    for (const study::StudyPoint& point : part.results->points)
      EXPECT_TRUE(parts.emplace(point.number, point.values[0]).second);
  }
  ASSERT_EQ(parts.size(), 9U);
  for (const study::StudyPoint& point : one.results->points)
    EXPECT_EQ(parts[point.number], point.values[0]);
}

TEST(Study, AssertionsReadWhatVariesAndStatistics) {
  const Ran ran = run(fileOf("  vary { pod.nodes in [1, 2, 4] }\n  steps = 5\n  outputs = [mfu]\n"
                             "  let least = if pod.nodes > 1 then 2.0 else 0.0\n"
                             "  assert mfu.mean > least, \"it scales\""));
  ASSERT_TRUE(ran.results);
  EXPECT_TRUE(ran.results->points[0].broken.empty());
  EXPECT_FALSE(ran.results->points[1].broken.empty());
  EXPECT_THAT(ran.errors, HasSubstr("does not hold at 2 of 3 points"));
  EXPECT_THAT(ran.errors, HasSubstr("it scales"));
}

TEST(Study, TheAmplificationOfOneBarrier_IsThatOfItsOrderStatistics) {
  // Data ranks alone and no communication to speak of: the step is the slowest of all devices.
  std::string text = fileOf("  vary { pod.nodes in [1, 8] }\n  seeds = 1..40, steps = 50\n"
                            "  outputs = [step_time.mean]");
  text.replace(text.find("pipeline = 2, data = rest"), 25, "data = rest");
  text.replace(text.find("64seq"), 5, "128seq");
  const Ran noisy = run(text);
  text.replace(text.find("cv = 0.1"), 8, "cv = 0");
  const Ran still = run(text);
  ASSERT_TRUE(noisy.results && still.results) << noisy.errors;
  for (const std::size_t point : {0U, 1U}) {
    const double devices = point == 0 ? 8 : 64;
    const double expected =
        cost::barrierAmplification(test::jitter(ir::JitterKind::LogNormal, 0.1), devices, 1) - 1;
    // What the devices send does not vary, which is little here.
    const double found = noisy.value(point) / still.value(point) - 1;
    EXPECT_LT(found, expected + 3 * *noisy.results->points[point].halfWidth) << devices;
    EXPECT_GT(found, 0.9 * expected - 3 * *noisy.results->points[point].halfWidth) << devices;
  }
}

TEST(Candidates, AreToldApartByWhatDiffers) {
  const auto wordsOf = [](const std::vector<std::string>& values) {
    ir::OpenField field;
    field.values = values;
    std::vector<std::string> out;
    for (std::size_t i = 0; i < values.size(); ++i)
      out.push_back(study::changedFields(field, i));
    return out;
  };
  EXPECT_THAT(wordsOf({"lognormal { cv = 0.05 }", "lognormal { cv = 0.3 }"}),
              ElementsAre("cv = 0.05", "cv = 0.3"));
  EXPECT_THAT(wordsOf({"bimodal { fraction = 0.1, slowdown = 1.5, persistence = 3step }",
                       "bimodal { fraction = 0.1, slowdown = 1.5, persistence = 9step }", "none"}),
              ElementsAre("bimodal persistence = 3step", "bimodal persistence = 9step", "none"));
  EXPECT_THAT(
      wordsOf({"a { b = c { d = 1, e = 2 }, f = 3 }", "a { b = c { d = 1, e = 3 }, f = 4 }"}),
      ElementsAre("b = c { d = 1, e = 2 }, f = 3", "b = c { d = 1, e = 3 }, f = 4"));
  EXPECT_THAT(wordsOf({"full { layers = 1 }", "none"}), ElementsAre("full", "none"));
  EXPECT_THAT(wordsOf({"0.1", "0.2"}), ElementsAre("0.1", "0.2"));
}
