//===- AutoScheduleTest.cpp - What `schedule = auto` chooses is the best of all rows ----------===//
#include "cost/execution/StepSweep.h"
#include "cost/memory/RankMemory.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "passes/Passes.h"
#include "planner/CompletePlan.h"
#include "tests/property/RandomPlan.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>

using namespace dpl;
using namespace dpl::ir;

namespace {
/// A row as the passes execute it.
struct Executed {
  ScheduleKind schedule;
  std::uint64_t chunks, inFlight;
  std::uint64_t step = 0, peak = 0;
  double share = 0;
};

/// The passes before the one that refuses too little memory; that they all worked.
bool runToMemory(Plan& plan) {
  DiagnosticEngine unheard;
  for (const PassInfo& pass : allPasses()) {
    if (llvm::StringRef(pass.name) == "check-memory")
      break;
    if (pass.create()->run(plan, unheard).failed())
      return false;
  }
  plan.memory = cost::memoryOf(plan);
  return true;
}

/// Nothing where a pass refuses.
std::optional<Executed> executed(Plan plan, ScheduleKind schedule, std::uint64_t chunks,
                                 std::uint64_t inFlight) {
  plan.layout.scheduleAutomatic = false;
  plan.layout.schedule = schedule, plan.layout.chunks = chunks, plan.layout.inFlight = inFlight;
  if (!runToMemory(plan))
    return std::nullopt;
  Executed row{schedule, chunks, inFlight};
  row.step = cost::endOfSchedule(plan);
  row.peak = tightest(plan.memory)->peak();
  for (const RankMemory& rank : plan.memory)
    row.share = std::max(row.share, real(rank.peak()) / real(rank.usable));
  return row;
}

/// Every row, with 2 … 8 chunks where it takes them; limits up to 2p, and none.
std::vector<Executed> allRows(const Plan& plan) {
  Plan done = plan;
  done.layout.scheduleAutomatic = false;
  if (DiagnosticEngine unheard; createResolveMeshPass()->run(done, unheard).failed())
    return {};
  const std::uint64_t p = done.mesh.size(Axis::Pipeline), m = done.mesh.microBatches;
  std::vector<Executed> rows;
  const auto add = [&](ScheduleKind kind, std::uint64_t chunks, std::uint64_t inFlight) {
    if (const std::optional<Executed> row = executed(plan, kind, chunks, inFlight))
      rows.push_back(*row);
  };
  for (std::size_t i = 0; i < scheduleCount; ++i) {
    const auto kind = static_cast<ScheduleKind>(i);
    if (kind == ScheduleKind::Listed || !cost::scheduleInfo(kind).flushed())
      continue;
    if (kind == ScheduleKind::ZeroBubbleAutomatic) {
      for (std::uint64_t limit = 1; limit <= std::min(m, 2 * p); ++limit)
        add(kind, 1, limit);
      if (m > 2 * p)
        add(kind, 1, m);
    } else if (chunksOf(kind) > 0) {
      add(kind, chunksOf(kind), 0);
    } else {
      for (std::uint64_t chunks = 2; chunks <= 8; ++chunks)
        add(kind, chunks, 0);
    }
  }
  return rows;
}

/// The fastest within a share of the memory, of equals the one that takes less, and the first.
const Executed* fastest(const std::vector<Executed>& rows, double share) {
  const Executed* best = nullptr;
  for (const Executed& row : rows)
    if (row.share <= share &&
        (!best || std::tie(row.step, row.peak) < std::tie(best->step, best->peak)))
      best = &row;
  return best;
}

void limitMemory(Plan& plan, std::uint64_t bytes) {
  for (NodeType& nodes : plan.cluster.nodeTypes)
    nodes.device.memory = bytes + nodes.device.reserved;
}

/// DPL_SCHEDULE_CASES, or the usual number, six times as many with DPL_LONG=1.
std::uint64_t casesOr(std::uint64_t usual) {
  const char* given = std::getenv("DPL_SCHEDULE_CASES");
  return given ? std::strtoull(given, nullptr, 10) : std::getenv("DPL_LONG") ? 6 * usual : usual;
}
} // namespace

