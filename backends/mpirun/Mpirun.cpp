//===- Mpirun.cpp - A script that starts all nodes with Open MPI ------------------------------===//
#include "backends/launcher/Check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <set>

using namespace dpl;
using namespace dpl::launcher;

namespace dpl::mpirun {
namespace rule {
#define DPL_RULES "backends/mpirun/Rules.def"
#include "backends/RuleTypes.inc"

#include "backends/launcher/Common.inc"
} // namespace rule
} // namespace dpl::mpirun

using namespace dpl::mpirun;

namespace {

bool isHost(llvm::StringRef text) {
  const auto fits = [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_-.:").contains(c); };
  return !text.empty() && text.front() != '-' && llvm::all_of(text, fits);
}

void checkLaunch(const TargetRequest& request, Findings& findings) {
  const Job job(request);
  if (!checkJob<rule::Common>(job, ir::ViaKind::Mpirun, findings))
    return;
  const ir::Launch& launch = job.launch;
  std::set<std::string> seen;
  for (const std::string& host : launch.hosts)
    if (!isHost(host))
      findings.report<rule::HostName>("launch.launcher.hosts", oneLine(host));
    else if (!seen.insert(host).second)
      findings.report<rule::HostTwice>("launch.launcher.hosts", host);
  if (!launch.hosts.empty() && launch.hosts.size() != job.nodes)
    findings.report<rule::HostCount>("launch.launcher.hosts", launch.hosts.size(), job.nodes);
  if (launch.notice > 0)
    findings.report<rule::Notice>("launch.grace_period");
  checkBare<rule::Container, rule::Mount, rule::Memory>(job, findings);
}

constexpr const char* scriptTemplate = R"sh(#!/usr/bin/env bash
{header}#
{summary}#
# Run it once, where mpirun of Open MPI reaches all nodes and these files are at one place on all of them.
{variables}# Its own arguments are handed on behind those of the launch.
{notice}set -euo pipefail

here=$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" && pwd)
{hosts}export MASTER_PORT=${{MASTER_PORT:-{port}}}

{run})sh";

/// The script that each process runs. It computes the ranks itself, because mpirun fills nodes in
/// the order of the host file.
constexpr const char* taskTemplate = R"sh(#!/usr/bin/env bash
{header}#
# One process of start.sh, which mpirun starts; arguments are what it runs.
{notice}set -euo pipefail

{ranks}
{exports}{folder}exec "$@"
)sh";

/// Whether mpirun starts one process per node, as for a framework, or one per GPU.
bool perNode(const Job& job) { return !job.framework().empty(); }

std::string hostsOf(const Job& job) {
  if (job.nodes == 1)
    return fmt::format("hosts=(--host localhost:{})\nexport MASTER_ADDR=localhost\n", job.gpus);
  const std::string file = job.launch.hosts.empty()
                               ? "hostfile=${HOSTFILE:?is not set: a file with a line HOST slots=" +
                                     std::to_string(job.gpus) + " for each node}\n"
                               : "hostfile=${HOSTFILE:-$here/hostfile}\n";
  return file + "hosts=(--hostfile \"$hostfile\")\n"
                "first=$(awk '!/^[[:space:]]*(#|$)/ { print $1; exit }' \"$hostfile\")\n"
                "export MASTER_ADDR=${MASTER_ADDR:-$first}\n";
}

std::string variablesOf(const Job& job) {
  const std::string needed = neededLines(job, 13);
  if (job.nodes == 1)
    return "#   MASTER_PORT   a free port, where that of the plan is none\n" + needed;
  return needed +
         fmt::format(
             "#   HOSTFILE      a line `HOST slots={}` for each node, in the order of their "
             "ranks{}\n"
             "#   MASTER_ADDR   of the first node, where its line has another name; "
             "MASTER_PORT is free there\n",
             job.gpus, job.launch.hosts.empty() ? "" : " (./hostfile unless set)");
}

/// The command that mpirun starts in place of torchrun.
std::string wordsOf(const Job& job) {
  if (perNode(job))
    return fmt::format(" \"$here/../{}/launch.sh\"{}", job.framework(), shellWords(job.words()));
  std::vector<std::string> words = job.words();
  if (!words.empty() && words.front() == "--no-python")
    words.erase(words.begin());
  else
    words.insert(words.begin(), "python3");
  return shellWords(words);
}

std::string runOf(const Job& job) {
  std::string handedOn; // variables that are passed on; mpirun warns if one is not set
  for (const NeededVariable& variable : job.needed())
    handedOn += fmt::format(" ${{{0}+-x {0}}}", variable.name);
  const std::string step =
      fmt::format("mpirun -np {} \"${{hosts[@]}}\" --map-by {} --bind-to none \\\n"
                  "  -x MASTER_ADDR -x MASTER_PORT{} \"$here/task.sh\"{} \"$@\"",
                  perNode(job) ? job.nodes : job.world(), perNode(job) ? "node" : "slot", handedOn,
                  wordsOf(job));
  if (job.launch.restarts == 0)
    return "exec " + step + "\n";
  return fmt::format("for ((attempt = 0; ; attempt++)); do\n"
                     "  status=0\n  {} || status=$?\n"
                     "  if ((status == 0 || attempt == {})); then\n"
                     "    exit \"$status\"\n  fi\ndone\n",
                     step, job.launch.restarts);
}

std::string ranksOf(const Job& job) {
  if (perNode(job))
    return "export NODE_RANK=$OMPI_COMM_WORLD_RANK";
  return fmt::format("export RANK=$OMPI_COMM_WORLD_RANK WORLD_SIZE=$OMPI_COMM_WORLD_SIZE\n"
                     "export LOCAL_RANK=$((RANK % {0})) LOCAL_WORLD_SIZE={0} NODE_RANK=$((RANK / "
                     "{0}))",
                     job.gpus);
}

std::vector<EmittedFile> render(const TargetRequest& request) {
  const Job job(request);
  std::vector<EmittedFile> out;
  out.push_back(
      {"start.sh",
       fmt::format(fmt::runtime(scriptTemplate), fmt::arg("header", headerOf(request)),
                   fmt::arg("summary", job.summary()), fmt::arg("notice", literalNotice(job)),
                   fmt::arg("variables", variablesOf(job)), fmt::arg("hosts", hostsOf(job)),
                   fmt::arg("port", job.launch.port), fmt::arg("run", runOf(job))),
       true});
  out.push_back(
      {"task.sh",
       fmt::format(fmt::runtime(taskTemplate), fmt::arg("header", headerOf(request)),
                   fmt::arg("ranks", ranksOf(job)), fmt::arg("notice", literalNotice(job)),
                   fmt::arg("exports", exportsOf(job)), fmt::arg("folder", folderOf(job))),
       true});
  if (job.launch.hosts.empty())
    return out;
  std::string hosts = headerOf(request);
  for (const std::string& host : job.launch.hosts)
    hosts += fmt::format("{} slots={}\n", host, job.gpus);
  out.push_back({"hostfile", hosts, false});
  return out;
}

} // namespace

namespace dpl::mpirun {
extern const Target target;
const Target target{"mpirun",
                    "mpirun",
                    "a script that starts all nodes with Open MPI",
                    {},
                    rule::all,
                    checkLaunch,
                    render,
                    TargetRole::Launcher};
} // namespace dpl::mpirun
