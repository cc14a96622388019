//===- ProgramTest.cpp - The emitted C++ program: its size, and names that would break it -----===//
#include "tests/golden/Runner.h"
#include <cstdlib>
#include <gtest/gtest.h>
using namespace dpl::test;

namespace {
class Program : public testing::TestWithParam<const char*> {
protected:
  /// Emits into a folder of that name.
  fs::path emit(const std::string& into, std::vector<std::string> more) const {
    more.insert(more.begin(), {"emit", GetParam()});
    more.insert(more.end(), {"-o", (folder.path / into).string()});
    const Outcome done = dplc(more);
    EXPECT_EQ(done.exitCode, 0) << done.error;
    return folder.path / into;
  }
  TemporaryFolder folder;
};
} // namespace

TEST_P(Program, NoFileGrowsWithTheDevices) {
  const std::string plan = "examples/llama3_70b_h100.dpl";
  const fs::path small = emit("small", {plan});
  // 512 and 100,096 devices with as many micro-batches each.
  const fs::path large =
      emit("large", {plan, "--set", "pod.nodes=12512", "--set", "dense3d.mesh.data=1564", "--set",
                     "dense3d.batch=100096seq"});
  unsigned files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(small)) {
    const std::uintmax_t more = fs::file_size(large / entry.path().filename());
    // Only numbers get longer: sizes, strides, and counts of bytes.
    EXPECT_LE(more, fs::file_size(entry.path()) + 128) << entry.path().filename();
    ++files;
  }
  EXPECT_GT(files, 10U);
}

TEST_P(Program, HostileNamesStayInsideCommentsAndStrings_Slow) {
  const std::string text = slurp(sourceFolder() / "examples/resnet50_a100.dpl");
  unsigned number = 0;
  for (const char* name :
       {"quote\".dpl", "$(touch owned) `touch owned`.dpl", "line\n#error.dpl", "back\\slash\\.dpl",
        "\xe2\x80\xae turned \xc3\xa9.dpl", "not utf-8 \xff.dpl", "what?\?\\.dpl"}) {
    const fs::path file = folder.path / name;
    spill(file, text);
    const fs::path made = emit("made" + std::to_string(number++), {file.string()});
    // Every file has the comment, plan.h the string as well.
    const std::string compile = "c++ -std=c++17 -fsyntax-only -Wall -Wextra -Wpedantic -Werror ";
    const std::string all = "-include '" + (made / "plan.h").string() + "' -include '" +
                            (made / "Options.cpp").string() + "' -x c++ /dev/null";
    EXPECT_EQ(std::system((compile + all).c_str()), 0) << name;
  }
  EXPECT_FALSE(fs::exists("owned"));
}

INSTANTIATE_TEST_SUITE_P(Targets, Program, testing::Values("nccl", "mpi"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           return std::string(info.param);
                         });
