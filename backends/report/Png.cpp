//===- Png.cpp - Pixels as a file that every program shows ------------------------------------===//
//
// PNG (ISO/IEC 15948): three chunks, the pixels compressed by zlib.
#include "backends/report/Png.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"

using namespace dpl::report;

namespace {
std::string bigEndian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
  return out;
}

std::string chunk(const std::string& type, llvm::StringRef data) {
  const std::string summed = type + data.str();
  return bigEndian(static_cast<std::uint32_t>(data.size())) + summed +
         bigEndian(llvm::crc32(llvm::arrayRefFromStringRef(summed)));
}
} // namespace

std::string dpl::report::pngOf(const Image& image) {
  // Each row as its difference to the one above, which is mostly nothing.
  constexpr char up = 2;
  std::string rows;
  const std::size_t row = 3 * image.width;
  for (std::size_t y = 0; y < image.height; ++y) {
    rows += up;
    for (std::size_t x = 0; x < row; ++x) {
      const std::size_t at = y * row + x;
      rows += static_cast<char>(image.rgb[at] - (y > 0 ? image.rgb[at - row] : 0));
    }
  }
  llvm::SmallVector<char, 0> compressed;
  llvm::cantFail(llvm::zlib::compress(rows, compressed)); // fails without memory alone
  const std::string eightBitsOfRgb("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", bigEndian(static_cast<std::uint32_t>(image.width)) +
                           bigEndian(static_cast<std::uint32_t>(image.height)) + eightBitsOfRgb) +
         chunk("IDAT", llvm::StringRef(compressed.data(), compressed.size())) + chunk("IEND", "");
}
