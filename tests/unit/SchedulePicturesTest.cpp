//===- SchedulePicturesTest.cpp - The schedule in a terminal and as an SVG file ---------------===//
#include "backends/report/ActionStyle.h"
#include "backends/report/Memory.h"
#include "backends/report/Report.h"
#include "ir/Arithmetic.h"
#include "tests/unit/SchedulePlans.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <map>
#include <optional>

using namespace dpl;
using namespace dpl::ir;
using namespace dpl::test;
using testing::HasSubstr;
using testing::Not;

namespace {
constexpr double plotWidth = 1116, rowHeight = 24; ///< of a schedule of two ranks, in pixels

/// The pixels that a path of horizontal and vertical lines encloses.
double areaOf(llvm::StringRef data) {
  double x = 0, y = 0, area = 0;
  for (const char* at = data.begin(); at < data.end();) {
    const char command = *at++;
    char* next = nullptr;
    if (command == 'M') {
      x = std::strtod(at, &next), y = std::strtod(next, &next), at = next;
    } else if (command == 'H') {
      const double to = std::strtod(at, &next);
      area += (to - x) * y, x = to, at = next;
    } else if (command == 'V') {
      y = std::strtod(at, &next), at = next;
    }
  }
  return std::abs(area);
}

/// The areas of a picture's paths, in pixels by colour.
std::map<std::string, double> areasOf(llvm::StringRef picture) {
  std::map<std::string, double> out;
  while (!picture.empty()) {
    picture = picture.split("<path d=\"").second;
    const auto [data, rest] = picture.split("\" fill=\"");
    if (!rest.startswith("#") || data.contains('<'))
      continue;
    out[rest.take_front(7).str()] += areaOf(data);
  }
  return out;
}

/// The attribute `y` of the horizontal line of a picture that is dashed and dark; none without one.
std::optional<double> limitIn(llvm::StringRef picture) {
  const std::size_t end = picture.find("\" stroke=\"#333\" stroke-dasharray");
  if (end == llvm::StringRef::npos)
    return std::nullopt;
  const llvm::StringRef data = picture.take_front(end).rsplit("<path d=\"M").second;
  double y = 0, other = 0;
  const auto [from, to] = data.split('L');
  if (from.split(' ').second.getAsDouble(y) || to.split(' ').second.getAsDouble(other) ||
      y != other)
    return std::nullopt;
  return y;
}
} // namespace

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

/// With 256 micro-batches an action is narrower than two pixels: a box would hide its neighbours.
TEST(SchedulePictures, LongSchedules_ShowTheTimeOfEachKind) {
  const Plan plan = planOf("pipeline = 2, data = 4", "", "1024seq");
  std::map<std::string, double> expected;
  for (const RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.actions.size(); ++i)
      expected[report::shadeOf(rank.actions[i].kind, 0, 1)] +=
          rowHeight * plotWidth * toSeconds(rank.duration[i]) / plan.step->end;
  const std::string picture = report::renderSvg(plan);
  std::map<std::string, double> drawn = areasOf(picture);
  for (const ActionKind kind : {ActionKind::Forward, ActionKind::Backward}) {
    const std::string colour = report::shadeOf(kind, 0, 1);
    EXPECT_GT(expected[colour], 5'000) << colour;
    EXPECT_NEAR(drawn[colour] / expected[colour], 1, 0.02) << colour;
  }
  EXPECT_THAT(picture, HasSubstr("the height is the share of time"));
  EXPECT_THAT(report::renderSvg(everyKind()), Not(HasSubstr("the height is the share of time")));
}

TEST(SchedulePictures, DrawTheLimitOfMemory) {
  const Plan small = planOf("pipeline = 2, data = 4", ""); // far below the limit
  Plan full = small;
  for (RankMemory& rank : full.memory)
    rank.usable = rank.peak() + rank.peak() / 8;
  for (const bool toScale : {false, true}) {
    const Plan& plan = toScale ? full : small;
    for (const std::string& picture : {report::renderSvg(plan), report::renderMemorySvg(plan)}) {
      EXPECT_TRUE(limitIn(picture));
      EXPECT_THAT(picture, HasSubstr("usable"));
      EXPECT_EQ(llvm::StringRef(picture).contains("off the scale"), !toScale);
    }
  }
  // The frame is from 64 to 404 pixels, and 3 % higher than the limit.
  const double above = 404 - *limitIn(report::renderMemorySvg(full)), frame = 404 - 64;
  EXPECT_NEAR(above, frame / 1.03, 0.1);
  EXPECT_NEAR(*limitIn(report::renderMemorySvg(small)), 64, 0.1);
}
