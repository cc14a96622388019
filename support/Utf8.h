#pragma once
//===- Utf8.h - Checking and counting UTF-8 ---------------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <optional>
#include <string>

namespace dpl {

/// Bytes of the well-formed UTF-8 sequence that begins `text`; 0 when there is none. Overlong
/// forms, surrogates and values above U+10FFFF are not well-formed.
std::size_t utf8Length(llvm::StringRef text);

/// Offset of the first byte that does not belong to a well-formed sequence.
std::optional<std::size_t> firstInvalidUtf8(llvm::StringRef text);

/// Malformed bytes replaced by U+FFFD.
std::string validUtf8(llvm::StringRef text);

/// Text as one line of a comment: control characters would end it, and those that
/// turn the direction of writing would let it look like something else; bytes that are not UTF-8
/// become U+FFFD.
std::string oneLine(llvm::StringRef text);
/// The same for text of several lines: escape sequences are replaced. With `styles`, sequences that
/// only set colours stay.
std::string manyLines(llvm::StringRef text, bool styles);
/// Bytes of the character at the start of `text` when some reader of JSON, YAML, TOML, Python or a
/// shell takes it for a line end or refuses it, or when it turns the direction of the text around
/// it: controls, U+200E and F, U+2028 to E, U+2066 to 9, U+FEFF, U+FFFE and F. Sets its code point;
/// 0 for any other.
std::size_t unprintable(llvm::StringRef text, unsigned& codePoint);

/// Code points of a text; each byte of a malformed sequence counts as one.
std::size_t codePoints(llvm::StringRef text);

} // namespace dpl
