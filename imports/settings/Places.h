#pragma once
//===- Places.h - Bytes of a text by line and column, or by code point ------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace dpl::imports::settings {

/// Readers of other libraries count code points, sources count bytes. All places of a text are
/// found in one walk over it, however many are asked for and in whichever order.
class Places {
public:
  explicit Places(llvm::StringRef text);

  /// The byte of a code point, both counted from 0; the text's size behind its end.
  std::uint32_t byteOf(std::size_t codePoint) const;
  /// The byte of a line and a column, both counted from 1; never behind the end of the line.
  std::uint32_t byteAt(std::size_t line, std::size_t column) const;
  /// The line break of the line that has the byte, or the end of the text.
  std::uint32_t endOfLine(std::uint32_t byte) const;
  /// Bytes walked and halvings of searches so far: what the places of a text have cost.
  std::size_t work() const { return steps; }

private:
  template <class Iterator> void count(Iterator begin, Iterator end) const;

  std::uint32_t size;
  mutable std::size_t steps = 0;
  std::vector<std::uint32_t> lines;  ///< where each begins: a byte
  std::vector<std::uint32_t> points; ///< of code points: bytes; empty where each has one
};

} // namespace dpl::imports::settings
