//===- TextCommandBuilder.cpp - The options of commands that compile no layout ----------------===//
#include "ir/Names.h"
#include "support/Near.h"
#include "tools/dplc/CommandBuilder.h"
#include "tools/dplc/Session.h"
using namespace dpl;
using namespace dpl::tool;

void CommandBuilder::fmt() {
  const auto [sub, options] = add(runFmt, "fmt", "format files in place",
                                  "The file - is standard input, which is printed formatted.\n");
  if (!sub)
    return;
  words(sub, "FILE", options.files, ".dpl files");
  flag(sub, "--check", options.checkOnly,
       "name files that would change, and exit with 1 if there are any");
}

void CommandBuilder::show() {
  const auto [sub, options] =
      add(runShow, "show", "show a declaration of the library, or what a name in a file means",
          "  dplc show std                      the modules\n"
          "  dplc show std.models               a whole module\n"
          "  dplc show std.clusters.dgx_h100    one declaration\n"
          "  dplc show plan.dpl:12:5            the name at line 12, column 5\n");
  if (!sub)
    return;
  words(sub, "NAME", options.name, "std, a module, a declaration, or FILE:LINE:COLUMN");
}

void CommandBuilder::explain() {
  const auto [sub, options] =
      add(runExplain, "explain", "explain a message, field, figure, unit or word",
          "  dplc explain DPL0301        a message and how to repair its cause\n"
          "  dplc explain mfu            a figure\n"
          "  dplc explain mesh.tensor    a field\n"
          "  dplc explain zero3          a word of the field\n"
          "  dplc explain megatron       the rules of a target\n"
          "  dplc explain units          the unit table\n"
          "Without WORD all errors and warnings are listed.\n");
  if (!sub)
    return;
  sub->add_option(
         "WORD", options.topic,
         "code or name of a message, field, figure, target or rule, or a word of the field")
      ->check(given())
      ->type_name("");
}

void CommandBuilder::create() {
  const auto [sub, options] = add(
      runNew, "new", "write a first file, or one for a model and a cluster",
      "  dplc new first.dpl\n"
      "  dplc new --model config.json --gpu h100 --nodes 4 a.dpl\n"
      "  dplc new --model llama3_70b --gpu gb200 b.dpl\n"
      "With --model, --gpu or --nodes `dplc` looks for degrees that fit, and the text is printed "
      "if no file is given. An existing file is not replaced.\n");
  if (!sub)
    return;
  CLI::Option* written = file(sub, options, false)->description("file to write");
  value(sub, "-o,--output", options.output, "FILE", "file to write")->excludes(written);
  value(sub, "--model", options.model, "MODEL",
        "a config.json of Hugging Face, or a model of the library (default llama3_8b)");
  value(sub, "--gpu", options.gpu, "NAME",
        "a GPU or cluster of the library, as h100 or gb200_nvl72 (default h100)");
  number(sub, "--nodes", options.nodes, "number of nodes (default: those of the library's cluster)")
      ->check(CLI::Range(std::uint64_t{1}, mostNodes));
}

void CommandBuilder::import() {
  const auto [sub, options] =
      add(runImport, "import", "translate a file of another program to DPL",
          "  dplc import hf config.json -o model.dpl      a model of Hugging Face\n"
          "  dplc import megatron run.sh -o plan.dpl      a launch script of Megatron-LM\n"
          "  dplc import torchtitan train.toml            a configuration, for 0.3 the .py\n"
          "  dplc import torchtitan train.toml --training.seq_len=4096\n"
          "  dplc import deepspeed ds_config.json --as models.llama3_8b\n"
          "  dplc import nemo config.yaml                 NeMo or Megatron-Bridge\n"
          "Without -o the text is printed. An existing file is not replaced.\n");
  if (!sub)
    return;
  options.overrides = std::move(overrides);
  sub->add_option("KIND", options.kind, "hf, megatron, torchtitan, deepspeed or nemo")
      ->required()
      ->type_name("")
      ->check(oneOf({std::begin(importKinds), std::end(importKinds)}));
  file(sub, options, false)->description("file to read");
  value(sub, "-o,--output", options.output, "FILE", "file to write");
  flag(sub, "--run", options.execute,
       "execute the launch script under bubblewrap, and read what it starts");
  sub->add_option("--line", options.line, "a launch command instead of a file")
      ->type_name("COMMAND");
  value(sub, "--name", options.name, "NAME", "name of the model");
  value(sub, "--as", options.as, "TYPE",
        "hf: read the file as this model_type; torchtitan, deepspeed: the model, as "
        "models.llama3_8b or a config.json");
  each(sub, "--define", options.defines, "NAME=VALUE",
       "set an environment variable of the file, as SLURM_NNODES=16");
  flag(sub, "--lenient", options.lenient,
       "ignore options of Megatron-LM that DPL does not support, and list them");
  each(sub, "--ignore", options.ignore, "OPTION",
       "ignore an option or setting, as --ignore=--my-option");
  value(sub, "--cluster", options.cluster, "NAME",
        "cluster of the library, as clusters.gb200_nvl72");
}

