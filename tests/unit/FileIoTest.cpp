#include "support/FileIo.h"
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>
using namespace dpl;
namespace fs = std::filesystem;

namespace {
class FileIo : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "dpl-io-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  std::string at(const std::string& name) const { return (folder / name).string(); }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string slurp(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Code of the one diagnostic that loading the path gives; "" when it loads.
  std::string codeOf(const std::string& path) {
    DiagnosticEngine own;
    text.clear();
    const FailureOr<std::uint32_t> file = loadSource(sources, own, path);
    if (!file.failed())
      text = sources.text(*file).str();
    own.endPhase();
    return own.diagnostics().empty() ? "" : own.diagnostics().front().info.code;
  }

  /// The message of the last diagnostic.
  std::string said() const {
    return diags.diagnostics().empty() ? "" : diags.diagnostics().back().message;
  }

  fs::path folder;
  DiagnosticEngine diags;
  SourceManager sources;
  std::string text;
};
} // namespace

TEST_F(FileIo, TroubleWithAFile_IsToldApart) {
  EXPECT_EQ(codeOf(at("missing.dpl")), "DPL0002");
  EXPECT_EQ(codeOf(folder.string()), "DPL0003");
  EXPECT_EQ(codeOf(at(std::string(300, 'x'))), "DPL0004"); // name too long for the file system
  write(at("big.dpl"), "");
  fs::resize_file(at("big.dpl"), 100'000'000);
  EXPECT_EQ(codeOf(at("big.dpl")), "DPL0005");
  write(at("nul.dpl"), std::string("a\0b", 3));
  EXPECT_EQ(codeOf(at("nul.dpl")), "DPL0006");
  write(at("latin1.dpl"), "gr\xF6\xDF"
                          "e");
  EXPECT_EQ(codeOf(at("latin1.dpl")), "DPL0001");
  write(at("mac.dpl"), "a\rb\r");
  EXPECT_EQ(codeOf(at("mac.dpl")), "DPL0007");
}

TEST_F(FileIo, CrlfAndOneByteOrderMark_AreAccepted) {
  write(at("dos.dpl"), "\xEF\xBB\xBF"
                       "a\r\nb\r\n");
  EXPECT_EQ(codeOf(at("dos.dpl")), "");
  EXPECT_EQ(text, "a\r\nb\r\n");
  EXPECT_EQ(sources.skipped(1), 3U);
}

