//===- CommandLineTest.cpp - Widths, misuse and failures that no golden file can show ---------===//
#include "support/Json.h"
#include "support/Utf8.h"
#include "tests/golden/Runner.h"
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>
#include <sys/stat.h>
using namespace dpl::test;

namespace {
using Arguments = std::vector<std::string>;

/// What follows `before` up to the end of the word.
std::string wordAfter(const std::string& before, const std::string& text) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos)
    return "nothing in " + text;
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find_first_of("\" \n", begin) - begin);
}

/// The one message that the command line gives, and its exit code before it.
std::string said(const Arguments& arguments, const fs::path& folder = sourceFolder()) {
  const Outcome outcome = dplc(arguments, folder);
  EXPECT_EQ(outcome.out, "");
  const std::vector<Message> messages = messagesIn(outcome.error);
  if (messages.size() != 1)
    return outcome.error;
  return std::to_string(outcome.exitCode) + " " + messages.front().code + " " +
         messages.front().text;
}
} // namespace

TEST(CommandLine, OverridesThatNoSettingCanHave_AreRefused) {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "train.toml")
      << "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 8192\n";
  Arguments line{"import", "torchtitan", "train.toml", "--define=NNODES=1",
                 "--define=NPROC_PER_NODE=8"};
  const auto with = [&](const std::string& override) {
    Arguments all = line;
    all.push_back(override);
    return said(all, folder.path);
  };
  std::string deep;
  for (int i = 0; i < 60'000; ++i)
    deep += "a.";
  const std::string empty =
      " has an empty part, needed a section and a name, as in `--training.seq_len=4096`";
  EXPECT_EQ(with("--.seq_len=1"), "2 DPL0700 `--.seq_len`" + empty);
  EXPECT_EQ(with("--.=1"), "2 DPL0700 `--.`" + empty);
  EXPECT_EQ(with("--compile.no_"), "2 DPL0700 `--compile.no_`" + empty);
  EXPECT_EQ(with("--training.seq_len.x=1"),
            "2 DPL0700 `--training.seq_len.x` is below `training.seq_len`, which is `8192`, needed "
            "a table");
  EXPECT_EQ(with("--" + deep + "b=1"),
            "2 DPL0700 `--a.a.a.a.a.a.a.a.a.a.a.a.a.a.….a.a.a.a.a.a.a.a.a.a.a.a.a.b` has 60001 "
            "parts, needed at most 64");
  EXPECT_EQ(with("--training.seq_len=x\n\ny"),
            "1 DPL0814 `training.seq_len` is `x  y`, needed a whole number of at least 1");
  for (int i = 0; i < 4096; ++i)
    line.push_back(fmt::format("--a.b{}=1", i));
  EXPECT_EQ(with("--a.b=1"), "2 DPL0700 more than 4096 overrides");
}

TEST(CommandLine, AnEmptyValue_IsNoValue) {
  const std::string file = "examples/smallest.dpl";
  EXPECT_EQ(said({"check", "--layout", "", file}),
            "2 DPL0700 `--layout`: a value is needed, found none");
  EXPECT_EQ(said({"report", "--why", "", file}),
            "2 DPL0700 `--why`: a value is needed, found none");
  EXPECT_EQ(said({"check", ""}), "2 DPL0700 `FILE`: a value is needed, found none");
  EXPECT_EQ(said({"simulate", "plan.dpl", "--run", ""}),
            "2 DPL0700 `--run`: a value is needed, found none");
  EXPECT_EQ(said({"emit", "megatron", file, "-o", ""}),
            "2 DPL0700 `--output`: a value is needed, found none");
  EXPECT_EQ(said({""}), "2 DPL0700 there is no command ``");
}

TEST(CommandLine, ACalibratedCluster_IsWrittenWhereItCompiles) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path / "sub");
  spill(folder.path / "site.dpl",
        "import std.clusters\ncluster pod from clusters.dgx_h100 { nodes = 1 }\n");
  spill(folder.path / "old.log",
        "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
        "268435456 67108864 float sum -1 2105.2 127.51 119.54 0 2101.0 127.77 119.78 0\n");
  const auto calibrate = [&](const Arguments& more, const std::string& from) {
    Arguments all{"calibrate", from + "old.log", from + "site.dpl", "--cluster", "pod",
                  "--op",      "all_gather",     "--ranks",         "8",         "--nodes",
                  "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  for (const char* name : {"a b", "let", "cluster", "site"})
    EXPECT_EQ(said(calibrate({"-o", "a.dpl", "--name", name}, ""), folder.path),
              std::string("2 DPL0700 --name: `") + name + "` is not a valid name of a cluster");
  EXPECT_EQ(said(calibrate({"--name", "ours"}, ""), folder.path),
            "2 DPL0700 `--name` needs `--output`");
  for (const auto& [from, to] :
       {std::pair("", "here.dpl"), {"", "sub/there.dpl"}, {"../", "up.dpl"}}) {
    const fs::path in = folder.path / (*from ? "sub" : "");
    EXPECT_EQ(dplc(calibrate({"-o", to, "--name", "ours"}, from), in).exitCode, 0);
    const Outcome checked = dplc({"check", to}, in);
    EXPECT_EQ(checked.exitCode, 0) << checked.error;
  }
}

TEST(CommandLine, WhatIsNoFile_IsRefusedAtOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder.path / "pipe.dpl").c_str(), 0600), 0);
  for (const char* command : {"check", "report", "fmt", "ir"})
    EXPECT_EQ(said({command, "pipe.dpl"}, folder.path),
              "3 DPL0004 `pipe.dpl` cannot be read: it is a pipe, not a file");
  EXPECT_EQ(said({"check", "/dev/zero"}),
            "3 DPL0004 `/dev/zero` cannot be read: it is a device, not a file");
}

