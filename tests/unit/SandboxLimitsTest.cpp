//===- SandboxLimitsTest.cpp - Launch scripts that take all there is --------------------------===//
#include "tests/unit/SandboxRun.h"
#include <chrono>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::test;

namespace {

sandbox::ScriptRun within(unsigned seconds, unsigned processorSeconds = 10) {
  sandbox::ScriptRun out;
  out.limits.seconds = seconds, out.limits.processorSeconds = processorSeconds;
  return out;
}

bool runsSomewhere(const std::string& marker) {
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", failed))
    if (textOf(entry.path() / "cmdline").find(marker) != std::string::npos)
      return true;
  return false;
}

} // namespace

TEST_F(Sandbox, ForkBomb_EndsAndLeavesNothing) {
  const std::string marker = "98765.4321";
  const auto began = std::chrono::steady_clock::now();
  const ScriptResult out =
      run("bomb() { sleep " + marker + " & bomb | bomb & }; bomb; bomb; wait; sleep 60", within(3));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
  EXPECT_FALSE(out.ran);
  EXPECT_THAT(out.messages, HasSubstr("DPL0819"));
  EXPECT_FALSE(runsSomewhere(marker));
}

TEST_F(Sandbox, Processes_AreLimited) {
  const ScriptResult out =
      run("count=0; while ((count < 500)); do sleep 9 & ((count++)); done; echo made", within(4));
  EXPECT_THAT(out.seen.output, Not(HasSubstr("made")));
  EXPECT_FALSE(out.ran); // the shell tries again until its time is over
}

/// Variables that act on a shell or a loader as it starts have no effect until the limits are set.
TEST_F(Sandbox, VariablesThatStartAScript_StartItWithinTheLimits) {
  const Folder folder;
  folder.write("begin.sh", "echo began with $(ulimit -u)\n");
  sandbox::ScriptRun with;
  with.environment = {{"BASH_ENV", "/script/begin.sh"},
                      {"SHELLOPTS", "xtrace"},
                      {"PS4", "$(echo traced with $(ulimit -u)) "},
                      {"LD_PRELOAD", "/script/none.so"}};
  const ScriptResult out = runAt(folder.write("run.sh", "echo here\n"), with);
  ASSERT_TRUE(out.ran) << out.messages;
  const std::string limit = std::to_string(with.limits.processes);
  for (const std::string what : {"began", "traced"}) {
    EXPECT_THAT(out.seen.output, HasSubstr(what + " with " + limit));
    EXPECT_THAT(out.seen.output, Not(HasSubstr(what + " with unlimited")));
  }
  std::size_t limited = 0, began = 0;
  for (std::size_t at = 0; (at = out.seen.output.find(" with ", at)) != std::string::npos; ++at) {
    ++began;
    limited += out.seen.output.compare(at, limit.size() + 6, " with " + limit) == 0 ? 1 : 0;
  }
  EXPECT_EQ(limited, began) << out.seen.output;
}

TEST_F(Sandbox, MemoryOfAProcess_IsLimited) {
  sandbox::ScriptRun with;
  with.limits.memory = std::uint64_t{64} << 20;
  const ScriptResult out = run("x=$(head -c 90000000 /dev/zero | tr '\\0' x); echo ${#x}", with);
  EXPECT_THAT(out.seen.output, Not(HasSubstr("90000000")));
}

TEST_F(Sandbox, MemoryOfAll_IsLimited) {
  sandbox::ScriptRun with;
  with.limits.memory = std::uint64_t{200} << 20;
  const ScriptResult out =
      run("hold() { local x=$(head -c 30000000 /dev/zero | tr '\\0' x); sleep 5; }\n"
          "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do hold & done; wait; echo done",
          with);
  EXPECT_FALSE(out.ran);
  EXPECT_THAT(out.messages, HasSubstr("more than 200 MiB of memory"));
}

TEST_F(Sandbox, FilesInMemory_AreLimited) {
  const ScriptResult out =
      run("for i in 1 2 3 4 5 6 7 8; do head -c 12000000 /dev/zero > /tmp/$i || echo "
          "full; done; head -c 20000000 /dev/zero > /tmp/large || echo too large; "
          "du -sm /tmp; for d in / /script; do head -c 9000000 /dev/zero > $d/x || echo full $d; "
          "done; for d in /usr /dev /etc /stand-ins /bin; do echo x > $d/x && echo wrote $d; done");
  EXPECT_THAT(out.seen.output, HasSubstr("full\n"));
  EXPECT_THAT(out.seen.output, HasSubstr("too large"));
  EXPECT_THAT(out.seen.output, HasSubstr("full /\n")); // they are one
  EXPECT_THAT(out.seen.output, HasSubstr("full /script\n"));
  EXPECT_THAT(out.seen.output, Not(HasSubstr("wrote")));
}

TEST_F(Sandbox, HiddenFiles_AreLimited) {
  if (!fs::exists("/usr/bin/python3"))
    GTEST_SKIP() << "needs /usr/bin/python3";
  sandbox::ScriptRun with;
  with.limits.memory = std::uint64_t{300} << 20;
  // Not mapped, so no process has them in its memory.
  const ScriptResult out =
      run("/usr/bin/python3 -c 'import os, time\nfor i in range(100):\n  f = "
          "os.memfd_create(\"x\")\n  os.write(f, b\"x\" * 12000000)\ntime.sleep(9)\n"
          "print(\"held\")'",
          with);
  EXPECT_FALSE(out.ran);
  EXPECT_THAT(out.messages, HasSubstr("of memory"));
}

/// A million empty files take most of a gibibyte of the kernel, and none of any process.
TEST(SandboxUsage, CountsWhatTheKernelKeepsOfFiles) {
  const std::string machine = textOf("/proc/meminfo"), name = "SUnreclaim:";
  const std::size_t at = machine.find(name);
  if (at == std::string::npos)
    GTEST_SKIP() << "the kernel does not say it";
  const std::uint64_t kept = std::stoull(machine.substr(at + name.size())) << 10;
  EXPECT_GE(sandbox::usageBelow(1).shared, kept / 2);
}

TEST_F(Sandbox, Output_IsLimited) {
  const auto began = std::chrono::steady_clock::now();
  const ScriptResult out = run("yes");
  EXPECT_THAT(out.messages, HasSubstr("it wrote more than 1048576 bytes"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  EXPECT_THAT(run("yes >&200").messages, HasSubstr("the record of what it started has more than"));
}

TEST_F(Sandbox, Time_IsLimited) {
  EXPECT_THAT(run("sleep 1000", within(1)).messages, HasSubstr("it took more than 1 s"));
  const ScriptResult busy =
      run("busy() { while :; do :; done; }; busy & busy & busy & busy", within(20, 2));
  EXPECT_THAT(busy.messages, HasSubstr("of processor time"));
}

TEST_F(Sandbox, Daemon_DoesNotOutliveTheRun) {
  const std::string marker = "98765.1234";
  const ScriptResult out = run("setsid nohup sleep " + marker +
                               " > /dev/null 2>&1 & disown\n"
                               "(trap '' TERM HUP INT; sleep " +
                               marker + " & exec sleep " + marker + ") > /dev/null 2>&1 &\nexit 0");
  EXPECT_TRUE(out.ran) << out.messages;
  EXPECT_FALSE(runsSomewhere(marker));
}