void CommandBuilder::completion() {
  const auto [sub, options] =
      add(runCompletion, "completion", "print a completion script for bash, fish or zsh",
          "  eval \"$(dplc completion bash)\"                  in ~/.bashrc\n"
          "  dplc completion fish | source                     in config.fish\n"
          "  dplc completion zsh > \"${fpath[1]}/_dplc\"       for zsh\n");
  if (!sub)
    return;
  sub->add_option("SHELL", options.shell, "bash, fish or zsh")
      ->required()
      ->type_name("")
      ->check(oneOf({std::begin(completionShells), std::end(completionShells)}));
}

void CommandBuilder::serve() {
  add(runServe, "serve", "answer the requests of a program over standard input and output",
      "Requests and replies are JSON-RPC 2.0 with the header Content-Length, as in the Language "
      "Server Protocol. docs/reference/serve.md lists the methods.\n");
  add(runLsp, "lsp", "check, explain and complete files in an editor",
      "The editor starts `dplc lsp` itself and speaks the Language Server Protocol over standard "
      "input and output. docs/reference/lsp.md says what it can ask.\n");
  add(runMcp, "mcp", "offer tools to an agent in the Model Context Protocol",
      "The tools are check, search, why, explain, emit and import. An agent starts `dplc mcp` "
      "itself: "
      "docs/reference/agents.md says how.\n");
}

void CommandBuilder::help() {
  const auto [sub, options] = add(runHelp, "help", "list commands, or the options of one", "");
  if (sub)
    sub->add_option("COMMAND", options.command, "a command (default: the list of all)")
        ->check(given())
        ->type_name("");
  add(runVersion, "version", "print the version and its commit", "");
}

void CommandBuilder::score() {
  const auto [sub, options] =
      add(runScore, "score", "compare measured runs with predictions",
          "  dplc score runs.csv                        errors by family, device, ...\n"
          "  dplc score runs.csv --plan 7 > row.dpl     the plan of a row as a file\n"
          "  dplc score runs.csv --json > now.json      all statistics and rows\n"
          "  dplc score runs.csv --compare old.json     changes since an output of --json\n"
          "  dplc score runs.csv --leave-out family     cross-validation of constants\n"
          "  dplc score runs.csv --constants            the rows that each constant rests on\n"
          "docs/reference/score.md describes the columns of a table.\n");
  if (!sub)
    return;
  words(sub, "TABLE", options.files, "CSV files with a measured run per row");
  value(sub, "--mapping", options.mapping, "FILE", "the meaning of other columns");
  each(sub, "--where", options.where, "LABEL=VALUE", "only rows with this label, as family=vTrain");
  each(sub, "--set", options.set, "PATH=VALUE",
       "set a field of every row's plan, as cluster.node.gpu.memory=80GiB");
  CLI::Option* leaveOut =
      value(sub, "--leave-out", options.leaveOut, "LABEL",
            "predict rows by constants and links fitted to rows with other values of this label");
  CLI::Option* plan =
      value(sub, "--plan", options.planOf, "ID", "print the plan of this row")->excludes(leaveOut);
  CLI::Option* intervals =
      flag(sub, "--intervals", options.intervals,
           "print how well 80 % intervals from other families cover each kind");
  exclude(intervals, {leaveOut, plan});
  exclude(flag(sub, "--error-table", options.errorTable,
               "print the table of expected errors that intervals are made of"),
          {leaveOut, plan, intervals});
  CLI::Option* constants =
      flag(sub, "--constants", options.constants,
           "print fitted constants and rules of mappings, with the rows that they rest on");
  exclude(constants, {leaveOut, plan, intervals});
  CLI::Option* json = flag(sub, "--json", options.json, "print all statistics and rows as JSON")
                          ->excludes(leaveOut)
                          ->excludes(constants);
  exclude(value(sub, "--compare", options.compareWith, "OLD.json",
                "show changes since this output of --json"),
          {json, leaveOut, constants});
  exclude(html(sub, options.page), {leaveOut, constants});
  number(sub, "--worst", options.worst,
         "number of rows with the largest errors that are shown (default 10)")
      ->excludes(leaveOut);
  number(sub, "--jobs", options.jobs, "number of threads (default: all cores)");
}

