//===- StrokeFont.cpp - Letters as lines ------------------------------------------------------===//
#include "backends/report/StrokeFont.h"
#include "llvm/ADT/StringRef.h"

using namespace dpl::report;

namespace {
struct Letter {
  const char* text; ///< one code point
  /// Lines apart; of each point x as a digit and y as a letter, `c` on the base line.
  const char* lines;
};
constexpr Letter letters[] = {
    {" ", ""},
    {"!", "2i2e 2c2c"},
    {"\"", "1i1g 3i3g"},
    {"#", "1c1i 3c3i 0e4e 0g4g"},
    {"$", "4h3i1i0h0g1f3f4e4d3c1c0d 2j2b"},
    {"%", "0c4i 0h1h1i0i0h 3c4c4d3d3c"},
    {"&", "4c0g0h1i2h2g0d1c2c4e"},
    {"'", "2i2g"},
    {"(", "3i2h1f1e2c3b"},
    {")", "1i2h3f3e2c1b"},
    {"*", "2d2h 0e4g 0g4e"},
    {"+", "2d2h 0f4f"},
    {",", "2d2c1b"},
    {"-", "1f3f"},
    {".", "2c2c"},
    {"/", "0b4i"},
    {"0", "1c0d0h1i3i4h4d3c1c"},
    {"1", "0h2i2c 0c4c"},
    {"2", "0h1i3i4h4g0c4c"},
    {"3", "0i4i2f3f4e4d3c1c0d"},
    {"4", "3c3i0e4e"},
    {"5", "4i0i0f3f4e4d3c0c"},
    {"6", "3i1i0g0d1c3c4d4e3f0f"},
    {"7", "0i4i1c"},
    {"8", "1f0g0h1i3i4h4g3f1f0e0d1c3c4d4e3f"},
    {"9", "4f1f0g0h1i3i4h4e2c1c"},
    {":", "2c2c 2f2f"},
    {";", "2f2f 2d2c1b"},
    {"<", "4h0f4d"},
    {"=", "0e4e 0g4g"},
    {">", "0h4f0d"},
    {"?", "0h1i3i4h4g2f2e 2c2c"},
    {"@", "3e2e2g3g3e4e4h3i1i0h0d1c4c"},
    {"A", "0c0g2i4g4c 0e4e"},
    {"B", "0c0i3i4h4g3f0f 3f4e4d3c0c"},
    {"C", "4h3i1i0h0d1c3c4d"},
    {"D", "0c0i2i4g4e2c0c"},
    {"E", "4i0i0c4c 0f3f"},
    {"F", "4i0i0c 0f3f"},
    {"G", "4h3i1i0h0d1c3c4d4f2f"},
    {"H", "0c0i 4c4i 0f4f"},
    {"I", "1i3i 2i2c 1c3c"},
    {"J", "4i4d3c1c0d"},
    {"K", "0c0i 4i0f4c"},
    {"L", "0i0c4c"},
    {"M", "0c0i2f4i4c"},
    {"N", "0c0i4c4i"},
    {"O", "1c0d0h1i3i4h4d3c1c"},
    {"P", "0c0i3i4h4g3f0f"},
    {"Q", "1c0d0h1i3i4h4d3c1c 2e4c"},
    {"R", "0c0i3i4h4g3f0f 2f4c"},
    {"S", "4h3i1i0h0g1f3f4e4d3c1c0d"},
    {"T", "0i4i 2i2c"},
    {"U", "0i0d1c3c4d4i"},
    {"V", "0i2c4i"},
    {"W", "0i1c2f3c4i"},
    {"X", "0i4c 0c4i"},
    {"Y", "0i2f4i 2f2c"},
    {"Z", "0i4i0c4c"},
    {"[", "3i1i1b3b"},
    {"\\", "0i4b"},
    {"]", "1i3i3b1b"},
    {"^", "1g2i3g"},
    {"_", "0b4b"},
    {"`", "1i2g"},
    {"a", "1g3g4f4c 4e1e0d1c3c4d"},
    {"b", "0i0c 0f1g3g4f4d3c1c0d"},
    {"c", "4f3g1g0f0d1c3c4d"},
    {"d", "4i4c 4f3g1g0f0d1c3c4d"},
    {"e", "0e4e4f3g1g0f0d1c3c4d"},
    {"f", "4i3i2h2c 1g4g"},
    {"g", "4g4b3a1a 4f3g1g0f0d1c3c4d"},
    {"h", "0i0c 0f1g3g4f4c"},
    {"i", "1g2g2c 2i2i 1c3c"},
    {"j", "3g3b2a1a 3i3i"},
    {"k", "0i0c 4g0e4c"},
    {"l", "1i2i2d3c"},
    {"m", "0c0g 0f1g2f2c 2f3g4f4c"},
    {"n", "0c0g 0f1g3g4f4c"},
    {"o", "1c0d0f1g3g4f4d3c1c"},
    {"p", "0a0g 0f1g3g4f4d3c1c0d"},
    {"q", "4a4g 4f3g1g0f0d1c3c4d"},
    {"r", "1c1g 1f2g3g4f"},
    {"s", "4g1g0f1e3e4d3c0c"},
    {"t", "1i1d2c3c 0g3g"},
    {"u", "0g0d1c3c4d 4g4c"},
    {"v", "0g2c4g"},
    {"w", "0g1c2f3c4g"},
    {"x", "0g4c 0c4g"},
    {"y", "0g2c 4g1a"},
    {"z", "0g4g0c4c"},
    {"{", "3i2h2g1f2e2c3b"},
    {"|", "2i2a"},
    {"}", "1i2h2g3f2e2c1b"},
    {"~", "0e1f3e4f"},
    {"µ", "0g0a 0d1c3c4d 4g4c"},
    {"±", "2e2i 0g4g 0c4c"},
    {"×", "0d4h 0h4d"},
    {"…", "0c0c 2c2c 4c4c"},
};
constexpr const char* box = "0c0i4i4c0c";

std::vector<Stroke> strokesOf(llvm::StringRef letter) {
  llvm::StringRef lines = box;
  for (const Letter& known : letters)
    if (letter == known.text)
      lines = known.lines;
  std::vector<Stroke> out;
  while (!lines.empty()) {
    const auto [line, rest] = lines.split(' ');
    Stroke& stroke = out.emplace_back();
    for (std::size_t i = 0; i + 1 < line.size(); i += 2)
      stroke.emplace_back(line[i] - '0', line[i + 1] - 'c');
    lines = rest;
  }
  return out;
}
} // namespace

std::vector<std::vector<Stroke>> dpl::report::lettersOf(const std::string& text) {
  std::vector<std::vector<Stroke>> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (text[end] & 0xC0) == 0x80)
      ++end;
    out.push_back(strokesOf(llvm::StringRef(text).slice(at, end)));
    at = end;
  }
  return out;
}
