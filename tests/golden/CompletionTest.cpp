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
  EXPECT_EQ(offered("dplc report --wh"), "--why\n");
  EXPECT_EQ(offered("dplc emit mega"), "megatron\n");
  EXPECT_EQ(offered("dplc explain DPL070"),
            "DPL0700 DPL0701 DPL0702 DPL0703 DPL0704 DPL0705 DPL0706 DPL0707 DPL0708 DPL0709\n");
}

TEST(Completion, Zsh_ParsesTheScript) {
  if (shell("command -v zsh").empty())
    GTEST_SKIP() << "no zsh here";
  EXPECT_EQ(shell(DPL_DPLC " completion zsh | zsh -n 2>&1"), "");
}
