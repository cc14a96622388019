#pragma once
//===- TextTable.h - A text table that adapts to the width of the terminal
//---------------------===//
#include <string>
#include <vector>

namespace dpl::report {

/// Columns of text align left and name the row; those to their right are numbers and align right. A
/// table that is too wide is cut into blocks of columns, each with the columns of text again; no
/// cell is ever wrapped or lost.
class TextTable {
public:
  /// `textColumns` of the leading columns align left.
  explicit TextTable(std::vector<std::string> header, unsigned textColumns = 1);
  void row(std::vector<std::string> cells);
  /// Equal rows that follow one another become one, the first cell then says "1-14".
  void mergeEqualRows();
  /// Drops the columns of numbers that hold nothing but dashes.
  void dropDashes();
  bool has(const std::string& column) const;
  bool empty() const { return rows.empty(); }
  /// Each line is indented by two and no wider than `width`, unless the text and one number are
  /// wider.
  std::string render(unsigned width) const;

private:
  std::vector<std::string> header;
  unsigned textColumns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace dpl::report
