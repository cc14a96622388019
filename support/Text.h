#pragma once
//===- Text.h - Text broken into lines of a width ---------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dpl {

/// The text, followed by blanks up to `width` columns.
std::string padded(const std::string& text, std::size_t width);
/// Words broken into lines of at most `width` columns. Every line after the first is indented, by
/// which it may be wider, and `less` columns of its text are given up.
std::string wrapped(const std::string& text, unsigned width, unsigned indent, unsigned less = 0);
/// A row of a list: the name, then the text from `column` on, wrapped under itself.
std::string listRow(const std::string& name, const std::string& text, unsigned column,
                    unsigned width);

/// "1 sequence", "8 sequences", "2 batches".
std::string plural(std::uint64_t n, llvm::StringRef noun);
/// Paragraphs wrapped to `width`. An indented line stays as it is.
std::string flow(llvm::StringRef text, unsigned width);
/// A page of docs/explain: prose is wrapped where it is too wide, fenced text stays as it is.
std::string flowMarkdown(llvm::StringRef page, unsigned width);
/// Lines of a list that are too wide go on under their last column, the one after two blanks.
std::string flowList(llvm::StringRef list, unsigned width);
/// Source text whose comments fit: a block of comments is wrapped, one after code that is too wide
/// goes before it. The text means the same.
std::string flowSource(llvm::StringRef source, unsigned width);

/// A line without its `//` comment; `//` inside a string is text.
llvm::StringRef withoutComment(llvm::StringRef line);

} // namespace dpl
