//===- TextCommandBuilder.cpp - The options of commands that compile no layout ----------------===//
#include "ir/Names.h"
#include "support/Near.h"
#include "tools/dplc/CommandBuilder.h"
#include "tools/dplc/Session.h"
using namespace dpl;
using namespace dpl::tool;

void CommandBuilder::fmt() {
  const auto [sub, options] =
      add(runFmt, "fmt", "format files in place; there is one format and no options", "");
  if (!sub)
    return;
  sub->add_option("FILE", options.files, ".dpl files")->required()->check(given())->type_name("");
  flag(sub, "--check", options.checkOnly, "name the files that would change and exit with 1");
}

void CommandBuilder::show() {
  const auto [sub, options] =
      add(runShow, "show", "a declaration of the library, or what a name in a file means",
          "`dplc show std` lists the modules, `dplc show std.models` is a whole module, `dplc "
          "show std.clusters.dgx_h100` a declaration. `dplc show plan.dpl:12:5` says what the "
          "name at line 12, column 5 means and where it is declared.\n");
  if (!sub)
    return;
  sub->add_option("NAME", options.name, "std, a module, a declaration, or FILE:LINE:COLUMN")
      ->required()
      ->check(given())
      ->type_name("");
}

void CommandBuilder::explain() {
  const auto [sub, options] =
      add(runExplain, "explain", "what a diagnostic means and how to mend it; or the units",
          "Without CODE: the list of all. `dplc explain units` prints the unit table, "
          "`dplc explain megatron` lists the rules of a target.\n");
  if (!sub)
    return;
  sub->add_option("CODE", options.topic, "DPL0301, mesh-size-mismatch, megatron.M17, units")
      ->check(given())
      ->type_name("");
}

void CommandBuilder::create() {
  const auto [sub, options] = add(runNew, "new", "write a first file that checks", "");
  if (!sub)
    return;
  file(sub, options)->description("the file to write; it must not exist");
}

void CommandBuilder::import() {
  const auto [sub, options] =
      add(runImport, "import", "a .dpl file from a file of another program",
          "  dplc import hf config.json -o model.dpl      a model of Hugging Face\n"
          "  dplc import megatron run.sh -o plan.dpl      a launch of Megatron-LM\n"
          "  dplc import torchtitan train.toml            its configuration; of 0.3 the .py\n"
          "  dplc import torchtitan train.toml --training.seq_len=4096    with its overrides\n"
          "  dplc import deepspeed ds_config.json --as models.llama3_8b\n"
          "  dplc import nemo config.yaml                 of NeMo or Megatron-Bridge\n"
          "Without -o the text is printed. A file that exists is left alone.\n");
  if (!sub)
    return;
  options.overrides = std::move(overrides);
  sub->add_option("KIND", options.kind, "hf, megatron, torchtitan, deepspeed or nemo")
      ->required()
      ->type_name("")
      ->check(oneOf({"hf", "megatron", "torchtitan", "deepspeed", "nemo"}));
  file(sub, options, false)->description("the file to read");
  value(sub, "-o,--output", options.output, "OUT", "the file to write");
  flag(sub, "--run", options.execute,
       "execute the script of a launch, under bubblewrap, and read what it starts");
  sub->add_option("--line", options.line, "the command of a launch, in place of a file")
      ->type_name("COMMAND");
  value(sub, "--name", options.name, "NAME", "the model's name");
  value(sub, "--as", options.as, "TYPE",
        "hf: read it as another model_type; torchtitan, deepspeed: the model, as "
        "models.llama3_8b or a config.json");
  each(sub, "--define", options.defines, "NAME=VALUE",
       "what the file takes from its surroundings: SLURM_NNODES=16");
  flag(sub, "--lenient", options.lenient,
       "go without the options of Megatron-LM that a plan cannot say, and list them");
  each(sub, "--ignore", options.ignore, "OPTION",
       "an option or setting to go without, as --ignore=--my-option");
  value(sub, "--cluster", options.cluster, "NAME",
        "what the launch runs on, of the library: clusters.gb200_nvl72");
}

void CommandBuilder::completion() {
  const auto [sub, options] =
      add(runCompletion, "completion", "completions for bash or zsh",
          "  eval \"$(dplc completion bash)\"                      in ~/.bashrc\n"
          "  dplc completion zsh > \"${fpath[1]}/_dplc\"           for zsh\n");
  if (!sub)
    return;
  sub->add_option("SHELL", options.shell, "bash or zsh")
      ->required()
      ->type_name("")
      ->check(oneOf({"bash", "zsh"}));
}

