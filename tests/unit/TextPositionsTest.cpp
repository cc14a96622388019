//===- TextPositionsTest.cpp - Bytes of a text by line and column, or by code point -----------===//
#include "frontend/import/settings/TextPositions.h"
#include <gtest/gtest.h>
using namespace dpl::imports::settings;

TEST(TextPositions, OfALine_AreThoseOfEachCodePoint) {
  const std::string text = "# \u00e9\n\u00e9 = [1, \u20ac]\n\nlast";
  const TextPositions places(text);
  for (std::size_t point = 0, byte = 0, line = 1, column = 1; byte < text.size(); ++point) {
    EXPECT_EQ(places.byteOf(point), byte);
    EXPECT_EQ(places.byteAt(line, column), byte);
    EXPECT_EQ(places.endOfLine(static_cast<std::uint32_t>(byte)),
              std::min(text.find('\n', byte), text.size()));
    const bool ends = text[byte] == '\n';
    line += ends, column = ends ? 1 : column + 1;
    do
      ++byte;
    while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0) == 0x80);
  }
  EXPECT_EQ(places.byteAt(1, 99), text.find('\n'));
  EXPECT_EQ(places.byteAt(99, 1), 0U);
  EXPECT_EQ(places.byteOf(99), text.size());
}

// Each value of an array on one line asks for a line, a column and the end of the line.
TEST(TextPositions, OfManyValuesOfALine_CostAsMuchAsTheText) {
  for (const char* head : {"a = [", "# \u00e9\na = ["})
    for (const std::size_t values : {1'000, 100'000}) {
      std::string text = head;
      for (std::size_t i = 0; i < values; ++i)
        text += "1,";
      const TextPositions places(text + "1]\n");
      const std::size_t line = text.front() == '#' ? 2 : 1;
      std::size_t right = 0;
      for (std::size_t i = 0; i < values; ++i) {
        const std::uint32_t at = places.byteAt(line, 6 + 2 * i);
        right += text[at] == '1' && places.endOfLine(at) == text.size() + 2;
      }
      EXPECT_EQ(right, values);
      EXPECT_LT(places.work(), 40 * text.size());
    }
}
