//===- ArrayJob.cpp - A study or a search as an array job of Slurm ----------------------------===//
#include "driver/study/ArrayJob.h"
#include "backends/Backend.h"
#include "support/Utf8.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::study;

namespace {
struct KindRow {
  const char *command, *noun; ///< of dplc, and in comments
  /// Commands of merge.sbatch with {command}, {folders} and {results}.
  const char* merge;
};
constexpr KindRow kinds[] = {
    {"study", "Study", "exec {command} -o {results} --merge {folders}\n"},
    {"search", "Search",
     "mkdir -p {results}\n"
     "for form in csv json; do\n"
     "  {command} --merge {folders} --\"$form\" >{results}/search.\"$form\"\n"
     "done\n"
     "exec {command} --merge {folders}\n"},
};

/// `dplc study FILE NAME --layout L --set …`, with the program in the variable DPLC if it is set.
std::string commandOf(const ArrayJobRequest& request, const KindRow& kind) {
  std::string out = fmt::format("\"${{DPLC:-dplc}}\" {} {} {}", kind.command,
                                shellWord(request.path), shellWord(request.name));
  if (!request.layout.empty())
    out += " --layout " + shellWord(request.layout);
  for (const Override& one : request.overrides)
    out += " --set " + shellWord(one.path + "=" + one.value);
  return out;
}
} // namespace

std::vector<OutputFile> study::arrayJob(const ArrayJobRequest& request) {
  const KindRow& kind = kinds[static_cast<std::size_t>(request.kind)];
  const std::string head =
      fmt::format("# {} {} of {} in {} shards.\n# Written by {}; an edit is lost when it is "
                  "written again.\n",
                  kind.noun, request.name, oneLine(request.path), request.shards, generatorName());
  const std::string name = shellWord(request.folder), parts = shellWord(request.folder + ".parts"),
                    results = shellWord(request.folder + ".results"),
                    command = commandOf(request, kind);
  const std::string start = "set -eu\ncd \"${SLURM_SUBMIT_DIR:?sbatch starts this}\"\n";
  // A task that is requeued continues with what is not done.
  const std::string array =
      fmt::format("#!/bin/bash\n{}#SBATCH --job-name={}\n#SBATCH --array=1-{}\n#SBATCH --ntasks=1\n"
                  "#SBATCH --requeue\n{}mkdir -p {}\nexec {} -o {}/\"$SLURM_ARRAY_TASK_ID\" "
                  "--shard \"$SLURM_ARRAY_TASK_ID/{}\" --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\"\n",
                  head, request.name, request.shards, start, parts, command, parts, request.shards);
  const std::string merge =
      fmt::format("#!/bin/bash\n{}#SBATCH --job-name={}.merge\n#SBATCH --ntasks=1\n"
                  "#SBATCH --requeue\n{}folders=()\nfor shard in $(seq {}); do\n"
                  "  folders+=({}/\"$shard\")\ndone\n",
                  head, request.name, start, request.shards, parts) +
      fmt::format(fmt::runtime(kind.merge), fmt::arg("command", command),
                  fmt::arg("results", results), fmt::arg("folders", "\"${folders[@]}\""));
  const std::string submit = fmt::format(
      "#!/bin/bash\n{}# Options of sbatch, such as the partition and the time, are handed on.\n"
      "set -eu\narray=$(sbatch --parsable \"$@\" {}/array.sbatch)\n"
      "sbatch --parsable --dependency=\"afterok:${{array%%;*}}\" \"$@\" {}/merge.sbatch\n",
      head, name, name);
  return {
      {"array.sbatch", array, true}, {"merge.sbatch", merge, true}, {"submit.sh", submit, true}};
}
