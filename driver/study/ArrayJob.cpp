//===- ArrayJob.cpp - A study as an array job of Slurm ----------------------------------------===//
#include "driver/study/ArrayJob.h"
#include "backends/Backend.h"
#include "support/Utf8.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::study;

namespace {
/// `dplc study FILE NAME --layout L --set …`, with the program in the variable DPLC if it is set.
std::string commandOf(const StudyRequest& study) {
  std::string out =
      fmt::format("\"${{DPLC:-dplc}}\" study {} {} --layout {}", shellWord(study.path),
                  shellWord(study.study), shellWord(study.layout));
  for (const Override& one : study.overrides)
    out += " --set " + shellWord(one.path + "=" + one.value);
  return out;
}
} // namespace

std::vector<OutputFile> study::arrayJob(const ArrayJobRequest& request) {
  const StudyRequest& study = request.study;
  const std::string head =
      fmt::format("# Study {} of {} in {} shards.\n# Written by {}; an edit is lost when it is "
                  "written again.\n",
                  study.study, oneLine(study.path), request.shards, generatorName());
  const std::string name = shellWord(request.folder), parts = shellWord(request.folder + ".parts"),
                    results = shellWord(request.folder + ".results");
  const std::string start = "set -eu\ncd \"${SLURM_SUBMIT_DIR:?sbatch starts this}\"\n";
  // A task that is requeued continues with the points that are not done.
  const std::string array = fmt::format(
      "#!/bin/bash\n{}#SBATCH --job-name={}\n#SBATCH --array=1-{}\n#SBATCH --ntasks=1\n"
      "#SBATCH --requeue\n{}mkdir -p {}\nexec {} -o {}/\"$SLURM_ARRAY_TASK_ID\" "
      "--shard \"$SLURM_ARRAY_TASK_ID/{}\" --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\"\n",
      head, study.study, request.shards, start, parts, commandOf(study), parts, request.shards);
  const std::string merge =
      fmt::format("#!/bin/bash\n{}#SBATCH --job-name={}.merge\n#SBATCH --ntasks=1\n"
                  "#SBATCH --requeue\n{}folders=()\nfor shard in $(seq {}); do\n"
                  "  folders+=({}/\"$shard\")\ndone\nexec {} -o {} --merge \"${{folders[@]}}\"\n",
                  head, study.study, start, request.shards, parts, commandOf(study), results);
  const std::string submit = fmt::format(
      "#!/bin/bash\n{}# Options of sbatch, such as the partition and the time, are handed on.\n"
      "set -eu\narray=$(sbatch --parsable \"$@\" {}/array.sbatch)\n"
      "sbatch --parsable --dependency=\"afterok:${{array%%;*}}\" \"$@\" {}/merge.sbatch\n",
      head, name, name);
  return {
      {"array.sbatch", array, true}, {"merge.sbatch", merge, true}, {"submit.sh", submit, true}};
}
