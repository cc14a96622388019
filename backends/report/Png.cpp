//===- Png.cpp - Pixels as a file that every program shows ------------------------------------===//
//
// PNG (ISO/IEC 15948) with one block of Huffman's fixed codes (RFC 1951): literals, and repetitions
// of the byte before.
#include "backends/report/Png.h"
#include <algorithm>

using namespace dpl::report;

namespace {
std::uint32_t crcOf(const std::string& bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

std::uint32_t adlerOf(const std::string& bytes) {
  constexpr std::uint32_t modulus = 65521;
  std::uint32_t low = 1, high = 0;
  for (const char byte : bytes) {
    low = (low + static_cast<std::uint8_t>(byte)) % modulus;
    high = (high + low) % modulus;
  }
  return high << 16 | low;
}

std::string bigEndian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
  return out;
}

class Deflate {
public:
  std::string block(const std::string& bytes) {
    put(1, 1), put(1, 2); // the last block, of fixed codes
    for (std::size_t at = 0; at < bytes.size();) {
      std::size_t run = 0;
      while (at > 0 && run < longest && at + run < bytes.size() && bytes[at + run] == bytes[at - 1])
        ++run;
      if (run >= shortest)
        repeat(static_cast<unsigned>(run)), at += run;
      else
        symbol(static_cast<std::uint8_t>(bytes[at++]));
    }
    symbol(256);
    put(0, 7); // to whole bytes
    return out;
  }

private:
  static constexpr unsigned shortest = 3, longest = 258;

  void put(unsigned bits, int count) {
    pending |= bits << held, held += count;
    for (; held >= 8; held -= 8, pending >>= 8)
      out += static_cast<char>(pending);
  }
  /// Codes go from their highest bit on.
  void code(unsigned bits, int count) {
    for (int bit = count - 1; bit >= 0; --bit)
      put(bits >> bit & 1, 1);
  }
  void symbol(unsigned s) {
    if (s < 144)
      code(0x30 + s, 8);
    else if (s < 256)
      code(0x190 + s - 144, 9);
    else if (s < 280)
      code(s - 256, 7);
    else
      code(0xC0 + s - 280, 8);
  }
  /// Lengths from 11 on share a symbol by fours and more, told apart by bits behind it.
  void repeat(unsigned length) {
    if (length == longest) {
      symbol(285);
    } else {
      int extra = 0;
      const unsigned over = length - shortest;
      while (over >> extra >= 8)
        ++extra;
      symbol(257 + 4 * static_cast<unsigned>(extra) + (over >> extra));
      put(over & ((1U << extra) - 1), extra);
    }
    code(0, 5); // a distance of 1
  }

  std::string out;
  unsigned pending = 0;
  int held = 0;
};

std::string chunk(const std::string& type, const std::string& data) {
  return bigEndian(static_cast<std::uint32_t>(data.size())) + type + data +
         bigEndian(crcOf(type + data));
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
  const std::string eightBitsOfRgb("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", bigEndian(static_cast<std::uint32_t>(image.width)) +
                           bigEndian(static_cast<std::uint32_t>(image.height)) + eightBitsOfRgb) +
         chunk("IDAT", "\x78\x01" + Deflate().block(rows) + bigEndian(adlerOf(rows))) +
         chunk("IEND", "");
}
