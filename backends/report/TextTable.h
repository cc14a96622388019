#pragma once
//===- TextTable.h - A text table that fits the width of the terminal -------------------------===//
#include <string>
#include <vector>

namespace dpl::report {

/// A table. Text columns align left and name the row; number columns follow and align right. A
/// table that is too wide is divided into blocks of columns, and each block repeats the text
/// columns. Cells are never wrapped or dropped.
class TextTable {
public:
  /// The first `textColumns` columns are text columns.
  explicit TextTable(std::vector<std::string> header, unsigned textColumns = 1);
  void row(std::vector<std::string> cells);
  /// Merges equal consecutive rows into one, whose first cell then reads "1-14".
  void mergeEqualRows();
  /// Drops number columns that contain only dashes.
  void dropDashes();
  bool has(const std::string& column) const;
  bool empty() const { return rows.empty(); }
  /// Each line is indented by two and has at most `width` columns. It is wider only if the text
  /// columns and one number column need more.
  std::string render(unsigned width) const;

private:
  std::vector<std::string> header;
  unsigned textColumns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace dpl::report
