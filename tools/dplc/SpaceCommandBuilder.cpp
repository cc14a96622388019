//===- SpaceCommandBuilder.cpp - The options of commands that judge many layouts --------------===//
#include "tools/dplc/CommandBuilder.h"
#include "tools/dplc/Session.h"
using namespace dpl;
using namespace dpl::tool;

void CommandBuilder::study() {
  const auto [sub, options] = add(
      runStudy, "study", "compile a `study` block: a table of figures over varied fields",
      "  dplc study plan.dpl scale -o scale             results.csv, .json, plot.svg\n"
      "  dplc study plan.dpl scale -o s2 --shard 2/4    points 2, 6, 10, ...\n"
      "  dplc study plan.dpl scale -o all --merge s1 s2 s3 s4\n"
      "  dplc emit slurm plan.dpl --study scale --array 4 -o job\n"
      "A study that was stopped continues if it is started again with the same folder. The row of "
      "an illegal point has the reason. The last example is a job array of Slurm.\n");
  if (!sub)
    return;
  file(sub, options);
  sub->add_option("NAME", options.study, "the study, if the file has several")->type_name("");
  layout(sub, options, "the layout, if the run of the study has several");
  CLI::Option* folder =
      value(sub, "-o,--output", options.output, "DIR", "write points and results to this folder");
  CLI::Option* shard =
      value(sub, "--shard", options.shard, "I/N", "compile only part I of N of the points")
          ->needs(folder);
  value(sub, "--merge", options.merge, "DIR", "read the points of these folders and compile none")
      ->needs(folder)
      ->excludes(shard);
  CLI::Option* json = flag(sub, "--json", options.json, "print the results as JSON");
  flag(sub, "--csv", options.csv, "print the results as CSV, in base units")->excludes(json);
  html(sub, options.html);
  figures(sub, options.figures,
          "compute and print only these figures instead of the study's `outputs`");
  number(sub, "--jobs", options.jobs, "number of threads (default: all cores)");
  compilation(sub, options);
}

void CommandBuilder::search() {
  const auto [sub, options] = add(
      runSearch, "search", "find the best layouts of a `search` block or of a layout's open fields",
      "  dplc search plan.dpl                      its only search, or its only layout\n"
      "  dplc search plan.dpl fastest --top 10     the ten best layouts of one\n"
      "  dplc search plan.dpl --shortlist 3        layouts to measure\n"
      "  dplc search plan.dpl --pareto --svg front.svg\n"
      "  dplc search plan.dpl --csv --figures step_time,mfu\n"
      "  dplc search plan.dpl --why-not mine       mine against the best\n"
      "  dplc search plan.dpl --near mine          changes of a job\n"
      "All fields that a layout does not set have candidates, those of docs/reference/search.md. "
      "Each candidate that no lower bound excludes is judged as `dplc check` judges a layout. "
      "Below the table stands a certificate: how many candidates each rule and bound "
      "excluded.\n");
  if (!sub)
    return;
  file(sub, options);
  sub->add_option("NAME", options.search, "the search or layout, if the file has several")
      ->type_name("");
  number(sub, "--top", options.top,
         "number of layouts that are ranked (default: `keep` of the search)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000}));
  flag(sub, "--pareto", options.pareto,
       "find all layouts that no other beats in all objectives, and plot them; one objective gets "
       "memory.peak or step_time as the second");
  CLI::Option* shortlist =
      number(sub, "--shortlist", options.shortlist,
             "list at most N layouts to measure, the fastest of each kind whose 80 % interval "
             "overlaps that of the fastest; --write writes a file for each")
          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100}));
  value(sub, "--svg", options.svg, "OUT.svg", "write the plot of the Pareto front");
  html(sub, options.html);
  CLI::Option* json = flag(sub, "--json", options.json, "print the result as JSON");
  flag(sub, "--csv", options.csv, "print the table as CSV, in base units")->excludes(json);
  figures(sub, options.figures, "print these figures instead of the usual ones");
  CLI::Option* write =
      value(sub, "--write", options.write, "OUT.dpl",
            "write the file with the best layout in place of the search or layout");
  CLI::Option* folder =
      value(sub, "-o,--output", options.output, "DIR",
            "the folder of shards; tasks of srun and mpirun divide the candidates");
  CLI::Option* shard =
      value(sub, "--shard", options.shard, "I/N", "search only part I of N of the candidates")
          ->needs(folder);
  CLI::Option* merge =
      value(sub, "--merge", options.merge, "DIR", "rank what the shards in these folders found")
          ->excludes(shard)
          ->excludes(folder);
  shard->excludes(sub->get_option("--html"));
  number(sub, "--wait", options.wait,
         "seconds that the first task waits for the shards of the others (default: 600)")
      ->needs(folder)
      ->excludes(shard);
  CLI::Option* whyNot =
      value(sub, "--why-not", options.whyNot, "LAYOUT",
            "say what keeps a layout of the file from being the best one, and compare the two");
  CLI::Option* near = value(sub, "--near", options.near, "LAYOUT",
                            "list the single changes of a layout that are faster and load its "
                            "checkpoints, instead of a search");
  exclude(near, {whyNot, shard, merge});
  number(sub, "--min-nodes", options.minNodes,
         "with --near: the fastest layouts that load the checkpoints on fewer nodes, down to N; "
         "-o writes a file for each")
      ->check(CLI::PositiveNumber)
      ->needs(near)
      ->excludes(sub->get_option("--top"));
  for (const char* other :
       {"--top", "--pareto", "--why-not", "--near", "--output", "--shard", "--merge"})
    shortlist->excludes(sub->get_option(other));
  for (CLI::Option* question : {whyNot, near})
    for (const char* other : {"--csv", "--figures", "--write", "--html"})
      question->excludes(sub->get_option(other));
  number(sub, "--jobs", options.jobs, "number of threads (default: all cores)");
  compilation(sub, options);
  for (const char* setting : {"--set", "--set-file"}) // the written file would not have these
                                                      // settings
    write->excludes(sub->get_option(setting));
}
