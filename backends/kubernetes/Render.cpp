//===- Render.cpp - A job as TrainJob, PyTorchJob or JobSet -----------------------------------===//
#include "backends/Yaml.h"
#include "backends/kubernetes/Kubernetes.h"
#include "support/Utf8.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::launcher;
using namespace dpl::kubernetes;

namespace {

/// The name of the training step, and of a JobSet's replicated job. It is a part of longestPodName.
constexpr const char* step = "node";

Json metadata(const Job& job) {
  Json out = {{"name", jobName(job)}, {"namespace", job.launch.kubernetes.nameSpace}};
  if (!job.launch.kubernetes.queue.empty())
    out["labels"] = {{"kueue.x-k8s.io/queue-name", job.launch.kubernetes.queue}};
  return out;
}

std::string filesName(const Job& job) {
  return fmt::format("{}-{}", jobName(job), job.framework());
}

/// Shell text that sets a pod's node rank, by kind of job.
std::string placeOf(const Job& job) {
  switch (job.launch.kubernetes.job) {
  case ir::KubernetesJobKind::TrainJob:
    return fmt::format("export NODE_RANK=\"$PET_NODE_RANK\" MASTER_ADDR=\"$PET_MASTER_ADDR\" "
                       "MASTER_PORT={}\n",
                       job.launch.port);
  case ir::KubernetesJobKind::PyTorchJob:
    return "export NODE_RANK=\"$RANK\"\n";
  case ir::KubernetesJobKind::JobSet:
    return fmt::format("export NODE_RANK=\"$JOB_COMPLETION_INDEX\" MASTER_ADDR={0}-{1}-0-0.{0} "
                       "MASTER_PORT={2}\n",
                       jobName(job), step, job.launch.port);
  }
  return "";
}

Json commandOf(const Job& job) {
  const std::string start = job.framework().empty() ? torchrunOf(job) : "exec";
  return {"bash", "-c", unexpanded(fmt::format("{}{} \"$@\"", placeOf(job), start)), "bash"};
}

Json argumentsOf(const Job& job) {
  Json out = Json::array();
  if (!job.framework().empty())
    out.push_back(fmt::format("{}/{}/launch.sh", filesPlace, job.framework()));
  for (const std::string& word : job.words())
    out.push_back(unexpanded(word));
  return out;
}

Json variablesOf(const Job& job) {
  Json out = Json::array();
  for (const auto& [variable, value] : job.variables())
    out.push_back({{"name", variable}, {"value", unexpanded(value)}});
  return out;
}

Json resourcesOf(const Job& job) {
  const ir::KubernetesRequest& wanted = job.launch.kubernetes;
  Json limits; // quantities are strings in Kubernetes
  limits[wanted.gpu] = std::to_string(job.gpus);
  if (!wanted.rdma.empty())
    limits[wanted.rdma] = std::to_string(wanted.rdmaCount);
  if (job.launch.cpus > 0)
    limits["cpu"] = std::to_string(job.launch.cpus);
  if (job.launch.memory > 0)
    limits["memory"] = fmt::format("{}Mi", job.givenMemory());
  return {{"limits", limits}};
}

/// Adds the volumes of the pod and their mounts in the container.
void addVolumes(const Job& job, Json& pod, Json& container) {
  Json volumes = Json::array(), places = Json::array();
  const auto add = [&](const std::string& name, const char* kind, Json what, std::string place) {
    volumes.push_back({{"name", name}, {kind, std::move(what)}});
    places.push_back({{"name", name}, {"mountPath", std::move(place)}});
  };
  Json shared = {{"medium", "Memory"}};
  if (job.launch.kubernetes.sharedMemory > 0)
    shared["sizeLimit"] = fmt::format("{}Mi", mebibytes(job.launch.kubernetes.sharedMemory));
  add("shared-memory", "emptyDir", shared, "/dev/shm");
  if (!job.framework().empty())
    add("files", "configMap", {{"name", filesName(job)}, {"defaultMode", 0755}},
        fmt::format("{}/{}", filesPlace, job.framework()));
  std::size_t index = 0;
  for (const auto& [place, source] : job.launch.mounts) {
    const std::string name = fmt::format("mount-{}", index++);
    llvm::StringRef claim = source;
    if (claim.consume_front(claimPrefix))
      add(name, "persistentVolumeClaim", {{"claimName", claim.str()}}, place);
    else
      add(name, "hostPath", {{"path", source}}, place);
  }
  container["volumeMounts"] = std::move(places);
  pod["volumes"] = std::move(volumes);
}

/// The spec of a pod. In the runtime of a TrainJob `complete` is false, because the TrainJob itself
/// has the command.
Json podOf(const Job& job, const char* containerName, bool complete) {
  Json container = {{"name", containerName}, {"image", job.launch.image}};
  if (complete) {
    container["command"] = commandOf(job);
    container["args"] = argumentsOf(job);
    if (const Json variables = variablesOf(job); !variables.empty())
      container["env"] = variables;
    container["resources"] = resourcesOf(job);
  }
  if (!job.launch.kubernetes.rdma.empty()) // needed because network cards access locked pages
    container["securityContext"] = {{"capabilities", {{"add", {"IPC_LOCK"}}}}};
  if (!job.launch.folder.empty())
    container["workingDir"] = job.launch.folder;
  if (job.launch.kubernetes.job == ir::KubernetesJobKind::PyTorchJob)
    container["ports"] =
        Json::array({Json{{"name", "pytorchjob-port"}, {"containerPort", job.launch.port}}});
  Json pod;
  if (job.launch.kubernetes.hostNetwork) {
    pod["hostNetwork"] = true;
    pod["dnsPolicy"] = "ClusterFirstWithHostNet";
  }
  if (job.launch.kubernetes.job != ir::KubernetesJobKind::PyTorchJob)
    pod["restartPolicy"] = "Never";
  if (job.launch.notice > 0) // time between SIGTERM and SIGKILL
    pod["terminationGracePeriodSeconds"] = job.launch.notice;
  Json volumes;
  addVolumes(job, volumes, container);
  pod["containers"] = Json::array({std::move(container)});
  pod["volumes"] = volumes["volumes"];
  return pod;
}

/// The spec of a JobSet with one indexed job. Its pods are the nodes.
Json jobSetSpec(const Job& job, bool complete) {
  const std::uint64_t time = job.launch.kubernetes.time;
  Json nodes;
  if (complete)
    nodes = {{"completionMode", "Indexed"}, {"completions", job.nodes}, {"parallelism", job.nodes}};
  nodes["backoffLimit"] = 0; // one failed pod ends the attempt
  if (complete && time > 0)
    nodes["activeDeadlineSeconds"] = time;
  nodes["template"] = {{"spec", podOf(job, step, complete)}};
  Json replicated = {{"name", step}, {"replicas", 1}, {"template", Json::object()}};
  if (!complete)
    replicated["template"]["metadata"] = {
        {"labels", {{"trainer.kubeflow.org/trainjob-ancestor-step", "trainer"}}}};
  replicated["template"]["spec"] = std::move(nodes);
  Json out;
  if (job.launch.restarts > 0)
    out["failurePolicy"] = {{"maxRestarts", job.launch.restarts}};
  if (complete)
    out["network"] = {{"enableDNSHostnames", true}, {"publishNotReadyAddresses", true}};
  out["replicatedJobs"] = Json::array({std::move(replicated)});
  return out;
}

Json jobSet(const Job& job) {
  return {{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
          {"kind", "JobSet"},
          {"metadata", metadata(job)},
          {"spec", jobSetSpec(job, true)}};
}

Json trainingRuntime(const Job& job) {
  return {{"apiVersion", "trainer.kubeflow.org/v1alpha1"},
          {"kind", "TrainingRuntime"},
          {"metadata", {{"name", jobName(job)}, {"namespace", job.launch.kubernetes.nameSpace}}},
          {"spec",
           {{"mlPolicy", {{"numNodes", job.nodes}, {"torch", Json::object()}}},
            {"template", {{"spec", jobSetSpec(job, false)}}}}}};
}

Json trainJob(const Job& job) {
  Json trainer = {{"image", job.launch.image},  {"command", commandOf(job)},
                  {"args", argumentsOf(job)},   {"numNodes", job.nodes},
                  {"numProcPerNode", job.gpus}, {"resourcesPerNode", resourcesOf(job)}};
  if (const Json variables = variablesOf(job); !variables.empty())
    trainer["env"] = variables;
  Json spec;
  if (job.launch.kubernetes.time > 0)
    spec["activeDeadlineSeconds"] = job.launch.kubernetes.time;
  spec["runtimeRef"] = {
      {"apiGroup", "trainer.kubeflow.org"}, {"kind", "TrainingRuntime"}, {"name", jobName(job)}};
  spec["trainer"] = std::move(trainer);
  return {{"apiVersion", "trainer.kubeflow.org/v1alpha1"},
          {"kind", "TrainJob"},
          {"metadata", metadata(job)},
          {"spec", std::move(spec)}};
}

Json pytorchJob(const Job& job) {
  const auto replicas = [&](std::uint64_t count) {
    return Json{{"replicas", count},
                {"restartPolicy", job.launch.restarts > 0 ? "OnFailure" : "Never"},
                {"template", {{"spec", podOf(job, "pytorch", true)}}}};
  };
  Json policy = {{"cleanPodPolicy", "Running"}};
  if (job.launch.restarts > 0)
    policy["backoffLimit"] = job.launch.restarts;
  if (job.launch.kubernetes.time > 0)
    policy["activeDeadlineSeconds"] = job.launch.kubernetes.time;
  Json nodes = {{"Master", replicas(1)}};
  if (job.nodes > 1)
    nodes["Worker"] = replicas(job.nodes - 1);
  // Without nprocPerNode the operator starts one process per node.
  return {{"apiVersion", "kubeflow.org/v1"},
          {"kind", "PyTorchJob"},
          {"metadata", metadata(job)},
          {"spec",
           {{"nprocPerNode", std::to_string(job.gpus)},
            {"runPolicy", std::move(policy)},
            {"pytorchReplicaSpecs", std::move(nodes)}}}};
}

std::string kindText(const Job& job) {
  switch (job.launch.kubernetes.job) {
  case ir::KubernetesJobKind::TrainJob:
    return fmt::format("A TrainJob of Kubeflow Trainer {} and its runtime",
                       oneLine(job.launch.kubernetes.version));
  case ir::KubernetesJobKind::PyTorchJob:
    return "A PyTorchJob of Kubeflow's training operator 1.9";
  case ir::KubernetesJobKind::JobSet:
    return "A JobSet";
  }
  return "";
}

} // namespace

std::string kubernetes::unexpanded(llvm::StringRef text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (text[i] == '$' && (next == '$' || next == '('))
      out += '$';
  }
  return out;
}

