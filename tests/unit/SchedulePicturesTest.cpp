//===- SchedulePicturesTest.cpp - The schedule in a terminal and as an SVG file ---------------===//
#include "backends/report/Report.h"
#include "tests/unit/SchedulePlans.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::ir;
using namespace dpl::test;
using testing::HasSubstr;
using testing::Not;

TEST(SchedulePictures, EveryKindIsDrawn) {
  // 12 ms on 71 columns: an operation has 5 or 6.
  const std::string text = report::renderTimeline(everyKind(), 80, false);
  EXPECT_THAT(
      text,
      HasSubstr("  rank 0 F0----F0====I0====I0----W0====W0----F1---B1----wwwwwwCCCCCCUUUUUU"));
  EXPECT_THAT(text, HasSubstr("  rank 1 ......F0----"));
  EXPECT_THAT(text, HasSubstr("F forward, B backward, I backward for inputs, W backward for "
                              "weights"));
  EXPECT_THAT(text, HasSubstr("chunk 0 F-, chunk 1 F="));
  EXPECT_THAT(text, Not(HasSubstr("left out")));
  const std::string colours = report::renderTimeline(everyKind(), 80, true);
  EXPECT_THAT(colours, HasSubstr("\033[38;5;16;48;5;153mF0"));
  EXPECT_THAT(colours, HasSubstr("\033[38;5;16;48;5;117mF0")); // the other chunk
}

TEST(SchedulePictures, APictureHasEveryKindAndIsTheSameTwice) {
  const Plan plan = everyKind();
  const std::string picture = report::renderSvg(plan);
  EXPECT_EQ(picture, report::renderSvg(plan));
  for (const char* text : {">forward, chunks 0 to 1<", ">backward for inputs, chunks 0 to 1<",
                           ">backward for weights, chunks 0 to 1<", ">update<", ">rank 1<",
                           ">reductions and gathers<", ">wait for reductions<", ">ms<"})
    EXPECT_THAT(picture, HasSubstr(text));
}

TEST(SchedulePictures, LongSchedulesAreShownInParts) {
  const std::string text =
      report::renderTimeline(planOf("pipeline = 2, data = 4", "", "1024seq"), 80, false);
  for (const char* part : {"\n  warm-up, 0s to ", "\n  steady, ", "\n  cool-down, ", "left out: "})
    EXPECT_THAT(text, HasSubstr(part));
}