void CommandBuilder::collective() {
  const auto [sub, options] = add(
      runCollective, "collective", "predict time and bus bandwidth of one collective",
      "  dplc collective --cluster clusters.dgx_h100 --ranks 16 \\\n"
      "                  --op all_reduce --size 64MiB\n"
      "Without --size a table over sizes is printed, with the algorithm of each. A cluster of the "
      "library gets as many nodes as the ranks need; a cluster of FILE keeps its nodes. SIZE is "
      "the whole buffer of a rank, as in nccl-tests.\n");
  if (!sub)
    return;
  file(sub, options, false)
      ->description("a .dpl file with the cluster, if the library does not have it");
  value(sub, "--cluster", options.cluster, "NAME", "clusters.dgx_h100, or a cluster of FILE")
      ->required();
  value(sub, "--op", options.operation, "OP",
        "all_reduce, reduce_scatter, all_gather, all_to_all, send_receive, broadcast or reduce")
      ->required();
  number(sub, "--ranks", options.ranks, "number of devices")->required();
  CLI::Option* size = value(sub, "--size", options.size, "SIZE",
                            "64MiB, or a number of bytes (default: all sizes)");
  std::vector<std::string> algorithms;
  for (const char* name : ir::namesOf(ir::Algorithm{}))
    algorithms.emplace_back(name);
  value(sub, "--algorithm", options.algorithm, "NAME",
        alternatives(algorithms) + " (default: the one that the library chooses)")
      ->needs(size);
  sub->add_option(
         "--harness", options.harness,
         "what measures the time: nccl_tests, one_thread (nccl-tests with one thread per node, -g) "
         "or torch (a loop of PyTorch)")
      ->type_name("NAME")
      ->check(oneOf({"nccl_tests", "one_thread", "torch"}))
      ->needs(size);
  CLI::Option* messages =
      flag(sub, "--messages", options.messages, "also simulate each message on its links")
          ->needs(size);
  CLI::Option* delay = value(sub, "--message-delay", options.delay, "TIME",
                             "mean delay of a message, exponentially distributed, as 10us")
                           ->needs(messages);
  number(sub, "--draws", options.draws, "number of draws of the delays (default 1000)")
      ->check(CLI::Range(std::uint64_t{1}, mostDraws))
      ->needs(delay);
  number(sub, "--seed", options.seed, "seed of the delays (default 1)")->needs(delay);
  number(sub, "--jobs", options.jobs, "number of threads (default: all cores)")->needs(delay);
  flag(sub, "--json", options.json, "print JSON");
  each(sub, "--set", options.set, "PATH=VALUE", "set a field, as cluster.nic.latency=8us");
}

void CommandBuilder::compare() {
  const auto [sub, options] =
      add(runCompare, "compare", "compare the traces of a profiler with the predicted step",
          "  dplc compare plan.dpl rank0.json.gz rank8.json.gz\n"
          "A trace is the JSON file of PyTorch's profiler, plain or gzip, one for each rank, or "
          "that of "
          "dplc emit trace (docs/guide/compare-with-measurements.md).\n");
  if (!sub)
    return;
  words(sub, "FILE", options.files, "a .dpl file, and one trace or several");
  layout(sub, options, "the layout, if the file has several");
  number(sub, "--steps", options.steps,
         "number of steps in each trace, if it does not mark them (default 1)");
  flag(sub, "--json", options.json, "print JSON");
  compilation(sub, options);
}

void CommandBuilder::calibrate() {
  const auto [sub, options] = add(
      runCalibrate, "calibrate", "fit a cluster to logs of nccl-tests, measured steps and traces",
      "  dplc calibrate *.log --cluster clusters.dgx_h100 -o a.dpl\n"
      "  dplc calibrate runs.csv -o a.dpl             a table of `dplc score`\n"
      "  dplc calibrate plan.dpl rank0.json.gz -o a.dpl\n"
      "A log is the output of nccl-tests or rccl-tests, or the file of nccl-tests -J. The result "
      "is a cluster derived from the given one (docs/guide/calibrate.md).\n");
  if (!sub)
    return;
  words(
      sub, "FILE", options.files,
      "logs, tables of runs and traces, and a .dpl file with the cluster, if the library does not "
      "have it, or with the layout of the traces");
  value(sub, "--cluster", options.cluster, "NAME",
        "clusters.dgx_h100, or a cluster of the .dpl file; by default that of the runs");
  layout(sub, options, "the layout of the traces, if the file has several");
  number(sub, "--steps", options.steps,
         "number of steps in each trace, if it does not mark them (default 1)");
  value(sub, "--mapping", options.mapping, "FILE.json", "the mapping of the tables");
  each(sub, "--where", options.where, "LABEL=VALUE", "only runs with this label");
  CLI::Option* name = value(sub, "--name", options.name, "NAME",
                            "name of the result (default: CLUSTER_calibrated)");
  value(sub, "--op", options.operation, "OP", "the collective, if the logs do not name it");
  number(sub, "--ranks", options.ranks, "number of ranks, if the logs do not list their devices");
  number(sub, "--nodes", options.nodes, "number of nodes, if the logs do not list their devices");
  sub->add_option("--harness", options.harness,
                  "what measured the times, if the logs do not say it: nccl_tests, one_thread "
                  "(nccl-tests with "
                  "one thread per node, -g) or torch (a loop of PyTorch)")
      ->type_name("NAME")
      ->check(oneOf({"nccl_tests", "one_thread", "torch"}));
  name->needs(
      value(sub, "-o,--output", options.output, "FILE.dpl", "write the cluster to this file"));
  value(sub, "--svg", options.svg, "OUT.svg",
        "write a picture of measured and predicted bandwidth");
  flag(sub, "--json", options.json, "print fitted values and residuals as JSON");
}
