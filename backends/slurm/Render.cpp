//===- Render.cpp - The batch script and the lines of slurm.conf ------------------------------===//
#include "backends/slurm/Slurm.h"
#include "support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::launcher;
using namespace dpl::slurm;

namespace {

/// The template of the batch script. sbatch runs a copy, so the script must find its original
/// folder.
constexpr const char* scriptTemplate = R"sh(#!/usr/bin/env bash
{header}#
{summary}{needed}#
# sbatch {file}; arguments behind it are handed on behind those of the launch. The files beside it
# have to be where they are on every node.
{directives}{notice}set -euo pipefail

if ((${{SLURM_JOB_NUM_NODES:-{nodes}}} != {nodes})); then
  echo "{file}: the layout needs {count}, the job has $SLURM_JOB_NUM_NODES" >&2
  exit 1
fi
{here}mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
export MASTER_ADDR=${{hosts[0]}} MASTER_PORT={port}
{exports}
# shellcheck disable=SC2016  # runs on each node and is expanded there
task={task}
{run})sh";

constexpr const char* jobName = "job.sbatch";
constexpr const char* herePlace = "here=${JOB_FOLDER:-$(scontrol show job \"$SLURM_JOB_ID\" | "
                                  "sed -n 's|^ *Command=\\(.*\\)/job.sbatch.*|\\1|p')}\n";

/// The script of a job that runs on some number of nodes. Slurm gives a job that it starts again as
/// many nodes of the range as are free.
constexpr const char* rowsTemplate = R"sh(#!/usr/bin/env bash
{header}#
# sbatch rows.sbatch: the job runs the layout for the number of nodes that it gets, also when it is
# started again with fewer. All layouts load the same checkpoints. nodes-N has the files for N nodes.
{directives}set -euo pipefail

case "$SLURM_JOB_NUM_NODES" in
{cases}*) echo "rows.sbatch: no layout for $SLURM_JOB_NUM_NODES nodes" >&2; exit 1 ;;
esac
here=$(scontrol show job "$SLURM_JOB_ID" | sed -n 's|^ *Command=\(.*\)/rows.sbatch.*|\1|p')
export JOB_FOLDER="$here/nodes-$nodes/slurm"
# Defaults of srun, which starts the layout on the first of the nodes.
export SLURM_NNODES=$nodes SLURM_JOB_NUM_NODES=$nodes SLURM_NTASKS=$nodes
exec "$JOB_FOLDER/job.sbatch" "$@"
)sh";

std::string directives(const Job& job, const std::string& nodes, bool requeued) {
  const ir::SlurmRequest& slurm = job.launch.slurm;
  std::string out;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty())
      out += fmt::format("#SBATCH --{}={}\n", option, headerWord(value));
  };
  add("job-name", job.name());
  add("partition", slurm.partition);
  add("account", slurm.account);
  add("qos", slurm.qos);
  add("constraint", slurm.constraint);
  add("reservation", slurm.reservation);
  add("time", timeOf(slurm.time));
  add("nodes", nodes);
  add("ntasks-per-node", "1");
  add("gpus-per-node", (slurm.gpu.empty() ? "" : slurm.gpu + ":") + std::to_string(job.gpus));
  if (job.cpus() > 0)
    add("cpus-per-task", std::to_string(job.cpus()));
  // The value 0 requests all memory of the node.
  add("mem", job.launch.memory > 0 ? fmt::format("{}M", job.givenMemory()) : "0");
  if (slurm.exclusive)
    out += "#SBATCH --exclusive\n";
  add("output", slurm.output);
  if (job.launch.notice > 0)
    add("signal", fmt::format("B:USR1@{}", job.launch.notice));
  out += requeued ? "#SBATCH --requeue\n#SBATCH --open-mode=append\n" : "#SBATCH --no-requeue\n";
  return out;
}

/// Whether a variable would also affect srun and scontrol on the host if the batch script exported
/// it.
bool isOfTask(llvm::StringRef variable) {
  return variable == "PATH" || variable == "BASH_ENV" || variable.startswith("LD_");
}

std::string exportsOf(const Job& job, bool ofTask) {
  std::string out;
  for (const auto& [variable, value] : job.variables())
    if (isOfTask(variable) == ofTask)
      out += fmt::format("export {}={}\n", variable, shellWord(value));
  return out;
}

