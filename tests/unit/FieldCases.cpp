//===- FieldCases.cpp - For each field of the library a change that should show ---------------===//
#include "FieldCases.h"
#include <fmt/format.h>

using namespace dpl::test;

namespace {
constexpr const char* cluster = R"(import std.devices
import std.models
device chip from devices.h100_sxm {}
cluster pod {
  nodes = 8
  node { gpus = 4, gpu = chip }
  domain { bandwidth = 450GB/s per gpu, latency = 2us }
  nic { bandwidth = 400Gbps per nic }
  leaf { nodes = 2, oversubscription = 2 }
  pod { nodes = 4 }
  jitter = lognormal { cv = 0.05 }
  price = 2usd/h per gpu
}
)";
constexpr const char* model = R"(model llm from models.decoder {
  layers = 8
  hidden = 2048
  heads = 16
  kv_heads = 8
  vocab = 32_000
  context = 2048tok
  ffn = gated { width = 5632 }
}
)";
constexpr const char* layout = R"(layout plan for llm on pod {
  batch = 64seq
  mesh { pipeline = 2, data = 4, tensor = 4 }
  shard { optimizer = data }
}
)";
constexpr const char* run = R"(layout other from plan { micro_batch = 2seq }
run train for plan {
  phase[0] { tokens = 1Gtok }
  checkpoint { every = 500step }
}
)";
constexpr const char* tiers =
    "pod.failures.leaf = (1 / 900h) per leaf; pod.storage.write = 10GB/s; "
    "train.checkpoint.mode = tiers { node = 1s, peers = 2s, every_storage = 4 }";
constexpr const char* rest = R"(search layout fast from plan {
  keep = 2
  minimize step_time
}
study scale for train {
  vary { pod.jitter.cv in [0.1, 0.2], pod.nic.latency in [1us, 2us] }
  outputs = [mfu]
  plot { x = pod.jitter.cv, y = mfu }
}
)";
constexpr const char* drawn = "scale.outputs = [step_time.mean, run[train].time.mean]";
constexpr const char* severalSeeds =
    "scale.outputs = [step_time.mean, run[train].time.mean]; scale.seeds = [1, 2]";
constexpr const char* parts = R"(import std.devices
import std.models
device chip from devices.h100_sxm {}
cluster pod {
  nodes = 8
  node { gpus = 4, gpu = chip }
  domain { bandwidth = 450GB/s per gpu, latency = 2us }
  nic { bandwidth = 400Gbps per nic }
  part["old"] { nodes = 4, node.gpu.speed = 0.9 }
  price = 2usd/h per gpu
}
)";
constexpr const char* sites = R"(import std.devices
import std.models
cluster pod {
  nodes = 8
  node { gpus = 4, gpu = devices.h100_sxm }
  domain { bandwidth = 450GB/s per gpu, latency = 2us }
  nic { bandwidth = 400Gbps per nic }
  site { nodes = 4, bandwidth = 100Gbps per site, latency = 1ms }
}
)";
constexpr const char* experts = R"(model llm from models.decoder {
  layers = 8
  hidden = 2048
  heads = 16
  vocab = 32_000
  context = 2048tok
  attention = mla { kv_rank = 512, nope = 128, rope = 64, value = 128 }
  ffn = experts { count = 16, active = 4, width = 1024, shared = 1, router { balance = off } }
}
layout plan for llm on pod {
  batch = 64seq
  mesh { pipeline = 2, data = 8, tensor = 2, experts { data = 4, expert = 4, tensor = 1 } }
  shard { sequence = tensor }
}
)";
constexpr const char* list = R"(model net from models.layer_list {
  layer[0] { name = "all", repeat = 4, parameters = 1_000_000, forward = 1TFLOP, output = 1000 }
}
layout plan for net on pod {
  batch = 64sample
  mesh { data = rest }
}
run train for plan {
  phase[0] { steps = 1000step }
}
)";
} // namespace

std::string dpl::test::baseText(Base base) {
  const std::string dense = fmt::format("{}{}{}{}", cluster, model, layout, run);
  switch (base) {
  case Base::Dense:
    return dense + "launch job for train { via = torchrun }\n" + rest;
  case Base::Parts:
    return fmt::format("{}{}{}", parts, model, layout);
  case Base::Sites:
    return fmt::format("{}{}{}", sites, model, layout);
  case Base::Experts:
    return fmt::format("{}{}", cluster, experts);
  case Base::List:
    return fmt::format("{}{}", cluster, list);
  case Base::Slurm:
    return dense + "launch job for train { via = slurm { partition = \"gpu\", time = 1d } }\n";
  case Base::Kubernetes:
    return dense + "launch job for train {\n  via = kubernetes { job = trainjob }\n"
                   "  container { image = \"pytorch:25.04\" }\n}\n";
  case Base::Mpirun:
    return dense + "launch job for train { via = mpirun }\n";
  }
  return "";
}

