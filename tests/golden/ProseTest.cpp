//===- ProseTest.cpp - Counts of bad prose, which may only fall -------------------------------===//
//
// Each number here is an upper bound. Whoever makes one smaller writes the smaller number.
#include "tests/golden/Runner.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <vector>
using namespace dpl::test;

namespace {
/// Words that hide the meaning in the pages of docs, and how often they occur. Write `after` for
/// "behind", `next to`, `overlapped with` or `in addition to` for "beside", "is not a" for "is no",
/// a number for "so many", and "set in the file" for "said" and "told".
const std::map<std::string, std::size_t> wordsOfPages = {
    {"behind", 1}, {"beside", 0}, {"is no", 5}, {"so many", 0}, {"said", 2}, {"told", 1}};

/// Words that a comment in the sources does not begin with: it begins with a noun or is a sentence.
const std::map<std::string, std::size_t> firstWordsOfComments = {
    {"What", 126}, {"Of", 114}, {"That", 1}};

/// Words that hide the meaning in texts for users in the sources: messages, labels, helps, rules of
/// targets, help of commands, screens.
const std::map<std::string, std::size_t> wordsOfTexts = {
    {"is no", 0},   {"are no", 0}, {"behind", 0}, {"beside", 0},
    {"so many", 0}, {"said", 0},   {"told", 3},   {"as many", 9}};

/// Notes of figures (ir/Results.def) that do not begin with a noun.
constexpr std::size_t notesWithoutANoun = 0;

/// A page that is longer than the next line allows is divided, but for the glossary, where terms
/// are looked up.
constexpr std::size_t mostWords = 2500, mostWordsOfAll = 76'350;

/// Pages that tests generate as a whole.
const std::vector<std::string> generatedPages = {"docs/reference/blocks.md",
                                                 "docs/reference/library-entries.md"};

std::string pathOf(const fs::path& file) { return fs::relative(file, sourceFolder()).string(); }

/// The page without its generated parts, from `<!-- NAME -->` to `<!-- end of NAME -->`.
std::string writtenPart(const fs::path& file) {
  std::string text = slurp(file);
  for (std::size_t at = 0; (at = text.find("<!-- ", at)) != std::string::npos;) {
    const std::size_t close = text.find(" -->", at);
    if (close == std::string::npos)
      break;
    const std::string end = "<!-- end of " + text.substr(at + 5, close - at - 5) + " -->";
    const std::size_t last = text.find(end, close);
    if (last == std::string::npos)
      at = close;
    else
      text.erase(at, last + end.size() - at);
  }
  return text;
}

/// The pages of docs that people write.
std::vector<fs::path> pages() {
  std::vector<fs::path> out;
  for (const fs::path& file : filesBelow(sourceFolder() / "docs", ".md")) {
    const std::string path = pathOf(file);
    if (path.rfind("docs/explain/", 0) != 0 && path.rfind("docs/schedules/", 0) != 0 &&
        std::count(generatedPages.begin(), generatedPages.end(), path) == 0)
      out.push_back(file);
  }
  return out;
}

std::size_t wordsIn(const std::string& text) {
  std::istringstream in(text);
  std::size_t words = 0;
  for (std::string word; in >> word;)
    ++words;
  return words;
}

bool ofWord(const std::string& text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
}

/// How often a word or several words occur; "no" of "is no" is not the start of "not".
std::size_t countOf(const std::string& word, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    count += (at == 0 || !ofWord(text, at - 1)) && !ofWord(text, at + word.size()) ? 1 : 0;
  return count;
}

/// The first word of each comment of a source: of a block of lines, of the first line.
std::vector<std::string> beginsOfComments(const std::string& source) {
  std::vector<std::string> begins;
  std::istringstream lines(source);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("//");
    const bool whole = at != std::string::npos && line.find_first_not_of(' ') == at;
    if (at != std::string::npos && (!whole || !inside)) {
      std::istringstream words(line.substr(line.find_first_not_of("/<", at) == std::string::npos
                                               ? line.size()
                                               : line.find_first_not_of("/<", at)));
      std::string word;
      if (words >> word)
        begins.push_back(word);
    }
    inside = whole;
  }
  return begins;
}

