//===- Check.cpp - Whether Kubernetes accepts a job -------------------------------------------===//
#include "backends/launcher/Check.h"
#include "backends/DeviceKind.h"
#include "backends/kubernetes/Kubernetes.h"
#include "support/diagnostics/Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace dpl;
using namespace dpl::launcher;

namespace dpl::kubernetes {
namespace rule {
#define DPL_RULES "backends/kubernetes/Rules.def"
#include "backends/RuleTypes.inc"

#include "backends/launcher/Common.inc"
} // namespace rule
} // namespace dpl::kubernetes

using namespace dpl::kubernetes;

namespace {

constexpr Release trainerReleases[] = {"2.0", "2.1", "2.2", "2.3"};
constexpr const char* reservedByTrainer[] = {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK",
                                             "PET_MASTER_ADDR", "PET_MASTER_PORT"};

/// The largest number of restarts, because backoffLimit and maxRestarts are int32.
constexpr std::uint64_t mostRestarts = 2147483647;

bool isSmall(char c) { return (c >= 'a' && c <= 'z') || llvm::isDigit(c); }

/// Whether a text is a sequence of labels separated by dots, as in the names of claims and in the
/// domain of a resource.
bool isDomain(llvm::StringRef text) {
  if (text.size() > 253)
    return false;
  for (llvm::StringRef rest = text;;) {
    const auto [label, tail] = rest.split('.');
    if (!isLabel(label, false))
      return false;
    if (tail.empty())
      return !rest.endswith(".");
    rest = tail;
  }
}

bool isResource(llvm::StringRef text) {
  const auto [domain, name] = text.split('/');
  const auto fits = [](char c) { return llvm::isAlnum(c) || llvm::StringRef("-_.").contains(c); };
  return isDomain(domain) && !name.empty() && name.size() <= 63 && llvm::all_of(name, fits) &&
         llvm::isAlnum(name.front()) && llvm::isAlnum(name.back());
}

bool isPath(llvm::StringRef text) { return text.startswith("/") && !text.contains("/../"); }

void checkNames(const Job& job, Findings& findings) {
  const ir::KubernetesRequest& wanted = job.launch.kubernetes;
  if (const std::string name = jobName(job); !isLabel(name, true))
    findings.report<rule::JobName>("launch.name", oneLine(name));
  else if (const std::string pod = longestPodName(job); pod.size() > 63)
    findings.report<rule::PodName>("launch.name", pod, pod.size());
  if (!isLabel(wanted.nameSpace, false))
    findings.report<rule::Namespace>("launch.launcher.namespace", oneLine(wanted.nameSpace));
  if (!wanted.queue.empty() && !isLabel(wanted.queue, false))
    findings.report<rule::QueueName>("launch.launcher.queue", oneLine(wanted.queue));
  if (!isResource(wanted.gpu))
    findings.report<rule::ResourceName>("launch.launcher.gpu_resource", oneLine(wanted.gpu));
  if (!wanted.rdma.empty() && !isResource(wanted.rdma))
    findings.report<rule::ResourceName>("launch.launcher.rdma.resource", oneLine(wanted.rdma));
  else if (wanted.rdma == wanted.gpu)
    findings.report<rule::ResourceTwice>("launch.launcher.rdma.resource", wanted.rdma);
}

/// The path that the job itself mounts and with which a mount at `place` would overlap; empty if
/// there is none.
std::string takenBelow(llvm::StringRef place) {
  for (const llvm::StringRef own : {llvm::StringRef("/dev/shm"), llvm::StringRef(filesPlace)})
    if (own == place || place.startswith((own + "/").str()) || own.startswith((place + "/").str()))
      return own.str();
  return "";
}

void checkMounts(const Job& job, Findings& findings) {
  for (const auto& [place, source] : job.launch.mounts) {
    const std::string path = "launch.mount." + place;
    const llvm::StringRef at = llvm::StringRef(place).rtrim('/');
    if (!llvm::StringRef(place).startswith("/") || llvm::StringRef(place).contains(':'))
      findings.report<rule::MountPlace>(path, oneLine(place));
    else if (const std::string taken = takenBelow(at); !taken.empty())
      findings.report<rule::MountTaken>(path, taken);
    llvm::StringRef claim = source;
    if (!(claim.consume_front(claimPrefix) ? isDomain(claim) : isPath(source)))
      findings.report<rule::MountSource>(path, oneLine(source));
  }
}

void checkTrainJob(const Job& job, Findings& findings) {
  const ir::KubernetesRequest& wanted = job.launch.kubernetes;
  const std::optional<Release> version = Release::parse(wanted.version);
  const bool known = version && llvm::any_of(trainerReleases,
                                             [&](const Release& r) { return r.covers(*version); });
  if (!known)
    findings.report<rule::TrainerVersion>("launch.launcher.job.version", oneLine(wanted.version));
  else if (wanted.time > 0 && *version < Release("2.2"))
    findings.report<rule::TimeLimit>("launch.launcher.time", wanted.version);
  for (const auto& [name, value] : job.launch.environment)
    if (llvm::is_contained(reservedByTrainer, name))
      findings.report<rule::ReservedVariable>("launch.env." + name, name);
}

void checkLaunch(const TargetRequest& request, Findings& findings) {
  const Job job(request);
  if (!checkJob<rule::Common>(job, ir::ViaKind::Kubernetes, findings))
    return;
  const ir::Launch& launch = job.launch;
  if (const std::string own = job.framework();
      (own == "deepspeed" || own == "accelerate") && launch.arguments.empty())
    findings.report<rule::TrainingScript>("launch", own);
  const ir::Cluster& cluster = job.plan.cluster;
  if (launch.image.empty())
    findings.report<rule::NoImage>("launch.container");
  else if (oneLine(launch.image) != launch.image || launch.image.find(' ') != std::string::npos ||
           launch.image.find("://") != std::string::npos)
    findings.report<rule::ImageName>("launch.container", oneLine(launch.image));
  if (!job.given)
    return;
  checkNames(job, findings);
  checkMounts(job, findings);
  checkCheckpoints(job, findings);
  if (launch.kubernetes.job == ir::KubernetesJobKind::TrainJob)
    checkTrainJob(job, findings);
  if (launch.restarts > mostRestarts)
    findings.report<rule::Restarts>("launch.max_restarts", launch.restarts, mostRestarts);
  if (!launch.folder.empty() && launch.folder.front() != '/')
    findings.report<rule::WorkingFolder>("launch.working_dir", oneLine(launch.folder));
  if (const DeviceKind kind = kindOf(cluster, cluster.device());
      kind != DeviceKind::Unknown && launch.kubernetes.gpu == "nvidia.com/gpu")
    findings.report<rule::OtherResource>("launch.launcher.gpu_resource", launch.kubernetes.gpu,
                                         cluster.device().name, wordOf(kind));
  if (const std::uint64_t least = ir::leastCpus(cluster); least > 0 && launch.cpus > least)
    findings.report<rule::Cpus>("launch.cpus", launch.cpus, least);
  if (const std::uint64_t least = ir::leastHostMemory(cluster); least > 0 && launch.memory > least)
    findings.report<rule::Memory>("launch.memory", mebibytes(launch.memory), least / mebibyte);
  if (job.nodes > 1 && launch.kubernetes.rdma.empty() && !findings.any())
    findings.warn<diag::PodsOverTcp>("launch.launcher", job.nodes);
}

std::vector<EmittedFile> render(const TargetRequest& request) {
  const Job job(request);
  return {{"apply.sh", applyFile(job), true}, {"job.yaml", jobFile(job), false}};
}

} // namespace

