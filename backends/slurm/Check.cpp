//===- Check.cpp - Whether Slurm accepts a job ------------------------------------------------===//
#include "backends/launcher/Check.h"
#include "backends/DeviceKind.h"
#include "backends/slurm/Slurm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace dpl;
using namespace dpl::launcher;

namespace dpl::slurm {
namespace rule {
#define DPL_RULES "backends/slurm/Rules.def"
#include "backends/RuleTypes.inc"

#include "backends/launcher/Common.inc"
} // namespace rule
} // namespace dpl::slurm

using namespace dpl::slurm;

namespace {

/// Limit in seconds, because slurmctld stores the time of --signal in 16 bits.
constexpr std::uint64_t mostNotice = 65535;

bool isName(llvm::StringRef text) {
  const auto fits = [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_-.").contains(c); };
  return !text.empty() && text.front() != '-' && llvm::all_of(text, fits);
}

void checkHeader(const Job& job, Findings& findings) {
  const ir::SlurmRequest& slurm = job.launch.slurm;
  const std::pair<const char*, std::string> texts[] = {
      {"launch.name", job.name()},
      {"launch.container", job.launch.image},
      {"launch.launcher.account", slurm.account},
      {"launch.launcher.qos", slurm.qos},
      {"launch.launcher.constraint", slurm.constraint},
      {"launch.launcher.reservation", slurm.reservation},
      {"launch.launcher.output", slurm.output}};
  for (const auto& [path, text] : texts)
    if (oneLine(text) != text)
      findings.report<rule::LineBreak>(path, oneLine(text));
}

void checkMounts(const Job& job, Findings& findings) {
  for (const auto& [place, source] : job.launch.mounts) {
    const std::string path = "launch.mount." + place;
    for (const std::string& text : {place, source})
      if (text.find_first_of(",:") != std::string::npos)
        findings.report<rule::MountList>(path, oneLine(text));
      else if (text.empty() || text.front() != '/')
        findings.report<rule::MountPath>(path, oneLine(text));
    if (job.launch.image.empty())
      findings.report<rule::MountWithoutContainer>(path);
  }
}

void checkLaunch(const TargetRequest& request, Findings& findings) {
  const Job job(request);
  if (!checkJob<rule::Common>(job, ir::ViaKind::Slurm, findings))
    return;
  if (!job.given) {
    findings.report<rule::NoPartition>("");
    return;
  }
  const ir::SlurmRequest& slurm = job.launch.slurm;
  const ir::Cluster& cluster = job.plan.cluster;
  if (!isName(slurm.partition))
    findings.report<rule::PartitionName>("launch.launcher.partition", oneLine(slurm.partition));
  if (!slurm.gpu.empty() && !isName(slurm.gpu))
    findings.report<rule::GpuType>("launch.launcher.gpu_type", oneLine(slurm.gpu));
  if (slurm.time == 0)
    findings.report<rule::NoTime>("launch.launcher.time");
  else if (job.launch.notice > mostNotice || job.launch.notice >= slurm.time)
    findings.report<rule::Notice>("launch.grace_period", job.launch.notice,
                                  std::min(mostNotice, slurm.time - 1));
  if (const DeviceKind kind = kindOf(cluster, cluster.device()); !isGpu(kind))
    findings.report<rule::NoGpus>("cluster", cluster.device().name, wordOf(kind));
  if (const std::uint64_t least = ir::leastCpus(cluster); least > 0 && job.cpus() > least)
    findings.report<rule::Cpus>("launch.cpus", job.cpus(), least);
  if (const std::uint64_t least = ir::leastHostMemory(cluster); least > 0 && job.memory() > least)
    findings.report<rule::Memory>("launch.memory", mebibytes(job.memory()), least / mebibyte);
  if (const auto [scheme, rest] = llvm::StringRef(job.launch.image).split("://");
      !rest.empty() && scheme != "docker" && scheme != "dockerd")
    findings.report<rule::ImageScheme>("launch.container", oneLine(scheme));
  checkHeader(job, findings);
  checkMounts(job, findings);
  checkCheckpoints(job, findings);
}

std::vector<EmittedFile> render(const TargetRequest& request) {
  const Job job(request);
  return {{"job.sbatch", jobFile(job), true}, {"slurm.conf", clusterFile(job), false}};
}

} // namespace

namespace dpl::slurm {
extern const Target target;
const Target target{"slurm",
                    "Slurm",
                    "a batch job, and what slurm.conf says of its cluster",
                    {},
                    rule::all,
                    checkLaunch,
                    render,
                    TargetRole::Launcher};
} // namespace dpl::slurm
