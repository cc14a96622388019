//===- WriteFolderTest.cpp - A folder is complete or absent, whatever happens -----------------===//
#include "support/FileIo.h"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
using namespace dpl;
namespace fs = std::filesystem;

namespace {
class WriteFolder : public testing::Test {
protected:
  WriteFolder() {
    std::string name = (fs::temp_directory_path() / "dplc-write-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~WriteFolder() override { fs::remove_all(folder); }

  /// Many files of one letter, so that most of a run is spent in writing.
  static std::vector<OutputFile> filesOf(char letter) {
    std::vector<OutputFile> files;
    for (int i = 0; i < 60; ++i)
      files.push_back({fmt::format("{}/{}.txt", i % 7, i), std::string(20'000, letter), false});
    return files;
  }
  /// The letter that all files hold; 0 when the folder is not one of `filesOf`.
  char letterIn(const fs::path& target) {
    char found = 0;
    const std::vector<OutputFile> expected = filesOf('a');
    for (const OutputFile& file : expected) {
      std::ifstream in(target / file.path);
      std::ostringstream text;
      text << in.rdbuf();
      const std::string content = text.str();
      if (content.size() != 20'000 || content != std::string(20'000, content[0]) ||
          (found != 0 && content[0] != found))
        return 0;
      found = content[0];
    }
    return found;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  fs::path folder;
};
} // namespace

TEST_F(WriteFolder, KilledAtAnyMoment_LeavesTheOldFolderOrTheNewOne_Slow) {
  const std::string target = (folder / "job").string();
  DiagnosticEngine diags;
  ASSERT_TRUE(writeFolder(target, filesOf('a'), diags).succeeded());
  std::mt19937 random(7);
  std::uniform_int_distribution<useconds_t> moment(0, 12'000);
  unsigned killed = 0, littered = 0;
  char last = 'a';
  for (int i = 0; i < 60; ++i) {
    const char next = last == 'a' ? 'b' : 'a';
    const pid_t child = ::fork();
    if (child == 0) {
      DiagnosticEngine ignored;
      ::_exit(writeFolder(target, filesOf(next), ignored).succeeded() ? 0 : 1);
    }
    ::usleep(moment(random));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status);
    littered += entries() > 1;
    const char found = letterIn(target);
    ASSERT_TRUE(found == last || found == next) << "after kill " << i;
    ASSERT_TRUE(WIFSIGNALED(status) || found == next);
    last = found;
  }
  EXPECT_GE(killed, 10U) << "the moments were too late";
  // The next call removes what the killed ones left.
  ASSERT_TRUE(writeFolder(target, filesOf('c'), diags).succeeded());
  EXPECT_EQ(letterIn(target), 'c');
  EXPECT_EQ(entries(), 1U);
  RecordProperty("littered", static_cast<int>(littered));
}

TEST_F(WriteFolder, EndedAtAnyMoment_LeavesNothingBesideIt) {
  const std::string target = (folder / "job").string();
  std::mt19937 random(2);
  std::uniform_int_distribution<useconds_t> moment(0, 6'000);
  int ended = 0;
  for (int i = 0; i < 40; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      (void)::signal(SIGINT, SIG_DFL); // which a shell ignores in what it runs in the background
      DiagnosticEngine ignored;
      for (int writes = 0; writes < 20; ++writes)
        (void)writeFolder(target, filesOf('a'), ignored);
      ::_exit(0);
    }
    ::usleep(moment(random));
    ::kill(child, i % 2 == 0 ? SIGTERM : SIGINT);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ended += WIFSIGNALED(status);
    ASSERT_LE(entries(), 1U) << "after signal " << i;
    ASSERT_TRUE(entries() == 0 || letterIn(target) == 'a') << "after signal " << i;
  }
  EXPECT_GT(ended, 20);
}

TEST_F(WriteFolder, WhatIsAskedToEnd_WritesNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    sigset_t held;
    ::sigemptyset(&held), ::sigaddset(&held, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &held, nullptr);
    (void)::raise(SIGTERM);
    DiagnosticEngine why;
    const bool written = writeFolder((folder / "job").string(), filesOf('a'), why).succeeded();
    ::_exit(!written && why.errors() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(WriteFolder, ForeignFoldersBesideIt_AreLeftAlone) {
  const std::string target = (folder / "job").string();
  fs::create_directory(folder / "job.dplc-backup");
  std::ofstream(folder / "job.dplc-backup" / "mine.txt") << "precious";
  fs::create_directory(folder / "job.dplc-longer-name");
  DiagnosticEngine diags;
  ASSERT_TRUE(writeFolder(target, filesOf('a'), diags).succeeded());
  EXPECT_TRUE(fs::exists(folder / "job.dplc-backup/mine.txt"));
  EXPECT_TRUE(fs::exists(folder / "job.dplc-longer-name"));
}

TEST_F(WriteFolder, AFullDisk_LeavesTheOldFolder) {
  const std::string target = (folder / "job").string();
  DiagnosticEngine diags;
  ASSERT_TRUE(writeFolder(target, filesOf('a'), diags).succeeded());
  const pid_t child = ::fork();
  if (child == 0) {
    // A limit on the size of a file fails like a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10'000, 10'000};
    (void)::setrlimit(RLIMIT_FSIZE, &limit);
    DiagnosticEngine why;
    const bool written = writeFolder(target, filesOf('b'), why).succeeded();
    const std::string said = why.errors() == 1 ? why.diagnostics().front().message : "";
    ::_exit(!written && said.find("/0/0.txt`: File too large") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(letterIn(target), 'a');
  EXPECT_EQ(entries(), 1U);
}
