//===- CommonValuesTest.cpp - The table of common values is that of the examples --------------===//
//
// DPL_UPDATE=1 writes frontend/names/CommonValues.def.
#include "frontend/names/CommonValues.h"
#include "driver/workspace/Workspace.h"
#include "tests/SourceFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
using namespace dpl;

namespace {
namespace fs = std::filesystem;

/// How often each value is written, for transformers and for listed layers.
struct Counts {
  std::map<std::string, unsigned> usual, listed;
};

std::string joined(const std::map<std::string, unsigned>& counts) {
  std::vector<std::pair<std::string, unsigned>> all(counts.begin(), counts.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (std::size_t i = 0; i < all.size() && i < 12; ++i)
    out += (i == 0 ? "" : "|") + all[i].first;
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    out += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "\"";
}

class TableWriter {
public:
  void add(const std::string& path, const std::string& text, bool example) {
    Workspace workspace(
        [&](const std::string& asked) { return asked == path ? FileText(text) : readFile(asked); });
    const std::unique_ptr<FileNames> names = workspace.names(path);
    const std::uint32_t file = *names->source();
    const bool listed = example ? names::isListed(text) : path == "textbook.dpl";
    for (const FieldSetting& one : names->settings(file)) {
      if (!one.value.valid() || one.candidates)
        continue;
      const std::string value = names->sources().text(one.value).str();
      if (value.size() > 60 || value.find('\n') != std::string::npos)
        continue;
      ++(listed ? counts[one.field].listed : counts[one.field].usual)[value];
      if (example)
        ofExamples.insert(one.field);
    }
    std::uint32_t last = 0;
    for (const NameUse& use : names->uses(file)) {
      const bool part = std::exchange(last, use.use.end + 1) == use.use.begin;
      if (use.thing == NamedThing::Figure && !part && example)
        ++counts["figure"].usual[names->at(file, use.use.begin)->figure];
    }
  }

  std::string table() const {
    std::string out =
        R"(// The values that the examples and the library give to each field that the examples set, the
// commonest first, at most 12. The first list is of files with transformers, the second of files with
// listed layers or clusters of std.textbook, whose numbers are of other sizes. The field "figure" has
// the figures that the examples read. tests/unit/CommonValuesTest.cpp writes this file.
)";
    for (const auto& [field, values] : counts)
      if (field == "figure" || ofExamples.count(field) > 0)
        out += fmt::format("COMMON(\"{}\", {}, {})\n", field, quoted(joined(values.usual)),
                           quoted(joined(values.listed)));
    return out;
  }

private:
  std::map<std::string, Counts> counts;
  std::set<std::string> ofExamples;
};

std::string textOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}
} // namespace

TEST(CommonValues, TheTable_HasTheValuesOfExamplesAndLibrary) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(test::sourceFolder() / "examples"))
    if (entry.path().extension() == ".dpl")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  TableWriter writer;
  for (const std::string& path : paths)
    writer.add(path, textOf(path), true);
  for (const std::string& module : libraryModules())
    if (module != "prelude")
      writer.add(module + ".dpl", libraryText(module).str(), false);
  const fs::path file = test::sourceFolder() / "frontend" / "names" / "CommonValues.def";
  if (std::getenv("DPL_UPDATE")) // NOLINT
    std::ofstream(file) << writer.table();
  EXPECT_TRUE(textOf(file) == writer.table()) << "re-record with DPL_UPDATE=1, then read the diff";
}
