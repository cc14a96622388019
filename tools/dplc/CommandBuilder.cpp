//===- CommandBuilder.cpp - The commands and options of dplc ----------------------------------===//
#include "tools/dplc/CommandBuilder.h"
#include "support/Near.h"
#include "tools/dplc/HelpFormatter.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Version.h"
#include <algorithm>
#include <functional>
#include <memory>
using namespace dpl;
using namespace dpl::tool;

namespace {
constexpr const char* description =
    "dplc: the compiler for training layouts. A .dpl file says which model trains on which "
    "cluster and how it is cut up; dplc checks it, predicts it and writes the launch files.";

constexpr const char* examples =
    "Examples:\n"
    "  dplc new first.dpl                         write a first file\n"
    "  dplc check first.dpl                       is it legal, does it fit, how fast\n"
    "  dplc report first.dpl --why memory.peak    where a figure comes from\n"
    "  dplc check first.dpl --set node.nodes=2    the same file with another value\n"
    "  dplc emit megatron first.dpl -o launch     files for Megatron-LM\n"
    "  dplc explain DPL0301                       what a diagnostic means\n"
    "\n"
    "Exit codes: 0 all is well; 1 the file is wrong or the plan illegal; 2 the command line is "
    "wrong; 3 a file cannot be read or the output cannot be written.\n";
} // namespace

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
  app.footer(examples);
  app.set_version_flag("--version", versionText())->description("the version and its commit");
  app.require_subcommand(1);
  app.get_help_ptr()->description("this help; `dplc COMMAND --help` for one command");
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
  calibrate();
  completion();
}

CLI::App* CommandBuilder::subcommand(const char* name, const std::string& summary,
                                     const char* footer) {
  CLI::App* sub = app.add_subcommand(name, summary);
  sub->formatter(app.get_formatter());
  sub->footer(footer);
  sub->get_help_ptr()->description("this help");
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
  value(sub, "--launch", launch, "NAME", "which launch, where several start the layout");
}

CLI::Option* CommandBuilder::figures(CLI::App* sub, std::vector<std::string>& paths,
                                     const char* text) {
  return each(sub, "--figures", paths, "PATH,...", text)->delimiter(',');
}

CLI::Option* CommandBuilder::compilation(CLI::App* sub, CompileOptions& options) {
  each(sub, "--set", options.set, "PATH=VALUE", "set a field or parameter: pod.nodes=64");
  each(sub, "--set-file", options.setFiles, "FILE",
       "set those that a file lists, one PATH = VALUE a line");
  value(sub, "--limit", options.limit, "SIZE",
        "how much source text is read, 16MiB unless said; as much more may be worked out");
  each(sub, "--warn", options.warn, "NAME",
       "report NAME as a warning, or set a threshold: lint.bubble=0.2");
  each(sub, "--error", options.error, "NAME", "report warning NAME as an error");
  each(sub, "--no-warn", options.noWarn, "NAME", "do not report warning NAME");
  return sub
      ->add_option_function<std::string>(
          "--diagnostics",
          [&options](const std::string& format) { options.diagnostics = formatNamed(format); },
          "text, json (one object a line) or sarif (2.1.0)")
      ->type_name("FORMAT")
      ->check(oneOf({"text", "json", "sarif"}));
}

void CommandBuilder::check() {
  const auto [sub, options] =
      add(runCheck, "check", "is the file right, the plan legal; does it fit, how fast is it",
          "Every layout of the file is checked. Diagnostics go to standard error; as JSON or SARIF "
          "they go to standard output in place of the screen.\n");
  if (!sub)
    return;
  sub->add_option("FILE", options.files, ".dpl files; - is standard input")
      ->required()
      ->check(given())
      ->type_name("");
  layout(sub, options, "check this layout only");
  CLI::Option* json = flag(sub, "--json", options.json,
                           "results and diagnostics as one JSON object (docs/reference/json.md)");
  each(sub, "--target", options.targets, "TARGET",
       "also what this target would refuse: megatron, megatron@0.16");
  figures(sub, options.figures, "compute and print these figures alone: step_time,memory.peak");
  launch(sub, options.launch);
  compilation(sub, options)->excludes(json); // the object holds the diagnostics
}

