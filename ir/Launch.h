#pragma once
//===- Launch.h - Where and how a layout is started -------------------------------------------===//
#include "ir/Basics.h"

namespace dpl::ir {

enum class ViaKind : std::uint8_t { Torchrun, Slurm, Kubernetes, Mpirun };
enum class RendezvousKind : std::uint8_t { Static, C10d };
enum class KubernetesJobKind : std::uint8_t { TrainJob, PyTorchJob, JobSet };

/// Of `launcher = slurm`. An empty text is not given.
struct SlurmRequest {
  std::string partition, account, qos, constraint, reservation;
  std::string gpu;        ///< type of the generic resource: "h100" asks for gpu:h100
  std::string output;     ///< file pattern: "%x-%j.out"
  std::uint64_t time = 0; ///< s, rounded up
  bool exclusive = true;
  template <class V> void fields(V& v) {
    v("partition", partition), v("account", account), v("qos", qos), v("constraint", constraint);
    v("reservation", reservation), v("gpu_type", gpu), v("output", output), v("time", time);
    v("exclusive", exclusive);
  }
};

/// Of `launcher = kubernetes`. An empty text is not given.
struct KubernetesRequest {
  KubernetesJobKind job = KubernetesJobKind::TrainJob;
  std::string version; ///< of Kubeflow Trainer, with TrainJob: "2.3"
  std::string nameSpace, queue;
  std::string gpu;                ///< name of the resource: "nvidia.com/gpu"
  std::uint64_t time = 0;         ///< s, rounded up; 0 is without a limit
  std::uint64_t sharedMemory = 0; ///< bytes of /dev/shm; 0 is as much as the memory of the pod
  bool hostNetwork = false;
  std::string rdma;            ///< name of the resource: "rdma/hca"
  std::uint64_t rdmaCount = 0; ///< of it, a pod
  template <class V> void fields(V& v) {
    v("job", job), v("version", version), v("namespace", nameSpace), v("queue", queue);
    v("gpu_resource", gpu), v("time", time), v("shared_memory", sharedMemory),
        v("host_network", hostNetwork);
    v("rdma", rdma), v("rdma_count", rdmaCount);
  }
};

/// A `launch` block whose run uses the plan's layout. It changes no figure of the plan, and no part
/// of it is in the plan's hash.
/// Who reads the batches of a training process.
struct DataLoader {
  bool given = false;
  std::uint64_t workers = 0;  ///< processes beside it
  std::uint64_t prefetch = 0; ///< batches that each has ready; 0 is the framework's number
  template <class V> void fields(V& v) {
    v("given", given), v("workers", workers), v("prefetch_factor", prefetch);
  }
};

struct Launch {
  std::string name; ///< of the block
  std::string run;  ///< name of its run, among Plan::runs
  std::string job;  ///< the job's own name; empty is that of the block
  ViaKind via = ViaKind::Torchrun;
  RendezvousKind rendezvous = RendezvousKind::Static; ///< of Torchrun
  std::string logs;                                   ///< of Torchrun: a folder
  SlurmRequest slurm;
  KubernetesRequest kubernetes;
  std::vector<std::string> hosts;            ///< of Mpirun, in the order of the nodes
  std::string image;                         ///< of the container; empty is without one
  std::map<std::string, std::string> mounts; ///< place in the container to source
  std::map<std::string, std::string> environment;
  std::string folder, data, checkpoints; ///< paths where the processes run
  DataLoader loader;
  std::vector<std::string> program;   ///< what to start where no framework is emitted beside
  std::vector<std::string> arguments; ///< behind those of the program or the framework
  std::uint64_t port = 0;
  std::uint64_t cpus = 0;   ///< of a node's task; 0 is those of the node
  std::uint64_t memory = 0; ///< bytes of a node's task; 0 is that of the node
  std::uint64_t restarts = 0;
  std::uint64_t notice = 0; ///< s that it has to save and end when it is told to; 0: it is not told
  /// Where each field was last set, by path ("launch.launcher.partition"; "launch" is the block).
  std::map<std::string, SourceRange> ranges; ///< not printed

  SourceRange rangeOf(const std::string& path) const; ///< of the path, or the nearest enclosing one

  template <class V> void fields(V& v) {
    v("name", name), v("run", run), v("job", job), v("launcher", via), v("rendezvous", rendezvous);
    v("log_dir", logs), v("slurm", slurm), v("kubernetes", kubernetes), v("hosts", hosts);
    v("image", image), v("mounts", mounts), v("environment", environment), v("working_dir", folder);
    v("data_path", data), v("data_loader", loader), v("checkpoint_dir", checkpoints);
    v("program", program), v("arguments", arguments), v("master_port", port);
    v("cpus", cpus), v("memory", memory), v("max_restarts", restarts), v("grace_period", notice);
  }
};

} // namespace dpl::ir
