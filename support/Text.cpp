//===- Text.cpp - Text wrapped to a width -----------------------------------------------------===//
#include "support/Text.h"
#include "support/Utf8.h"
#include <algorithm>
#include <tuple>
#include <vector>
using namespace dpl;

namespace {
std::vector<llvm::StringRef> linesOf(llvm::StringRef text) {
  std::vector<llvm::StringRef> lines;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    lines.push_back(line);
  }
  return lines;
}

/// Collects the lines of a paragraph and writes them wrapped.
class Paragraph {
public:
  Paragraph(std::string& out, unsigned width) : out(out), width(width) {}
  void add(llvm::StringRef line) {
    text += text.empty() ? line.str() : " " + line.ltrim().str();
    tooWide |= codePoints(line) > width;
    verbatim += line.str() + "\n";
  }
  void end() {
    out += tooWide ? wrapped(text, width, 0) + "\n" : verbatim;
    text.clear(), verbatim.clear();
    tooWide = false;
  }

private:
  std::string& out;
  const unsigned width;
  std::string text, verbatim;
  bool tooWide = false;
};

/// The start of a line that is only a comment, up to its text, such as "  /// "; otherwise empty.
llvm::StringRef commentSign(llvm::StringRef line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const llvm::StringRef rest = line.drop_front(begin);
  if (!rest.startswith("//"))
    return "";
  const std::size_t sign = rest.startswith("///") ? 3 : 2;
  return line.take_front(begin + sign + (rest.drop_front(sign).startswith(" ") ? 1 : 0));
}

/// The line of a comment; a row of dashes at its end is shortened to fit `room` columns.
std::string withoutRule(llvm::StringRef line, unsigned room) {
  while (codePoints(line) > room && line.endswith("---"))
    line = line.drop_back();
  return line.str();
}

/// Writes a block of comments; each line of `body` follows `sign`.
void writeComments(llvm::StringRef body, const std::string& sign, unsigned width,
                   std::string& out) {
  const auto room = static_cast<unsigned>(width - sign.size());
  const std::string flowed = flow(body, room);
  for (llvm::StringRef line : linesOf(flowed)) {
    std::string text = sign + line.str();
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
}
} // namespace

std::string dpl::plural(std::uint64_t n, llvm::StringRef noun) {
  const char* ending = n == 1 ? "" : noun.endswith("ch") ? "es" : "s";
  return fmt::format("{} {}{}", n, noun, ending);
}

std::string dpl::padded(const std::string& text, std::size_t width) {
  const std::size_t used = codePoints(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

std::string dpl::wrapped(const std::string& text, unsigned width, unsigned indent, unsigned less) {
  std::string out, line;
  std::size_t room = width;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos)
      end = text.size();
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && codePoints(line) + 1 + codePoints(word) > room) {
      out += line + "\n" + std::string(indent, ' ');
      line.clear();
      room = width > less ? width - less : 1;
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line;
}

std::string dpl::listRow(const std::string& name, const std::string& text, unsigned column,
                         unsigned width) {
  std::string out = name;
  if (!name.empty() && name.size() + 2 > column)
    out += "\n" + std::string(column, ' ');
  else
    out += std::string(column - name.size(), ' ');
  std::string body = wrapped(text, width - column, 0);
  for (std::size_t at = body.find('\n'); at != std::string::npos; at = body.find('\n', at + 1))
    body.insert(at + 1, column, ' ');
  out += body;
  return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
}

std::string dpl::flow(llvm::StringRef text, unsigned width) {
  std::string out;
  Paragraph paragraph(out, width);
  for (llvm::StringRef line : linesOf(text)) {
    if (!line.empty() && line.front() != ' ') {
      paragraph.add(line);
      continue;
    }
    paragraph.end();
    out += line.str() + "\n";
  }
  paragraph.end();
  return out;
}

std::string dpl::flowMarkdown(llvm::StringRef page, unsigned width) {
  std::string out;
  Paragraph paragraph(out, width);
  bool fenced = false;
  for (llvm::StringRef line : linesOf(page)) {
    const bool fence = line.startswith("```");
    if (!fenced && !fence && !line.empty() && line.front() != '#' && line.front() != '|') {
      paragraph.add(line);
      continue;
    }
    paragraph.end();
    fenced ^= fence;
    out += line.str() + "\n";
  }
  paragraph.end();
  return out;
}

std::string dpl::flowList(llvm::StringRef list, unsigned width) {
  std::string out;
  for (llvm::StringRef line : linesOf(list)) {
    const std::size_t gap = line.ltrim().empty() ? llvm::StringRef::npos : line.rfind("  ");
    const bool listed = gap != llvm::StringRef::npos && gap + 2 > line.find_first_not_of(' ');
    if (codePoints(line) <= width)
      out += line.str() + "\n";
    else if (listed)
      out += listRow(line.take_front(gap).rtrim().str(), line.drop_front(gap + 2).str(),
                     static_cast<unsigned>(gap) + 2, width);
    else
      out += flow(line, width);
  }
  return out;
}

std::string dpl::flowSource(llvm::StringRef source, unsigned width) {
  std::string out;
  const std::vector<llvm::StringRef> lines = linesOf(source);
  for (std::size_t i = 0; i < lines.size();) {
    const llvm::StringRef sign = commentSign(lines[i]);
    if (sign.empty()) {
      const llvm::StringRef line = lines[i++], code = withoutComment(line).rtrim();
      const bool apart = codePoints(line) > width && code.size() < line.size();
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      if (apart)
        writeComments(line.drop_front(code.size()).ltrim(" /"), std::string(indent, ' ') + "// ",
                      width, out);
      out += (apart ? code : line).str() + "\n";
      continue;
    }
    const auto room = static_cast<unsigned>(width - sign.size());
    std::string body;
    for (; i < lines.size() && commentSign(lines[i]).rtrim() == sign.rtrim(); ++i)
      body += withoutRule(lines[i].drop_front(std::min(sign.size(), lines[i].size())), room) + "\n";
    writeComments(body, sign.str(), width, out);
  }
  return out;
}

llvm::StringRef dpl::withoutComment(llvm::StringRef line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (!quoted && line.substr(i).startswith("//"))
      return line.take_front(i);
  }
  return line;
}
