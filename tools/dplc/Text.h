#pragma once
//===- Text.h - Text that fits the terminal ---------------------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace dpl::tool {

/// The environment's COLUMNS, else the columns of the terminal on standard output, at least 60;
/// nothing where neither says.
std::optional<unsigned> widthAsked();
/// For the screens: 100 where nothing says.
unsigned terminalWidth();
/// For texts that have lines of their own: they stay where nothing says.
unsigned pageWidth();

/// A row of a list: the name, then the text from `column` on, wrapped under itself.
std::string row(const std::string& name, const std::string& text, unsigned column, unsigned width);
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

} // namespace dpl::tool
