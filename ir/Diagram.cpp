//===- Diagram.cpp - An expression with the value of each part below it -----------------------===//
#include "ir/Diagram.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::ir;

namespace {

constexpr std::size_t widest = 78;

/// The characters of a text, one string each; columns count these.
std::vector<std::string> characters(llvm::StringRef text) {
  std::vector<std::string> all;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (!continues || all.empty())
      all.emplace_back();
    all.back() += c;
  }
  return all;
}

/// Lines of cells; an empty cell is a blank.
class Canvas {
public:
  bool fits(std::size_t line, std::size_t column, std::size_t length) {
    std::vector<std::string>& cells = at(line);
    // One blank stays between a value and its right neighbour.
    for (std::size_t i = column; i < std::min(column + length + 1, cells.size()); ++i)
      if (!cells[i].empty())
        return false;
    return true;
  }
  void put(std::size_t line, std::size_t column, const std::vector<std::string>& text) {
    std::vector<std::string>& cells = at(line);
    if (cells.size() < column + text.size())
      cells.resize(column + text.size());
    std::copy(text.begin(), text.end(), cells.begin() + static_cast<std::ptrdiff_t>(column));
  }
  std::string str() const {
    std::string out;
    for (const std::vector<std::string>& cells : lines) {
      if (!out.empty())
        out += '\n';
      for (const std::string& cell : cells)
        out += cell.empty() ? " " : cell;
    }
    return out;
  }

private:
  std::vector<std::string>& at(std::size_t line) {
    if (lines.size() <= line)
      lines.resize(line + 1);
    return lines[line];
  }
  std::vector<std::vector<std::string>> lines;
};

std::string listOfParts(llvm::StringRef expression, std::vector<DiagramPart> parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const DiagramPart& a, const DiagramPart& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::string out = expression.str();
  for (const DiagramPart& part : parts) {
    llvm::StringRef text = expression.slice(part.begin, part.end).trim();
    out += "\n  ";
    if (text.size() > 50) {
      out += text.take_front(24).str() + " … " + text.take_back(24).str();
    } else {
      out += text.str();
    }
    out += "  is  " + part.text;
  }
  return out;
}

} // namespace

std::string ir::drawDiagram(llvm::StringRef expression, std::vector<DiagramPart> parts) {
  // Goes from right to left: a value may be placed next to those on its right.
  std::stable_sort(parts.begin(), parts.end(),
                   [](const DiagramPart& a, const DiagramPart& b) { return a.anchor > b.anchor; });
  const auto columnOf = [&](std::size_t byte) {
    return characters(expression.take_front(byte)).size();
  };
  std::size_t width = characters(expression).size();
  for (const DiagramPart& part : parts)
    width = std::max(width, columnOf(part.anchor) + characters(part.text).size());
  if (width > widest)
    return listOfParts(expression, std::move(parts));

  Canvas canvas;
  canvas.put(0, 0, characters(expression));
  const std::vector<std::string> connector{"│"};
  for (const DiagramPart& part : parts)
    canvas.put(1, columnOf(part.anchor), connector);
  for (const DiagramPart& part : parts) {
    const std::vector<std::string> text = characters(part.text);
    const std::size_t column = columnOf(part.anchor);
    std::size_t line = 2;
    for (; !canvas.fits(line, column, text.size()); ++line)
      if (canvas.fits(line, column, 0))
        canvas.put(line, column, connector);
    canvas.put(line, column, text);
  }
  return canvas.str();
}
