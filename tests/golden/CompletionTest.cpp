//===- CompletionTest.cpp - The completion scripts do what the shells expect ------------------===//
#include "tests/golden/Runner.h"
#include <array>
#include <cstdio>
#include <gtest/gtest.h>
using namespace dpl::test;

namespace {
/// Standard output of a command line of the shell.
std::string shell(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe))
    out += buffer.data();
  if (pipe)
    ::pclose(pipe);
  return out;
}

/// What bash offers after the words.
std::string offered(const std::string& words) {
  const std::string count = "$(( ${#COMP_WORDS[@]} - 1 ))";
  return shell("bash -c 'source <(" DPL_DPLC " completion bash); COMP_WORDS=(" + words +
               "); COMP_CWORD=" + count + "; _dplc; echo \"${COMPREPLY[@]}\"'");
}
} // namespace

TEST(Completion, Bash_OffersCommandsAndOptions) {
  EXPECT_EQ(offered("dplc ch"), "check\n");
  EXPECT_EQ(offered("dplc report --coll"), "--collectives\n");
  EXPECT_EQ(offered("dplc emit mega"), "megatron\n");
  EXPECT_EQ(offered("dplc explain DPL070"),
            "DPL0700 DPL0701 DPL0702 DPL0703 DPL0704 DPL0705 DPL0706 DPL0707 DPL0708 DPL0709\n");
}

/// What fish offers after the words, without descriptions and files.
std::string offeredByFish(const std::string& words) {
  return shell("fish --no-config -c '" DPL_DPLC " completion fish | source; complete -C \"" +
               words + "\" | string split -f 1 \\t | string match -v \"*.*\"' 2>&1");
}

TEST(Completion, Fish_OffersCommandsAndOptions) {
  const std::string script = shell(DPL_DPLC " completion fish");
  for (const char* line :
       {"\ncomplete -c dplc -f -n '__dplc_command_is \"\"' -a check -d 'check whether",
        "\ncomplete -c dplc -n '__dplc_command_is report' -l why -r -d 'show the formula",
        "\ncomplete -c dplc -n '__dplc_command_is check' -l json -d 'print",
        "\ncomplete -c dplc -n '__dplc_command_is import' -a 'hf megatron torchtitan deepspeed "
        "nemo'\n"})
    EXPECT_NE(script.find(line), std::string::npos) << line << script;
  if (shell("command -v fish").empty())
    GTEST_SKIP() << "no fish here";
  EXPECT_EQ(offeredByFish("dplc ch"), "check\n");
  EXPECT_EQ(offeredByFish("dplc report --coll"), "--collectives\n");
  EXPECT_EQ(offeredByFish("dplc emit mega"), "megatron\n");
  EXPECT_EQ(offeredByFish("dplc help colle"), "collective\n");
}

TEST(Completion, Zsh_ParsesTheScript) {
  if (shell("command -v zsh").empty())
    GTEST_SKIP() << "no zsh here";
  EXPECT_EQ(shell(DPL_DPLC " completion zsh | zsh -n 2>&1"), "");
}
