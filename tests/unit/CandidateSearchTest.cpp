//===- CandidateSearchTest.cpp - The engine of `dplc search` on candidates that are numbers ---===//
#include "planner/search/CandidateSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <limits>
using namespace dpl::planner;

namespace {
/// A candidate's step depends on its number alone, and many candidates have equal steps.
double stepOf(std::uint64_t candidate) {
  return 1 + static_cast<double>(candidate * 2654435761U % 97);
}

class NumberJudge final : public CandidateJudge {
public:
  explicit NumberJudge(double tightness) : tightness(tightness) {}
  ScreenedCandidate screen(std::uint64_t candidate, unsigned) override {
    if (candidate % 7 == 0)
      return {CandidateFate::Illegal, candidate % 2 == 0 ? "even" : "odd"};
    if (candidate % 11 == 0)
      return {CandidateFate::MemoryBound, ""};
    return {std::nullopt, "", tightness * stepOf(candidate)};
  }
  JudgedCandidate judge(std::uint64_t candidate, unsigned) override {
    JudgedCandidate out;
    if (candidate % 13 == 0) {
      out.fate = CandidateFate::Required, out.rule = "small";
      out.miss = static_cast<double>(candidate);
    } else {
      out.objectives = {stepOf(candidate), static_cast<double>(candidate % 3)};
    }
    return out;
  }

private:
  double tightness;
};

CandidateSearchOptions options(std::uint64_t keep, unsigned threads) {
  CandidateSearchOptions out;
  out.candidates = 1000, out.keep = keep, out.threads = threads;
  out.maximize = {false, true}, out.byStep = true;
  return out;
}

CandidateSearchResult search(std::uint64_t keep, double tightness, unsigned threads = 1) {
  NumberJudge judge(tightness);
  return searchCandidates(options(keep, threads), judge);
}

std::vector<std::uint64_t> numbersOf(const CandidateSearchResult& result) {
  std::vector<std::uint64_t> out;
  for (const RankedCandidate& ranked : result.ranked)
    out.push_back(ranked.candidate);
  return out;
}

/// All candidates that are legal and keep the condition, sorted without the engine.
std::vector<std::uint64_t> sorted() {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < 1000; ++i)
    if (i % 7 != 0 && i % 11 != 0 && i % 13 != 0)
      out.push_back(i);
  llvm::stable_sort(out, [](std::uint64_t a, std::uint64_t b) {
    return std::pair(stepOf(a), -static_cast<int>(a % 3)) <
           std::pair(stepOf(b), -static_cast<int>(b % 3));
  });
  return out;
}
} // namespace

TEST(CandidateSearch, Ranks_AreThoseOfASort) {
  const std::vector<std::uint64_t> all = sorted();
  for (const double tightness : {0.0, 0.5, 1.0})
    for (const std::size_t keep : {std::size_t{1}, std::size_t{10}, all.size(), all.size() + 5}) {
      const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(keep, all.size()));
      EXPECT_EQ(numbersOf(search(keep, tightness)), std::vector(all.begin(), end))
          << keep << " of bounds with tightness " << tightness;
    }
}

TEST(CandidateSearch, Counts_AddUpAndNameWhatDecided) {
  const CandidateSearchResult result = search(10, 0.9);
  std::uint64_t sum = 0;
  for (const auto& [key, count] : result.counts)
    sum += count;
  EXPECT_EQ(sum, 1000U);
  EXPECT_EQ(result.counts.at({CandidateFate::Illegal, "even"}), 72U);
  EXPECT_EQ(result.counts.at({CandidateFate::Illegal, "odd"}), 71U);
  EXPECT_GT(result.count(CandidateFate::StepBound), 500U);
  ASSERT_TRUE(result.leastExcluded);
  EXPECT_GT(*result.leastExcluded, result.ranked.back().objectives.front());
  // Nothing is excluded by a step if another objective decides.
  NumberJudge judge(1);
  CandidateSearchOptions others = options(1, 1);
  others.byStep = false;
  EXPECT_EQ(searchCandidates(others, judge).count(CandidateFate::StepBound), 0U);
}

TEST(CandidateSearch, Threads_ChangeNothing) {
  const CandidateSearchResult one = search(10, 0.9), four = search(10, 0.9, 4);
  EXPECT_EQ(numbersOf(one), numbersOf(four));
  EXPECT_EQ(one.counts, four.counts);
  EXPECT_EQ(one.leastExcluded, four.leastExcluded);
}