/// The text in the quotes of a source, by line, without comments and assertions.
std::string quotedTexts(const std::string& source) {
  std::string out;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line[first] == '#' || line.compare(first, 2, "//") == 0 ||
        line.find("assert(") != std::string::npos)
      continue;
    bool inside = false;
    for (std::size_t i = first; i < line.size(); ++i) {
      const bool escape = inside && line[i] == '\\';
      if (line[i] == '"')
        inside = !inside, out += '\n';
      else if (!inside && line.compare(i, 2, "//") == 0)
        break;
      else if (inside)
        out += line[i];
      i += escape ? 1 : 0;
    }
    out += '\n';
  }
  return out;
}

/// "of one step", "the same of …", "that it holds": a note that does not say what the figure is.
bool lacksANoun(std::string note) {
  static const std::array begins = {"of ",    "that ", "the same", "what ", "by ",   "as ",
                                    "where ", "with ", "without ", "in ",   "from ", "which ",
                                    "how ",   "for ",  "so ",      "if ",   "when "};
  if (!note.empty())
    note[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(note[0])));
  return std::any_of(begins.begin(), begins.end(),
                     [&](const char* begin) { return note.rfind(begin, 0) == 0; });
}
} // namespace

TEST(Prose, WordsToAvoid_GetFewerInThePages) {
  std::map<std::string, std::size_t> found;
  for (const fs::path& file : pages()) {
    const std::string text = writtenPart(file);
    for (const auto& [word, most] : wordsOfPages)
      found[word] += countOf(word, text);
  }
  for (const auto& [word, most] : wordsOfPages)
    EXPECT_LE(found[word], most) << "\"" << word << "\" in docs";
}

TEST(Prose, Comments_BeginWithANoun) {
  std::map<std::string, std::size_t> found;
  for (const char* folder : {"backends", "cost", "driver", "figures", "frontend", "ir", "passes",
                             "planner", "simulate", "support", "tools", "tests"})
    for (const char* extension : {".h", ".cpp", ".def"})
      for (const fs::path& file : filesBelow(sourceFolder() / folder, extension))
        for (const std::string& word : beginsOfComments(slurp(file)))
          ++found[word];
  for (const auto& [word, most] : firstWordsOfComments)
    EXPECT_LE(found[word], most) << "\"" << word << "\" at the start of a comment";
}

TEST(Prose, TextsOfMessages_BeginInLowerCaseWithoutAFullStop){
#define DIAG(CODE, NAME, MNEMONIC, SEVERITY, TEXT)                                                 \
  {                                                                                                \
    const std::string text = TEXT;                                                                 \
    EXPECT_NE(text.back(), '.') << #CODE;                                                          \
    EXPECT_TRUE(!std::isupper(static_cast<unsigned char>(text.front())) ||                         \
                text.rfind("DPL ", 0) == 0)                                                        \
        << #CODE;                                                                                  \
  }
#include "support/Diagnostics.def"
}

TEST(Prose, WordsToAvoid_GetFewerInTextsForUsers) {
  std::map<std::string, std::size_t> found;
  for (const char* folder : {"backends", "cost", "driver", "figures", "frontend", "ir", "passes",
                             "planner", "simulate", "support", "tools"})
    for (const char* extension : {".h", ".cpp", ".def", ".inc"})
      for (const fs::path& file : filesBelow(sourceFolder() / folder, extension)) {
        const std::string texts = quotedTexts(slurp(file));
        for (const auto& [word, most] : wordsOfTexts)
          found[word] += countOf(word, texts) - countOf("there " + word, texts);
      }
  for (const auto& [word, most] : wordsOfTexts)
    EXPECT_LE(found[word], most) << "\"" << word << "\" in a text for users";
}

TEST(Prose, NotesOfFigures_BeginWithANoun) {
  std::string without;
  std::size_t count = 0;
#define FIGURE(PATH, DIMENSION, NOTE, ...)                                                         \
  if (lacksANoun(NOTE))                                                                            \
    ++count, without += std::string(PATH) + ": " + (NOTE) + "\n";
#include "ir/Results.def"
  EXPECT_LE(count, notesWithoutANoun) << without;
}

TEST(Prose, Pages_HaveAtMost2500Words) {
  std::size_t all = 0;
  for (const fs::path& file : pages()) {
    const std::size_t words = wordsIn(writtenPart(file));
    all += words;
    if (pathOf(file) != "docs/glossary.md") {
      EXPECT_LE(words, mostWords) << pathOf(file);
    }
  }
  EXPECT_LE(all, mostWordsOfAll);
}
