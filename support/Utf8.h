#pragma once
//===- Utf8.h - Checks and counts UTF-8 -------------------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <optional>
#include <string>

namespace dpl {

/// The number of bytes of the well-formed UTF-8 sequence at the start of `text`, or 0. Overlong
/// forms, surrogates and values above U+10FFFF are not well-formed.
std::size_t utf8Length(llvm::StringRef text);

/// The offset of the first byte outside of well-formed sequences.
std::optional<std::size_t> firstInvalidUtf8(llvm::StringRef text);

/// The text with malformed bytes replaced by U+FFFD.
std::string validUtf8(llvm::StringRef text);

/// The text as one line of a comment, without control characters and characters that change the
/// direction of writing. Bytes that are not UTF-8 become U+FFFD.
std::string oneLine(llvm::StringRef text);
/// The same for several lines, without escape sequences. With `styles`, sequences that only set
/// colours stay.
std::string manyLines(llvm::StringRef text, bool styles);
/// Finds whether the first character of `text` is unsafe: readers of JSON, YAML, TOML, Python or a
/// shell may refuse it, treat it as a line end or reverse the text around it. Returns its number of
/// bytes and sets `codePoint`; returns 0 for a safe character. Unsafe characters are controls,
/// U+200E and F, U+2028 to E, U+2066 to 9, U+FEFF, U+FFFE and F.
std::size_t unprintable(llvm::StringRef text, unsigned& codePoint);

/// The number of code points. Each byte of a malformed sequence counts as one.
std::size_t codePoints(llvm::StringRef text);

} // namespace dpl
