#pragma once
//===- CsvTable.h - A CSV file, read row by row
//------------------------------------------------===//
#include "support/Diagnostics.h"
#include <cstdio>
#include <csv.h>
#include <memory>

namespace dpl::score {

struct Cell {
  std::string text;
  std::uint32_t begin = 0, end = 0; ///< in Row::raw, quotes included
};

struct CsvRow {
  std::uint32_t line = 0; ///< where it begins, from 1
  std::vector<Cell> cells;
  std::string raw;
};

/// What is wrong with a row: a message and the bytes of the row that it points at.
struct Finding {
  Diagnostic message;
  std::uint32_t begin = 0, end = 0;
};

/// A file of any size: one row is held at a time. A row that cannot be taken apart is followed by
/// the next line.
class CsvTable {
public:
  static FailureOr<std::unique_ptr<CsvTable>> open(const std::string& path,
                                                   DiagnosticEngine& diags);
  ~CsvTable();
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  const std::string path;
  /// Names of the columns, from its first row.
  const CsvRow& header() const { return first; }
  /// What makes its first row no names of columns; nothing where all is well.
  std::optional<Finding> headerFault() const;
  /// False at the end. `wrong` is set where the row cannot be taken apart.
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
  long consumed = 0; ///< bytes of the file that `byte` gave
  std::uint32_t line = 1;
  csv_parser parser{};
  CsvRow first;
  std::optional<Finding> firstWrong;
  CsvRow* current = nullptr;
  std::uint32_t cellBegin = 0;
  bool rowEnded = false;
};

/// Says a finding about a row of a table, at its line and column.
void issue(const Finding& finding, const CsvTable& table, const CsvRow& row, SourceManager& sources,
           DiagnosticEngine& diags);

/// A finding about bytes of a row.
template <class D, class... Args>
Finding finding(std::uint32_t begin, std::uint32_t end, const Args&... args) {
  return {{D::info, {}, D::format(args...), {}, {}, {}, {}}, begin, end};
}
template <class D, class... Args> Finding finding(const Cell& cell, const Args&... args) {
  return finding<D>(cell.begin, cell.end, args...);
}

} // namespace dpl::score