void CommandBuilder::score() {
  const auto [sub, options] =
      add(runScore, "score", "measured runs beside what is predicted of them",
          "  dplc score runs.csv                           errors by family, device, ...\n"
          "  dplc score runs.csv --plan 7 > row.dpl        the plan of a row as a file\n"
          "  dplc score runs.csv --json > now.json         all of it, and every row\n"
          "  dplc score runs.csv --compare before.json     what a change did\n"
          "  dplc score calls.csv --leave-out family       links as other machines' are\n"
          "docs/reference/score.md names the columns of a table.\n");
  if (!sub)
    return;
  sub->add_option("TABLE", options.files, "CSV files, a measured run a row")
      ->required()
      ->check(given())
      ->type_name("");
  value(sub, "--mapping", options.mapping, "FILE", "what the columns mean, where they are others");
  each(sub, "--where", options.where, "LABEL=VALUE", "only rows with this label: family=vTrain");
  each(sub, "--set", options.set, "PATH=VALUE",
       "set a field of every row's plan: cluster.node.gpu.non_tensor_memory=1GiB");
  CLI::Option* leaveOut =
      value(sub, "--leave-out", options.leaveOut, "LABEL",
            "collectives from facts of links that rows with other values of it give");
  value(sub, "--plan", options.planOf, "ID", "print the plan of this row instead")
      ->excludes(leaveOut);
  CLI::Option* json =
      flag(sub, "--json", options.json, "all statistics and rows as JSON (docs/reference/score.md)")
          ->excludes(leaveOut);
  value(sub, "--compare", options.compareWith, "OLD.json",
        "what changed since this output of --json")
      ->excludes(json)
      ->excludes(leaveOut);
  value(sub, "--html", options.page, "FILE", "write one page with plots")->excludes(leaveOut);
  number(sub, "--worst", options.worst, "how many of the worst rows are shown")->excludes(leaveOut);
  number(sub, "--jobs", options.jobs, "rows at a time; all cores where it is left out");
}

void CommandBuilder::collective() {
  const auto [sub, options] =
      add(runCollective, "collective", "time of one collective alone on a cluster",
          "  dplc collective --cluster clusters.dgx_h100 --ranks 16 \\\n"
          "                  --op all_reduce --size 64MiB\n"
          "Without a size it is a table over sizes, with the algorithm that is chosen at each. "
          "A cluster of the library gets as many nodes as hold the ranks; one of FILE is as it "
          "stands there. SIZE is the whole buffer of a rank, as nccl-tests counts.\n");
  if (!sub)
    return;
  file(sub, options, false)
      ->description("the .dpl file that has the cluster, where it is none of the library");
  value(sub, "--cluster", options.cluster, "NAME", "clusters.dgx_h100, or a cluster of FILE")
      ->required();
  value(sub, "--op", options.operation, "OP",
        "all_reduce, reduce_scatter, all_gather, all_to_all, send_receive, broadcast or reduce")
      ->required();
  number(sub, "--ranks", options.ranks, "devices that take part")->required();
  CLI::Option* size =
      value(sub, "--size", options.size, "SIZE", "64MiB, or bytes; all sizes where it is left out");
  std::vector<std::string> algorithms;
  for (const char* name : ir::namesOf(ir::Algorithm{}))
    algorithms.emplace_back(name);
  value(sub, "--algorithm", options.algorithm, "NAME",
        alternatives(algorithms) + "; the fastest where it is left out")
      ->needs(size);
  sub->add_option("--harness", options.harness,
                  "what times it: nccl_tests, one_thread of it for a node (-g), or torch, whose "
                  "loop launches each")
      ->type_name("NAME")
      ->check(oneOf({"nccl_tests", "one_thread", "torch"}))
      ->needs(size);
  CLI::Option* messages = flag(sub, "--messages", options.messages,
                               "run it as well, each message on the links that it crosses "
                               "(docs/reference/simulate.md)")
                              ->needs(size);
  CLI::Option* delay = value(sub, "--message-delay", options.delay, "TIME",
                             "how late each message is on average, 10us; exponential times")
                           ->needs(messages);
  number(sub, "--draws", options.draws, "of the delays; 1000 where it is left out")
      ->check(CLI::Range(std::uint64_t{1}, mostDraws))
      ->needs(delay);
  number(sub, "--seed", options.seed, "of the delays; 1 where it is left out")->needs(delay);
  number(sub, "--jobs", options.jobs, "draws at a time; all cores where it is left out")
      ->needs(delay);
  flag(sub, "--json", options.json, "as JSON (docs/guide/compare-with-measurements.md)");
  each(sub, "--set", options.set, "PATH=VALUE", "set a field: cluster.nic.bandwidth=...");
}

void CommandBuilder::calibrate() {
  const auto [sub, options] =
      add(runCalibrate, "calibrate", "a cluster's links from collectives timed on it",
          "  dplc calibrate *.log --cluster clusters.dgx_h100 -o ours.dpl --svg ours.svg\n"
          "A log is what nccl-tests or rccl-tests prints, or the file of nccl-tests -J. The "
          "fragment is a cluster made from the other (docs/guide/calibrate.md).\n");
  if (!sub)
    return;
  sub->add_option("FILES", options.files,
                  "logs, and the .dpl file that has the cluster, where it is none of the library")
      ->required()
      ->check(given())
      ->type_name("");
  value(sub, "--cluster", options.cluster, "NAME",
        "clusters.dgx_h100, or a cluster of the .dpl file")
      ->required();
  CLI::Option* name = value(sub, "--name", options.name, "NAME",
                            "what the fragment calls it; NAME_calibrated if left out");
  value(sub, "--op", options.operation, "OP",
        "what logs time that do not say it: all_reduce, all_gather, ...");
  number(sub, "--ranks", options.ranks, "ranks of logs that do not list their devices");
  number(sub, "--nodes", options.nodes, "nodes of such logs");
  sub->add_option("--harness", options.harness,
                  "what timed them where logs do not say it: nccl_tests, one_thread of it for a "
                  "node (-g), or torch, whose loop launches each")
      ->type_name("NAME")
      ->check(oneOf({"nccl_tests", "one_thread", "torch"}));
  name->needs(
      value(sub, "-o,--output", options.output, "FILE.dpl", "write the fragment to this file"));
  value(sub, "--svg", options.svg, "OUT.svg",
        "write measured and predicted bandwidth as a picture");
  flag(sub, "--json", options.json, "facts and residuals as JSON (docs/guide/calibrate.md)");
}
