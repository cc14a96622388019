#pragma once
//===- ToolOptions.h - What the command line asks for
//------------------------------------------===//
#include "support/Diagnostics.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dpl::tool {
constexpr std::uint64_t mostDraws = 1'000'000;

enum class ToolCommand : std::uint8_t {
  Check,
  Report,
  Diff,
  Simulate,
  Study,
  Emit,
  Ir,
  Fmt,
  Show,
  Explain,
  New,
  Import,
  Score,
  Collective,
  Calibrate,
  Completion
};

enum class DiagnosticFormat : std::uint8_t { Text, Json, Sarif };

struct ToolOptions {
  ToolCommand command = ToolCommand::Check;
  std::vector<std::string> files; ///< one, except for `check`, `diff` and `fmt`
  std::string against;            ///< `diff --against`; empty: as `--layout`
  std::string layout;             ///< `--layout`; empty is "the only one", for check "all"
  bool json = false;
  DiagnosticFormat diagnostics = DiagnosticFormat::Text;
  std::vector<std::string> set; ///< `path=value`
  std::vector<std::string> setFiles;
  std::vector<std::string> warn, error, noWarn; ///< mnemonics; `warn` also `lint.bubble=0.2`
  std::string limit;                            ///< `--limit SIZE` of all source texts
  std::string why;                              ///< `report --why PATH`
  bool timeline = false, memory = false; ///< `report --timeline`, `--memory`; `simulate --timeline`
  bool collectives = false;              ///< `report --collectives`
  bool rewrites = false;                 ///< `report --rewrites`
  std::string svg;                       ///< `report --svg FILE`
  /// Of `emit TARGET... FILE` and `check --target`: "megatron", "megatron@0.16".
  std::vector<std::string> targets;
  std::string launch;                              ///< `--launch`; empty is "the only one"
  std::string output;                              ///< `emit -o DIR`
  bool dryRun = false, diff = false, list = false; ///< of emit
  std::string dumpBefore, dumpAfter;               ///< `ir --dump-after=PASS`
  bool timePasses = false, listPasses = false, read = false;
  std::vector<std::string> passes; ///< `ir --run=PASS,PASS`
  bool locations = false;          ///< `ir --locations`
  bool checkOnly = false;          ///< `fmt --check`
  std::string topic;    ///< of show, explain, completion; what `import` reads: "hf", "megatron"
  std::string name, as; ///< `import --name NAME --as TYPE`
  bool lenient = false; ///< `import megatron --lenient`
  bool execute = false; ///< `import megatron --run`
  std::optional<std::string> line;    ///< `import megatron --line COMMAND`
  std::vector<std::string> ignore;    ///< `import megatron --ignore OPTION`
  std::vector<std::string> defines;   ///< `import --define NAME=VALUE`
  std::vector<std::string> overrides; ///< `import --SECTION.NAME=VALUE`, as torchtitan takes it
  std::string cluster = "clusters.dgx_h100"; ///< `import --cluster NAME`, of `collective` as well
  std::string mapping;                       ///< `score --mapping FILE`
  std::vector<std::string> where;            ///< `score --where LABEL=VALUE`
  std::string planOf;                        ///< `score --plan ID`
  std::string leaveOut;                      ///< `score --leave-out LABEL`
  std::string page, compareWith;             ///< `score --html FILE --compare OLD.json`
  std::size_t worst = 10;
  unsigned jobs = 0;                                              ///< 0: all cores
  std::string operation, size, algorithm, harness = "nccl_tests"; ///< of `collective`, `calibrate`
  std::uint64_t ranks = 0;
  bool messages = false;               ///< `collective --messages`
  std::string delay;                   ///< `collective --message-delay TIME`
  std::uint64_t nodes = 0;             ///< `calibrate --nodes N`; 0: the log says them
  bool csv = false;                    ///< `study --csv`
  std::string shard;                   ///< `study --shard I/N`
  std::vector<std::string> merge;      ///< `study --merge DIR`
  std::string study;                   ///< `emit slurm --study NAME`; empty: a layout
  std::uint64_t array = 0;             ///< `emit slurm --study NAME --array N`
  std::string detail = "action";       ///< `simulate --level`
  std::uint64_t steps = 100, seed = 1; ///< `simulate --steps N --seed S`
  bool unfolded = false;               ///< `simulate --no-fold`
  std::string run;                     ///< `simulate --run NAME`; empty: steps
  std::string beside;    ///< `simulate --run NAME --concurrent-run OTHER`; empty: alone
  bool diagnose = false; ///< `simulate --diagnose`
  bool path = false;     ///< `simulate --critical-path`
  std::string synchrony; ///< `simulate --synchronization MODE`; empty: as the layout steps
  /// `simulate --run NAME --draws N`, `collective --message-delay TIME --draws N`
  std::uint64_t draws = 1000; ///< at most mostDraws
};

/// Exit codes; docs/cli.md lists them.
enum ExitCode : int {
  exitOk = 0,
  exitWrong = 1, ///< the file is wrong, the plan is illegal, or `fmt --check` found a difference
  exitUsage = 2, ///< the command line is wrong
  exitIo = 3,    ///< a file cannot be read, or the output cannot be written
};

/// Options, or what to print and the exit code (help, version, a usage error).
struct CommandLine {
  bool run = false;
  ToolOptions options;
  int exitCode = exitOk;
  std::string text;
  std::string help; ///< what to do about a usage error
};
CommandLine parseCommandLine(int argc, const char* const* argv);

/// A command and its long options, with `--`.
struct CommandWords {
  std::string name;
  std::vector<std::string> options;
};
std::vector<CommandWords> commandWords();

/// The completion script of a shell ("bash" or "zsh"), made from the same tables as the help.
std::string completionScript(const std::string& shell);

} // namespace dpl::tool
