//===- CommandBuilder.cpp - The commands and options of dplc ----------------------------------===//
#include "tools/dplc/CommandBuilder.h"
#include "support/Near.h"
#include "tools/dplc/HelpFormatter.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Version.h"
#include <algorithm>
#include <memory>
using namespace dpl;
using namespace dpl::tool;

namespace {
constexpr const char* description =
    "dplc is the compiler for training layouts. A .dpl file describes how a model is divided over "
    "a "
    "cluster. dplc checks it, predicts memory and step time, and writes launch files.";

constexpr const char* examples =
    "  dplc new first.dpl                         write a first file\n"
    "  dplc check first.dpl                       is it legal, does it fit, how fast is it\n"
    "  dplc report first.dpl --why memory.peak    how a figure is computed\n"
    "  dplc emit megatron first.dpl -o launch     launch files for Megatron-LM\n"
    "  dplc explain mfu                           what a word or a message means\n";
constexpr const char* exitCodes =
    "Exit codes: 0 success; 1 the file is wrong, or the plan is illegal or does not fit; 2 the "
    "command line is wrong; 3 a file cannot be read or the output cannot be written.\n";
} // namespace

std::string tool::startText() {
  const std::string text =
      fmt::format("{}\n\n{}\n`dplc help` lists all commands, and `dplc help COMMAND` lists the "
                  "options of one.\n",
                  description, examples);
  return flow(HelpFormatter::examplesThatFit(text), terminalWidth());
}

CLI::Validator CommandBuilder::given() {
  return {[](const std::string& value) {
            return value.empty() ? std::string("a value is needed, found none") : std::string();
          },
          ""};
}

CLI::Validator CommandBuilder::whole() {
  return {[](const std::string& value) {
            const bool digits = value.find_first_not_of("0123456789") == std::string::npos;
            return digits && !value.empty() ? std::string()
                                            : "it is a whole number, found `" + value + "`";
          },
          ""};
}

CLI::Validator CommandBuilder::oneOf(std::vector<std::string> words) {
  return {[words = std::move(words)](const std::string& value) {
            return std::find(words.begin(), words.end(), value) != words.end()
                       ? std::string()
                       : "it is " + alternatives(words) + ", found `" + value + "`";
          },
          ""};
}

DiagnosticFormat tool::formatNamed(llvm::StringRef name) {
  return name == "json"    ? DiagnosticFormat::Json
         : name == "sarif" ? DiagnosticFormat::Sarif
                           : DiagnosticFormat::Text;
}

CommandBuilder::CommandBuilder(llvm::StringRef only, std::vector<std::string> overrides)
    : app(description, "dplc"), only(only), overrides(std::move(overrides)) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(fmt::format("Examples:\n{}\n{}", examples, exitCodes));
  app.set_version_flag("--version", versionText())->description("print the version and its commit");
  app.require_subcommand(1);
  app.get_help_ptr()->description(
      "print this help; `dplc COMMAND --help` prints that of a command");
  check();
  report();
  diff();
  simulate();
  study();
  search();
  emit();
  ir();
  fmt();
  show();
  explain();
  create();
  import();
  score();
  collective();
  compare();
  calibrate();
  serve();
  completion();
  help();
}

CLI::App* CommandBuilder::subcommand(const char* name, const std::string& summary,
                                     const char* footer) {
  CLI::App* sub = app.add_subcommand(name, summary);
  sub->formatter(app.get_formatter());
  sub->footer(footer);
  sub->get_help_ptr()->description("print this help");
  return sub;
}

CLI::Option* CommandBuilder::file(CLI::App* sub, CommandOptions& options, bool required) {
  return sub
      ->add_option_function<std::string>(
          "FILE", [&options](const std::string& path) { options.files = {path}; }, "a .dpl file")
      ->required(required)
      ->check(given())
      ->type_name("");
}

void CommandBuilder::layout(CLI::App* sub, CompileOptions& options, const char* text) {
  value(sub, "--layout", options.layout, "NAME", text);
}

void CommandBuilder::launch(CLI::App* sub, std::string& launch) {
  value(sub, "--launch", launch, "NAME", "the launch, if several start the layout");
}