std::string neededOf(const Job& job) {
  const std::string lines = neededLines(job);
  return lines.empty() ? ""
                       : fmt::format("# {}/launch.sh asks for what `env` of the launch does not "
                                     "give; export it before sbatch:\n{}",
                                     job.framework(), lines);
}

/// The commands of a node's task, without its arguments.
std::string taskOf(const Job& job) {
  return fmt::format("export NODE_RANK=$SLURM_NODEID\n{}{}{} \"$@\"", exportsOf(job, true),
                     folderOf(job), job.framework().empty() ? torchrunOf(job) : "exec");
}

std::string containerOf(const Job& job) {
  if (job.launch.image.empty())
    return "";
  std::string out =
      fmt::format("  --container-image={} \\\n", shellWord(imageOf(job.launch.image)));
  // The container mounts the folder with the scripts at the same path as on the host.
  std::string mounts = "\"${here%/*}:${here%/*}\"";
  for (const auto& [place, source] : job.launch.mounts)
    mounts += shellWord("," + source + ":" + place);
  out += fmt::format("  --container-mounts={} \\\n", mounts);
  std::string names;
  for (const auto& [variable, value] : job.variables())
    if (!isOfTask(variable))
      names += (names.empty() ? "" : ",") + variable;
  // Without --container-env a variable of the image would override the job's.
  return names.empty() ? out : out + fmt::format("  --container-env={} \\\n", names);
}

/// srun forwards a signal to every process of the step. With --signal=B: only the batch script gets
/// it, and bash handles it only when a command in the foreground ends, so the step runs in the
/// background.
constexpr const char* noticeStep = R"sh({step} &
step=$!
trap 'again=yes; kill -USR1 "$step"' USR1
again=yes
while [ "$again" = yes ]; do # a signal ends `wait`
  again=no status=0
  wait "$step" || status=$?
done
)sh";

std::string runOf(const Job& job) {
  const std::string framework = job.framework();
  const std::string script =
      framework.empty() ? "" : fmt::format(" \"$here/../{}/launch.sh\"", framework);
  // srun does not inherit the number of CPUs per task from sbatch.
  const std::string cpus = job.cpus() > 0 ? fmt::format(" --cpus-per-task={}", job.cpus()) : "";
  const std::string step =
      fmt::format("srun --kill-on-bad-exit=1{} \\\n{}  bash -c \"$task\" bash{}{} \"$@\"", cpus,
                  containerOf(job), script, shellWords(job.words()));
  if (job.launch.restarts == 0 && job.launch.notice == 0)
    return step + "\n";
  std::string out = job.launch.notice > 0 ? fmt::format(noticeStep, fmt::arg("step", step))
                                          : fmt::format("status=0\n{} || status=$?\n", step);
  if (job.launch.restarts > 0)
    out += fmt::format("if ((status != 0 && ${{SLURM_RESTART_COUNT:-0}} < {})); then\n"
                       "  scontrol requeue \"$SLURM_JOB_ID\"\n"
                       "fi\n",
                       job.launch.restarts);
  return out + "exit \"$status\"\n";
}

/// The names of `count` nodes as a range: "node[000-063]".
std::string nodeRange(std::uint64_t first, std::uint64_t count, std::uint64_t all) {
  const std::size_t digits = std::to_string(all - 1).size();
  return count == 1 ? fmt::format("node{:0{}}", first, digits)
                    : fmt::format("node[{:0{}}-{:0{}}]", first, digits, first + count - 1, digits);
}

/// The features that the job's constraint names, for the nodes in slurm.conf. Names of node types
/// are left out, because only nodes of that type have them.
std::string featuresOf(const Job& job) {
  std::string out;
  llvm::StringRef rest = job.launch.slurm.constraint;
  const auto fits = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-' || c == '.'; };
  while (!rest.empty()) {
    const llvm::StringRef word = rest.take_while(fits);
    const auto isClass = [&](const ir::NodeType& part) { return word == part.name; };
    if (!word.empty() && !llvm::isDigit(word.front()) &&
        llvm::none_of(job.plan.cluster.nodeTypes, isClass))
      out += (out.empty() ? "" : ",") + word.str();
    rest = rest.drop_front(std::max<std::size_t>(word.size(), 1));
  }
  return out;
}

} // namespace

std::string slurm::headerWord(llvm::StringRef text) {
  const auto plain = [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_-./:=@%+,").contains(c);
  };
  if (llvm::all_of(text, plain))
    return text.str();
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return out + '"';
}

