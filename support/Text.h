#pragma once
//===- Text.h - Text wrapped to a width -------------------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dpl {

/// The text, padded with spaces to `width` columns.
std::string padded(const std::string& text, std::size_t width);
/// Wraps words to lines of at most `width` columns. All lines after the first also have an indent,
/// which `width` does not include; `less` reduces the width of their text.
std::string wrapped(const std::string& text, unsigned width, unsigned indent, unsigned less = 0);
/// A row of a list: the name, then the wrapped text in a column that starts at `column`.
std::string listRow(const std::string& name, const std::string& text, unsigned column,
                    unsigned width);

/// A number with its noun: "1 sequence", "8 sequences", "2 batches".
std::string plural(std::uint64_t n, llvm::StringRef noun);
/// Wraps paragraphs to `width`. Indented lines are not changed.
std::string flow(llvm::StringRef text, unsigned width);
/// Wraps a page of docs/explain: prose is wrapped, fenced text is not changed.
std::string flowMarkdown(llvm::StringRef page, unsigned width);
/// Wraps lines of a list in their last column, which starts after two spaces.
std::string flowList(llvm::StringRef list, unsigned width);
/// Wraps comments in source text. A comment after code moves to the line before it if it is too
/// wide. The meaning does not change.
std::string flowSource(llvm::StringRef source, unsigned width);

/// The line without a `//` comment. `//` in a string is not a comment.
llvm::StringRef withoutComment(llvm::StringRef line);

} // namespace dpl
