//===- RenderText.cpp - Diagnostics for people: the source line, marks and advice -------------===//
#include "support/RenderText.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include "support/diagnostics/Files.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>
using namespace dpl;

namespace {
constexpr unsigned tabWidth = 4;
/// The largest number of columns of a source line that are shown, around the caret.
constexpr unsigned mostColumns = 120;
/// A width in columns above that of any sentence.
constexpr unsigned unlimited = 1U << 30;

/// The escape sequences of colours; without colour, empty texts.
struct Style {
  bool on;
  llvm::StringRef bold() const { return on ? "\x1b[1m" : ""; }
  llvm::StringRef error() const { return on ? "\x1b[1;31m" : ""; }
  llvm::StringRef warning() const { return on ? "\x1b[1;35m" : ""; }
  llvm::StringRef note() const { return on ? "\x1b[1;36m" : ""; }
  llvm::StringRef dim() const { return on ? "\x1b[34m" : ""; }
  llvm::StringRef off() const { return on ? "\x1b[0m" : ""; }
};

/// A displayed character of a source line.
struct ShownCharacter {
  std::string text;
  unsigned width;     ///< number of columns on a terminal
  std::uint32_t byte; ///< byte offset in the line
};

/// The characters of a line, with tabs replaced by spaces and unprintable characters by U+FFFD;
/// wide characters have two columns.
std::vector<ShownCharacter> cells(llvm::StringRef line) {
  std::vector<ShownCharacter> row;
  unsigned column = 0;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t length = utf8Length(line.drop_front(i));
    const llvm::StringRef character = line.substr(i, std::max<std::size_t>(length, 1));
    ShownCharacter cell{character.str(), 1, static_cast<std::uint32_t>(i)};
    if (character == "\t") {
      cell.width = tabWidth - column % tabWidth;
      cell.text = std::string(cell.width, ' ');
    } else {
      const int width = length == 0 ? -1 : llvm::sys::unicode::columnWidthUTF8(character);
      cell.width = width < 0 ? 1 : static_cast<unsigned>(width);
      if (width < 0)
        cell.text = "\xEF\xBF\xBD";
    }
    column += cell.width;
    i += character.size();
    row.push_back(std::move(cell));
  }
  return row;
}

/// A source line and the marks below it.
struct Snippet {
  std::string source, marks;
};

/// Only this part of a very long line is examined.
constexpr std::uint32_t reach = 4096; ///< bytes on either side of the start of the range

Snippet snippet(llvm::StringRef line, std::uint32_t begin, std::uint32_t end, unsigned most) {
  std::uint32_t from = begin - std::min(begin, reach);
  while (from > 0 && from < begin && (static_cast<unsigned char>(line[from]) & 0xC0) == 0x80)
    ++from; // the byte is inside a character
  line = line.slice(from, std::size_t{begin} + reach);
  begin -= from, end -= std::min(from, end);
  const std::vector<ShownCharacter> row = cells(line);
  unsigned total = 0, before = 0;
  for (const ShownCharacter& cell : row) {
    before += cell.byte < begin ? cell.width : 0;
    total += cell.width;
  }
  const bool cut = total > most;
  const unsigned first = cut && before > most / 2 ? before - most / 2 : 0;
  const unsigned last = cut ? first + most : total;
  Snippet s;
  unsigned column = 0;
  if (first > 0)
    s.source += "…", s.marks += ' ';
  for (const ShownCharacter& cell : row) {
    const bool shown = column >= first && column + cell.width <= last;
    column += cell.width;
    if (!shown)
      continue;
    s.source += cell.text;
    const bool marked = cell.byte >= begin && cell.byte < std::max(end, begin + 1);
    s.marks += std::string(cell.width, marked ? '^' : ' ');
  }
  if (last < total)
    s.source += "…";
  if (begin >= line.size())
    s.marks += '^'; // a mark at the end of the line, where something is missing
  s.marks.erase(s.marks.find_last_not_of(' ') + 1);
  return s;
}

class Renderer {
public:
  Renderer(const SourceManager& sources, bool colour, unsigned columns)
      : sources(sources), style{colour}, width(columns) {}

