//===- LaunchScript.cpp - Parts of launch.sh that all frameworks share ------------------------===//
#include "backends/LaunchScript.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace dpl;

namespace {

constexpr const char* variablesOfOne =
    "#   MASTER_PORT                a free port (29500 unless set)\n";
constexpr const char* variablesOfSeveral =
    "#   MASTER_ADDR, MASTER_PORT   a port of the first node (29500 unless set)\n"
    "#   NODE_RANK                  0 on the first node; SLURM_NODEID serves too\n";
constexpr const char* rendezvousOfOne = "node_rank=0\n"
                                        "master_addr=localhost\n"
                                        "master_port=${MASTER_PORT:-29500}\n";
constexpr const char* rendezvousOfSeveral =
    "node_rank=${NODE_RANK:-${SLURM_NODEID:?is not set, nor is NODE_RANK}}\n"
    "master_addr=${MASTER_ADDR:?is not set: the first node}\n"
    "master_port=${MASTER_PORT:-29500}\n";

/// Shell functions for a job that is told to end. torchrun forwards SIGTERM and kills the remaining
/// processes after 30 s. A signal that is ignored when a process starts stays ignored, even if a
/// scheduler signals all processes of a job. 143 is the exit status of a shell that SIGTERM ends;
/// it marks the job as incomplete.
constexpr const char* untilNotice =
    R"sh(# Told by SIGUSR1 or SIGTERM, {notice} s before it has to be over, to save and end: the processes that torchrun started get
# SIGTERM, torchrun does not, which would kill them after 30 s. It then ends with status 143.
until_told() {{
  local again=yes status=0 told=no torchrun
  # shellcheck disable=SC2317  # the trap runs it
  tell() {{
    trap "" USR1 TERM # once: a second one would end a process that is on its way out
    [ "$told" = no ] || return 0
    local processes=()
    again=yes told=yes
    while kill -0 "$torchrun" 2>/dev/null; do
      read -ra processes < <(cat /proc/"$torchrun"/task/*/children) || true
      ((${{#processes[@]}} == 0)) || break
      sleep 1 # it has not started them yet
    done
    kill -TERM "${{processes[@]}}" || true
  }}
  (trap "" USR1 && exec "$@") &
  torchrun=$!
  trap tell USR1 TERM
  while [ "$again" = yes ]; do # a signal ends `wait`
    again=no status=0
    wait "$torchrun" || status=$?
  done
  if [ "$told" = yes ] && ((status == 0)); then
    status=143
  fi
  exit "$status"
}}
until_told )sh";

std::string meshText(const ir::Mesh& mesh) {
  std::string out;
  for (const ir::MeshAxis& axis : mesh.axes)
    if (axis.size > 1)
      out += fmt::format("{}{} {}", out.empty() ? "" : " × ", ir::name(axis.axis), axis.size);
  return out.empty() ? "of one device" : out;
}

/// A comment about fields of the launch block that only a launcher applies. Empty if the same
/// command also emits a launcher.
std::string setByLauncher(const TargetRequest& request, const ir::Launch& launch) {
  const auto isLauncher = [](const std::string& name) {
    const Target* target = targetNamed(name);
    return target && target->role == TargetRole::Launcher;
  };
  if (llvm::any_of(request.alsoEmitted, isLauncher))
    return "";
  std::vector<std::string> fields;
  for (const auto& [field, given] :
       {std::pair("data_path", !launch.data.empty()), std::pair("data_loader", launch.loader.given),
        std::pair("checkpoint_dir", !launch.checkpoints.empty()),
        std::pair("env", !launch.environment.empty()),
        std::pair("working_dir", !launch.folder.empty()),
        std::pair("arguments", !launch.arguments.empty()),
        std::pair("container", !launch.image.empty()), std::pair("mount", !launch.mounts.empty()),
        std::pair("max_restarts", launch.restarts > 0)})
    if (given)
      fields.emplace_back(field);
  return fields.empty()
             ? ""
             : fmt::format("# Left to a launcher that is emitted with this, as `dplc "
                           "emit {} {} ...` does: {} of the launch.\n",
                           request.target.name, ir::name(launch.via), llvm::join(fields, ", "));
}

/// A comment about fields of the layout that describe the framework's own behaviour. They affect
/// the prediction, but no option sets them.
std::string predictedAlone(const ir::Layout& layout) {
  std::vector<std::string> fields;
  for (const char* field : {"buffers", "early_stop"})
    if (layout.ranges.count(field) != 0)
      fields.push_back(fmt::format("`{}`", field));
  const ir::CommunicationOptions communication = layout.communication();
  if (layout.ranges.count("communication_options") != 0 &&
      (communication.owners || communication.stacked))
    fields.emplace_back("`communication_options`");
  if (layout.setsUpdateTime)
    fields.emplace_back("`optimizer_time`");
  return fields.empty() ? ""
                        : fmt::format("# Of the prediction alone: {}, which say what a framework "
                                      "does by itself.\n",
                                      llvm::join(fields, ", "));
}

} // namespace

LaunchScript::LaunchScript(const TargetRequest& request,
                           const std::vector<std::string>& differences) {
  const ir::Plan& plan = request.plan;
  const bool several = plan.cluster.nodes > 1;
  std::string comments;
  for (const std::string& difference : differences)
    comments += fmt::format("# Not as in the plan: {}.\n", difference);
  const ir::Launch* launch = plan.launch();
  const bool unheard = launch && launch->notice > 0 && !request.target.savesOnNotice;
  if (unheard)
    comments += "# Not as in the plan: nothing is saved when the job is signalled to end, as "
                "`grace_period` has it.\n";
  comments += predictedAlone(plan.layout);
  if (launch)
    comments += setByLauncher(request, *launch);
  set("header", headerOf(request));
  fields.push_back(fmt::arg("world", plan.mesh.devices));
  fields.push_back(fmt::arg("nodes", plan.cluster.nodes));
  fields.push_back(fmt::arg("gpus", plan.cluster.gpusPerNode));
  set("release", request.release.text());
  set("mesh", meshText(plan.mesh));
  set("differences", comments);
  set("variables", several ? variablesOfSeveral : variablesOfOne);
  std::string rendezvous = several ? rendezvousOfSeveral : rendezvousOfOne;
  if (plan.layout.launchBlocking)
    rendezvous += "export CUDA_LAUNCH_BLOCKING=1 # the host waits for each kernel\n";
  if (plan.layout.communication().checks > 0)
    rendezvous += "export TORCH_DISTRIBUTED_DEBUG=DETAIL # each collective is checked\n";
  if (plan.layout.buffers.expandableSegments)
    rendezvous += growingSegments;
  set("rendezvous", rendezvous);
  set("run", unheard ? "exec " : beforeTorchrun(plan));
}

LaunchScript& LaunchScript::set(const char* name, std::string text) {
  fields.push_back(fmt::arg(name, std::move(text)));
  return *this;
}

std::vector<std::string> dpl::checkpointDifferences(const ir::Plan& plan, bool deletes,
                                                    bool async) {
  const ir::Launch* launch = plan.launch();
  std::vector<std::string> out;
  if (!launch || launch->checkpoints.empty())
    return out;
  const ir::CheckpointRequest& checkpoint = plan.runOf(*launch).checkpoint;
  if (checkpoint.every == 0)
    return out;
  if (!deletes)
    out.push_back(fmt::format("all checkpoints stay, not the newest {}", checkpoint.keep));
  if (checkpoint.mode != ir::CheckpointMode::Blocking &&
      checkpoint.mode != ir::CheckpointMode::Async)
    out.push_back(fmt::format("checkpoints go to storage while training waits, `{}` has no setting",
                              ir::name(checkpoint.mode)));
  else if (checkpoint.mode == ir::CheckpointMode::Async && !async)
    out.push_back("training waits while checkpoints are written");
  return out;
}

std::string dpl::beforeTorchrun(const ir::Plan& plan) {
  const ir::Launch* launch = plan.launch();
  return launch && launch->notice > 0 ? fmt::format(untilNotice, fmt::arg("notice", launch->notice))
                                      : "exec ";
}

std::string LaunchScript::render(const char* scriptTemplate) const {
  return fmt::vformat(scriptTemplate, fields);
}