CLI::Option* CommandBuilder::figures(CLI::App* sub, std::vector<std::string>& paths,
                                     const char* text) {
  return each(sub, "--figures", paths, "PATH,...", text)->delimiter(',');
}

CLI::Option* CommandBuilder::html(CLI::App* sub, std::string& path) {
  return value(sub, "--html", path, "OUT.html",
               "write the answer as a page for a browser, which needs no network");
}

CLI::Option* CommandBuilder::compilation(CLI::App* sub, CompileOptions& options) {
  each(sub, "--set", options.set, "PATH=VALUE", "set a field or parameter, as pod.nodes=64");
  each(sub, "--set-file", options.setFiles, "FILE",
       "set fields and parameters from a file with lines PATH = VALUE");
  value(sub, "--limit", options.limit, "SIZE",
        "limit the size of source texts and the work of a file (default 16MiB)");
  each(sub, "--warn", options.warn, "NAME",
       "report NAME as a warning, or set a threshold as lint.bubble=0.2");
  each(sub, "--error", options.error, "NAME", "report warning NAME as an error");
  each(sub, "--no-warn", options.noWarn, "NAME", "do not report warning NAME");
  return sub
      ->add_option_function<std::string>(
          "--diagnostics",
          [&options](const std::string& format) { options.diagnostics = formatNamed(format); },
          "format of diagnostics: text, json (one object per line) or sarif (2.1.0)")
      ->type_name("FORMAT")
      ->check(oneOf({"text", "json", "sarif"}));
}

void CommandBuilder::check() {
  const auto [sub, options] = add(
      runCheck, "check", "check whether layouts are legal and fit, and predict their step time",
      "All layouts of all files are checked. Diagnostics go to standard error. As JSON or SARIF "
      "they go to standard output in place of the screen.\n");
  if (!sub)
    return;
  words(sub, "FILE", options.files, ".dpl files; - is standard input");
  layout(sub, options, "check only this layout");
  CLI::Option* json =
      flag(sub, "--json", options.json, "print results and diagnostics as one JSON object");
  each(sub, "--target", options.targets, "TARGET",
       "also report what a target refuses, as megatron or megatron@0.16");
  CLI::Option* chosen = figures(sub, options.figures,
                                "compute and print only these figures, as step_time,memory.peak");
  flag(sub, "--no-advice", options.noAdvice, "leave out the change of the layout that gains most");
  flag(sub, "--advice", options.advice, "add the changes that gain most to each layout of --json")
      ->needs(json)
      ->excludes(chosen);
  flag(sub, "--rank", options.rank, "print one table of all layouts, the fastest first");
  launch(sub, options.launch);
  compilation(sub, options)->excludes(json); // because the JSON object holds the diagnostics
}

void CommandBuilder::diff() {
  const auto [sub, options] =
      add(runDiff, "diff", "compare the fields and figures of two layouts",
          "  dplc diff plan.dpl                                     its two layouts\n"
          "  dplc diff plan.dpl --layout dense --against sharded    two of several layouts\n"
          "  dplc diff before.dpl after.dpl                         two files\n"
          "Only differences are shown. --json also has the figures of ranks and stages.\n");
  if (!sub)
    return;
  words(sub, "FILE", options.files, "one or two .dpl files")->expected(1, 2);
  layout(sub, options, "the layout, if a file has several");
  value(sub, "--against", options.against, "NAME", "the other layout, in the last file");
  html(sub, options.html)->excludes(flag(sub, "--json", options.json, "print JSON"));
  compilation(sub, options);
}

