#pragma once
//===- Launch.h - How a layout is launched ----------------------------------------------------===//
#include "ir/Basics.h"

namespace dpl::ir {

enum class ViaKind : std::uint8_t { Torchrun, Slurm, Kubernetes, Mpirun };
enum class RendezvousKind : std::uint8_t { Static, C10d };
enum class KubernetesJobKind : std::uint8_t { TrainJob, PyTorchJob, JobSet };

/// Fields of `launcher = slurm`. Empty texts are not set.
struct SlurmRequest {
  std::string partition, account, qos, constraint, reservation;
  std::string gpu;        ///< type of the generic resource: "h100" asks for gpu:h100
  std::string output;     ///< file pattern: "%x-%j.out"
  std::uint64_t time = 0; ///< time limit in s, rounded up
  bool exclusive = true;
  template <class V> void fields(V& v) {
    v("partition", partition), v("account", account), v("qos", qos), v("constraint", constraint);
    v("reservation", reservation), v("gpu_type", gpu), v("output", output), v("time", time);
    v("exclusive", exclusive);
  }
};

/// Fields of `launcher = kubernetes`. Empty texts are not set.
struct KubernetesRequest {
  KubernetesJobKind job = KubernetesJobKind::TrainJob;
  std::string version; ///< version of Kubeflow Trainer, for TrainJob: "2.3"
  std::string nameSpace, queue;
  std::string gpu;                ///< name of the resource: "nvidia.com/gpu"
  std::uint64_t time = 0;         ///< time limit in s, rounded up; 0: none
  std::uint64_t sharedMemory = 0; ///< bytes of /dev/shm; 0: the memory of the pod
  bool hostNetwork = false;
  std::string rdma;            ///< name of the resource: "rdma/hca"
  std::uint64_t rdmaCount = 0; ///< RDMA resources per pod
  template <class V> void fields(V& v) {
    v("job", job), v("version", version), v("namespace", nameSpace), v("queue", queue);
    v("gpu_resource", gpu), v("time", time), v("shared_memory", sharedMemory),
        v("host_network", hostNetwork);
    v("rdma", rdma), v("rdma_count", rdmaCount);
  }
};

/// The data loader of a training process.
struct DataLoader {
  bool given = false;
  std::uint64_t workers = 0;  ///< processes per training process
  std::uint64_t prefetch = 0; ///< batches that each one has ready; 0: the framework's default
  template <class V> void fields(V& v) {
    v("given", given), v("workers", workers), v("prefetch_factor", prefetch);
  }
};

/// A `launch` block whose run uses the plan's layout. It changes no figure of the plan, and is not
/// part of the plan's hash.
struct Launch {
  std::string name; ///< name of the block
  std::string run;  ///< name of its run in Plan::runs
  std::string job;  ///< name of the job; empty: the block's name
  ViaKind via = ViaKind::Torchrun;
  RendezvousKind rendezvous = RendezvousKind::Static; ///< kind of rendezvous, for Torchrun
  std::string logs;                                   ///< folder of logs, for Torchrun
  SlurmRequest slurm;
  KubernetesRequest kubernetes;
  std::vector<std::string> hosts;            ///< hosts in node order, for Mpirun
  std::string image;                         ///< container image; empty: no container
  std::map<std::string, std::string> mounts; ///< source by path in the container
  std::map<std::string, std::string> environment;
  std::string folder, data, checkpoints; ///< paths where the processes run
  DataLoader loader;
  std::vector<std::string> program;   ///< program to start if no framework is emitted
  std::vector<std::string> arguments; ///< arguments after those of the program or framework
  std::uint64_t port = 0;
  std::uint64_t cpus = 0;   ///< CPUs per node; 0: all threads of the node
  std::uint64_t memory = 0; ///< bytes per node; 0: the memory of the node
  std::uint64_t restarts = 0;
  std::uint64_t notice = 0; ///< s between the signal to stop and the end; 0: no signal
  /// Where each field was last set, by path ("launch.launcher.partition"; "launch" is the block).
  FieldRanges ranges; ///< not printed

  /// The range of the path, or of the nearest enclosing one.
  SourceRange rangeOf(const std::string& path) const;

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
