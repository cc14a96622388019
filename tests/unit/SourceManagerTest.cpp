#include "support/SourceManager.h"
#include "support/Utf8.h"
#include <gtest/gtest.h>
using namespace dpl;

TEST(SourceManager, Columns_CountCodePoints) {
  SourceManager sources;
  const std::uint32_t file = sources.add("a.dpl", "x = 1\n\"größe\" = y\r\nlast");
  EXPECT_EQ(sources.at(file, 0).line, 1U);
  const LineColumn y = sources.at(file, 18);
  EXPECT_EQ(y.line, 2U);
  EXPECT_EQ(y.column, 11U); // 12 bytes stand before it, two of them second halves
  EXPECT_EQ(sources.line(file, 18), "\"größe\" = y");
  EXPECT_EQ(sources.describe({file, 18, 19}), "a.dpl:2:11");
}

TEST(SourceManager, ThePlaceAfterTheLastByte_IsOnTheLastLine) {
  SourceManager sources;
  const std::uint32_t file = sources.add("a.dpl", "ab\ncd");
  EXPECT_EQ(sources.at(file, 5).line, 2U);
  EXPECT_EQ(sources.at(file, 5).column, 3U);
  EXPECT_EQ(sources.at(file, 500).column, 3U);
  const std::uint32_t empty = sources.add("b.dpl", "");
  EXPECT_EQ(sources.at(empty, 0).line, 1U);
  EXPECT_EQ(sources.line(empty, 0), "");
}

TEST(SourceManager, AnUnlocatedRange_HasNoPlace) {
  const SourceManager sources;
  EXPECT_EQ(sources.describe({}), "");
  EXPECT_EQ(sources.text(SourceRange{}), "");
}

TEST(Utf8, TheFirstBadByte_IsFound) {
  EXPECT_FALSE(firstInvalidUtf8("plain and größer and 模型 and 🙂, well past eight bytes"));
  EXPECT_EQ(firstInvalidUtf8("0123456789\xFFx"), 10U);
  EXPECT_EQ(firstInvalidUtf8("ab\xC3"), 2U);           // cut short
  EXPECT_EQ(firstInvalidUtf8("\xC0\xAF"), 0U);         // overlong
  EXPECT_EQ(firstInvalidUtf8("\xED\xA0\x80"), 0U);     // surrogate
  EXPECT_EQ(firstInvalidUtf8("\xF4\x90\x80\x80"), 0U); // beyond U+10FFFF
}

TEST(Utf8, CodePoints_AreCounted) {
  EXPECT_EQ(codePoints("größe"), 5U);
  EXPECT_EQ(codePoints("\xFF\xFE"), 2U);
}

TEST(SourceManager, APartOfALine_HasThePlacesOfItsFile) {
  SourceManager sources;
  const std::uint32_t file = sources.add("set.txt", "one = 1\n  größe = 2 // why\n", 3);
  const std::uint32_t part = sources.addPart({file, 10, 21});
  EXPECT_EQ(sources.text(part), "größe = 2");
  EXPECT_EQ(sources.describe({part, 10, 11}), "set.txt:2:11");
  EXPECT_EQ(sources.skipped(part), 13U);
}
