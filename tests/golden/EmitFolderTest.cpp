//===- EmitFolderTest.cpp - dplc emit: a folder is complete or absent -------------------------===//
#include "tests/golden/Runner.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sys/wait.h>
#include <unistd.h>
using namespace dpl::test;

namespace {
constexpr const char* plan = "examples/llama3_70b_h100.dpl";
constexpr const char* other = "dense3d.batch=8Mitok";

using Content = std::map<std::string, std::string>;

class EmitFolder : public testing::Test {
protected:
  fs::path target() const { return folder.path / "job"; }
  Outcome emit(const std::string& setting = "") const {
    std::vector<std::string> arguments{"emit", "megatron", "torchrun", plan, "-o", target()};
    if (!setting.empty())
      arguments.insert(arguments.end(), {"--set", setting});
    return dplc(arguments);
  }
  Content content() const {
    Content files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(target()))
      if (entry.is_regular_file())
        files[entry.path().lexically_relative(target()).string()] = slurp(entry.path());
    return files;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()));
  }
  /// A running `emit` as a process of its own; `prefix` is shell text before it.
  pid_t start(const std::string& setting, const std::string& prefix = "") const {
    const std::string command = prefix + "exec '" DPL_DPLC "' emit megatron torchrun '" + plan +
                                "' -o '" + target().string() + "'" +
                                (setting.empty() ? "" : " --set " + setting);
    const pid_t child = ::fork();
    if (child == 0) {
      const int nowhere = ::open("/dev/null", O_WRONLY);
      ::dup2(nowhere, 1);
      ::dup2(nowhere, 2);
      if (::chdir(sourceFolder().c_str()) == 0)
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    return child;
  }
  /// What `emit` says on a file system of its own, a mebibyte in memory, after `prepare` has been
  /// run there; skips the test where there are no mount namespaces.
  void onFileSystem(const std::string& prepare, Outcome& outcome) const {
    const std::string where = folder.path.string();
    if (std::system("unshare --map-root-user --mount true 2> /dev/null") != 0)
      GTEST_SKIP() << "skipped: this machine has no mount namespaces for its users";
    const std::string script = "set -e; mount -t tmpfs -o size=1m none '" + where + "'; cd '" +
                               where + "'; mkdir job; " + prepare + "; cd '" +
                               sourceFolder().string() + "'; exec '" DPL_DPLC "' emit megatron " +
                               plan + " -o '" + where + "/job'";
    spill(where + ".sh", script);
    const std::string command =
        "unshare --map-root-user --mount sh '" + where + ".sh' 2> '" + where + ".error'";
    const int status = std::system(command.c_str());
    outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.error = slurp(where + ".error");
    fs::remove(where + ".sh"), fs::remove(where + ".error");
  }
  TemporaryFolder folder;
};
} // namespace

TEST_F(EmitFolder, KilledAtFiftyMoments_LeavesTheOldFolderOrTheNewOne) {
  ASSERT_EQ(emit(other).exitCode, 0);
  const Content second = content();
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(emit().exitCode, 0);
  const std::chrono::duration<double, std::micro> duration =
      std::chrono::steady_clock::now() - begin;
  const Content first = content();
  ASSERT_NE(first, second);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> moment(0, 1.1 * duration.count());
  for (int i = 0; i < 50; ++i) {
    const pid_t child = start(i % 2 == 0 ? other : "");
    ::usleep(static_cast<useconds_t>(moment(random)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const Content now = content();
    ASSERT_TRUE(now == first || now == second) << "after kill " << i;
  }
  ASSERT_EQ(emit(other).exitCode, 0);
  EXPECT_EQ(content(), second);
  EXPECT_EQ(entries(), 1U) << "what the killed ones left is still there";
}

TEST_F(EmitFolder, AFullDisk_IsOneErrorAndLeavesTheOldFolder) {
  ASSERT_EQ(emit().exitCode, 0);
  const Content before = content();
  const pid_t child = start(other, "ulimit -f 1; ");
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
  EXPECT_EQ(content(), before);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(EmitFolder, WhereNothingCanBeWritten_IsOneError) {
  const Outcome outcome = dplc({"emit", "megatron", plan, "-o", "/proc/dplc-job"});
  EXPECT_EQ(outcome.exitCode, 3);
  const std::vector<Message> messages = messagesIn(outcome.error);
  ASSERT_EQ(messages.size(), 1U) << outcome.error;
  EXPECT_EQ(messages[0].code, "DPL0721");
  EXPECT_NE(messages[0].text.find("/proc/dplc-job"), std::string::npos);
}

TEST_F(EmitFolder, AFileSystemWithoutSpace_IsOneError) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(onFileSystem("! cat /dev/zero > filled 2> /dev/null", outcome));
  if (IsSkipped())
    return;
  EXPECT_EQ(outcome.exitCode, 3);
  const std::vector<Message> messages = messagesIn(outcome.error);
  ASSERT_EQ(messages.size(), 1U) << outcome.error;
  EXPECT_EQ(messages[0].code, "DPL0721");
  EXPECT_NE(messages[0].text.find("No space left on device"), std::string::npos);
}

TEST_F(EmitFolder, AReadOnlyFileSystem_IsOneError) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(onFileSystem("mount -o remount,ro .", outcome));
  if (IsSkipped())
    return;
  EXPECT_EQ(outcome.exitCode, 3);
  const std::vector<Message> messages = messagesIn(outcome.error);
  ASSERT_EQ(messages.size(), 1U) << outcome.error;
  EXPECT_EQ(messages[0].code, "DPL0721");
  EXPECT_NE(messages[0].text.find("Read-only file system"), std::string::npos);
}