TEST(AutoSchedule, IsTheBestOfAllRows_ExecutedByThePassesAtItsLimit) {
  const std::uint64_t cases = casesOr(50);
  std::uint64_t compared = 0, tight = 0, nothing = 0;
  std::map<std::string, std::uint64_t> chosen;
  for (std::uint64_t seed = 1; compared < cases; ++seed) {
    ASSERT_LT(seed, 4 * cases + 100) << "too few random plans have a legal row";
    Plan plan = test::randomPlan(seed);
    plan.layout.scheduleAutomatic = true;
    test::Random random(seed);
    if (random.oneIn(2)) // a list of stages is for one number of chunks
      plan.layout.split = SplitKind::Balanced;
    Plan usual = plan;
    if (!runToMemory(usual)) // as the seed has it
      continue;
    const RankMemory& fullest = *tightest(usual.memory);
    limitMemory(plan,
                fullest.peak() - fullest.reserved - fullest.activations +
                    static_cast<std::uint64_t>(real(fullest.activations) * random.between(0.5, 2)));
    const std::vector<Executed> rows = allRows(plan);
    const Executed* expected = fastest(rows, 1 - plan.lint.headroom);
    if (!expected)
      expected = fastest(rows, 1);
    Plan found = plan;
    DiagnosticEngine unheard;
    const bool failed = planner::completePlan(found, unheard, {}).failed();
    ++compared;
    ASSERT_EQ(failed, !expected) << seed;
    nothing += failed ? 1 : 0;
    if (failed)
      continue;
    EXPECT_EQ(cost::endOfSchedule(found), expected->step) << seed;
    EXPECT_EQ(found.layout.schedule, expected->schedule) << seed;
    EXPECT_EQ(found.layout.chunks, expected->chunks) << seed;
    EXPECT_EQ(found.layout.inFlight, expected->inFlight) << seed;
    std::size_t weighed = 0;
    for (const ScheduleCandidate& row : found.scheduleCandidates) {
      if (!row.executed())
        continue;
      const Executed& same = rows.at(weighed++);
      EXPECT_EQ(row.schedule, same.schedule) << seed;
      EXPECT_EQ(row.step, same.step) << seed << ": " << row.text();
      EXPECT_EQ(row.peak, same.peak) << seed << ": " << row.text();
      EXPECT_EQ(row.outcome == CandidateOutcome::NoMemory, same.share > 1)
          << seed << ": " << row.text();
    }
    EXPECT_EQ(weighed, rows.size()) << seed;
    tight += llvm::any_of(rows, [](const Executed& row) { return row.share > 1; }) ? 1 : 0;
    ++chosen[ir::name(found.layout.schedule)];
  }
  for (const auto& [name, times] : chosen)
    std::cout << name << " " << times << "\n";
  std::cout << compared << " cases, " << tight << " in which a row does not fit, " << nothing
            << " in which none fits\n";
  EXPECT_GE(tight * 5, compared * 2); // two of five
  EXPECT_GT(chosen.size(), 5U);
}

namespace {
/// A family of rows against the automatic zero-bubble row: gains in the cases in which it is
/// faster.
struct Family {
  const char* name;
  std::vector<ScheduleKind> rows;
  std::vector<double> gains = {};
  std::uint64_t cases = 0;
};

std::uint64_t fastestOf(const Plan& plan, llvm::ArrayRef<ScheduleKind> kinds) {
  std::uint64_t best = UINT64_MAX;
  for (const ScheduleCandidate& row : plan.scheduleCandidates)
    if (row.executed() && row.peak <= row.usable && llvm::is_contained(kinds, row.schedule))
      best = std::min(best, row.step);
  return best;
}

/// Eight layers a pipeline rank, so that up to eight chunks divide them, and as many micro-batches.
Plan evenPlan(std::uint64_t seed, std::uint64_t ranks, std::uint64_t microBatches) {
  Plan plan = test::randomPlan(seed);
  Layout& l = plan.layout;
  l.split = SplitKind::Even;
  plan.model.predictionLayers = 0;
  plan.model.layerTypes.resize(1), plan.model.runs = {{0, 8 * ranks}};
  l.mesh.hasExperts = false, l.mesh.experts.clear();
  std::uint64_t replicas = 1, devices = 1;
  for (AxisRequest& axis : l.mesh.axes) {
    axis.size = axis.axis == Axis::Pipeline ? ranks : axis.size;
    devices *= axis.size;
    if (axis.axis == Axis::Data || axis.axis == Axis::Replica)
      replicas *= axis.size;
  }
  Cluster& c = plan.cluster;
  c.nodeTypes.resize(1);
  c.nodes = c.nodeTypes[0].nodes = devices / c.gpusPerNode;
  c.levels = linkLevels(c);
  l.batch = l.microBatch * replicas * microBatches;
  l.scheduleAutomatic = true;
  return plan;
}
} // namespace

