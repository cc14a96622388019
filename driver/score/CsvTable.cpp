//===- CsvTable.cpp - A CSV file that is read row by row --------------------------------------===//
#include "driver/score/CsvTable.h"
#include "support/Utf8.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Score.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
using namespace dpl;
using namespace dpl::score;

namespace {
/// Limits that no valid cell exceeds, so that a missing quote is found before it fills the memory.
constexpr std::size_t longestCell = 4096, longestRow = std::size_t{1} << 20;
constexpr unsigned char strictness = CSV_STRICT | CSV_STRICT_FINI;
} // namespace

FailureOr<std::unique_ptr<CsvTable>> CsvTable::open(const std::string& path,
                                                    DiagnosticEngine& diags) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return diags.report<diag::FileIsDirectory>({}, path);
  std::unique_ptr<CsvTable> table(new CsvTable(path));
  table->file.reset(std::fopen(path.c_str(), "rbe"));
  if (!table->file && errno == ENOENT)
    return diags.report<diag::FileMissing>({}, path);
  if (!table->file || ::fstat(fileno(table->file.get()), &info) != 0)
    return diags.report<diag::FileUnreadable>({}, path, std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return diags.report<diag::FileUnreadable>(
        {}, path, "it must be a file that can be read twice, found a pipe");
  table->buffer.resize(std::size_t{1} << 16);
  table->restart();
  // A byte order mark is not a part of the first name.
  if (table->byte() != 0xEF || table->byte() != 0xBB || table->byte() != 0xBF)
    table->resume(0, 1);
  if (!table->next(table->first, table->firstWrong))
    return diags.report<diag::TableRow>(
        {}, fmt::format("`{}` has no header line with the names of columns", path));
  return table;
}

std::optional<Finding> CsvTable::headerFault() const {
  if (firstWrong)
    return firstWrong;
  for (const Cell& cell : first.cells)
    if (const auto former = std::find_if(
            first.cells.data(), &cell, [&](const Cell& other) { return other.text == cell.text; });
        former != &cell && !cell.text.empty())
      return finding<diag::TableRow>(
          cell, fmt::format("two columns are called `{}`", validUtf8(cell.text)));
  for (const char other : {';', '\t'})
    if (static_cast<std::size_t>(std::count(first.raw.begin(), first.raw.end(), other)) >=
        first.cells.size()) {
      const auto at = static_cast<std::uint32_t>(first.raw.find(other));
      return finding<diag::TableRow>(at, at + 1,
                                     fmt::format("cells are separated by {}, a comma is needed",
                                                 other == ';' ? "`;`" : "a tab"));
    }
  return std::nullopt;
}

CsvTable::~CsvTable() { csv_free(&parser); }

void CsvTable::restart() {
  csv_free(&parser);
  (void)csv_init(&parser, strictness);
}

int CsvTable::byte() {
  if (used == filled) {
    filled = std::fread(buffer.data(), 1, buffer.size(), file.get());
    used = 0;
    if (filled == 0)
      return EOF;
  }
  ++consumed;
  return static_cast<unsigned char>(buffer[used++]);
}

void CsvTable::resume(long offset, std::uint32_t atLine) {
  restart();
  (void)std::fseek(file.get(), offset, SEEK_SET);
  used = filled = 0;
  consumed = offset;
  line = atLine;
}

void CsvTable::onCell(void* text, std::size_t size, void* self) {
  CsvTable& table = *static_cast<CsvTable*>(self);
  CsvRow& row = *table.current;
  std::uint32_t begin = table.cellBegin;
  // Spaces before a cell are not a part of it.
  while (begin < row.raw.size() && row.raw[begin] == ' ')
    ++begin;
  const auto end = static_cast<std::uint32_t>(row.raw.size());
  std::string cell = text ? std::string(static_cast<const char*>(text), size) : std::string();
  row.cells.push_back({std::move(cell), std::min(begin, end), end});
  table.cellBegin = end + 1; // position after the comma
}

