//===- Torchrun.cpp - A script to start on every node -----------------------------------------===//
#include "backends/launcher/Check.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::launcher;

namespace dpl::torchrun {
namespace rule {
#define DPL_RULES "backends/torchrun/Rules.def"
#include "backends/RuleTypes.inc"

#include "backends/launcher/Common.inc"
} // namespace rule
} // namespace dpl::torchrun

using namespace dpl::torchrun;

namespace {

/// Why ranks must be assigned to nodes in order, as words; empty if the order does not matter.
/// Ranks within a node are always in order.
std::string whyOrdered(const ir::Plan& plan) {
  const ir::Cluster& cluster = plan.cluster;
  if (cluster.nodes == 1)
    return "";
  if (cluster.nodeTypes.size() > 1)
    return fmt::format("cluster `{}` has {} node types", cluster.name, cluster.nodeTypes.size());
  const auto beyondNode = [](ir::Level level) {
    return level > ir::Level::Node && level < ir::Level::Cluster;
  };
  const auto ofNodes = [&](ir::Level level) {
    return beyondNode(level) && cluster.devicesIn(level) > cluster.gpusPerNode;
  };
  for (const auto& axes : {plan.layout.mesh.axes, plan.layout.mesh.experts})
    for (const ir::AxisRequest& axis : axes) {
      if (axis.hasWithin && ofNodes(axis.within))
        return fmt::format("`{}` is placed within {}", ir::name(axis.axis), ir::name(axis.within));
      if (axis.hasAcross && ofNodes(axis.across))
        return fmt::format("`{}` is placed across {}", ir::name(axis.axis), ir::name(axis.across));
    }
  for (const auto& axes : {plan.mesh.axes, plan.mesh.expertAxes})
    for (const ir::MeshAxis& axis : axes)
      if (axis.size > 1 && ofNodes(axis.spans) && cluster.devicesIn(axis.spans) < cluster.devices())
        return fmt::format("groups of `{}` lie inside of one {}", ir::name(axis.axis),
                           ir::name(axis.spans));
  return "";
}

void checkLaunch(const TargetRequest& request, Findings& findings) {
  const Job job(request);
  if (!checkJob<rule::Common>(job, ir::ViaKind::Torchrun, findings))
    return;
  const ir::Launch& launch = job.launch;
  if (launch.rendezvous == ir::RendezvousKind::C10d)
    if (const std::string why = whyOrdered(job.plan); !why.empty())
      findings.report<rule::DynamicOrder>("launch.launcher.rendezvous", why);
  // DeepSpeed and Accelerate have their own launchers.
  const std::string own = job.framework();
  const bool separate = own == "deepspeed" || own == "accelerate";
  // The module of `emit pytorch` is excepted, because it uses another prefix of the store after
  // each restart.
  if (launch.rendezvous == ir::RendezvousKind::Static && launch.restarts > 0 && !separate &&
      own != "pytorch")
    findings.report<rule::StaticRestarts>("launch.max_restarts");
  if (separate) {
    if (launch.rendezvous == ir::RendezvousKind::C10d)
      findings.report<rule::OtherLauncher>("launch.launcher.rendezvous", own, "c10d");
    if (!launch.logs.empty())
      findings.report<rule::OtherLauncher>("launch.launcher.log_dir", own, "log_dir");
    if (launch.restarts > 0)
      findings.report<rule::OtherLauncher>("launch.max_restarts", own, "max_restarts");
  }
  checkBare<rule::Container, rule::Mount, rule::Memory>(job, findings);
}

constexpr const char* scriptTemplate = R"sh(#!/usr/bin/env bash
{header}#
{summary}#
{variables}# Its own arguments are handed on behind those of the launch.
{notice}set -euo pipefail

{here}{rendezvous}
{exports}{folder}{start}{words} "$@"
)sh";

constexpr const char* herePlace = "here=$(cd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")\" && pwd)\n";

std::string variablesOf(const Job& job) {
  if (job.nodes == 1)
    return "# Run it on the node, with\n"
           "#   MASTER_PORT                a free port, where that of the plan is none\n" +
           neededLines(job);
  std::string out = "# Run it once on every node, with\n";
  if (job.launch.rendezvous == ir::RendezvousKind::C10d)
    return out + "#   MASTER_ADDR, MASTER_PORT   of one of the nodes, the same on all\n" +
           neededLines(job);
  return out +
         "#   NODE_RANK                  0 on the first node\n"
         "#   MASTER_ADDR, MASTER_PORT   of the first node, the same on all\n" +
         neededLines(job);
}

std::string rendezvousOf(const Job& job) {
  const bool dynamic = job.launch.rendezvous == ir::RendezvousKind::C10d;
  const bool several = job.nodes > 1;
  std::string out;
  if (!several)
    out = "export NODE_RANK=0 MASTER_ADDR=localhost";
  else if (dynamic) // torchrun ignores the node rank with a dynamic rendezvous, but launch.sh
                    // requires one
    out = "export NODE_RANK=0 MASTER_ADDR=${MASTER_ADDR:?is not set: one of the nodes}";
  else
    out = "export NODE_RANK=${NODE_RANK:?is not set: 0 on the first node}\n"
          "export MASTER_ADDR=${MASTER_ADDR:?is not set: the first node}";
  out += fmt::format("\nexport MASTER_PORT=${{MASTER_PORT:-{}}}\n", job.launch.port);
  // torchrun also reads options from variables PET_*.
  if (dynamic)
    out +=
        fmt::format("export PET_RDZV_BACKEND=c10d PET_RDZV_ENDPOINT=\"$MASTER_ADDR:$MASTER_PORT\" "
                    "PET_RDZV_ID={}\n",
                    job.plan.hash);
  if (job.launch.restarts > 0)
    out += fmt::format("export PET_MAX_RESTARTS={}\n", job.launch.restarts);
  if (!job.launch.logs.empty())
    out += fmt::format("export PET_LOG_DIR={} PET_REDIRECTS=3 PET_TEE=3\n",
                       shellWord(job.launch.logs));
  return out;
}

std::vector<EmittedFile> render(const TargetRequest& request) {
  const Job job(request);
  const std::string framework = job.framework();
  const std::string start = framework.empty()
                                ? torchrunOf(job) + " \\\n "
                                : fmt::format("exec \"$here/../{}/launch.sh\"", framework);
  const std::string text = fmt::format(
      fmt::runtime(scriptTemplate), fmt::arg("header", headerOf(request)),
      fmt::arg("notice", literalNotice(job)), fmt::arg("here", framework.empty() ? "" : herePlace),
      fmt::arg("summary", job.summary()), fmt::arg("variables", variablesOf(job)),
      fmt::arg("rendezvous", rendezvousOf(job)), fmt::arg("exports", exportsOf(job)),
      fmt::arg("folder", folderOf(job)), fmt::arg("start", start),
      fmt::arg("words", shellWords(job.words())));
  return {{"start.sh", text, true}};
}

} // namespace

namespace dpl::torchrun {
extern const Target target;
const Target target{"torchrun", "torchrun",          "a script that is started on every node",
                    {},         rule::all,           checkLaunch,
                    render,     TargetRole::Launcher};
} // namespace dpl::torchrun
