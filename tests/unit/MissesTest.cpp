//===- MissesTest.cpp - What runs with a wrong verdict have in common -------------------------===//
#include "driver/score/Misses.h"
#include <gmock/gmock.h>
using namespace dpl;
using namespace dpl::score;
using testing::ElementsAre;

namespace {
/// So many runs of one kind that were out of memory, said to fit or not.
void add(Scores& scores, std::size_t count, ScoredRow row, bool saidToFit) {
  row.state = saidToFit ? ScoredRow::ScoreState::Fits : ScoredRow::ScoreState::DoesNotFit;
  row.ran = RunOutcome::OutOfMemory;
  for (std::size_t i = 0; i < count; ++i)
    scores.rows.push_back(row);
}
std::vector<std::string> textsOf(const Scores& scores) {
  std::vector<std::string> out;
  for (const AlikeRuns& group : wrongVerdicts(scores))
    out.push_back(
        fmt::format("{}: {} of {}", group.what, group.verdicts.falseFits, group.verdicts.all()));
  return out;
}
} // namespace

TEST(Misses, AreCountedByWhatTheyAreAlikeIn) {
  Scores scores;
  ScoredRow one, other;
  one.hidden = other.hidden = 2048;
  one.headroomShare = 0.01F;
  other.tensor = 16, other.pipeline = 2, other.microBatch = 32, other.headroomShare = 0.2F;
  add(scores, 6, one, true), add(scores, 6, other, true), add(scores, 3, other, false);
  EXPECT_THAT(textsOf(scores),
              ElementsAre("one pipeline stage: 6 of 6", "several pipeline stages: 6 of 9",
                          "tensor 1: 6 of 6", "tensor 16 and more: 6 of 9",
                          "micro-batch 1 to 7: 6 of 6", "micro-batch 32 and more: 6 of 9",
                          "predicted to leave 10 % and more: 6 of 6",
                          "predicted to leave less than 2 %: 6 of 6"))
      << "all have one hidden size";
}

TEST(Misses, OfFew_SayNothing) {
  Scores scores;
  ScoredRow one;
  add(scores, 5, one, true);
  one.pipeline = 2;
  add(scores, 4, one, true);
  EXPECT_TRUE(wrongVerdicts(scores).empty());
}
