//===- TargetsTest.cpp - The emitted folders of the examples, byte for byte -------------------===//
//
// tests/golden/targets/TARGET/NAME/ holds what `dplc emit TARGET` writes for examples/NAME.dpl,
// tests/conformance/plans/NAME.dpl or tests/conformance/TARGET/plans/NAME.dpl, with HASH for the
// plan's hash, which changes with every figure of the library; sources that are the same for every
// plan are not recorded. TARGET may have a release: megatron@0.16. With slurm+megatron both are
// emitted and the files of the first are recorded; plans of tests/conformance/launch serve too, and
// NAME.LAYOUT picks one of several layouts. A new empty folder, recorded with DPL_UPDATE=1, is all
// that another plan needs.
#include "tests/golden/Runner.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
using namespace dpl::test;

namespace {
/// TARGET/NAME.
std::vector<fs::path> recordedFolders() {
  std::vector<fs::path> folders;
  const fs::path root = sourceFolder / "tests/golden/targets";
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
  for (const fs::directory_entry& target : fs::directory_iterator(sourceFolder / "backends")) {
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

/// An emitted file with HASH in the place of "plan 0123456789abcdef", `"hash": "0123…"` and a
/// string of it alone.
std::string withoutHash(const fs::path& path) {
  static const std::regex hash("(plan |\"hash\": \"|    \")[0-9a-f]{16}");
  return std::regex_replace(slurp(path), hash, "$1HASH");
}

bool has(const char* program) {
  return std::system((std::string("command -v ") + program + " >/dev/null").c_str()) == 0;
}

class GoldenTargets : public testing::TestWithParam<fs::path> {
protected:
  /// Emits the example into a folder of its own.
  void SetUp() override {
    std::vector<std::string> arguments{"emit"};
    std::istringstream targets(GetParam().parent_path().string());
    for (std::string target; std::getline(targets, target, '+');)
      arguments.push_back(target);
    several = arguments.size() > 2;
    const std::string file = GetParam().stem().string() + ".dpl";
    const std::string own =
        "tests/conformance/" + arguments[1].substr(0, arguments[1].find('@')) + "/plans/";
    for (const std::string& place :
         {std::string("examples/"), std::string("tests/conformance/plans/"),
          std::string("tests/conformance/launch/plans/"), own})
      if (fs::exists(sourceFolder / (place + file))) {
        arguments.push_back(place + file);
        break;
      }
    arguments.insert(arguments.end(), {"-o", (folder.path / "launch").string()});
    if (GetParam().has_extension())
      arguments.insert(arguments.end(), {"--layout", GetParam().extension().string().substr(1)});
    const Outcome outcome = dplc(arguments);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
  }
  fs::path emitted() const {
    const std::string targets = GetParam().parent_path().string();
    return folder.path / "launch" / (several ? targets.substr(0, targets.find('+')) : "");
  }
  fs::path recorded() const { return sourceFolder / "tests/golden/targets" / GetParam(); }

private:
  TemporaryFolder folder;
  bool several = false;
};
} // namespace

TEST_P(GoldenTargets, TheFolderIsAsRecorded) {
  if (updating()) {
    for (const std::string& file : filesOf(recorded()))
      fs::remove(recorded() / file);
    for (const std::string& file : madeFor(emitted())) {
      fs::create_directories((recorded() / file).parent_path());
      spill(recorded() / file, withoutHash(emitted() / file));
    }
  }
  EXPECT_EQ(madeFor(emitted()), filesOf(recorded()));
  for (const std::string& file : madeFor(emitted()))
    EXPECT_EQ(withoutHash(emitted() / file), slurp(recorded() / file))
        << file << ": re-record with DPL_UPDATE=1, then read the difference";
}

TEST_P(GoldenTargets, ScriptsAndYamlAreSound) {
  if (!has("shellcheck") || !has("yamllint"))
    GTEST_SKIP() << "shellcheck or yamllint is not installed";
  for (const std::string& file : filesOf(emitted())) {
    const fs::path path = emitted() / file;
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