TEST(CandidateSearch, Nearest_IsTheLeastMiss) {
  const CandidateSearchResult result = search(1000, 0);
  ASSERT_TRUE(result.nearest);
  EXPECT_EQ(result.nearest->candidate, 13U);
  EXPECT_EQ(result.nearest->rule, "small");
}

TEST(CandidateSearch, Shards_TogetherAreOneSearch) {
  for (const bool pareto : {false, true})
    for (const std::uint64_t shards : {2, 3, 7}) {
      NumberJudge judge(0.9);
      CandidateSearchOptions how = options(5, 1);
      how.pareto = pareto, how.bounds = {ObjectiveBound::Step, ObjectiveBound::None};
      const CandidateSearchResult one = searchCandidates(how, judge);
      std::vector<SearchedPart> parts;
      for (how.shards = shards, how.shard = 1; how.shard <= shards; ++how.shard)
        parts.push_back(searchPart(how, judge));
      const CandidateSearchResult all = resultOf(how, parts);
      EXPECT_EQ(numbersOf(all), numbersOf(one));
      EXPECT_EQ(all.counts, one.counts);
      EXPECT_EQ(all.leastExcluded, one.leastExcluded);
    }
}

/// Two objectives with bounds: a step and the memory that falls with it.
class BoundedJudge final : public CandidateJudge {
public:
  ScreenedCandidate screen(std::uint64_t candidate, unsigned) override {
    ScreenedCandidate out;
    out.step = 0.9 * stepOf(candidate), out.memory = 0.9 * memoryOf(candidate);
    return out;
  }
  JudgedCandidate judge(std::uint64_t candidate, unsigned) override {
    JudgedCandidate out;
    out.objectives = {stepOf(candidate), memoryOf(candidate)};
    return out;
  }
  static double memoryOf(std::uint64_t candidate) {
    return 200 / stepOf(candidate) + static_cast<double>(candidate % 50);
  }
};

TEST(CandidateSearch, Front_IsWhatNothingDominates) {
  BoundedJudge judge;
  CandidateSearchOptions how = options(1, 1);
  how.maximize = {false, false}, how.pareto = true;
  how.bounds = {ObjectiveBound::None, ObjectiveBound::None};
  const CandidateSearchResult all = searchCandidates(how, judge);
  how.bounds = {ObjectiveBound::Step, ObjectiveBound::Memory};
  const CandidateSearchResult bounded = searchCandidates(how, judge);
  std::vector<std::uint64_t> expected; // what nothing dominates
  const auto at = [](std::uint64_t i) { return std::pair(stepOf(i), BoundedJudge::memoryOf(i)); };
  for (std::uint64_t i = 0; i < how.candidates; ++i) {
    bool isDominated = false;
    for (std::uint64_t other = 0; other < how.candidates && !isDominated; ++other)
      isDominated = at(other).first <= at(i).first && at(other).second <= at(i).second &&
                    (at(other) != at(i) || other < i);
    if (!isDominated)
      expected.push_back(i);
  }
  llvm::stable_sort(expected, [&](auto a, auto b) { return at(a) < at(b); });
  ASSERT_GT(expected.size(), 3U);
  EXPECT_EQ(numbersOf(all), expected);
  EXPECT_EQ(numbersOf(bounded), expected);
  EXPECT_EQ(all.count(CandidateFate::StepBound), 0U);
  EXPECT_GT(bounded.count(CandidateFate::StepBound), 500U);
}

namespace {
/// Even candidates by their steps; the judge screens the odd ones.
class EvenCandidates final : public OrderedCandidates {
public:
  std::vector<std::uint64_t> others() const override {
    std::vector<std::uint64_t> out;
    for (std::uint64_t i = 1; i < 1000; i += 2)
      out.push_back(i);
    return out;
  }
  void screen(Exclude exclude) override {
    const std::string rule = "even", none;
    exclude({0, CandidateFate::Illegal, rule, 0, 72});
    for (std::uint64_t i = 0; i < 1000; i += 2)
      if (i % 7 != 0 && i % 11 == 0)
        exclude({i, CandidateFate::MemoryBound, none});
      else if (i % 7 != 0)
        queue.push_back(i);
    llvm::stable_sort(queue,
                      [](std::uint64_t a, std::uint64_t b) { return stepOf(a) < stepOf(b); });
  }
  void boundAll(Exclude, Visit visit) override {
    for (const std::uint64_t candidate : queue)
      visit({candidate, stepOf(candidate), 0});
    queue.clear();
  }
  double leastStep() const override {
    return at < queue.size() ? stepOf(queue[at]) : std::numeric_limits<double>::infinity();
  }
  std::optional<Bounded> next(double limit, Exclude) override {
    if (leastStep() > limit)
      return std::nullopt;
    const std::uint64_t candidate = queue[at++];
    return Bounded{candidate, 0.9 * stepOf(candidate), 0, stepOf(candidate)};
  }
  Excess excess(Visit) override {
    Excess out{queue.size() - at, std::nullopt};
    if (at < queue.size())
      out.leastBound = leastStep();
    return out;
  }

private:
  std::vector<std::uint64_t> queue;
  std::size_t at = 0;
};
} // namespace