void CsvTable::onRow(int, void* self) { static_cast<CsvTable*>(self)->rowEnded = true; }

bool CsvTable::read(CsvRow& row, std::optional<Finding>& wrong) {
  row.cells.clear(), row.raw.clear();
  wrong.reset();
  current = &row;
  cellBegin = 0, rowEnded = false;
  long begin = consumed;
  std::uint32_t lineEnds = 0;
  row.line = line;
  const auto refuse = [&](std::uint32_t from, const char* reason) {
    wrong = finding<diag::TableRow>(from, from + 1, reason);
    const std::size_t end = row.raw.find('\n');
    if (end == std::string::npos) {
      // The rest of the line is shown in the message, but not parsed.
      for (int c = byte(); c != EOF && c != '\n'; c = byte())
        if (row.raw.size() < longestCell)
          row.raw += static_cast<char>(c);
      restart();
      line = row.line + 1;
    } else {
      resume(begin + static_cast<long>(end) + 1, row.line + 1);
      row.raw.resize(end);
    }
    return true;
  };
  while (!rowEnded) {
    const int c = byte();
    if (c == EOF) {
      if (row.raw.empty())
        return false;
      if (csv_fini(&parser, onCell, onRow, this) != 0)
        return refuse(cellBegin, "a quote begins here and never ends");
      restart();
      return true;
    }
    const bool lineEnd = c == '\n' || c == '\r';
    if (row.raw.empty() && lineEnd) {
      line += c == '\n' ? 1 : 0;
      row.line = line, begin = consumed;
      continue;
    }
    const auto one = static_cast<char>(c);
    if (csv_parse(&parser, &one, 1, onCell, onRow, this) != 1)
      return refuse(static_cast<std::uint32_t>(row.raw.size()),
                    "a quote inside a cell must be doubled, and the cell must be in quotes");
    if (rowEnded) {
      lineEnds += c == '\n' ? 1 : 0;
      break;
    }
    row.raw += one;
    lineEnds += c == '\n' ? 1 : 0;
    if (row.raw.size() - std::min<std::size_t>(cellBegin, row.raw.size()) > longestCell)
      return refuse(cellBegin, "a cell has more than 4096 bytes; a quote may be missing");
    if (row.raw.size() > longestRow)
      return refuse(0, "a row has more than 1 MiB");
  }
  line += lineEnds;
  return true;
}

bool CsvTable::next(CsvRow& row, std::optional<Finding>& wrong) {
  if (!read(row, wrong))
    return false;
  if (const std::size_t at = row.raw.find('\0'); !wrong && at != std::string::npos)
    wrong =
        finding<diag::TableRow>(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 1),
                                "a NUL byte is here, text in UTF-8 is needed");
  if (!wrong && &row != &first && row.cells.size() != first.cells.size()) {
    const std::size_t least = std::min(row.cells.size(), first.cells.size());
    const std::uint32_t at = row.cells.size() > least ? row.cells[least].begin
                                                      : static_cast<std::uint32_t>(row.raw.size());
    wrong = finding<diag::TableRow>(at, at + 1,
                                    fmt::format("the row has {} cells, the first line has {}",
                                                row.cells.size(), first.cells.size()));
  }
  return true;
}

void score::issue(const Finding& finding, const CsvTable& table, const CsvRow& row,
                  SourceManager& sources, DiagnosticEngine& diags) {
  Diagnostic d = finding.message;
  // Errors above the limit are counted, but not shown.
  if (diags.errors() < diags.limit) {
    const std::uint32_t file = sources.addLine(table.path, validUtf8(row.raw), row.line);
    const auto size = static_cast<std::uint32_t>(sources.text(file).size());
    d.range = {file, std::min(finding.begin, size), std::min(finding.end, size)};
  } else {
    d.range = {static_cast<std::uint32_t>(sources.files()), row.line, row.line};
  }
  diags.issue(std::move(d));
}