void CommandBuilder::report() {
  const auto [sub, options] =
      add(runReport, "report", "predict memory, time and traffic of one layout in full",
          "PATH is a figure such as memory.peak, step_time or mfu, or a field such as "
          "layout.mesh.tensor. A figure is shown with its formula down to the inputs, and a field "
          "with the place that sets it.\n");
  if (!sub)
    return;
  file(sub, options);
  layout(sub, options, "the layout, if the file has several");
  CLI::Option* json = flag(sub, "--json", options.json, "print the report as JSON");
  CLI::Option* why =
      value(sub, "--why", options.why, "PATH",
            "show the formula of a figure, or what sets a field; can be combined with --json");
  CLI::Option* timeline =
      flag(sub, "--timeline", options.timeline,
           "draw the schedule with a line per pipeline rank, and list idle time; can be combined "
           "with --json");
  exclude(timeline, {why});
  CLI::Option* memory = flag(sub, "--memory", options.memory,
                             "show the memory of a device over the step, and changes that would "
                             "fit; can be combined with --json");
  exclude(memory, {why, timeline});
  CLI::Option* collectives =
      flag(sub, "--collectives", options.collectives,
           "show algorithm and protocol of each collective by size; can be combined with --json "
           "and --svg");
  exclude(collectives, {memory, why, timeline});
  CLI::Option* rewrites =
      flag(sub, "--rewrites", options.rewrites,
           "show the time that each rewrite of collectives saves, and the best size of gradient "
           "buckets; can be combined with --json");
  exclude(rewrites, {memory, why, collectives, timeline});
  CLI::Option* whatIf =
      flag(sub, "--what-if", options.whatIf,
           "show the step with 20 % less or more of each property of the machine, the largest "
           "effect first; can be combined with --json and --svg");
  exclude(whatIf, {why, timeline, memory, collectives, rewrites});
  CLI::Option* advice = flag(sub, "--advice", options.advice,
                             "list the changes of the layout that gain most; can be combined with "
                             "--json");
  exclude(advice, {why, timeline, memory, collectives, rewrites, whatIf});
  CLI::Option* svg = value(sub, "--svg", options.svg, "OUT.svg",
                           "write a picture of the schedule and of memory over the step");
  exclude(svg, {json, rewrites, why, advice});
  CLI::Option* chosen = figures(sub, options.figures,
                                "compute and print only these figures, as step_time,memory.peak");
  exclude(chosen, {why, timeline, memory, collectives, rewrites, whatIf, advice, svg});
  exclude(html(sub, options.html),
          {json, why, timeline, memory, collectives, rewrites, whatIf, advice, svg, chosen});
  compilation(sub, options);
}

void CommandBuilder::simulate() {
  const auto [sub, options] =
      add(runSimulate, "simulate", "simulate steps or runs of one layout with jitter and failures",
          "Without `jitter` in the cluster all steps are equal, and one is shown. The same seed "
          "always gives the same steps, with any number of jobs.\n");
  if (!sub)
    return;
  file(sub, options);
  layout(sub, options, "the layout, if the file has several");
  CLI::Option* steps = number(sub, "--steps", options.steps, "number of steps (default 100)");
  CLI::Option* run =
      value(sub, "--run", options.run, "NAME",
            "simulate a run of the layout with failures and checkpoints, instead of steps")
          ->excludes(steps);
  CLI::Option* diagnose =
      flag(sub, "--diagnose", options.diagnose,
           "show why a step is slow: simulate it without each cause, and list changes of the "
           "layout that help")
          ->excludes(run);
  CLI::Option* synchrony =
      value(sub, "--synchronization", options.synchronization, "MODE",
            "synchronize data ranks by this mode: barrier, local=STEPS, backup=WORKERS, "
            "bounded=STALENESS, asynchronous, detached, hierarchical=STEPS")
          ->excludes(run);
  number(sub, "--draws", options.draws, "number of simulated runs (default 1000)")->needs(run);
  value(sub, "--concurrent-run", options.concurrentRun, "NAME",
        "another job's run of the layout that writes to the same storage")
      ->needs(run);
  number(sub, "--seed", options.seed, "seed of the random numbers (default 1)");
  sub->add_option("--level", options.level,
                  "granularity of the simulation: action (forward and backward passes of groups), "
                  "collective (each device at each collective) or message (messages that share "
                  "links); default action")
      ->type_name("LEVEL")
      ->check(oneOf({"action", "collective", "message"}))
      ->excludes(synchrony)
      ->excludes(run);
  CLI::Option* path =
      flag(sub, "--critical-path", options.path,
           "show the critical path of the step nearest to the mean: which rank waited for which");
  exclude(path, {synchrony, run, diagnose});
  exclude(flag(sub, "--timeline", options.timeline,
               "show when each rank of that step computes, communicates, waits or is idle"),
          {synchrony, run, diagnose});
  sub->add_option("--svg", options.svg, "write a picture of the critical path")
      ->type_name("OUT.svg")
      ->check(given())
      ->needs(path);
  exclude(flag(sub, "--no-fold", options.unfolded,
               "simulate every device, even if one could represent its pipeline rank"),
          {synchrony, run, diagnose});
  number(sub, "--jobs", options.jobs, "number of threads (default: all cores)");
  flag(sub, "--json", options.json, "print all figures and steps as JSON");
  html(sub, options.html)->excludes(run);
  compilation(sub, options);
}

