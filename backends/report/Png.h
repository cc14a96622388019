#pragma once
//===- Png.h - Pixels as a file that every program shows --------------------------------------===//
#include <cstdint>
#include <string>
#include <vector>

namespace dpl::report {

/// Rows of red, green and blue, from the top; white at first.
struct Image {
  Image(std::size_t width, std::size_t height)
      : width(width), height(height), rgb(3 * width * height, 255) {}
  std::size_t width, height;
  std::vector<std::uint8_t> rgb;
};

/// The same bytes from the same program: zlib is linked into it.
std::string pngOf(const Image& image);

} // namespace dpl::report
