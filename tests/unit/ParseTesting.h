#pragma once
//===- ParseTesting.h - A text, parsed, for tests ---------------------------------------------===//
#include "frontend/parse/ParseTree.h"
#include "support/SourceManager.h"
#include "tests/SourceFolder.h"
#include <filesystem>
#include <fstream>
#include <sstream>

namespace dpl::test {

struct Parsed {
  explicit Parsed(std::string text) {
    diags.limit = 1000;
    id = sources.add("test.dpl", std::move(text));
    result = parse(sources, id, arena, diags);
    diags.endPhase();
  }
  /// "DPL0020@3" for each diagnostic: its code and line.
  std::vector<std::string> codes() const {
    std::vector<std::string> all;
    for (const Diagnostic& d : diags.diagnostics())
      all.push_back(fmt::format("{}@{}", d.info.code, sources.at(id, d.range.begin).line));
    return all;
  }
  /// The text with the edits of the diagnostics made.
  std::string repaired() const {
    std::string text = sources.text(id).str();
    std::vector<Edit> edits;
    for (const Diagnostic& d : diags.diagnostics())
      edits.insert(edits.end(), d.edits.begin(), d.edits.end());
    for (auto e = edits.rbegin(); e != edits.rend(); ++e)
      text.replace(e->range.begin, e->range.end - e->range.begin, e->text);
    return text;
  }
  SourceManager sources;
  DiagnosticEngine diags;
  Arena arena;
  std::uint32_t id = 0;
  ParseResult result;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Every .dpl file of a folder of the project, deep, in order.
inline std::vector<std::filesystem::path> dplFiles(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path root = test::sourceFolder() / folder;
  if (std::filesystem::exists(root))
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
      if (entry.path().extension() == ".dpl")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

} // namespace dpl::test
