#pragma once
//===- CommandOptions.h - The options of each command -----------------------------------------===//
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpl::tool {
constexpr std::uint64_t mostDraws = 1'000'000;
constexpr std::uint64_t mostNodes = 1'000'000;
/// The formats that `import` reads, and the shells that have a completion script.
inline constexpr const char* importKinds[] = {"hf", "megatron", "torchtitan", "deepspeed", "nemo"};
inline constexpr const char* completionShells[] = {"bash", "fish", "zsh"};

enum class DiagnosticFormat : std::uint8_t { Text, Json, Sarif };

/// Options of every command that reads files. A `-` among the files is standard input.
struct CommandOptions {
  std::vector<std::string> files;
  bool json = false;
  DiagnosticFormat diagnostics = DiagnosticFormat::Text;
};

/// Options of every command that compiles layouts.
struct CompileOptions : CommandOptions {
  std::string layout;                     ///< empty: the only one; for `check` all
  std::vector<std::string> set;           ///< PATH=VALUE
  std::vector<std::string> setFiles;      ///< files of PATH = VALUE
  std::vector<std::string> warn;          ///< mnemonics, and thresholds such as lint.bubble=0.2
  std::vector<std::string> error, noWarn; ///< mnemonics
  std::string limit;                      ///< size of all source texts
};

struct CheckOptions : CompileOptions {
  std::vector<std::string> targets; ///< "megatron", "megatron@0.16"
  std::string launch;               ///< empty: the only one
  std::vector<std::string> figures; ///< paths; none: the whole screen
  bool noAdvice = false;
  bool rank = false; ///< one table of all layouts instead of a screen of each
};

struct ReportOptions : CompileOptions {
  std::string why; ///< path of a figure or a field
  bool timeline = false, memory = false, collectives = false, rewrites = false, whatIf = false;
  std::string svg;                  ///< file to write
  std::vector<std::string> figures; ///< paths; none: the whole report
};

struct DiffOptions : CompileOptions {
  std::string against; ///< layout of the last file; empty: the same name as `layout`
};

struct SimulateOptions : CompileOptions {
  std::string level = "action"; ///< "action", "collective" or "message"
  std::uint64_t steps = 100, seed = 1;
  unsigned jobs = 0;     ///< 0: all cores
  bool unfolded = false; ///< `--no-fold`
  bool diagnose = false, path = false, timeline = false;
  std::string synchronization; ///< mode; empty: that of the layout
  std::string run;             ///< name; empty: steps
  std::string concurrentRun;   ///< name; empty: `run` alone
  std::uint64_t draws = 1000;  ///< times that `run` is drawn, at most mostDraws
  std::string svg;             ///< file to write
};

struct StudyOptions : CompileOptions {
  std::string study;                ///< name; empty: the only one
  std::string output;               ///< folder to write
  std::string shard;                ///< I/N
  std::vector<std::string> merge;   ///< folders
  std::vector<std::string> figures; ///< outputs instead of those of the study
  bool csv = false;
  unsigned jobs = 0; ///< 0: all cores
};

struct SearchCommandOptions : CompileOptions {
  std::string search;               ///< name; empty: the only one
  std::uint64_t top = 0;            ///< layouts to rank; 0: as many as the search keeps
  std::uint64_t shortlist = 0;      ///< kinds of layouts to list; 0: ranks are listed
  bool pareto = false;              ///< find the front of the objectives, and plot it
  std::string svg;                  ///< file for the plot of the front
  std::string shard, output;        ///< "2/4", and the folder for the part
  std::uint64_t wait = 600;         ///< seconds that the first task waits for the others
  std::vector<std::string> merge;   ///< folders with the parts of all shards
  std::vector<std::string> figures; ///< columns; none: the usual ones
  std::string write;                ///< file to write
  std::string whyNot, near;         ///< layouts
  std::uint64_t minNodes = 0; ///< the fewest nodes of a table of layouts near `near`; 0: no table
  bool csv = false;
  unsigned jobs = 0; ///< 0: all cores
};

struct EmitOptions : CompileOptions {
  std::vector<std::string> targets; ///< "megatron", "megatron@0.16"
  std::string launch;               ///< empty: the only one
  std::string output;               ///< folder to write
  bool dryRun = false, diff = false, list = false;
  std::string study, search;  ///< names; empty: a layout is emitted
  std::uint64_t array = 0;    ///< tasks of the job that runs the study or search
  std::uint64_t minNodes = 0; ///< the fewest nodes of a job with a layout for each number; 0: one
};

struct IrOptions : CompileOptions {
  std::string dumpBefore, dumpAfter; ///< passes
  std::vector<std::string> passes;   ///< to run on a printed plan
  bool locations = false, timePasses = false, listPasses = false;
  bool read = false; ///< the file is a printed plan
};

struct FmtOptions : CommandOptions {
  bool checkOnly = false;
};

struct ShowOptions {
  std::string name; ///< "std", a module, a declaration, or FILE:LINE:COLUMN
};

struct ExplainOptions {
  std::string topic; ///< a code, rule, figure, field or word; empty: the list of codes
};

struct NewOptions : CommandOptions {
  std::string output;      ///< file to write; empty: that of `files`, or standard output
  std::string model;       ///< config.json, or model of the library
  std::string gpu;         ///< device or cluster of the library
  std::uint64_t nodes = 0; ///< 0: those of the cluster of the library
};

struct ImportOptions : CommandOptions {
  std::string kind;                ///< one of importKinds
  std::string output;              ///< file to write; empty: standard output
  bool execute = false;            ///< `--run`
  std::optional<std::string> line; ///< command of a launch, in place of a file
  std::string name, as;
  std::vector<std::string> defines; ///< NAME=VALUE
  bool lenient = false;
  std::vector<std::string> ignore;    ///< options or settings
  std::vector<std::string> overrides; ///< SECTION.NAME=VALUE, as torchtitan takes them
  std::string cluster = "clusters.dgx_h100";
};

struct ScoreOptions : CommandOptions {
  std::string mapping;            ///< file
  std::vector<std::string> where; ///< LABEL=VALUE
  std::vector<std::string> set;   ///< PATH=VALUE of every row's plan
  std::string planOf;             ///< row whose plan is printed
  std::string leaveOut;           ///< label
  std::string compareWith, page;  ///< files to read and to write
  bool intervals = false, errorTable = false;
  std::size_t worst = 10;         ///< rows to show
  unsigned jobs = 0;              ///< 0: all cores
};

struct CollectiveOptions : CommandOptions {
  std::string cluster, operation, size, algorithm;
  std::uint64_t ranks = 0;
  std::string harness = "nccl_tests";
  bool messages = false;
  std::string delay; ///< mean of each message
  std::uint64_t draws = 1000, seed = 1;
  unsigned jobs = 0;            ///< 0: all cores
  std::vector<std::string> set; ///< PATH=VALUE
};

struct CalibrateOptions : CommandOptions {
  std::string cluster, name, operation;
  std::uint64_t ranks = 0, nodes = 0; ///< 0: those of the log
  std::string harness = "nccl_tests";
  std::string output, svg; ///< files to write
};

struct CompletionOptions {
  std::string shell; ///< one of completionShells
};

struct ServeOptions {};

struct McpOptions {};

struct HelpOptions {
  std::string command; ///< empty: the list of commands
};

struct VersionOptions {};

} // namespace dpl::tool
