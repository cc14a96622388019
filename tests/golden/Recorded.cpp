//===- Recorded.cpp - The form in which outputs and emitted files are recorded ----------------===//
#include "tests/golden/Recorded.h"
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>
using namespace dpl::test;

namespace {
using Lines = std::vector<std::string>;

Lines linesOf(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

void withoutHashes(std::string& text) {
  static const std::regex named(
      "(?:plan |\"key\":\"|hash = \"|\"hash\": \"|    \")([0-9a-f]{16})\\b");
  Lines hashes;
  for (std::sregex_iterator found(text.begin(), text.end(), named), end; found != end; ++found)
    if (std::find(hashes.begin(), hashes.end(), (*found)[1]) == hashes.end())
      hashes.push_back((*found)[1]);
  for (std::size_t i = 0; i < hashes.size(); ++i)
    for (std::size_t at = text.find(hashes[i]); at != std::string::npos; at = text.find(hashes[i]))
      text.replace(at, hashes[i].size(), "HASH" + (i == 0 ? "" : std::to_string(i + 1)));
}

/// Whether the library's module has this text in its line `number`, from 1.
bool isLine(const std::string& module, std::size_t number, const std::string& text) {
  const Lines lines = linesOf(slurp(sourceFolder() / "stdlib" / (module + ".dpl")));
  return number >= 1 && number <= lines.size() && lines[number - 1] == text;
}

/// Whether a field begins at the column of a line of the library's module.
bool isField(const std::string& module, std::size_t number, std::size_t column) {
  const Lines lines = linesOf(slurp(sourceFolder() / "stdlib" / (module + ".dpl")));
  if (number < 1 || number > lines.size() || column < 1 || column > lines[number - 1].size())
    return false;
  const std::string before = lines[number - 1].substr(0, column - 1);
  return before.empty() || before.back() == ' ';
}

/// `declared, std.devices:59:3` at the end of a line.
std::string withoutNumberOfFact(const std::string& line) {
  static const std::regex place("(.*(?:declared|assumed), std\\.(\\w+):)([0-9]+):([0-9]+)");
  std::smatch at;
  if (!std::regex_match(line, at, place) || !isField(at[2], std::stoul(at[3]), std::stoul(at[4])))
    return line;
  return std::string(at[1]) + "LINE:" + std::string(at[4]);
}

/// `   --> std.prelude:327:12`, an empty gutter, `327 |     assert …`.
std::string withoutLineNumbers(const std::string& text) {
  static const std::regex place("( *--> std\\.(\\w+):)([0-9]+)(:[0-9]+)");
  Lines lines = linesOf(text);
  for (std::size_t i = 0; i + 2 < lines.size(); ++i) {
    std::smatch at;
    if (!std::regex_match(lines[i], at, place))
      continue;
    const std::string number = at[3], gutter = number + " | ";
    if (lines[i + 2].rfind(gutter, 0) == 0 &&
        isLine(at[2], std::stoul(number), lines[i + 2].substr(gutter.size()))) {
      lines[i + 2].replace(0, number.size(), "LINE");
      lines[i] = std::string(at[1]) + "LINE" + std::string(at[4]);
    }
  }
  std::string result;
  for (const std::string& line : lines)
    result += withoutNumberOfFact(line) + "\n";
  if (!text.empty() && text.back() != '\n')
    result.pop_back();
  return result;
}

constexpr std::size_t width = 130; // a chunk of a plan.json

void dense(const dpl::Json& value, std::size_t indent, std::string& out) {
  std::string line = value.dump(1);
  line = std::regex_replace(line, std::regex("([\\[{])\n *"), "$1");
  line = std::regex_replace(line, std::regex("\n *([\\]}])"), "$1");
  line = std::regex_replace(line, std::regex("\n *"), " ");
  if (value.empty() || !value.is_structured() || indent + line.size() <= width) {
    out += line;
    return;
  }
  const bool object = value.is_object();
  out += object ? "{" : "[";
  const char* separator = "\n";
  const auto part = [&](const std::string& head, const dpl::Json& inner) {
    out += separator + std::string(indent + 2, ' ') + head;
    dense(inner, indent + 2, out);
    separator = ",\n";
  };
  for (const dpl::Json& element : value)
    part("", element);
  for (const auto& [key, member] : value.items())
    part(dpl::Json(key).dump() + ": ", member);
  out += "\n" + std::string(indent, ' ') + (object ? "}" : "]");
}

/// `    {1, 2}, // 0` and the row that is numbered next on one line, as far as they fit.
std::string withRowsJoined(const std::string& text) {
  static const std::regex row("    (\\S.*,) // ([0-9]+)");
  std::string result, joined;
  unsigned long first = 0, next = 0;
  const auto end = [&] {
    result += joined.empty() ? "" : "   " + joined + " // " + std::to_string(first) + "\n";
    joined.clear();
  };
  for (const std::string& line : linesOf(text)) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) {
      end();
      result += line + "\n";
      continue;
    }
    const unsigned long number = std::stoul(found[2]);
    if (number != next || joined.size() + line.size() > width)
      end();
    if (joined.empty())
      first = number;
    joined += " " + std::string(found[1]);
    next = number + 1;
  }
  end();
  return result;
}
} // namespace

std::string dpl::test::masked(std::string text) {
  withoutHashes(text);
  return withoutLineNumbers(text);
}

std::string dpl::test::recordedForm(const std::string& text) {
  const std::string whole = masked(text);
  if (whole.rfind("// ", 0) == 0)
    return withRowsJoined(whole);
  const Json json = whole.rfind("{\n", 0) == 0 ? Json::parse(whole) : Json();
  if (!json.is_object() || json.dump(2) + "\n" != whole)
    return whole;
  std::string out;
  dense(json, 0, out);
  return out + "\n";
}

std::string dpl::test::difference(const std::string& base, const std::string& text) {
  const Lines old = linesOf(base), now = linesOf(text);
  // Longest common part of what is left from each place on.
  std::vector<std::vector<unsigned>> common(old.size() + 1, std::vector<unsigned>(now.size() + 1));
  for (std::size_t i = old.size(); i-- > 0;)
    for (std::size_t j = now.size(); j-- > 0;)
      common[i][j] = old[i] == now[j] ? common[i + 1][j + 1] + 1
                                      : std::max(common[i + 1][j], common[i][j + 1]);
  std::string result;
  for (std::size_t i = 0, j = 0; i < old.size() || j < now.size();) {
    if (i < old.size() && j < now.size() && old[i] == now[j]) {
      ++i, ++j;
      continue;
    }
    result += "@@ " + std::to_string(i + 1) + "\n";
    while ((i < old.size() || j < now.size()) &&
           (i == old.size() || j == now.size() || old[i] != now[j])) {
      const bool goes = j == now.size() || (i < old.size() && common[i + 1][j] >= common[i][j + 1]);
      result += goes ? "-" + old[i++] + "\n" : "+" + now[j++] + "\n";
    }
  }
  return result;
}
