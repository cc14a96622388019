//===- ChangelogTest.cpp - The changelog has the form that its readers and the release need ---===//
#include "tests/SourceFolder.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <sstream>

namespace {

struct Entry {
  std::string section, text;
};
struct Version {
  std::string number;
  std::vector<std::string> sections;
  std::vector<Entry> entries;
  bool released = false;
};

std::string textOf(const char* file) {
  std::ifstream in(dpl::test::sourceFolder() / file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The versions of CHANGELOG.md, newest first. Lines of another form are failures.
std::vector<Version> versions() {
  const std::regex heading(
      R"(## ([0-9]+\.[0-9]+\.[0-9]+)( \(unreleased\)| \(\d{4}-\d{2}-\d{2}\))?)");
  std::vector<Version> all;
  std::istringstream lines(textOf("CHANGELOG.md"));
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, heading)) {
      all.push_back({found[1], {}, {}, found[2] != " (unreleased)"});
    } else if (line.rfind("### ", 0) == 0 && !all.empty()) {
      all.back().sections.push_back(line.substr(4));
    } else if (line.rfind("- ", 0) == 0 && !all.empty() && !all.back().sections.empty()) {
      all.back().entries.push_back({all.back().sections.back(), line.substr(2)});
    } else {
      // Prose may stand before the first section of a version.
      EXPECT_NE(line.rfind("##", 0), 0U) << line;
      EXPECT_TRUE(line.empty() || all.empty() || all.back().sections.empty()) << line;
    }
  }
  return all;
}

std::size_t wordsIn(const std::string& text) {
  std::istringstream words(text);
  return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(words),
                                                std::istream_iterator<std::string>()));
}

TEST(Changelog, ItsNewestVersionIsTheProjects) {
  std::smatch found;
  const std::string project = textOf("CMakeLists.txt");
  ASSERT_TRUE(std::regex_search(project, found, std::regex(R"(project\(dpl VERSION ([0-9.]+))")));
  const std::vector<Version> all = versions();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().number, found[1]);
  EXPECT_EQ(all.back().number, "0.1.0");
}

TEST(Changelog, EveryVersionHasItsSectionsAndAtMost100Entries) {
  const std::vector<std::string> order = {"Added", "Changed", "Removed", "Fixed"};
  for (const Version& version : versions()) {
    EXPECT_TRUE(!version.sections.empty() || !version.released) << version.number;
    EXPECT_LE(version.entries.size(), 100U) << version.number;
    auto next = order.begin();
    for (const std::string& section : version.sections) {
      next = std::find(next, order.end(), section);
      ASSERT_NE(next++, order.end()) << version.number << ": " << section;
      EXPECT_TRUE(std::any_of(version.entries.begin(), version.entries.end(),
                              [&](const Entry& entry) { return entry.section == section; }))
          << version.number << ": " << section << " is empty";
    }
  }
}

TEST(Changelog, EveryEntryIsOneSentenceOfAtMost25Words) {
  const std::regex another("[.?!] [A-Z]");
  for (const Version& version : versions())
    for (const Entry& entry : version.entries) {
      EXPECT_LE(wordsIn(entry.text), 25U) << entry.text;
      EXPECT_EQ(entry.text.back(), '.') << entry.text;
      EXPECT_FALSE(std::regex_search(entry.text, another)) << entry.text;
    }
}

} // namespace
