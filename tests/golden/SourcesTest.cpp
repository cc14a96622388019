//===- SourcesTest.cpp - Sizes of functions and files, and names of types ---------------------===//
//
// The sources are formatted by clang-format, so that a line with only `}` ends a block, and that
// block begins at the last line before it with the same indentation. Each function is such a block.
// A type and a table end in `};`, and a namespace in a comment.
#include "tests/golden/Runner.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>
using namespace dpl::test;

namespace {
constexpr std::size_t mostLinesOfAFunction = 80, mostLinesOfAFile = 400;

/// The number of names that several types of the product have. It may only fall: whoever gives one
/// of them a name of its own writes the smaller number.
constexpr std::size_t mostSharedNames = 55;

/// The sources of the product, without the tests.
std::vector<fs::path> sources() {
  std::vector<fs::path> out;
  for (const char* folder : {"backends", "cost", "driver", "figures", "frontend", "ir", "passes",
                             "planner", "simulate", "support", "tools"})
    for (const char* ending : {".h", ".cpp"})
      for (const fs::path& path : filesBelow(sourceFolder() / folder, ending))
        out.push_back(path);
  return out;
}

/// The source without its raw strings, which are texts and not code, and without their lines.
std::string withoutTexts(std::string source) {
  for (std::size_t at = 0; (at = source.find("R\"", at)) != std::string::npos; at += 2) {
    const std::size_t open = source.find_first_of("(\" \n", at + 2);
    if (open == std::string::npos || source[open] != '(')
      continue;
    const std::string close = ")" + source.substr(at + 2, open - at - 2) + "\"";
    const std::size_t end = source.find(close, open);
    if (end != std::string::npos)
      source.erase(at, end + close.size() - at);
  }
  return source;
}

/// The first lines of the blocks that have more lines than a function may have.
std::vector<std::string> longBlocks(const std::string& source) {
  std::vector<std::string> out;
  std::map<std::size_t, std::pair<std::size_t, std::string>> last; // by indentation
  std::istringstream lines(withoutTexts(source));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    const std::size_t indentation = line.find_first_not_of(' ');
    if (indentation == std::string::npos || line[indentation] == '#' ||
        line.compare(indentation, 2, "//") == 0)
      continue;
    if (line.compare(indentation, std::string::npos, "}") != 0)
      last[indentation] = {number, line};
    else if (number - last[indentation].first + 1 > mostLinesOfAFunction)
      out.push_back(last[indentation].second);
  }
  return out;
}

/// The name of the type that a line begins to define; empty for other lines.
std::string typeNameIn(const std::string& line) {
  static const std::regex definition(
      R"( *(template <.*> )?(struct|class|enum( class)?) (\w+)( final)?( : .*)? \{(.*[^\\])?)");
  std::smatch match;
  const bool maybe = line.find("struct ") != std::string::npos ||
                     line.find("class ") != std::string::npos ||
                     line.find("enum ") != std::string::npos;
  return maybe && std::regex_match(line, match, definition) ? match[4].str() : "";
}

/// A function with that many lines in its body.
std::string functionOf(std::size_t lines, const std::string& line) {
  std::string out = "struct A {\n  void f() {\n";
  for (std::size_t i = 0; i < lines; ++i)
    out += "    " + line + "\n";
  return out + "  }\n};\n";
}
} // namespace

TEST(Sources, AFunction_HasAtMost80Lines) {
  for (const fs::path& path : sources())
    for (const std::string& line : longBlocks(slurp(path)))
      ADD_FAILURE() << path << ": a block of more than 80 lines begins with: " << line;
}

TEST(Sources, ALongerFunction_IsFoundAndALongTextIsNot) {
  EXPECT_TRUE(longBlocks(functionOf(78, "g();")).empty());
  EXPECT_EQ(longBlocks(functionOf(79, "g();")), std::vector<std::string>{"  void f() {"});
  EXPECT_EQ(longBlocks(functionOf(79, "// a comment")).size(), 1U);
  EXPECT_TRUE(longBlocks(functionOf(1, "g(R\"x(" + std::string(100, '\n') + ")x\");")).empty());
}

TEST(Sources, AFile_HasAtMost400Lines) {
  for (const fs::path& path : sources()) {
    const std::string text = slurp(path);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), mostLinesOfAFile) << path;
  }
}

TEST(Sources, NamesOfSeveralTypes_GetFewer) {
  EXPECT_EQ(typeNameIn("class Sized final : public Base {"), "Sized");
  EXPECT_EQ(typeNameIn("  enum class Kind : std::uint8_t { A, B };"), "Kind");
  EXPECT_EQ(typeNameIn("struct Declared;") + typeNameIn("  struct Row row{};"), "");
  std::map<std::string, std::vector<std::string>> types;
  for (const fs::path& path : sources()) {
    std::istringstream lines(slurp(path));
    for (std::string line; std::getline(lines, line);)
      if (const std::string name = typeNameIn(line); !name.empty())
        types[name].push_back(fs::relative(path, sourceFolder()).string());
  }
  EXPECT_GT(types.size(), 1000U);
  std::size_t shared = 0;
  std::string all;
  for (const auto& [name, paths] : types)
    if (paths.size() > 1) {
      ++shared;
      all += "\n  " + name;
      for (const std::string& path : paths)
        all += " " + path;
    }
  EXPECT_LE(shared, mostSharedNames) << "names of several types:" << all;
}