void CommandBuilder::diff() {
  const auto [sub, options] =
      add(runDiff, "diff", "two layouts side by side: fields and figures",
          "  dplc diff plan.dpl                                     its two layouts\n"
          "  dplc diff plan.dpl --layout dense --against sharded    of several\n"
          "  dplc diff before.dpl after.dpl\n"
          "Where they differ; --json has the figures of ranks and stages, too.\n");
  if (!sub)
    return;
  sub->add_option("FILE", options.files, "one or two .dpl files")
      ->required()
      ->expected(1, 2)
      ->check(given())
      ->type_name("");
  layout(sub, options, "which layout, where a file has several");
  value(sub, "--against", options.against, "NAME", "the other layout, of the last file");
  flag(sub, "--json", options.json, "as JSON (docs/reference/json.md)");
  compilation(sub, options);
}

void CommandBuilder::report() {
  const auto [sub, options] =
      add(runReport, "report", "the full breakdown of memory, time and traffic",
          "PATH is a figure (memory.peak, step_time, mfu) or a field (layout.mesh.tensor): "
          "a figure shows its formula down to the inputs, a field who set it.\n");
  if (!sub)
    return;
  file(sub, options);
  layout(sub, options, "which layout, where the file has several");
  CLI::Option* json =
      flag(sub, "--json", options.json, "the report as JSON (docs/reference/json.md)");
  CLI::Option* why =
      value(sub, "--why", options.why, "PATH", "where a figure or a field's value comes from")
          ->excludes(json);
  CLI::Option* timeline = flag(sub, "--timeline", options.timeline,
                               "the schedule, drawn as a line a pipeline rank, and its idle time")
                              ->excludes(json)
                              ->excludes(why);
  CLI::Option* memory = flag(sub, "--memory", options.memory,
                             "what a device holds over the step, and what would fit or still "
                             "fits; also as JSON")
                            ->excludes(why)
                            ->excludes(timeline);
  CLI::Option* collectives =
      flag(sub, "--collectives", options.collectives,
           "which algorithm and protocol run each collective at which size; also as JSON, "
           "and with --svg as a picture")
          ->excludes(memory)
          ->excludes(why)
          ->excludes(timeline);
  CLI::Option* rewrites =
      flag(sub, "--rewrites", options.rewrites,
           "what each rewrite of collectives is worth, with it and without it, and the "
           "best size of gradient buckets; also as JSON")
          ->excludes(memory)
          ->excludes(why)
          ->excludes(collectives)
          ->excludes(timeline);
  CLI::Option* svg = value(sub, "--svg", options.svg, "OUT.svg",
                           "write the schedule and the memory over the step as a picture")
                         ->excludes(json)
                         ->excludes(rewrites)
                         ->excludes(why);
  CLI::Option* chosen =
      figures(sub, options.figures, "compute and print these figures alone: step_time,memory.peak");
  for (CLI::Option* other : {why, timeline, memory, collectives, rewrites, svg})
    chosen->excludes(other);
  compilation(sub, options);
}

void CommandBuilder::simulate() {
  const auto [sub, options] =
      add(runSimulate, "simulate", "many steps of one layout, rank by rank, with its jitter",
          "Where the cluster has no `jitter` all steps are alike, and one is shown. The same seed "
          "gives the same steps, whatever runs beside them.\n");
  if (!sub)
    return;
  file(sub, options);
  layout(sub, options, "which layout, where the file has several");
  CLI::Option* steps = number(sub, "--steps", options.steps, "how many; 100 where it is left out");
  CLI::Option* run =
      value(sub, "--run", options.run, "NAME",
            "a run of the layout in the place of steps: failures and checkpoints drawn to "
            "its end")
          ->excludes(steps);
  CLI::Option* diagnose =
      flag(sub, "--diagnose", options.diagnose,
           "why a step takes so long: the same steps without one cause after the other, "
           "and changes of the layout that help")
          ->excludes(run);
  CLI::Option* synchrony =
      value(sub, "--synchronization", options.synchronization, "MODE",
            "what data ranks wait for instead: barrier, local=STEPS, backup=WORKERS, "
            "bounded=STALENESS, asynchronous, detached, hierarchical=STEPS")
          ->excludes(run);
  number(sub, "--draws", options.draws, "how many runs; 1000 where it is left out")->needs(run);
  value(sub, "--concurrent-run", options.concurrentRun, "NAME",
        "another run of the layout, of another job, which writes to the same storage")
      ->needs(run);
  number(sub, "--seed", options.seed, "of the random numbers; 1 where it is left out");
  sub->add_option("--level", options.level,
                  "action: groups that meet in each micro-batch are as slow as their slowest; "
                  "collective: each device arrives at each collective; message: each message of "
                  "each collective shares links with others")
      ->type_name("LEVEL")
      ->check(oneOf({"action", "collective", "message"}))
      ->excludes(synchrony)
      ->excludes(run);
  CLI::Option* path =
      flag(sub, "--critical-path", options.path,
           "the critical path of the step that is nearest to the mean: who waited for whom")
          ->excludes(synchrony)
          ->excludes(run)
          ->excludes(diagnose);
  flag(sub, "--timeline", options.timeline,
       "what each rank does in that step: computes, communicates, waits for others, is idle")
      ->excludes(synchrony)
      ->excludes(run)
      ->excludes(diagnose);
  sub->add_option("--svg", options.svg, "write the path as a picture, too")
      ->type_name("OUT.svg")
      ->check(given())
      ->needs(path);
  flag(sub, "--no-fold", options.unfolded,
       "run every device where nothing varies and one could stand for its pipeline rank")
      ->excludes(synchrony)
      ->excludes(run)
      ->excludes(diagnose);
  number(sub, "--jobs", options.jobs, "steps at a time; all cores where it is left out");
  flag(sub, "--json", options.json, "all figures and steps as JSON (docs/reference/simulate.md)");
  compilation(sub, options);
}

