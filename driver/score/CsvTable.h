#pragma once
//===- CsvTable.h - A CSV file that is read row by row ----------------------------------------===//
#include "support/Diagnostics.h"
#include <cstdio>
#include <csv.h>
#include <memory>

namespace dpl::score {

struct Cell {
  std::string text;
  std::uint32_t begin = 0, end = 0; ///< range of the cell in Row::raw, its quotes included
};

struct CsvRow {
  std::uint32_t line = 0; ///< first line of the row, counted from 1
  std::vector<Cell> cells;
  std::string raw;
};

/// An error in a row: a message, and the bytes of the row to which it refers.
struct Finding {
  Diagnostic message;
  std::uint32_t begin = 0, end = 0;
};

/// A CSV file of any size. Only one row is in memory at a time. After a malformed row, reading
/// continues at the next line.
class CsvTable {
public:
  static FailureOr<std::unique_ptr<CsvTable>> open(const std::string& path,
                                                   DiagnosticEngine& diags);
  ~CsvTable();
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  const std::string path;
  /// The names of the columns, which are in the first row.
  const CsvRow& header() const { return first; }
  /// Why the names of columns in the first row are not valid; none if they are.
  std::optional<Finding> headerFault() const;
  /// Reads the next row. False at the end of the file. Sets `wrong` if the row is malformed.
  bool next(CsvRow& row, std::optional<Finding>& wrong);

private:
  explicit CsvTable(std::string path) : path(std::move(path)) {}
  bool read(CsvRow& row, std::optional<Finding>& wrong);
  int byte();
  void resume(long offset, std::uint32_t atLine);
  void restart();
  static void onCell(void* text, std::size_t size, void* self);
  static void onRow(int terminator, void* self);

  struct Close {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  std::unique_ptr<std::FILE, Close> file;
  std::vector<char> buffer;
  std::size_t used = 0, filled = 0;
  long consumed = 0; ///< number of bytes that `byte` has read from the file
  std::uint32_t line = 1;
  csv_parser parser{};
  CsvRow first;
  std::optional<Finding> firstWrong;
  CsvRow* current = nullptr;
  std::uint32_t cellBegin = 0;
  bool rowEnded = false;
};

/// Reports an error in a row of a table, at its line and column.
void issue(const Finding& finding, const CsvTable& table, const CsvRow& row, SourceManager& sources,
           DiagnosticEngine& diags);

/// Makes an error about bytes of a row.
template <class D, class... Args>
Finding finding(std::uint32_t begin, std::uint32_t end, const Args&... args) {
  return {{D::info, {}, D::format(args...), {}, {}, {}, {}}, begin, end};
}
template <class D, class... Args> Finding finding(const Cell& cell, const Args&... args) {
  return finding<D>(cell.begin, cell.end, args...);
}

} // namespace dpl::score