  void add(const Diagnostic& d) {
    title(colourOf(d.info.severity), fmt::format("{}[{}]", name(d.info.severity), d.info.code),
          d.message);
    place(d);
    for (const Diagnostic& note : d.notes) {
      title(style.note(), "note", note.message);
      place(note);
    }
    if (!d.help.empty())
      title(style.note(), "help", d.help);
    out += fmt::format("{}   = `dplc explain {}` says more{}\n", style.dim(), d.info.code,
                       style.off());
  }
  void line(const std::string& text) { out += text + "\n"; }
  std::string take() { return std::move(out); }

private:
  llvm::StringRef colourOf(Severity s) const {
    return s == Severity::Error     ? style.error()
           : s == Severity::Warning ? style.warning()
                                    : style.note();
  }
  void title(llvm::StringRef colour, const std::string& kind, llvm::StringRef message) {
    out += fmt::format("{}{}{}{}: ", colour, kind, style.off(), style.bold());
    // Further lines of a message, such as an assertion's diagram, are indented below it.
    llvm::StringRef rest = message;
    for (bool first = true; first || !rest.empty(); first = false) {
      llvm::StringRef line;
      std::tie(line, rest) = rest.split('\n');
      const std::string text = oneLine(line); // removes escape sequences of the quoted text
      if (first)
        out += fmt::format("{}{}\n", fitted(text, 2, static_cast<unsigned>(kind.size()) + 2),
                           style.off());
      else
        out += fmt::format("{}{}\n", text.empty() ? "" : "  ", text);
    }
  }

  void place(const Diagnostic& d) {
    if (!d.range.valid()) {
      if (!d.label.empty())
        out += fmt::format("   = {}\n", fitted(oneLine(d.label), 5, 5));
      return;
    }
    const LineColumn at = sources.at(d.range.file, d.range.begin);
    const std::string number = std::to_string(at.line);
    const std::string blank(number.size(), ' ');
    const llvm::StringRef line = sources.line(d.range.file, d.range.begin);
    const auto start = static_cast<std::uint32_t>(line.data() - sources.text(d.range.file).data());
    const std::uint32_t begin = d.range.begin - start;
    const auto end = static_cast<std::uint32_t>(
        std::min<std::size_t>(d.range.end > start ? d.range.end - start : 0, line.size()));
    // The line number, the bar, the spaces around them, and two marks for omitted text.
    const auto margin = static_cast<unsigned>(number.size()) + 5;
    const Snippet shown = snippet(line, begin, end, std::min(mostColumns, width - margin));
    out += fmt::format("{}{}-->{} {}\n", blank, style.dim(), style.off(),
                       oneLine(sources.describe(d.range)));
    out += fmt::format("{}{} |{}\n", blank, style.dim(), style.off());
    out += fmt::format("{}{} |{} {}\n", style.dim(), number, style.off(), shown.source);
    const llvm::StringRef colour = colourOf(d.info.severity);
    const std::string label = oneLine(d.label);
    const auto marks = static_cast<unsigned>(shown.marks.size());
    const bool beside = margin + marks + label.size() <= width;
    out += fmt::format("{}{} |{} {}{}{}{}{}\n", blank, style.dim(), style.off(), colour,
                       shown.marks, beside && !label.empty() ? " " : "",
                       beside ? label : std::string(), style.off());
    if (beside)
      return;
    const std::string lines = fitted(label, 0, 0, margin);
    for (llvm::StringRef rest = lines, one; !rest.empty();) {
      std::tie(one, rest) = rest.split('\n');
      out += fmt::format("{}{} |{} {}{}{}\n", blank, style.dim(), style.off(), colour, one,
                         style.off());
    }
  }

  /// Wraps the text with an indent for continuation lines; `taken` columns precede the first line.
  std::string fitted(llvm::StringRef text, unsigned indent, unsigned taken,
                     unsigned margin = 0) const {
    return width == unlimited ? text.str() : wrapped(text.str(), width - margin - taken, indent);
  }

  const SourceManager& sources;
  Style style;
  unsigned width;
  std::string out;
};
} // namespace

std::string dpl::renderText(const DiagnosticEngine& engine, const SourceManager& sources,
                            bool colour) {
  return renderText(engine, sources, colour, unlimited);
}

std::string dpl::renderText(const DiagnosticEngine& engine, const SourceManager& sources,
                            bool colour, unsigned width) {
  Renderer renderer(sources, colour, width);
  for (const Diagnostic& d : engine.diagnostics())
    renderer.add(d);
  if (engine.heldBack() > 0)
    renderer.line(diag::HeldBack::format(engine.heldBack()));
  return renderer.take();
}