void CommandBuilder::emit() {
  const auto [sub, options] =
      add(runEmit, "emit", "launch files for frameworks: dplc emit megatron FILE -o DIR",
          "TARGET is a name of `dplc emit --list`, with a release where it has several: "
          "megatron@0.16. Several targets are written into a folder each below DIR. DIR is "
          "written whole or not at all; one that dplc wrote before is replaced, any other "
          "is left alone.\n");
  if (!sub)
    return;
  sub->add_option_function<std::vector<std::string>>(
         "TARGET",
         [&to = options](const std::vector<std::string>& words) {
           to.targets.assign(words.begin(), words.end() - 1);
           to.files = {words.back()};
         },
         "targets, and last a .dpl file")
      ->check(given())
      ->type_name("");
  CLI::Option* output = value(sub, "-o,--output", options.output, "DIR", "the folder to write");
  CLI::Option* dry = flag(sub, "--dry-run", options.dryRun, "print the files instead");
  output->excludes(dry);
  flag(sub, "--diff", options.diff,
       "print what would change in DIR instead; exit 1 if anything would")
      ->needs(output)
      ->excludes(dry);
  flag(sub, "--list", options.list, "the targets and their releases");
  layout(sub, options, "which layout, where the file has several");
  launch(sub, options.launch);
  CLI::Option* study = value(sub, "--study", options.study, "NAME",
                             "of `slurm`: the array job that runs this study of the file");
  CLI::Option* array = number(sub, "--array", options.array, "in so many tasks")
                           ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
                           ->needs(study);
  study->needs(array);
  compilation(sub, options);
}

void CommandBuilder::ir() {
  const auto [sub, options] =
      add(runIr, "ir", "the typed plan as text, after all passes",
          "The text reads back: `dplc ir FILE > plan.ir` and `dplc ir --read "
          "plan.ir` print the same. A pass can start from it: `dplc ir "
          "--dump-before=check-memory --locations FILE > plan.ir`, then `dplc ir "
          "--run=check-memory plan.ir`.\n");
  if (!sub)
    return;
  file(sub, options, false);
  layout(sub, options, "which layout, where the file has several");
  CLI::Option* before = value(sub, "--dump-before", options.dumpBefore, "PASS",
                              "print the plan as this pass finds it");
  CLI::Option* after =
      value(sub, "--dump-after", options.dumpAfter, "PASS", "print the plan as this pass leaves it")
          ->excludes(before);
  CLI::Option* run = sub->add_option(
      "--run", options.passes, "FILE is a printed plan: run these passes on it, with the verifier");
  run->type_name("PASS,...")
      ->delimiter(',')
      ->check(given())
      ->allow_extra_args(false)
      ->excludes(before)
      ->excludes(after);
  flag(sub, "--locations", options.locations,
       "print behind the plan where its parts stand in the source");
  flag(sub, "--time-passes", options.timePasses, "how long each pass took, on standard error");
  flag(sub, "--list-passes", options.listPasses, "the passes in their order");
  CLI::Option* read = flag(sub, "--read", options.read, "FILE is a printed plan");
  compilation(sub, options);
  for (const char* ofSource : {"--layout", "--set", "--set-file", "--warn", "--error", "--no-warn"})
    for (CLI::Option* printed : {run, read})
      printed->excludes(sub->get_option(ofSource));
}