std::string kubernetes::jobName(const Job& job) {
  if (!job.launch.job.empty())
    return job.launch.job;
  std::string name;
  for (const char c : job.name())
    name += c == '_' ? '-' : llvm::toLower(c);
  return name;
}

std::string kubernetes::longestPodName(const Job& job) {
  const std::uint64_t last = job.nodes - 1;
  // The job controller appends five characters to the name.
  if (job.launch.kubernetes.job != ir::KubernetesJobKind::PyTorchJob)
    return fmt::format("{}-node-0-{}-xxxxx", jobName(job), last);
  return last == 0 ? jobName(job) + "-master-0"
                   : fmt::format("{}-worker-{}", jobName(job), last - 1);
}

bool kubernetes::isLabel(llvm::StringRef text, bool beginsWithLetter) {
  const auto fits = [](char c) { return isSmall(c) || c == '-'; };
  return !text.empty() && text.size() <= 63 && llvm::all_of(text, fits) && text.back() != '-' &&
         text.front() != '-' && !(beginsWithLetter && llvm::isDigit(text.front()));
}

namespace dpl::kubernetes {
extern const Target target;
const Target target{"kubernetes", "Kubernetes",        "a TrainJob, PyTorchJob or JobSet",
                    {},           rule::all,           checkLaunch,
                    render,       TargetRole::Launcher};
} // namespace dpl::kubernetes
