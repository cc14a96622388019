//===- TraceTest.cpp - The trace of a step keeps the rules of its format ----------------------===//
#include "backends/Target.h"
#include "cost/step/Timeline.h"
#include "support/Json.h"
#include "tests/unit/SchedulePlans.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <gmock/gmock.h>
#include <map>
#include <set>

using namespace dpl;
using namespace dpl::ir;
using namespace dpl::test;
using testing::HasSubstr;

namespace {
Json traceOf(const Plan& plan) {
  DiagnosticEngine diags;
  const FailureOr<std::vector<EmittedFile>> files =
      emit({*targetNamed("trace"), plan, {}, {}}, diags);
  return files.failed() || files->size() != 1 ? Json() : Json::parse(files->front().content);
}
} // namespace

TEST(Trace, SlicesOfAThreadAreInsideOneAnotherOrApart) {
  for (const Plan& plan : {manyStreams(), everyKind(), mergedPairs("dualpipe_v")}) {
    const Json trace = traceOf(plan);
    std::map<std::pair<int, int>, std::vector<std::pair<long, long>>> threads;
    for (const Json& event : trace["traceEvents"])
      if (event["ph"] == "X") {
        const long begin = std::lround(event["ts"].get<double>() * 1000);
        threads[{event["pid"].get<int>(), event["tid"].get<int>()}].push_back(
            {begin, begin + std::lround(event["dur"].get<double>() * 1000)});
      }
    EXPECT_GE(threads.size(), 4U);
    for (auto& [thread, slices] : threads) {
      std::stable_sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second > b.second;
      });
      std::vector<long> open;
      for (const auto& [begin, end] : slices) {
        while (!open.empty() && open.back() <= begin)
          open.pop_back();
        if (!open.empty()) {
          EXPECT_LE(end, open.back()) << thread.first << "." << thread.second << " at " << begin;
        }
        open.push_back(end);
      }
    }
  }
}

// Viewers take one that stands in two processes for one thread.
TEST(Trace, NumbersOfThreadsAreOfOneProcess_AndEachHasAName) {
  std::map<std::uint64_t, std::uint64_t> processes;
  std::set<std::uint64_t> named, known;
  const Json trace = traceOf(manyStreams());
  for (const Json& event : trace["traceEvents"]) {
    const auto process = event["pid"].get<std::uint64_t>();
    EXPECT_GT(process, 0U);
    known.insert(process);
    if (!event.contains("tid"))
      continue;
    const auto thread = event["tid"].get<std::uint64_t>();
    EXPECT_EQ(processes.try_emplace(thread, process).first->second, process) << thread;
    if (event["name"] == "thread_name")
      named.insert(thread);
  }
  EXPECT_EQ(named.size(), processes.size());
  for (const std::uint64_t thread : named)
    EXPECT_EQ(known.count(thread), 0U);
}

TEST(Trace, EveryMessageLeavesOnceAndArrivesOnce) {
  const Plan plan = manyStreams();
  std::map<std::pair<std::uint64_t, std::string>, int> ends;
  const Json trace = traceOf(plan);
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "s" || event["ph"] == "f")
      ++ends[{event["id"].get<std::uint64_t>(), event["ph"].get<std::string>()}];
  EXPECT_EQ(ends.size(), 2 * 2 * plan.mesh.microBatches);
  for (const auto& [end, times] : ends)
    EXPECT_EQ(times, 1) << end.first << end.second;
}

TEST(Trace, EveryPassHasItsSegments_OfPairsAndOfBackwardsThatAreWholeOrSplit) {
  for (const char* schedule : {"dualpipe", "dualpipe_v", "zb_h1"}) {
    const Plan plan =
        planOf("pipeline = 4, tensor = 2",
               std::string("  split = balanced\n  schedule = ") + schedule + "\n", "16seq");
    for (const RankSchedule& rank : plan.schedule) {
      std::set<ActionId> shown;
      cost::visitSegments(plan, rank.rank, [&](const cost::ExecutedSegment& segment) {
        shown.insert(segment.action);
      });
      EXPECT_EQ(shown.size(),
                static_cast<std::size_t>(llvm::count_if(
                    rank.actions, [](const auto& op) { return isChunkAction(op.kind); })))
          << schedule << ", rank " << rank.rank;
    }
  }
}

TEST(Trace, BeyondAHundredThousandEvents_PassesAloneAreShown) {
  const Json small = traceOf(manyStreams()),
             large = traceOf(planOf("pipeline = 2, tensor = 4", "", "2048seq"));
  const auto has = [](const Json& trace, const char* category) {
    for (const Json& event : trace["traceEvents"])
      if (event.value("cat", "") == category)
        return true;
    return false;
  };
  EXPECT_EQ(small["otherData"]["inside_actions"], "computation and calls");
  EXPECT_TRUE(has(small, "compute") && has(small, "collective") && has(small, "action"));
  EXPECT_THAT(large["otherData"]["inside_actions"].get<std::string>(), HasSubstr("left out"));
  EXPECT_TRUE(has(large, "action"));
  EXPECT_FALSE(has(large, "compute") || has(large, "collective"));
}