TEST(CommandLine, AFileThatCannotBeWritten_IsNotNamedAsFormatted) {
  const TemporaryFolder folder;
  const std::string longest(250, 'x'); // there is no room for the name of the file beside it
  spill(folder.path / longest, "let  a = 1\n");
  const Outcome outcome = dplc({"fmt", longest}, folder.path);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_EQ(slurp(folder.path / longest), "let  a = 1\n");
}

/// Escape sequences in file names, table cells and settings do not reach the terminal, on either
/// stream.
TEST(CommandLine, Escapes_AreNotPrinted) {
  const TemporaryFolder folder;
  const std::string order = "\x1b]0;title\x07\x1b[31m";
  const std::string plan = "a" + order + ".dpl", lost = "b" + order + ".dpl", out = "o" + order;
  spill(folder.path / plan, slurp(sourceFolder() / "examples/smallest.dpl"));
  std::string table = slurp(sourceFolder() / "tests/accuracy/published_layouts.csv");
  const std::size_t first = table.find('\n') + 1;
  table.insert(table.find(',', first), order);
  spill(folder.path / ("t" + order + ".csv"), table);
  const std::string set = "fits.batch=64seq" + order;
  for (const Arguments& command :
       std::vector<Arguments>{{"check", plan},
                              {"check", lost},
                              {"check", plan, "--set", set},
                              {"check", plan, "--set", "pod" + order + ".nodes=1"},
                              {"check", plan, "--layout", order},
                              {"check", plan, "--target", order},
                              {"report", plan},
                              {"report", plan, "--svg", out + ".svg"},
                              {"diff", plan, plan, "--set", "fits.batch=128seq"},
                              {"simulate", plan, "--steps", "2"},
                              {"emit", "megatron", plan, "-o", out},
                              {"emit", "megatron", plan, "-o", out, "--diff"},
                              {"emit", "megatron", plan, "--dry-run"},
                              {"fmt", "--check", plan, lost},
                              {"explain", order},
                              {"show", order},
                              {"score", "t" + order + ".csv"},
                              {"score", "t" + order + ".csv", "--where", "family=" + order},
                              {"new", "n" + order + ".dpl"},
                              {"import", "hf", lost},
                              {"no" + order}}) {
    const Outcome outcome = dplc(command, folder.path);
    for (const std::string& text : {outcome.out, outcome.error})
      EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos)
          << command.front() << " " << command.back() << "\n"
          << text;
  }
}

TEST(CommandLine, AnUnknownTargetOrRelease_IsAWrongCommandLine) {
  const std::string file = "examples/llama3_70b_h100.dpl";
  EXPECT_EQ(said({"emit", "megatrom", file, "-o", "out"}),
            "2 DPL0605 there is no target `megatrom`");
  EXPECT_EQ(said({"check", file, "--target=slurm@1"}),
            "2 DPL0606 Slurm has no rules for release `1`, they are for all of them");
}

TEST(CommandLine, OnePlan_HasOneHashByEveryPath) {
  const TemporaryFolder folder;
  const std::string text =
      slurp(sourceFolder() / "tests/conformance/launch/plans/torchrun_c10d.dpl");
  const fs::path first = folder.path / "plans/a.dpl", second = folder.path / "b.dpl";
  fs::create_directory(folder.path / "plans");
  spill(first, text);
  spill(second, text + "lint advice { bubble = 0.5 }\n");
  const std::string hash = wordAfter("hash = \"", dplc({"ir", "a.dpl"}, folder.path / "plans").out);
  ASSERT_EQ(hash.size(), 16U) << hash;
  for (const std::string& path : {std::string("plans/a.dpl"), first.string(), second.string()}) {
    EXPECT_EQ(wordAfter("hash = \"", dplc({"ir", path}, folder.path).out), hash) << path;
    // Nodes that each emit for themselves meet under this id.
    const std::string emitted = dplc({"emit", "torchrun", path, "--dry-run"}, folder.path).out;
    EXPECT_EQ(wordAfter("PET_RDZV_ID=", emitted), hash) << path;
  }
}

