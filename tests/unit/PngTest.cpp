//===- PngTest.cpp - Pictures as pixels -------------------------------------------------------===//
#include "backends/report/PlotPicture.h"
#include "backends/report/StrokeFont.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include <gtest/gtest.h>

using namespace dpl::report;

namespace {
/// What another reader makes of the file: zlib of its data, sums of its chunks.
Image read(const std::string& png) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  const auto number = [&](std::size_t at) { return llvm::support::endian::read32be(&png[at]); };
  Image out(number(16), number(20));
  for (std::size_t at = 8; at < png.size(); at += number(at) + 12) {
    const std::size_t size = number(at);
    const llvm::StringRef named = llvm::StringRef(png).substr(at + 4, size + 4);
    EXPECT_EQ(number(at + 8 + size), llvm::crc32(llvm::arrayRefFromStringRef(named)));
    if (!named.startswith("IDAT"))
      continue;
    const std::size_t row = 3 * out.width + 1;
    llvm::SmallVector<char, 0> rows;
    EXPECT_FALSE(
        llvm::errorToBool(llvm::zlib::uncompress(named.drop_front(4), rows, row * out.height)));
    EXPECT_EQ(rows.size(), row * out.height);
    for (std::size_t y = 0; y < out.height && rows.size() == row * out.height; ++y)
      for (std::size_t x = 0; x + 1 < row; ++x)
        out.rgb[y * (row - 1) + x] = static_cast<std::uint8_t>(
            rows[y * row + 1 + x] + (y > 0 ? out.rgb[(y - 1) * (row - 1) + x] : 0));
  }
  return out;
}
} // namespace

TEST(Png, IsReadBackPixelForPixel) {
  Image image(301, 47);
  for (std::size_t i = 0; i < image.rgb.size(); ++i) // runs of all lengths, and noise
    image.rgb[i] = static_cast<std::uint8_t>(i % 7919 < 4000 ? i / 259 : i * i >> 5);
  EXPECT_EQ(read(pngOf(image)).rgb, image.rgb);
}

TEST(Raster, AnEdgeInsideAPixel_HasTheShareOfTheColour) {
  Raster raster(4, 2, 1);
  raster.fill({{0.5, 0}, {2, 0}, {2, 1}, {0.5, 1}}, "#f00");
  const std::vector<std::uint8_t> expected = {255, 127, 127, 255, 0,   0,   255, 255,
                                              255, 255, 255, 255, 255, 255, 255, 255,
                                              255, 255, 255, 255, 255, 255, 255, 255};
  EXPECT_EQ(raster.pixels().rgb, expected);
}

TEST(Raster, ADashLeavesGaps) {
  Raster raster(12, 1, 1);
  raster.line({{0, 0.5}, {12, 0.5}}, 1, "6 3", "#000000");
  for (std::size_t x = 0; x < 12; ++x)
    EXPECT_EQ(raster.pixels().rgb[3 * x], x < 6 || x >= 9 ? 0 : 255) << x;
}

TEST(StrokeFont, HasAllOfAsciiInItsCell) {
  std::string text;
  for (char c = ' '; c <= '~'; ++c)
    text += c;
  const auto box = lettersOf("\x7f").front();
  const auto letters = lettersOf(text + "µ±×…");
  ASSERT_EQ(letters.size(), 99U);
  for (std::size_t i = 1; i < letters.size(); ++i) {
    EXPECT_FALSE(letters[i].empty()) << i;
    EXPECT_NE(letters[i], box) << i;
    for (const Stroke& stroke : letters[i])
      for (const auto& [x, y] : stroke)
        EXPECT_TRUE(x >= 0 && x < letterAdvance && y >= -2 && y <= 7) << i;
  }
  EXPECT_EQ(lettersOf("é").front(), box);
}

TEST(Plot, AsPixels_HasWhatItHasAsSvg) {
  PlotPicture plot;
  plot.curve({{100, 100}, {200, 100}}, 0);
  plot.marker(150, 200, 1);
  plot.finish("title", "x", "y", 1);
  const Image image = read(plot.png());
  EXPECT_EQ(image.width, 1720U);
  const auto red = [&](std::size_t x, std::size_t y) {
    return image.rgb[3 * (2 * y * image.width + 2 * x)];
  };
  EXPECT_EQ(red(150, 100), 0x1b); // the curve's colour
  EXPECT_EQ(red(150, 200), 0xff); // inside of an open marker
  EXPECT_EQ(red(153, 200), 0xd9); // its edge
}

TEST(Plot, Texts_StayInside) {
  PlotPicture plot;
  plot.legend("bimodal { fraction = 0.1, slowdown = 1.5 } é", 0, 2);
  plot.legend(std::string(60, 'a'), 1, 2);
  const std::string wide(300, 'W');
  plot.finish(wide, wide, wide, 2);
  plot.gridLine(100, wide);
  EXPECT_NE(plot.svg().find(">bimodal { fraction = 0.1, slowdown = 1.5 } é<"), std::string::npos);
  EXPECT_NE(plot.svg().find(">" + std::string(47, 'a') + "…<"), std::string::npos);
  const Image image = read(plot.png());
  for (std::size_t y = 0; y < image.height; ++y)
    for (const std::size_t x : {std::size_t{0}, image.width - 1})
      ASSERT_EQ(image.rgb[3 * (y * image.width + x)], 0xff) << x << " " << y;
}
