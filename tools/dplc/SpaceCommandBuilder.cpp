//===- SpaceCommandBuilder.cpp - The options of commands that judge many layouts --------------===//
#include "tools/dplc/CommandBuilder.h"
#include "tools/dplc/Session.h"
using namespace dpl;
using namespace dpl::tool;

void CommandBuilder::study() {
  const auto [sub, options] = add(
      runStudy, "study", "run a `study` block: a table of figures over what it varies",
      "  dplc study plan.dpl scale -o scale       results.csv, .json, plot.svg\n"
      "  dplc study plan.dpl scale -o s2 --shard 2/4    every fourth from the second on\n"
      "  dplc study plan.dpl scale -o all --merge s1 s2 s3 s4\n"
      "  dplc emit slurm plan.dpl --study scale --array 4 -o job    the same as Slurm's job array\n"
      "A run that is stopped goes on where it was when it is started again with the same "
      "folder. Points that are not legal are rows that say why.\n");
  if (!sub)
    return;
  file(sub, options);
  sub->add_option("NAME", options.study, "the study, where the file has several")->type_name("");
  layout(sub, options, "which layout, where the study's run has several");
  CLI::Option* folder =
      value(sub, "-o,--output", options.output, "DIR", "keep points and results in this folder");
  CLI::Option* shard =
      value(sub, "--shard", options.shard, "I/N", "run only part I of N of the points")
          ->needs(folder);
  value(sub, "--merge", options.merge, "DIR", "take the points of these folders and run none")
      ->needs(folder)
      ->excludes(shard);
  CLI::Option* json =
      flag(sub, "--json", options.json, "the results as JSON (docs/reference/study.md)");
  flag(sub, "--csv", options.csv, "the results as CSV, in base units")->excludes(json);
  figures(sub, options.figures, "compute and print these in place of the study's `outputs`");
  number(sub, "--jobs", options.jobs, "points at a time; all cores where it is left out");
  compilation(sub, options);
}

void CommandBuilder::search() {
  const auto [sub, options] = add(
      runSearch, "search", "the best layouts of a `search` block, and what became of the others",
      "  dplc search plan.dpl                      its only search\n"
      "  dplc search plan.dpl fastest --top 10     the ten best layouts of one\n"
      "  dplc search plan.dpl --csv --figures step_time,memory.peak,cost.per_step\n"
      "Each candidate that no lower bound excludes is judged as `dplc check` judges a layout. "
      "Below the table stands a certificate: how many candidates each rule and bound "
      "excluded.\n");
  if (!sub)
    return;
  file(sub, options);
  sub->add_option("NAME", options.search, "the search, where the file has several")->type_name("");
  number(sub, "--top", options.top,
         "how many layouts to rank; as many as the search keeps unless "
         "said")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000}));
  CLI::Option* json =
      flag(sub, "--json", options.json, "the result as JSON (docs/reference/search.md)");
  flag(sub, "--csv", options.csv, "the table as CSV, in base units")->excludes(json);
  figures(sub, options.figures, "the figures of the table, in place of the usual ones");
  CLI::Option* write = value(sub, "--write", options.write, "OUT.dpl",
                             "write the file with the search as the best layout");
  number(sub, "--jobs", options.jobs, "candidates at a time; all cores where it is left out");
  compilation(sub, options);
  for (const char* setting : {"--set", "--set-file"}) // which the written file would not have
    write->excludes(sub->get_option(setting));
}