std::string kubernetes::jobFile(const Job& job) {
  std::string out =
      headerOf(job.request) + "#\n" + job.summary() + fmt::format("# {}.\n", kindText(job));
  if (const std::string lines = neededLines(job); !lines.empty())
    out +=
        fmt::format("# {}/launch.sh asks for what `env` of the launch does not give; the image has "
                    "to:\n{}",
                    job.framework(), lines);
  switch (job.launch.kubernetes.job) {
  case ir::KubernetesJobKind::TrainJob:
    return out + yamlDocument(trainingRuntime(job)) + yamlDocument(trainJob(job));
  case ir::KubernetesJobKind::PyTorchJob:
    return out + yamlDocument(pytorchJob(job));
  case ir::KubernetesJobKind::JobSet:
    return out + yamlDocument(jobSet(job));
  }
  return out;
}

std::string kubernetes::applyFile(const Job& job) {
  std::string out = "#!/usr/bin/env bash\n" + headerOf(job.request) +
                    "#\n# Brings the job to the cluster that kubectl speaks to.\n"
                    "set -euo pipefail\n\n"
                    "here=$(cd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")\" && pwd)\n";
  if (!job.framework().empty())
    out +=
        fmt::format("kubectl create configmap {} --namespace {} --from-file=\"$here/../{}\" \\\n"
                    "  --dry-run=client --output yaml | kubectl apply --server-side --filename -\n",
                    filesName(job), job.launch.kubernetes.nameSpace, job.framework());
  return out + "kubectl apply --server-side --filename \"$here/job.yaml\"\n";
}
