//===- MegatronTest.cpp - The emitted folders of the examples, byte for byte ------------------===//
//
// tests/golden/megatron/NAME/ holds what `dplc emit megatron` writes for examples/NAME.dpl or
// tests/conformance/megatron/NAME.dpl, with HASH for the plan's hash, which changes with every
// figure of the library; a new folder, recorded with DPL_UPDATE=1, is all that another plan needs.
#include "tests/golden/Runner.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <regex>
using namespace dpl::test;

namespace {
constexpr const char* emittedFiles[] = {"launch.sh", "arguments.txt", "plan.json"};

std::vector<fs::path> recordedFolders() {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(sourceFolder / "tests/golden/megatron"))
    if (entry.is_directory())
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// An emitted file with HASH in the place of "plan 0123456789abcdef" and `"hash": "0123…"`.
std::string withoutHash(const fs::path& path) {
  static const std::regex hash("(plan |\"hash\": \")[0-9a-f]{16}");
  return std::regex_replace(slurp(path), hash, "$1HASH");
}

class GoldenMegatron : public testing::TestWithParam<fs::path> {
protected:
  /// Emits the example into a folder of its own.
  void SetUp() override {
    const std::string file = GetParam().filename().string() + ".dpl";
    const bool example = fs::exists(sourceFolder / "examples" / file);
    const std::string source = (example ? "examples/" : "tests/conformance/megatron/") + file;
    const Outcome outcome = dplc({"emit", "megatron", source, "-o", emitted().string()});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
  }
  fs::path emitted() const { return folder.path / "launch"; }

private:
  TemporaryFolder folder;
};
} // namespace

TEST_P(GoldenMegatron, TheFolderIsAsRecorded) {
  for (const char* file : emittedFiles) {
    const std::string text = withoutHash(emitted() / file);
    if (updating())
      spill(GetParam() / file, text);
    EXPECT_EQ(text, slurp(GetParam() / file))
        << file << ": re-record with DPL_UPDATE=1, then read the difference";
  }
}

TEST_P(GoldenMegatron, TheLaunchScriptIsSound) {
  EXPECT_NE(fs::status(emitted() / "launch.sh").permissions() & fs::perms::owner_exec,
            fs::perms::none);
  if (std::system("command -v shellcheck >/dev/null") != 0)
    GTEST_SKIP() << "shellcheck is not installed";
  EXPECT_EQ(std::system(("shellcheck '" + (emitted() / "launch.sh").string() + "'").c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(Examples, GoldenMegatron, testing::ValuesIn(recordedFolders()),
                         [](const testing::TestParamInfo<fs::path>& info) {
                           return info.param.filename().string();
                         });