/// The table of tests/property/auto_schedule.md: DPL_SCHEDULE_CASES=300 and this test alone.
TEST(AutoSchedule, VShapedAndInterleavedRows_AgainstTheAutomaticZeroBubbleRow) {
  using enum ScheduleKind;
  const std::vector<ScheduleKind> automatic = {ZeroBubbleAutomatic};
  for (const double limit : {0.6, 1.0, 1.5, 0.0}) {
    Family families[] = {{"V-shaped", {ZeroBubbleV, ZeroBubbleVTimed, VHalf, VMin, DualPipeV}},
                         {"interleaved", {Interleaved, InterleavedZeroBubble, LoopedBreadthFirst}},
                         {"bidirectional", {DualPipe}}};
    std::uint64_t alone = 0, cases = 0;
    for (std::uint64_t seed = 1; cases < casesOr(2) && seed < 10'000; ++seed) {
      test::Random random(seed);
      const std::uint64_t ranks = random.size({2, 4, 8});
      Plan plan = evenPlan(seed, ranks, ranks * random.size({1, 2, 4, 8}));
      if (plan.model.isLayerList() || plan.cluster.devices() == 0)
        continue;
      // What 1F1B takes on its fullest rank, and a share of the activations.
      Plan usual = plan;
      usual.layout.scheduleAutomatic = false, usual.layout.schedule = OneForwardOneBackward;
      usual.layout.chunks = 1;
      if (!runToMemory(usual))
        continue;
      const RankMemory& fullest = *tightest(usual.memory);
      if (limit > 0)
        limitMemory(plan, fullest.peak() - fullest.reserved - fullest.activations +
                              static_cast<std::uint64_t>(limit * real(fullest.activations)));
      plan.lint.headroom = 0;
      DiagnosticEngine unheard;
      (void)planner::chooseSchedule(plan, unheard, {});
      if (plan.scheduleCandidates.empty())
        continue;
      ++cases;
      const std::uint64_t zeroBubble = fastestOf(plan, automatic);
      for (Family& family : families) {
        const std::uint64_t best = fastestOf(plan, family.rows);
        if (best == UINT64_MAX)
          continue;
        ++family.cases;
        if (zeroBubble == UINT64_MAX)
          ++alone;
        else if (best < zeroBubble)
          family.gains.push_back(1 - real(best) / real(zeroBubble));
      }
    }
    EXPECT_GT(cases, 0U);
    for (Family& family : families) {
      std::sort(family.gains.begin(), family.gains.end());
      const auto at = [&](double share) {
        return family.gains.empty() ? 0
                                    : family.gains[static_cast<std::size_t>(
                                          share * static_cast<double>(family.gains.size() - 1))];
      };
      std::cout << (limit > 0 ? fmt::format("{:.1f}", limit) : "none") << ", " << family.name
                << fmt::format(": fits in {}, faster in {} of {} cases, by {:.1f} % (median), "
                               "{:.1f} % (most)\n",
                               family.cases, family.gains.size(), cases, 100 * at(0.5),
                               100 * at(1));
    }
    std::cout << "  " << alone << " times one fits where `zb_auto` does not\n";
  }
}
