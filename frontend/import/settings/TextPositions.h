#pragma once
//===- TextPositions.h - Byte positions of lines, columns and code points ---------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace dpl::imports::settings {

/// Converts positions in lines, columns or code points, in which other libraries report errors, to
/// bytes, which `SourceRange` uses. The text is scanned only once.
class TextPositions {
public:
  explicit TextPositions(llvm::StringRef text);

  /// The byte at which a code point begins, counted from 0 as the code points are. The size of the
  /// text for a code point after the last one.
  std::uint32_t byteOf(std::size_t codePoint) const;
  /// The byte at a line and a column, which are counted from 1. At most the end of the line.
  std::uint32_t byteAt(std::size_t line, std::size_t column) const;
  /// The byte of the line break that ends the line of `byte`, or the end of the text.
  std::uint32_t endOfLine(std::uint32_t byte) const;
  /// The number of bytes scanned and of steps of binary searches so far, for tests of the running
  /// time.
  std::size_t work() const { return steps; }

private:
  template <class Iterator> void count(Iterator begin, Iterator end) const;

  std::uint32_t size;
  mutable std::size_t steps = 0;
  std::vector<std::uint32_t> lines; ///< first byte of each line
  /// first byte of each code point; empty if each code point is one byte
  std::vector<std::uint32_t> points;
};

} // namespace dpl::imports::settings
