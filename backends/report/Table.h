#pragma once
//===- Table.h - A text table that adapts to the width of the terminal ------------------------===//
#include <string>
#include <vector>

namespace dpl::report {

/// Columns to the right of the first are numbers and align right. A table that is too wide is cut
/// into blocks of columns, each with the first column again; no cell is ever wrapped or lost.
class Table {
public:
  /// `textColumns` of the leading columns align left.
  explicit Table(std::vector<std::string> header, unsigned textColumns = 1);
  void row(std::vector<std::string> cells);
  /// Equal rows that follow one another become one, the first cell then says "1-14".
  void mergeEqualRows();
  bool empty() const { return rows.empty(); }
  /// Each line is indented by two and no wider than `width`, unless two columns alone are wider.
  std::string render(unsigned width) const;

private:
  std::vector<std::string> header;
  unsigned textColumns;
  std::vector<std::vector<std::string>> rows;
};

/// Columns that a text takes: its code points.
std::size_t columns(const std::string& text);
/// The text, followed by blanks up to `width` columns.
std::string padded(const std::string& text, std::size_t width);
/// Words broken into lines of at most `width` columns, every line after the first indented.
std::string wrapped(const std::string& text, unsigned width, unsigned indent);

} // namespace dpl::report
