#pragma once
//===- CommandOptions.h - The options of each command -----------------------------------------===//
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpl::tool {
constexpr std::uint64_t mostDraws = 1'000'000;
constexpr std::uint64_t mostNodes = 1'000'000;
/// The formats that `import` reads, and below the shells that have a completion script.
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
  std::string layout;                     ///< name; empty: the only layout; for `check` all layouts
  std::vector<std::string> set;           ///< PATH=VALUE of each `--set`
  std::vector<std::string> setFiles;      ///< files with lines PATH = VALUE
  std::vector<std::string> warn;          ///< mnemonics, and thresholds such as lint.bubble=0.2
  std::vector<std::string> error, noWarn; ///< mnemonics of messages
  std::string limit;                      ///< largest size of all source texts together
};

struct CheckOptions : CompileOptions {
  std::vector<std::string> targets; ///< targets with releases: "megatron", "megatron@0.16"
  std::string launch;               ///< name; empty: the only launch
  std::vector<std::string> figures; ///< paths of figures; none: the whole screen
  bool noAdvice = false;
  bool advice = false; ///< add the changes that gain most to `--json`
  bool rank = false;   ///< print one table of all layouts and no screens
};

struct ReportOptions : CompileOptions {
  std::string why; ///< path of a figure or a field
  bool timeline = false, memory = false, collectives = false, rewrites = false, whatIf = false;
  bool advice = false;
  std::string svg, html;            ///< files to write the picture and the page to
  std::vector<std::string> figures; ///< paths of figures; none: the whole report
};

struct DiffOptions : CompileOptions {
  std::string against; ///< layout of the last file; empty: the same name as `layout`
  std::string html;    ///< file to write the page to
};

struct SimulateOptions : CompileOptions {
  std::string level = "action"; ///< "action", "collective" or "message"
  std::uint64_t steps = 100, seed = 1;
  unsigned jobs = 0;     ///< number of threads; 0: one per core
  bool unfolded = false; ///< `--no-fold`
  bool diagnose = false, path = false, timeline = false;
  std::string synchronization; ///< synchronization mode; empty: the layout's own
  std::string run;             ///< name; empty: steps are simulated, not a run
  std::string concurrentRun;   ///< name of a run that writes to the same storage; empty: none
  std::uint64_t draws = 1000;  ///< number of times that `run` is drawn, at most mostDraws
  std::string svg, html;       ///< files to write the picture and the page to
};

struct StudyOptions : CompileOptions {
  std::string study;                ///< name; empty: the only study
  std::string output, html;         ///< folder and file to write to
  std::string shard;                ///< part of the points, as I/N
  std::vector<std::string> merge;   ///< folders with the parts to merge
  std::vector<std::string> figures; ///< outputs in place of those of the study
  bool csv = false;
  unsigned jobs = 0; ///< number of threads; 0: one per core
};

struct SearchCommandOptions : CompileOptions {
  std::string search;               ///< name; empty: the only one
  std::uint64_t top = 0;            ///< layouts to rank; 0: as many as the search keeps
  std::uint64_t shortlist = 0;      ///< kinds of layouts to list; 0: ranks are listed
  bool pareto = false;              ///< find the front of the objectives, and plot it
  std::string svg, html;            ///< files for the plot of the front and for the page
  std::string shard, output;        ///< "2/4", and the folder for the part
  std::uint64_t wait = 600;         ///< seconds that the first task waits for the others
  std::vector<std::string> merge;   ///< folders with the parts of all shards
  std::vector<std::string> figures; ///< columns; none: the usual ones
  std::string write;                ///< file to write
  std::string whyNot, near;         ///< layouts
  std::uint64_t minNodes =
      0; ///< fewest nodes in the table of layouts that load the checkpoints of `near`; 0: no table
  bool csv = false;
  unsigned jobs = 0; ///< number of threads; 0: one per core
};

struct EmitOptions : CompileOptions {
  std::vector<std::string> targets; ///< targets with releases: "megatron", "megatron@0.16"
  std::string launch;               ///< name; empty: the only launch
  std::string output;               ///< folder to write to
  bool dryRun = false, diff = false, list = false;
  std::string study, search; ///< names; empty: a layout is emitted
  std::uint64_t array = 0;   ///< tasks of the job that runs the study or search
  std::uint64_t minNodes =
      0; ///< smallest number of nodes for which the job has a layout; 0: one layout
};

struct IrOptions : CompileOptions {
  std::string dumpBefore, dumpAfter; ///< names of passes
  std::vector<std::string> passes;   ///< passes to run on a printed plan
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
  std::string output;      ///< file to write; empty: the first of `files`, or standard output
  std::string model;       ///< path of a config.json, or model of the library
  std::string gpu;         ///< name of a device or cluster of the library
  std::uint64_t nodes = 0; ///< number of nodes; 0: that of the library's cluster
};

struct ImportOptions : CommandOptions {
  std::string kind;                ///< one of importKinds
  std::string output;              ///< file to write; empty: standard output
  bool execute = false;            ///< `--run`
  std::optional<std::string> line; ///< command line of a launch, in place of a file
  std::string name, as;
  std::vector<std::string> defines; ///< NAME=VALUE of each `--define`
  bool lenient = false;
  std::vector<std::string> ignore;    ///< options or settings to ignore
  std::vector<std::string> overrides; ///< SECTION.NAME=VALUE of each override
  std::string cluster = "clusters.dgx_h100";
};

struct ScoreOptions : CommandOptions {
  std::string mapping;            ///< file with the meaning of other columns
  std::vector<std::string> where; ///< LABEL=VALUE of each filter of rows
  std::vector<std::string> set;   ///< PATH=VALUE, set in the plan of every row
  std::string planOf;             ///< row whose plan is printed
  std::string leaveOut;           ///< label
  bool constants = false;         ///< what fitted constants and rules rest on
  std::string compareWith, page;  ///< files to read and to write
  bool intervals = false, errorTable = false;
  std::size_t worst = 10; ///< rows to show
  unsigned jobs = 0;      ///< 0: all cores
};

struct CollectiveOptions : CommandOptions {
  std::string cluster, operation, size, algorithm;
  std::uint64_t ranks = 0;
  std::string harness = "nccl_tests";
  bool messages = false;
  std::string delay; ///< mean delay of each message
  std::uint64_t draws = 1000, seed = 1;
  unsigned jobs = 0;            ///< number of threads; 0: one per core
  std::vector<std::string> set; ///< PATH=VALUE of each `--set`
};

struct CompareOptions : CompileOptions {
  std::uint64_t steps = 1; ///< steps of a trace that does not mark them
};

struct CalibrateOptions : CompileOptions {
  std::string cluster, name, operation, mapping;
  std::vector<std::string> where;     ///< conditions on rows of tables
  std::uint64_t steps = 1;            ///< steps of a trace that does not mark them
  std::uint64_t ranks = 0, nodes = 0; ///< 0: the numbers of the log
  std::string harness = "nccl_tests";
  std::string output, svg; ///< files to write
};

struct CompletionOptions {
  std::string shell; ///< one of completionShells
};

struct ServeOptions {};

struct McpOptions {};

struct LspOptions {};

struct HelpOptions {
  std::string command; ///< empty: the list of commands
};

struct VersionOptions {};

} // namespace dpl::tool