void CommandBuilder::emit() {
  const auto [sub, options] =
      add(runEmit, "emit", "write launch files for frameworks, schedulers and simulators",
          "  dplc emit megatron plan.dpl -o launch\n"
          "TARGET is a name of `dplc emit --list`, with a release if it has several, as "
          "megatron@0.16. Each of several targets gets its own folder below DIR. DIR is written "
          "completely or not at all. Only a folder that dplc wrote is replaced.\n");
  if (!sub)
    return;
  sub->add_option_function<std::vector<std::string>>(
         "TARGET",
         [&to = options](const std::vector<std::string>& words) {
           to.targets.assign(words.begin(), words.end() - 1);
           to.files = {words.back()};
         },
         "targets, followed by a .dpl file")
      ->check(given())
      ->type_name("");
  CLI::Option* output = value(sub, "-o,--output", options.output, "DIR", "folder to write");
  CLI::Option* dry = flag(sub, "--dry-run", options.dryRun, "print the files instead");
  output->excludes(dry);
  CLI::Option* changes =
      flag(sub, "--diff", options.diff,
           "print what would change in DIR instead; exit with 1 if anything would");
  changes->needs(output)->excludes(dry);
  flag(sub, "--json", options.json, "print the list of files as JSON, with --dry-run their texts");
  flag(sub, "--list", options.list, "list the targets and their releases");
  layout(sub, options, "the layout, if the file has several");
  launch(sub, options.launch);
  CLI::Option* study = value(sub, "--study", options.study, "NAME",
                             "slurm: write an array job that compiles this study of the file");
  CLI::Option* search =
      value(sub, "--search", options.search, "NAME", "slurm: write an array job of this search")
          ->excludes(study);
  CLI::Option* array = number(sub, "--array", options.array, "number of tasks of that job")
                           ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
  study->needs(array), search->needs(array);
  number(sub, "--min-nodes", options.minNodes,
         "slurm: also write layouts for fewer nodes, down to N; a job that is started again picks "
         "one")
      ->check(CLI::PositiveNumber)
      ->excludes(study)
      ->excludes(search)
      ->needs(output);
  compilation(sub, options);
}

void CommandBuilder::ir() {
  const auto [sub, options] =
      add(runIr, "ir", "print the plan as text after all compiler passes",
          "  dplc ir plan.dpl > plan.ir\n"
          "  dplc ir --read plan.ir                         prints the same text\n"
          "  dplc ir --dump-before=check-memory plan.dpl > before.ir\n"
          "  dplc ir --run=check-memory before.ir           runs one compiler pass\n");
  if (!sub)
    return;
  file(sub, options, false);
  layout(sub, options, "the layout, if the file has several");
  CLI::Option* before = value(sub, "--dump-before", options.dumpBefore, "PASS",
                              "print the plan as this pass finds it");
  CLI::Option* after =
      value(sub, "--dump-after", options.dumpAfter, "PASS", "print the plan as this pass leaves it")
          ->excludes(before);
  CLI::Option* run =
      sub->add_option("--run", options.passes,
                      "run these passes and the verifier on FILE, which is a printed plan");
  run->type_name("PASS,...")
      ->delimiter(',')
      ->check(given())
      ->allow_extra_args(false)
      ->excludes(before)
      ->excludes(after);
  flag(sub, "--locations", options.locations, "print source positions after the plan");
  flag(sub, "--time-passes", options.timePasses, "print the time of each pass on standard error");
  flag(sub, "--list-passes", options.listPasses, "list the passes in their order");
  CLI::Option* read = flag(sub, "--read", options.read, "FILE is a printed plan");
  compilation(sub, options);
  for (const char* ofSource : {"--layout", "--set", "--set-file", "--warn", "--error", "--no-warn"})
    for (CLI::Option* printed : {run, read})
      printed->excludes(sub->get_option(ofSource));
}
