//===- DocLinksTest.cpp - Every link of the documentation leads somewhere ---------------------===//
#include "tests/SourceFolder.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

namespace fs = std::filesystem;

namespace {

/// The lines of a Markdown file outside its code fences.
std::vector<std::string> prose(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  bool fenced = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("```", 0) == 0)
      fenced = !fenced;
    else if (!fenced)
      lines.push_back(line);
  }
  return lines;
}

/// The anchors of a page: its headings in lower case, blanks as dashes, other signs dropped.
std::set<std::string> anchors(const fs::path& file) {
  std::set<std::string> out;
  for (const std::string& line : prose(file)) {
    const std::size_t text = line.find_first_not_of('#');
    if (text == 0 || text == std::string::npos || line[text] != ' ')
      continue;
    std::string anchor;
    for (char c : line.substr(text + 1))
      if (c == ' ')
        anchor += '-';
      else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    out.insert(anchor);
  }
  return out;
}

std::vector<fs::path> pages() {
  const fs::path root = dpl::test::sourceFolder();
  std::vector<fs::path> out = {root / "README.md", root / "CHANGELOG.md", root / "CONTRIBUTING.md"};
  for (const char* folder : {"docs", "editors", "examples", "tests/accuracy", "tests/conformance"})
    for (const fs::directory_entry& e : fs::recursive_directory_iterator(root / folder))
      if (e.path().extension() == ".md")
        out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(DocLinks, EveryRelativeLinkNamesAFileAndAHeadingThatExist) {
  const std::regex link(R"(\]\(([^)\s]+)\))"), code("`[^`]*`");
  for (const fs::path& page : pages())
    for (const std::string& line : prose(page)) {
      const std::string text = std::regex_replace(line, code, "");
      for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
        const std::string target = (*it)[1];
        if (target.find("://") != std::string::npos)
          continue;
        const std::size_t hash = target.find('#');
        const std::string name = target.substr(0, hash);
        const fs::path file = name.empty() ? page : page.parent_path() / name;
        EXPECT_TRUE(fs::exists(file)) << page << " links to " << target;
        if (hash != std::string::npos && fs::exists(file)) {
          EXPECT_TRUE(anchors(file).count(target.substr(hash + 1)))
              << page << " links to " << target;
        }
      }
    }
}

// The pages of messages and of schedules are reached through their folders.
TEST(DocLinks, EveryPageOfEveryShelfIsReachedFromTheIndex) {
  const fs::path docs = dpl::test::sourceFolder() / "docs";
  std::string index;
  for (const std::string& line : prose(docs / "README.md"))
    index += line + "\n";
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(docs)) {
    const fs::path page = fs::relative(e.path(), docs);
    const std::string shelf = page.begin()->string();
    if (page.extension() != ".md" || page == "README.md")
      continue;
    const bool byFolder = shelf == "explain" || shelf == "schedules";
    EXPECT_NE(index.find(byFolder ? "(" + shelf + "/" : "(" + page.string() + ")"),
              std::string::npos)
        << page;
  }
}

} // namespace