TEST(CandidateSearch, OrderedCandidates_AreRankedWithTheOthers) {
  for (const std::uint64_t keep : {1, 10, 1000}) {
    EvenCandidates ordered;
    NumberJudge judge(0.9);
    CandidateSearchOptions how = options(keep, 1);
    how.ordered = &ordered;
    const CandidateSearchResult found = searchCandidates(how, judge), alone = search(keep, 0.9);
    EXPECT_EQ(numbersOf(found), numbersOf(alone));
    how.byStep = false;
    EvenCandidates bounded;
    how.ordered = &bounded;
    EXPECT_EQ(numbersOf(searchCandidates(how, judge)), numbersOf(alone));
    std::uint64_t sum = 0;
    for (const auto& [key, count] : found.counts)
      sum += count;
    EXPECT_EQ(sum, 1000U);
    EXPECT_LE(found.leastExcluded.has_value(), alone.leastExcluded.has_value());
  }
}

TEST(CandidateSearch, Stopped_CountsWhatItHasNotSearched) {
  const auto sumOf = [](const CandidateSearchResult& result) {
    std::uint64_t sum = 0;
    for (const auto& [key, count] : result.counts)
      sum += count;
    return sum;
  };
  for (const unsigned after : {0U, 1U, 5U, 40U}) {
    NumberJudge judge(0.1);
    CandidateSearchOptions stopped = options(3, 1);
    unsigned asked = 0;
    stopped.stop = [&] { return asked++ >= after; };
    const CandidateSearchResult result = searchCandidates(stopped, judge);
    EXPECT_EQ(sumOf(result), 1000U);
    EXPECT_GT(result.count(CandidateFate::Unsearched), 0U);
    // No candidate without an outcome is faster than the bound, which is 0 while some have none.
    EXPECT_LE(result.leastUnsearched, 0.1 * 98);
    EXPECT_EQ(result.leastUnsearched > 0, after > 0);
  }
  EXPECT_EQ(search(3, 0.1).count(CandidateFate::Unsearched), 0U);
}

namespace {
/// Ordered candidates that are stopped after they have excluded ten.
class StoppedCandidates final : public OrderedCandidates {
public:
  explicit StoppedCandidates(bool& stopped) : stopped(stopped) {}
  std::vector<std::uint64_t> others() const override { return {}; }
  void screen(Exclude exclude) override {
    exclude({0, CandidateFate::Illegal, rule, 0, 10});
    stopped = true;
  }
  void boundAll(Exclude, Visit) override { FAIL() << "the search has ended"; }
  double leastStep() const override { return std::numeric_limits<double>::infinity(); }
  std::optional<Bounded> next(double, Exclude) override { return std::nullopt; }
  Excess excess(Visit) override { return {}; }

private:
  bool& stopped;
  const std::string rule = "even";
};
} // namespace

TEST(CandidateSearch, StoppedWhileItScreens_CountsTheRestAsUnsearched) {
  for (const bool byStep : {true, false}) {
    bool stop = false;
    StoppedCandidates ordered(stop);
    NumberJudge judge(0.1);
    CandidateSearchOptions how = options(3, 1);
    how.ordered = &ordered, how.byStep = byStep;
    how.stop = [&] { return stop; };
    const CandidateSearchResult found = searchCandidates(how, judge);
    EXPECT_EQ(found.count(CandidateFate::Illegal), 10U);
    EXPECT_EQ(found.count(CandidateFate::Unsearched), 990U);
    EXPECT_EQ(found.leastUnsearched, 0);
    EXPECT_TRUE(found.ranked.empty());
  }
}