std::vector<FieldCase> dpl::test::fieldCases() {
  using enum Base;
  std::vector<FieldCase> out;
  for (const auto& cases : {clusterFieldCases(), modelFieldCases(), layoutFieldCases()})
    out.insert(out.end(), cases.begin(), cases.end());
  const FieldCase others[] = {
      {"layout_search.keep", Dense, "", "fast.keep = 3"},

      {"phase.layout", Dense, "", "train.phase[0].layout = other"},
      {"phase.tokens", Dense, "", "train.phase[0].tokens = 2Gtok"},
      {"phase.steps", Dense, "", "text: tokens = 1Gtok => steps = 77step"},
      {"phase.samples", List, "", "text: steps = 1000step => samples = 128_000sample"},
      {"phase.batch", Dense, "", "train.phase[0].batch = 128seq"},
      {"checkpoint.every", Dense, "", "train.checkpoint.every = 100step"},
      {"checkpoint.keep", Dense, "", "train.checkpoint.keep = 3"},
      {"checkpoint.mode", Dense, "", "train.checkpoint.mode = async"},
      {"checkpoint_mode.async.snapshot", Dense, "train.checkpoint.mode = async",
       "train.checkpoint.mode.snapshot = 5s"},
      {"run.phase", Dense, "", "train.phase[0].tokens = 3Gtok"},
      {"run.optimizer", Dense, "", "train.optimizer = adamw { beta1 = 0.5 }"},
      {"run.checkpoint", Dense, "", "train.checkpoint.every = 200step"},
      {"checkpoint_mode.peers.copy", Dense, "train.checkpoint.mode = peers { copy = 1s }",
       "train.checkpoint.mode.copy = 5s"},
      {"checkpoint_mode.tiers.node", Dense, tiers, "train.checkpoint.mode.node = 5s"},
      {"checkpoint_mode.tiers.peers", Dense, tiers, "train.checkpoint.mode.peers = 5s"},
      {"checkpoint_mode.tiers.every_peers", Dense, tiers, "train.checkpoint.mode.every_peers = 3"},
      {"checkpoint_mode.tiers.every_storage", Dense, tiers,
       "train.checkpoint.mode.every_storage = 9"},
      {"run.spares", Dense, "pod.failures.gpu = (1 / 900h) per gpu; pod.failures.repair = 1h",
       "train.spares = 2"},
      {"run.least", Dense, "pod.failures.gpu = (1 / 900h) per gpu; pod.failures.repair = 1h",
       "train.least = 4"},
      {"run.budget", Dense, "", "train.budget = 5usd"},
      {"kubernetes_job.trainjob.version", Kubernetes, "", "job.via.job.version = \"2.2\""},
      {"via.torchrun.rendezvous", Dense, "", "job.via.rendezvous = c10d"},
      {"via.torchrun.logs", Dense, "", "job.via.logs = \"logs\""},
      {"via.slurm.partition", Slurm, "", "job.via.partition = \"other\""},
      {"via.slurm.time", Slurm, "", "job.via.time = 2d"},
      {"via.slurm.account", Slurm, "", "job.via.account = \"llm\""},
      {"via.slurm.qos", Slurm, "", "job.via.qos = \"high\""},
      {"via.slurm.constraint", Slurm, "", "job.via.constraint = \"ib\""},
      {"via.slurm.reservation", Slurm, "", "job.via.reservation = \"week\""},
      {"via.slurm.gpu", Slurm, "", "job.via.gpu = \"h100\""},
      {"via.slurm.exclusive", Slurm, "", "job.via.exclusive = false"},
      {"via.slurm.output", Slurm, "", "job.via.output = \"out.txt\""},
      {"via.kubernetes.job", Kubernetes, "", "job.via.job = jobset"},
      {"via.kubernetes.namespace", Kubernetes, "", "job.via.namespace = \"llm\""},
      {"via.kubernetes.queue", Kubernetes, "", "job.via.queue = \"batch\""},
      {"via.kubernetes.gpu", Kubernetes, "", "job.via.gpu = \"amd.com/gpu\""},
      {"via.kubernetes.time", Kubernetes, "job.via.job = jobset", "job.via.time = 2d"},
      {"via.kubernetes.shared_memory", Kubernetes, "", "job.via.shared_memory = 64GiB"},
      {"via.kubernetes.host_network", Kubernetes, "", "job.via.host_network = true"},
      {"via.kubernetes.rdma", Kubernetes, "", "job.via.rdma.resource = \"rdma/hca\""},
      {"rdma.resource", Kubernetes, "", "job.via.rdma.resource = \"rdma/ib\""},
      {"rdma.count", Kubernetes, "job.via.rdma.resource = \"rdma/hca\"", "job.via.rdma.count = 8"},
      {"via.mpirun.hosts", Mpirun, "",
       "job.via.hosts = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]"},
      {"container.image", Kubernetes, "", "job.container.image = \"pytorch:25.05\""},
      {"launch.via", Slurm, "", "job.via.time = 3d"},
      {"launch.name", Slurm, "", "job.name = \"night\""},
      {"launch.container", Kubernetes, "", "job.container.image = \"pytorch:25.06\""},
      {"launch.mount", Kubernetes, "", "job.mount[\"/data\"] = \"/lustre/data\""},
      {"launch.env", Slurm, "", "job.env[\"NCCL_DEBUG\"] = \"WARN\""},
      {"launch.folder", Slurm, "", "job.folder = \"/work\""},
      {"launch.data", Slurm, "", "job.data = \"/data/text\""},
      {"launch.loader", Slurm, "", "job.loader.workers = 4"},
      {"loader.workers", Slurm, "job.loader.workers = 2", "job.loader.workers = 4"},
      {"loader.prefetch", Slurm, "job.loader.workers = 2", "job.loader.prefetch = 8"},
      {"launch.checkpoints", Slurm, "", "job.checkpoints = \"/ckpt\""},
      {"launch.program", Slurm, "", "job.program = [\"train.py\"]"},
      {"launch.arguments", Slurm, "", "job.arguments = [\"--verbose\"]"},
      {"launch.port", Slurm, "", "job.port = 30_000"},
      {"launch.cpus", Slurm, "", "job.cpus = 16"},
      {"launch.memory", Slurm, "", "job.memory = 64GiB"},
      {"launch.notice", Slurm, "job.checkpoints = \"/ckpt\"", "job.notice = 10min"},
      {"launch.restarts", Slurm, "", "job.restarts = 2"},
      {"plot.x", Dense, "", "text: plot { x = pod.jitter.cv => plot { x = pod.nic.latency"},
      {"plot.y", Dense, "", "text: y = mfu => y = step_time"},
      {"plot.series", Dense, "", "text: y = mfu => y = mfu, series = pod.nic.latency"},
      {"study.layout", Dense, "",
       "text: study scale for train { => study scale for pod {\n  layout = plan"},
      {"study.vary", Dense, "", "text: [0.1, 0.2] => [0.1, 0.3]"},
      {"study.hold", Dense, "", "scale.hold = fixed_per_worker_batch"},
      {"study.seeds", Dense, drawn, "scale.seeds = [1, 2]"},
      {"study.sampling", Dense, "", "scale.sampling = zip"},
      {"study.steps", Dense, drawn, "scale.steps = 7"},
      {"study.draws", Dense, drawn, "scale.draws = 7"},
      {"study.until", Dense, severalSeeds, "scale.until = 1pct"},
      {"study.level", Dense, drawn, "scale.level = collective"},
      {"sampling.random.points", Dense, "scale.sampling = random { points = 2 }",
       "scale.sampling.points = 1"},
      {"sampling.random.seed", Dense, "scale.sampling = random { points = 2 }",
       "scale.sampling.seed = 2"},
      {"study.outputs", Dense, "", "scale.outputs = [step_time]"},
      {"study.plot", Dense, "", "text: y = mfu => y = tokens_per_second"},
      {"lint.communication", Dense, "", "lint.communication = 0.001"},
      {"lint.bubble", Dense, "", "lint.bubble = 0.001"},
      {"lint.headroom", Dense, "", "lint.headroom = 0.999"},
      {"lint.imbalance", Dense, "", "lint.imbalance = 1.0001"},
  };
  out.insert(out.end(), std::begin(others), std::end(others));
  return out;
}
