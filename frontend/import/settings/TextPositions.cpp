//===- TextPositions.cpp - Byte positions of lines, columns and code points -------------------===//
#include "frontend/import/settings/TextPositions.h"
#include <algorithm>

using namespace dpl::imports::settings;

template <class Iterator> void TextPositions::count(Iterator begin, Iterator end) const {
  for (auto length = end - begin; length > 0; length /= 2)
    ++steps;
}

TextPositions::TextPositions(llvm::StringRef text)
    : size(static_cast<std::uint32_t>(text.size())), lines{0} {
  bool plain = true;
  steps = size;
  for (std::uint32_t at = 0; at < size; ++at) {
    plain &= static_cast<unsigned char>(text[at]) < 0x80;
    if (text[at] == '\n')
      lines.push_back(at + 1);
  }
  for (std::uint32_t at = 0; !plain && at < size; ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80)
      points.push_back(at);
}

std::uint32_t TextPositions::byteOf(std::size_t codePoint) const {
  if (points.empty())
    return static_cast<std::uint32_t>(std::min<std::size_t>(codePoint, size));
  return codePoint < points.size() ? points[codePoint] : size;
}

std::uint32_t TextPositions::byteAt(std::size_t line, std::size_t column) const {
  if (line == 0 || line > lines.size())
    return 0;
  const std::uint32_t begin = lines[line - 1], end = endOfLine(begin);
  const std::size_t before = column == 0 ? 0 : column - 1;
  if (points.empty())
    return static_cast<std::uint32_t>(std::min<std::size_t>(begin + before, end));
  count(points.begin(), points.end());
  const auto first = std::lower_bound(points.begin(), points.end(), begin) - points.begin();
  return std::min(byteOf(static_cast<std::size_t>(first) + before), end);
}

std::uint32_t TextPositions::endOfLine(std::uint32_t byte) const {
  count(lines.begin(), lines.end());
  const auto next = std::upper_bound(lines.begin(), lines.end(), byte);
  return next == lines.end() ? size : *next - 1;
}
