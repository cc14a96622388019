//===- TextTable.cpp - A text table that fits the width of the terminal -----------------------===//
#include "backends/report/TextTable.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::report;

TextTable::TextTable(std::vector<std::string> header, unsigned textColumns)
    : header(std::move(header)), textColumns(textColumns) {}

void TextTable::row(std::vector<std::string> cells) {
  assert(cells.size() == header.size() && "one cell a column");
  rows.push_back(std::move(cells));
}

void TextTable::mergeEqualRows() {
  std::vector<std::vector<std::string>> merged;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t last = i;
    while (last + 1 < rows.size() &&
           std::equal(rows[i].begin() + 1, rows[i].end(), rows[last + 1].begin() + 1))
      ++last;
    merged.push_back(rows[i]);
    if (last > i)
      merged.back().front() += "-" + rows[last].front();
    i = last + 1;
  }
  rows = std::move(merged);
}

bool TextTable::has(const std::string& column) const {
  return std::find(header.begin(), header.end(), column) != header.end();
}

void TextTable::dropDashes() {
  for (std::size_t c = header.size(); c-- > textColumns;)
    if (std::all_of(rows.begin(), rows.end(), [&](const auto& cells) { return cells[c] == "-"; })) {
      header.erase(header.begin() + static_cast<std::ptrdiff_t>(c));
      for (auto& cells : rows)
        cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(c));
    }
}

std::string TextTable::render(unsigned width) const {
  constexpr std::size_t gap = 2;
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < header.size(); ++c) {
    std::size_t w = codePoints(header[c]);
    for (const auto& cells : rows)
      w = std::max(w, codePoints(cells[c]));
    widths.push_back(w);
  }

  const std::size_t keys = std::min<std::size_t>(std::max(textColumns, 1U), header.size());
  std::string out;
  auto line = [&](const std::vector<std::string>& cells, std::size_t begin, std::size_t end) {
    std::string text;
    auto cell = [&](std::size_t c) {
      const std::string& s = cells[c];
      text += std::string(gap, ' ');
      text +=
          c < textColumns ? padded(s, widths[c]) : std::string(widths[c] - codePoints(s), ' ') + s;
    };
    for (std::size_t c = 0; c < keys; ++c)
      cell(c);
    for (std::size_t c = begin; c < end; ++c)
      cell(c);
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };

  for (std::size_t begin = keys; begin < header.size() || begin == keys;) {
    std::size_t end = begin, used = 0;
    for (std::size_t c = 0; c < keys; ++c)
      used += gap + widths[c];
    while (end < header.size() && (end == begin || used + gap + widths[end] <= width))
      used += gap + widths[end++];
    if (begin > keys)
      out += "\n";
    line(header, begin, end);
    for (const auto& cells : rows)
      line(cells, begin, end);
    begin = std::max(end, begin + 1);
  }
  return out;
}
