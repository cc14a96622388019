//===- OutputFilesTest.cpp - Where commands write, and what they never replace ----------------===//
#include "tests/golden/Runner.h"
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <sys/stat.h>
using namespace dpl::test;

namespace {
using Arguments = std::vector<std::string>;
} // namespace

TEST(OutputFile, APicture_IsNotWrittenOverWhatWasRead) {
  const TemporaryFolder folder;
  const std::string plan = "import std.textbook\n"
                           "cluster flat from textbook.flat {\n  nodes = 4\n"
                           "  jitter = measured { times = column(\"times.csv\", \"ms\") }\n}\n"
                           "layout plain for textbook.buffer on flat {\n"
                           "  mesh { data = rest }\n  batch = 4sample\n}\n",
                    times = "ms\n10\n11\n12\n";
  fs::create_directory(folder.path / "in");
  spill(folder.path / "in/plan.dpl", plan), spill(folder.path / "in/times.csv", times);
  fs::create_symlink("in/plan.dpl", folder.path / "link");
  const Arguments path{"simulate", "in/plan.dpl", "--steps", "5", "--critical-path", "--svg"},
      schedule{"report", "in/plan.dpl", "--svg"};
  for (const Arguments& command : {path, schedule}) {
    const auto to = [&](const std::string& file) {
      Arguments all = command;
      all.push_back(file);
      return dplc(all, folder.path);
    };
    for (const char* file : {"in/plan.dpl", "./in/../in/plan.dpl", "link", "in/times.csv"}) {
      const Outcome refused = to(file);
      EXPECT_EQ(refused.exitCode, 3) << file;
      EXPECT_NE(refused.error.find(fmt::format("`{}` is an input and is not replaced", file)),
                std::string::npos)
          << refused.error;
    }
    for (int again = 0; again < 2; ++again) // one that is there is replaced
      EXPECT_EQ(to("out.svg").exitCode, 0);
    EXPECT_EQ(slurp(folder.path / "out.svg").rfind("<svg", 0), 0U);
  }
  EXPECT_EQ(slurp(folder.path / "in/plan.dpl"), plan);
  EXPECT_EQ(slurp(folder.path / "in/times.csv"), times);
}

/// Tries every command that writes a file. As root, no permission keeps a device from being
/// replaced.
TEST(OutputFile, WhatIsNoFile_IsWrittenToAndNotReplaced) {
  const TemporaryFolder folder;
  const std::string plan = (sourceFolder() / "examples/llama3_70b_h100.dpl").string(),
                    table = (sourceFolder() / "tests/accuracy/published_layouts.csv").string();
  spill(folder.path / "config.json", R"({"model_type": "gpt2", "n_embd": 64, "n_layer": 2,
      "n_head": 2, "n_positions": 64, "vocab_size": 128})");
  const std::vector<Arguments> commands = {
      {"report", plan, "--layout", "dense3d", "--svg"},
      {"report", plan, "--layout", "dense3d", "--memory", "--svg"},
      {"report", plan, "--layout", "dense3d", "--collectives", "--svg"},
      {"simulate", plan, "--layout", "dense3d", "--steps", "2", "--critical-path", "--svg"},
      {"score", table, "--where", "family=Megatron-Bridge", "--html"},
      {"import", "hf", "config.json", "-o"},
      {"new"}};
  ASSERT_EQ(::mkfifo((folder.path / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", folder.path / "link");
  fs::create_symlink("/dev/full", folder.path / "full");
  for (const Arguments& command : commands)
    for (const auto& [to, reason] : std::map<std::string, std::string>{
             {"pipe", "it is a pipe or a socket that no process reads"},
             {"link", "it is a pipe or a socket that no process reads"},
             {"full", "No space left on device"}}) {
      Arguments all = command;
      all.push_back(to);
      const Outcome outcome = dplc(all, folder.path);
      EXPECT_EQ(outcome.exitCode, 3) << command.front();
      std::string errors;
      for (const Message& message : messagesIn(outcome.error))
        errors += message.severity == "error" ? message.text : "";
      EXPECT_EQ(errors, fmt::format("no file is written: cannot write `{}`: {}", to, reason))
          << command.front();
    }
  for (const char* command : {"emit", "study"}) {
    const Outcome refused = command == std::string("emit")
                                ? dplc({"emit", "megatron", plan, "-o", "pipe"}, folder.path)
                                : dplc({"study", "plan.dpl", "-o", "pipe"}, folder.path);
    EXPECT_NE(refused.exitCode, 0);
  }
  EXPECT_TRUE(fs::is_fifo(folder.path / "pipe"));
  EXPECT_TRUE(fs::is_symlink(folder.path / "link") && fs::is_symlink(folder.path / "full"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(OutputFile, ToStandardOutput_OnlyTheFileIsPrinted) {
  const TemporaryFolder folder;
  const std::string plan = (sourceFolder() / "examples/smallest.dpl").string();
  const std::string printed = dplc({"report", plan, "--svg", "-"}).out;
  EXPECT_EQ(printed.rfind("<svg", 0), 0U);
  for (const char* option : {"--memory", "--timeline"})
    EXPECT_EQ(dplc({"report", plan, option, "--svg", "-"}).out.rfind("<svg", 0), 0U) << option;
  fs::create_symlink("/dev/stdout", folder.path / "link");
  for (const char* to : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"})
    EXPECT_EQ(dplc({"report", plan, "--svg", to}, folder.path).out, printed) << to;
  // Output is appended to the file, whose contents stay.
  spill(folder.path / "log", "before\n");
  const std::string command = fmt::format("cd '{}' && '{}' report '{}' --svg /dev/stdout >>log",
                                          folder.path.string(), DPL_DPLC, plan);
  ASSERT_EQ(std::system(command.c_str()), 0); // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(slurp(folder.path / "log"), "before\n" + printed);
  EXPECT_EQ(dplc({"new", "-"}).out, dplc({"new", "/dev/stdout"}).out);
}

/// More than a pipe holds, so that the reader is gone before all is written.
TEST(OutputFile, AReaderThatGoesAway_IsToldNothing) {
  const TemporaryFolder folder;
  const std::string command =
      fmt::format("{{ '{}' ir '{}' 2>'{}'/said; echo $? >'{}'/code; }} | head -c 1 >/dev/null",
                  DPL_DPLC, (sourceFolder() / "examples/llama3_70b_h100.dpl").string(),
                  folder.path.string(), folder.path.string());
  EXPECT_EQ(std::system(command.c_str()), 0); // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(slurp(folder.path / "said"), "");
  EXPECT_EQ(slurp(folder.path / "code"), "3\n");
}