std::string slurm::imageOf(llvm::StringRef image) {
  (void)image.consume_front("docker://"); // Slurm's default scheme is left out
  const auto [registry, rest] = image.split('/');
  const bool named = registry.contains('.') || registry.contains(':') || registry == "localhost";
  const bool path = image.startswith("/") || image.startswith(".");
  if (path || rest.empty() || !named || image.contains('#') || image.startswith("dockerd://"))
    return image.str();
  return registry.str() + "#" + rest.str();
}

std::string slurm::timeOf(std::uint64_t seconds) {
  return fmt::format("{}-{:02}:{:02}:{:02}", seconds / 86400, seconds / 3600 % 24,
                     seconds / 60 % 60, seconds % 60);
}

std::string slurm::jobFile(const Job& job) {
  const bool needed = !job.framework().empty() || !job.launch.image.empty();
  return fmt::format(
      fmt::runtime(scriptTemplate), fmt::arg("header", headerOf(job.request)),
      fmt::arg("summary", job.summary()), fmt::arg("needed", neededOf(job)),
      fmt::arg("file", jobName), fmt::arg("nodes", job.nodes),
      fmt::arg("count", plural(job.nodes, "node")), fmt::arg("here", needed ? herePlace : ""),
      fmt::arg("notice", literalNotice(job)),
      fmt::arg("directives", directives(job, std::to_string(job.nodes), job.launch.restarts > 0)),
      fmt::arg("port", job.launch.port), fmt::arg("exports", exportsOf(job, false)),
      fmt::arg("task", shellWord(taskOf(job))), fmt::arg("run", runOf(job)));
}

std::string slurm::rowsFile(const Job& job, llvm::ArrayRef<RowOfNodes> rows) {
  std::string cases;
  for (const RowOfNodes& row : rows)
    cases += fmt::format("{}) nodes={} ;;\n", row.nodes, row.used);
  const std::string range = fmt::format("{}-{}", rows.back().nodes, rows.front().nodes);
  return fmt::format(fmt::runtime(rowsTemplate), fmt::arg("header", headerOf(job.request)),
                     fmt::arg("directives", directives(job, range, true)),
                     fmt::arg("cases", cases));
}

std::string slurm::clusterFile(const Job& job) {
  const ir::Cluster& cluster = job.plan.cluster;
  const ir::SlurmRequest& slurm = job.launch.slurm;
  const std::string type = slurm.gpu.empty() ? "" : " Type=" + slurm.gpu;
  std::string out = headerOf(job.request);
  out +=
      "#\n# What slurm.conf has to say for job.sbatch to be taken; `slurmd -C` prints the figures "
      "of a node.\n# The job needs SelectType=select/cons_tres.\n"
      "# gres.conf of each node has to say where its GPUs are, or the node is drained: "
      "`AutoDetect=nvml` for\n";
  out += fmt::format(
      "# NVIDIA, rsmi for AMD, or `Name=gpu{} File=…` with the device files of its {}.\n"
      "GresTypes=gpu\n",
      type, job.gpus);
  const auto figuresOf = [&](const ir::NodeType& part) {
    std::string out;
    if (const std::uint64_t cpus = std::max(ir::cpusOf(cluster, part), job.launch.cpus); cpus > 0)
      out += fmt::format(" CPUs={}", cpus);
    if (const std::uint64_t memory =
            std::max(ir::hostMemoryOf(cluster, part) / mebibyte, job.givenMemory());
        memory > 0)
      out += fmt::format(" RealMemory={}", memory);
    return out + fmt::format(" Gres=gpu:{}{}", slurm.gpu.empty() ? "" : slurm.gpu + ":", job.gpus);
  };
  const std::string features = featuresOf(job);
  std::uint64_t first = 0;
  for (const ir::NodeType& part : cluster.nodeTypes) {
    std::string feature = features;
    if (!part.name.empty() && !feature.empty())
      feature += ',';
    for (const char c : part.name)
      feature += llvm::isAlnum(c) ? c : '_';
    out += fmt::format("NodeName={}{}{}\n", nodeRange(first, part.nodes, cluster.nodes),
                       figuresOf(part), feature.empty() ? "" : " Feature=" + feature);
    first += part.nodes;
  }
  out += fmt::format("PartitionName={} Nodes={} MaxTime={} State=UP\n", slurm.partition,
                     nodeRange(0, cluster.nodes, cluster.nodes), timeOf(slurm.time));
  return out;
}
