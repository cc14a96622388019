#pragma once
//===- TextTable.h - A text table that fits the width of the terminal -------------------------===//
#include <string>
#include <vector>

namespace dpl::report {

/// Text columns align left and name the row; number columns follow and align right. A table that is
/// too wide is divided into blocks of columns, and each block repeats the text columns. Cells are
/// never wrapped or dropped.
class TextTable {
public:
  /// The first `textColumns` columns align left.
  explicit TextTable(std::vector<std::string> header, unsigned textColumns = 1);
  void row(std::vector<std::string> cells);
  /// Merges equal consecutive rows; the first cell then reads "1-14".
  void mergeEqualRows();
  /// Drops number columns that contain only dashes.
  void dropDashes();
  bool has(const std::string& column) const;
  bool empty() const { return rows.empty(); }
  /// Each line has an indent of two and at most `width` columns, unless the text columns and one
  /// number are wider.
  std::string render(unsigned width) const;

private:
  std::vector<std::string> header;
  unsigned textColumns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace dpl::report