TEST(CommandLine, TargetsHaveAPage) {
  EXPECT_EQ(dplc({"explain", "trace"}).out, "trace.T1    missing   size\n");
  EXPECT_NE(dplc({"explain", "megatron@0.16"}).error.find("did you mean `megatron`?"),
            std::string::npos);
}

TEST(CommandLine, TheVersion_IsTheProjectsAndNamesItsCommit) {
  const std::string version =
      wordAfter("project(dpl VERSION ", slurp(sourceFolder() / "CMakeLists.txt"));
  const std::regex line("dplc ([0-9.]+)( \\(commit [0-9a-f]{12}, [0-9]{4}-[0-9]{2}-[0-9]{2}(, "
                        "modified)?\\))?\n");
  const Outcome outcome = dplc({"--version"});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(dplc({"--version", "check"}).out, outcome.out);
  std::smatch found;
  ASSERT_TRUE(std::regex_match(outcome.out, found, line)) << outcome.out;
  EXPECT_EQ(found[1], version);
  // Emitted files have the version alone, so that they do not depend on the commit.
  const std::string emitted =
      dplc({"emit", "megatron", "examples/llama3_70b_h100.dpl", "--dry-run"}).out;
  EXPECT_NE(emitted.find("Written by dplc " + version + " for Megatron-LM"), std::string::npos);
}

/// DPL0714: what would be lost without a launch block.
TEST(CommandLine, ALengthOfARun_IsMissedByLaunchersAlone) {
  const TemporaryFolder folder;
  spill(folder.path / "plan.dpl",
        "import std.models\nimport std.clusters\ncluster pod from clusters.dgx_h100 { nodes = 1 "
        "}\nlayout base for models.gpt2_small on pod { batch = 64seq, mesh { data = rest } }\n"
        "run train for base { phase[0] { tokens = 1Gtok } }\n");
  EXPECT_EQ(dplc({"emit", "megatron", "plan.dpl", "--dry-run"}, folder.path).error, "");
  const std::string with =
      dplc({"emit", "megatron", "torchrun", "plan.dpl", "--dry-run"}, folder.path).error;
  ASSERT_EQ(messagesIn(with).size(), 1U) << with;
  EXPECT_EQ(messagesIn(with).front().code, "DPL0714");
}

TEST(CommandLine, AFolderOfOthers_IsRefusedUntouched) {
  const TemporaryFolder folder;
  const std::string file = (sourceFolder() / "examples/llama3_70b_h100.dpl").string();
  ASSERT_EQ(dplc({"emit", "megatron", file, "-o", "out"}, folder.path).exitCode, 0);
  fs::create_directory(folder.path / "out/mine");
  EXPECT_EQ(
      said({"emit", "megatron", file, "-o", "out"}, folder.path),
      "3 DPL0721 no folder is written: `out` exists and contains `mine`, which dplc did not write");
  EXPECT_EQ(
      said({"emit", "megatron", file, "-o", "out", "--diff"}, folder.path),
      "3 DPL0721 no folder is written: `out` exists and contains `mine`, which dplc did not write");
  EXPECT_TRUE(fs::exists(folder.path / "out/mine"));
  EXPECT_EQ(said({"emit", "megatron", file, "-o", "/"})
                .rfind("3 DPL0721 no folder is written: `/` exists", 0),
            0U);
  EXPECT_EQ(
      said({"emit", "megatron", file, "-o", "."}, folder.path / "out/mine"),
      "3 DPL0721 no folder is written: `.` cannot be replaced, a folder inside of it is needed");
}

/// Whatever is wrong, a program that asked for JSON gets JSON.
TEST(CommandLine, JsonIsValidOnErrors) {
  for (const Arguments& arguments :
       {Arguments{"check", "--json"},
        {"check", "--json", "--bogus", "x"},
        {"check", "--json", "none"},
        {"check", "--json", "examples", "more"},
        {"check", "\xFF", "--json"},
        {"check", "--json", "--diagnostics=sarif", "examples/smallest.dpl"},
        {"check", "--json", "examples/smallest.dpl", "--layout", "\xFF\xFE"},
        {"check", "--json", "examples/smallest.dpl", "--set", "\xFF=1"},
        {"check", "--diagnostics=json", "tests/broken/misspelled_field.dpl"},
        {"check", "--diagnostics=json", "none"},
        {"check", "--diagnostics", "sarif", "none", "more"}}) {
    const Outcome outcome = dplc(arguments);
    EXPECT_NE(outcome.exitCode, 0);
    EXPECT_EQ(outcome.error, "");
    const dpl::Json json = dpl::Json::parse(outcome.out);
    EXPECT_FALSE(json.is_discarded()) << outcome.out;
    if (std::find(arguments.begin(), arguments.end(), "--json") != arguments.end()) {
      for (const dpl::Json& file : json.is_array() ? json : dpl::Json::array({json})) {
        EXPECT_EQ(file["ok"], false);
        EXPECT_EQ(file["diagnostics"].size(), 1U) << outcome.out;
      }
    }
  }
}