TEST_F(FileIo, AFolder_IsWrittenWhole) {
  const std::vector<OutputFile> files = {{"run.sh", "#!/bin/sh\n", true},
                                         {"conf/args.txt", "--x\n", false}};
  ASSERT_TRUE(writeFolder(at("out/"), files, diags).succeeded());
  EXPECT_EQ(slurp(at("out/conf/args.txt")), "--x\n");
  EXPECT_NE(fs::status(at("out/run.sh")).permissions() & fs::perms::owner_exec, fs::perms::none);
  // Our own folder may be written again; what is no longer produced is gone.
  ASSERT_TRUE(writeFolder(at("out"), {{"run.sh", "new\n", true}}, diags).succeeded());
  EXPECT_EQ(slurp(at("out/run.sh")), "new\n");
  EXPECT_FALSE(fs::exists(at("out/conf")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(FileIo, AFolderWithOtherFiles_IsLeftAlone) {
  fs::create_directory(at("out"));
  ASSERT_TRUE(writeFolder(at("out"), {{"a", "1", false}}, diags).succeeded())
      << "an empty folder may be filled";
  write(at("out/mine.txt"), "precious");
  EXPECT_TRUE(writeFolder(at("out"), {{"a", "2", false}}, diags).failed());
  EXPECT_EQ(said(), "no folder is written: `" + at("out") +
                        "` exists and contains `mine.txt`, which dplc did not write");
  EXPECT_EQ(slurp(at("out/a")), "1");
  write(at("file"), "");
  EXPECT_TRUE(writeFolder(at("file"), {{"a", "2", false}}, diags).failed());
  EXPECT_EQ(said(), "no folder is written: `" + at("file") + "` exists and is not a folder");
  fs::create_directory_symlink(at("out"), at("link"));
  EXPECT_TRUE(writeFolder(at("link") + "/", {{"a", "2", false}}, diags).failed());
  EXPECT_EQ(said(),
            "no folder is written: `" + at("link") + "` is a link, the folder itself is needed");
}

TEST_F(FileIo, AFolderThatCannotBeMade_LeavesNothing) {
  EXPECT_TRUE(writeFolder(at("no/such/parent"), {{"a", "1", false}}, diags).failed());
  EXPECT_EQ(said(), "no folder is written: cannot create `" + at("no/such/parent") +
                        "`: there is no folder `" + at("no") + "`");
  // A name that is both a file and a folder fails half way through.
  EXPECT_TRUE(writeFolder(at("out"), {{"a", "1", false}, {"a/b", "2", false}}, diags).failed());
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(FileIo, AFullDiskAndABrokenPipe_GiveTheReason) {
  if (FILE* full = std::fopen("/dev/full", "w")) {
    EXPECT_EQ(writeAll(::fileno(full), "x").message(), "No space left on device");
    std::fclose(full);
  }
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  ::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(writeAll(ends[1], "x"), std::errc::broken_pipe);
  ::close(ends[1]);
}

TEST_F(FileIo, AFile_IsReplacedWithItsPermissions) {
  write(at("a.dpl"), "old");
  fs::permissions(at("a.dpl"), fs::perms::owner_all);
  fs::create_symlink("a.dpl", at("link.dpl"));
  ASSERT_TRUE(writeFile(at("link.dpl"), "new", diags).succeeded()) << said();
  EXPECT_EQ(slurp(at("a.dpl")), "new");
  EXPECT_TRUE(fs::is_symlink(at("link.dpl")));
  EXPECT_EQ(fs::status(at("a.dpl")).permissions(), fs::perms::owner_all);
}

TEST_F(FileIo, AFileThatCannotBeWritten_IsReportedOnceAndLeavesNothing) {
  EXPECT_TRUE(writeFile(at("no/such.dpl"), "new", diags).failed());
  EXPECT_EQ(said(), "no file is written: cannot create a file next to `" + at("no/such.dpl") +
                        "`: No such file or directory");
  fs::create_directory(at("folder"));
  EXPECT_TRUE(writeFile(at("folder"), "new", diags).failed());
  EXPECT_EQ(said(), "no file is written: cannot write `" + at("folder") + "`: Is a directory");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(FileIo, WhatIsNoFile_IsUnreadable) {
  ASSERT_EQ(::mkfifo(at("pipe.dpl").c_str(), 0600), 0);
  EXPECT_EQ(codeOf(at("pipe.dpl")), "DPL0004");
  EXPECT_EQ(codeOf("/dev/zero"), "DPL0004");
  // A descriptor is open already: whoever names it means its pipe to be read.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "a\n", 2), 2);
  ::close(ends[1]);
  EXPECT_EQ(codeOf("/dev/fd/" + std::to_string(ends[0])), "");
  EXPECT_EQ(text, "a\n");
  ::close(ends[0]);
}

TEST_F(FileIo, AFolderWithAnotherFolderInIt_IsLeftAlone) {
  const std::vector<OutputFile> files = {{"conf/args.txt", "1", false}};
  ASSERT_TRUE(writeFolder(at("out"), files, diags).succeeded());
  fs::create_directories(at("out/conf/empty"));
  EXPECT_TRUE(writeFolder(at("out"), {{"conf/args.txt", "2", false}}, diags).failed());
  EXPECT_EQ(said(), "no folder is written: `" + at("out") +
                        "` exists and contains `conf/empty`, which dplc did not write");
  EXPECT_EQ(slurp(at("out/conf/args.txt")), "1");
  fs::remove(at("out/conf/empty"));
  // A link is not what it points at.
  fs::create_directory_symlink(folder, at("out/link"));
  EXPECT_TRUE(writeFolder(at("out"), files, diags).failed());
  EXPECT_TRUE(fs::is_symlink(at("out/link")));
}

TEST_F(FileIo, APipe_IsWrittenToAndStays) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(writeFile(at("pipe"), "lost", diags).failed()) << "nobody reads, and nothing waits";
  EXPECT_EQ(said(), "no file is written: cannot write `" + at("pipe") +
                        "`: it is a pipe or a socket that no process reads");
  const int reader = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  fs::create_symlink("pipe", at("link"));
  for (const char* name : {"pipe", "link"}) {
    ASSERT_TRUE(writeFile(at(name), "text", diags).succeeded()) << said();
    char read[8] = {};
    EXPECT_EQ(::read(reader, read, sizeof read), 4);
    EXPECT_STREQ(read, "text");
  }
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2);
}

TEST_F(FileIo, ADeviceAndASocket_Stay) {
  fs::create_symlink("/dev/null", at("null"));
  EXPECT_TRUE(writeFile(at("null"), "text", diags).succeeded());
  fs::create_symlink("/dev/full", at("full"));
  EXPECT_TRUE(writeFile(at("full"), "text", diags).failed());
  EXPECT_EQ(said(),
            "no file is written: cannot write `" + at("full") + "`: No space left on device");
  EXPECT_TRUE(fs::is_symlink(at("null")) && fs::is_symlink(at("full")));
  EXPECT_TRUE(fs::is_character_file("/dev/null") && fs::is_character_file("/dev/full"));
  // As root the test can make a device of its own, which no permission keeps from being replaced.
  if (::mknod(at("device").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0) {
    EXPECT_TRUE(writeFile(at("device"), "text", diags).succeeded()) << said();
    EXPECT_TRUE(fs::is_character_file(at("device")));
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(at("socket").size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, at("socket").c_str());
  const int bound = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(bound, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(writeFile(at("socket"), "text", diags).failed());
  EXPECT_TRUE(fs::is_socket(at("socket")));
  ::close(bound);
}

TEST_F(FileIo, AnOpenFile_IsWrittenOnAndNotReplaced) {
  const int open = ::open(at("log").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(open, "before ", 7), 7);
  const std::string name = "/dev/fd/" + std::to_string(open);
  fs::create_symlink(name, at("link"));
  EXPECT_EQ(descriptorNamed(name), open);
  EXPECT_EQ(descriptorNamed(at("link")), open);
  EXPECT_EQ(descriptorNamed("/dev/stdout"), 1);
  EXPECT_EQ(descriptorNamed(at("log")), std::nullopt);
  ASSERT_TRUE(writeFile(name, "one ", diags).succeeded()) << said();
  ASSERT_TRUE(writeFile(at("link"), "two", diags).succeeded()) << said();
  EXPECT_EQ(slurp(at("log")), "before one two");
  ::close(open);
  EXPECT_TRUE(writeFile(name, "gone", diags).failed());
}

TEST_F(FileIo, ALinkToNothing_StaysAndItsFileIsMade) {
  fs::create_directory(at("folder"));
  fs::create_symlink("folder/new", at("link"));
  ASSERT_TRUE(writeFile(at("link"), "text", diags).succeeded()) << said();
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(slurp(at("folder/new")), "text");
  fs::create_symlink("circle", at("circle"));
  EXPECT_TRUE(writeFile(at("circle"), "text", diags).failed());
  EXPECT_TRUE(fs::is_symlink(at("circle")));
}

TEST_F(FileIo, AFolderInWhichAFileBecameAPipe_IsLeftAlone) {
  const std::vector<OutputFile> files = {{"run.sh", "1", false}};
  ASSERT_TRUE(writeFolder(at("out"), files, diags).succeeded());
  fs::remove(at("out/run.sh"));
  ASSERT_EQ(::mkfifo(at("out/run.sh").c_str(), 0600), 0);
  EXPECT_TRUE(writeFolder(at("out"), files, diags).failed());
  EXPECT_EQ(said(), "no folder is written: `" + at("out") +
                        "` exists and contains `run.sh`, which dplc did not write");
  EXPECT_TRUE(fs::is_fifo(at("out/run.sh")));
  fs::remove(at("out/run.sh")), fs::remove(at("out/.dplc-files"));
  ASSERT_EQ(::mkfifo(at("out/.dplc-files").c_str(), 0600), 0);
  EXPECT_TRUE(writeFolder(at("out"), files, diags).failed()) << "and the pipe is not read";
}
