//===- TargetsTest.cpp - The emitted folders of the examples, byte for byte -------------------===//
//
// tests/golden/targets/TARGET/NAME/ holds what `dplc emit TARGET` writes for examples/NAME.dpl,
// tests/conformance/plans/NAME.dpl or tests/conformance/TARGET/plans/NAME.dpl, in the form that
// Recorded.h describes; sources that are the same for every plan are not recorded. TARGET may have
// a release: megatron@0.16. With slurm+megatron both are emitted and the files of the first are
// recorded; plans of tests/conformance/launch serve too, and NAME.LAYOUT picks one of several
// layouts. A new empty folder, recorded with DPL_UPDATE=1, is all that another plan needs.
#include "tests/golden/Recorded.h"
#include "tests/golden/Runner.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
using namespace dpl::test;

namespace {
/// TARGET/NAME.
std::vector<fs::path> recordedFolders() {
  std::vector<fs::path> folders;
  const fs::path root = sourceFolder() / "tests/golden/targets";
  for (const fs::directory_entry& target : fs::directory_iterator(root))
    if (target.is_directory())
      for (const fs::directory_entry& entry : fs::directory_iterator(target))
        folders.push_back(entry.path().lexically_relative(root));
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// Paths below a folder, without the list of files that dplc keeps there.
std::set<std::string> filesOf(const fs::path& folder) {
  std::set<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != ".dplc-files")
      files.insert(entry.path().lexically_relative(folder).generic_string());
  return files;
}

/// Whether an emitted file is one of backends/*/source behind the two lines that name the plan. It
/// lies in the project once and is not recorded again.
bool isOwnSource(const fs::path& path) {
  const std::string text = slurp(path);
  const std::size_t body = text.find('\n', text.find('\n') + 1) + 1;
  for (const fs::directory_entry& target : fs::directory_iterator(sourceFolder() / "backends")) {
    const fs::path source = target.path() / "source" / path.filename();
    if (fs::exists(source) && text.compare(body, std::string::npos, slurp(source)) == 0)
      return true;
  }
  return false;
}

/// The emitted files that are made for the plan.
std::set<std::string> madeFor(const fs::path& folder) {
  std::set<std::string> files = filesOf(folder);
  for (auto file = files.begin(); file != files.end();)
    file = isOwnSource(folder / *file) ? files.erase(file) : std::next(file);
  return files;
}

bool has(const char* program) {
  return std::system((std::string("command -v ") + program + " >/dev/null").c_str()) == 0;
}

/// What dplc emits for a recorded folder, in a folder of its own.
class Emitted {
public:
  explicit Emitted(const fs::path& recorded) {
    std::vector<std::string> arguments{"emit"};
    std::istringstream targets(recorded.parent_path().string());
    for (std::string target; std::getline(targets, target, '+');)
      arguments.push_back(target);
    const bool several = arguments.size() > 2;
    const std::string file = recorded.stem().string() + ".dpl";
    const std::string own =
        "tests/conformance/" + arguments[1].substr(0, arguments[1].find('@')) + "/plans/";
    for (const std::string& place :
         {std::string("examples/"), std::string("tests/conformance/plans/"),
          std::string("tests/conformance/launch/plans/"), own})
      if (fs::exists(sourceFolder() / (place + file))) {
        arguments.push_back(place + file);
        break;
      }
    path = folder.path / "launch" / (several ? arguments[1] : "");
    arguments.insert(arguments.end(), {"-o", (folder.path / "launch").string()});
    if (recorded.has_extension())
      arguments.insert(arguments.end(), {"--layout", recorded.extension().string().substr(1)});
    const Outcome outcome = dplc(arguments);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
  }
  fs::path path;

private:
  TemporaryFolder folder;
};

using Part = fs::path (*)(const fs::path&);
/// Files that are long and much alike in several folders: those of one plan, or those of one
/// target.
const std::map<std::string, Part> recordedOnce{
    {"plan.json", [](const fs::path& folder) { return folder.filename(); }},
    {"plan.h", [](const fs::path& folder) { return folder.filename(); }},
    {"train.py", [](const fs::path& folder) { return folder.parent_path(); }}};

/// Name and text of each file to record. One of `recordedOnce` is FILE.diff where it differs little
/// from that of a folder before: that one is emitted too, so that tests may run in any order, and
/// is recorded whole or against yet another.
std::map<std::string, std::string> recordOf(const fs::path& recorded, const Emitted& emitted) {
  std::map<std::string, std::string> record;
  for (const std::string& file : madeFor(emitted.path))
    record[file] = recordedForm(slurp(emitted.path / file));
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  for (const auto& [file, part] : recordedOnce) {
    const auto whole = record.find(file);
    if (whole == record.end())
      continue;
    std::string shortest;
    for (const fs::path& folder : recordedFolders()) {
      if (folder >= recorded || part(folder) != part(recorded))
        continue;
      const Emitted base(folder);
      if (!fs::exists(base.path / file))
        continue;
      const std::string other = difference(recordedForm(slurp(base.path / file)), whole->second);
      if (shortest.empty() || lines(other) < lines(shortest))
        shortest = "of " + folder.string() + "/" + file + "\n" + other;
    }
    if (!shortest.empty() && 2 * lines(shortest) < lines(whole->second)) {
      record[file + ".diff"] = shortest;
      record.erase(whole);
    }
  }
  return record;
}

class GoldenTargets : public testing::TestWithParam<fs::path> {
protected:
  const Emitted emitted{GetParam()};
};
} // namespace

TEST_P(GoldenTargets, TheFolderIsAsRecorded) {
  const fs::path recorded = sourceFolder() / "tests/golden/targets" / GetParam();
  const std::map<std::string, std::string> record = recordOf(GetParam(), emitted);
  if (updating()) {
    for (const std::string& file : filesOf(recorded))
      fs::remove(recorded / file);
    for (const auto& [file, text] : record) {
      fs::create_directories((recorded / file).parent_path());
      spill(recorded / file, text);
    }
  }
  std::map<std::string, std::string> found;
  for (const std::string& file : filesOf(recorded))
    found[file] = slurp(recorded / file);
  for (const auto& [file, text] : record)
    EXPECT_EQ(text, found[file]) << file
                                 << ": re-record with DPL_UPDATE=1, then read the difference";
  EXPECT_EQ(record.size(), found.size()) << "files that are not emitted, or written otherwise";
}

TEST_P(GoldenTargets, ScriptsAndYamlAreSound_Slow) {
  if (!has("shellcheck") || !has("yamllint"))
    GTEST_SKIP() << "shellcheck or yamllint is not installed";
  for (const std::string& file : filesOf(emitted.path)) {
    const fs::path path = emitted.path / file;
    if (slurp(path).rfind("#!", 0) == 0 && slurp(path).find("sh\n") < 32) {
      EXPECT_EQ(std::system(("shellcheck '" + path.string() + "'").c_str()), 0) << file;
      EXPECT_NE(fs::status(path).permissions() & fs::perms::owner_exec, fs::perms::none) << file;
    }
    if (path.extension() == ".yaml") {
      EXPECT_EQ(std::system(("yamllint -d relaxed '" + path.string() + "'").c_str()), 0) << file;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, GoldenTargets, testing::ValuesIn(recordedFolders()),
                         [](const testing::TestParamInfo<fs::path>& info) {
                           std::string name = info.param.string();
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return name;
                         });
