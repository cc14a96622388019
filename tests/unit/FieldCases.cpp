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
  checkpoint { interval = 500step }
}
)";
constexpr const char* tiers =
    "pod.failures.leaf = (1 / 900h) per leaf; pod.storage.write = 10GB/s; "
    "train.checkpoint.mode = multi_level { node = 1s, peers = 2s, every_storage = 4 }";
constexpr const char* increments = "pod.storage.write = 10GB/s; train.checkpoint.mode = "
                                   "incremental { share = 0.1, every_full = 4 }";
constexpr const char* rest = R"(search layout fast from plan {
  keep = 2
  minimize [step_time.p95, run[train].time.mean]
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
  node_pool["old"] { nodes = 4, node.gpu.speed = 0.9 }
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
  attention = mla { kv_lora_rank = 512, qk_nope_head_dim = 128, qk_rope_head_dim = 64, v_head_dim = 128 }
  ffn = experts { count = 16, top_k = 4, width = 1024, shared = 1, router { balance = none } }
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
constexpr const char* problem = R"(model net from models.layer_list {
  layer[0] { name = "all", repeat = 4, parameters = 1_000_000, forward = 1TFLOP, output = 1000 }
}
layout plan for net on pod {
  batch = 64sample
  mesh { data = rest }
  optimizer = sgd { lr = constant { value = 0.1 } }
}
quadratic bowl { curvature = log_spaced { count = 3, condition = 10 } }
quadratic other { curvature = listed { curvatures = [1] } }
run train for plan { phase[0] { problem = bowl } }
)";
constexpr const char* numbers = R"(model net from models.layer_list {
  layer[0] { name = "all", repeat = 4, parameters = 1_000_000, forward = 1TFLOP, output = 1000 }
}
layout plan for net on pod {
  batch = 64sample
  mesh { data = rest }
}
numbers some { values = listed { items = [1, 2, 3] } }
run train for plan { phase[0] { problem = some } }
)";
} // namespace

std::string dpl::test::baseText(Base base) {
  const std::string dense = fmt::format("{}{}{}{}", cluster, model, layout, run);
  switch (base) {
  case Base::Dense:
    return dense + "launch job for train { launcher = torchrun }\n" + rest;
  case Base::Parts:
    return fmt::format("{}{}{}", parts, model, layout);
  case Base::Sites:
    return fmt::format("{}{}{}", sites, model, layout);
  case Base::Experts:
    return fmt::format("{}{}", cluster, experts);
  case Base::List:
    return fmt::format("{}{}", cluster, list);
  case Base::Problem:
    return fmt::format("{}{}", cluster, problem);
  case Base::Numbers:
    return fmt::format("{}{}", cluster, numbers);
  case Base::Slurm:
    return dense + "launch job for train { launcher = slurm { partition = \"gpu\", time = 1d } }\n";
  case Base::Kubernetes:
    return dense + "launch job for train {\n  launcher = kubernetes { job = trainjob }\n"
                   "  container { image = \"pytorch:25.04\" }\n}\n";
  case Base::Mpirun:
    return dense + "launch job for train { launcher = mpirun }\n";
  }
  return "";
}

std::vector<FieldCase> dpl::test::fieldCases() {
  using enum Base;
  std::vector<FieldCase> out;
  for (const auto& cases : {clusterFieldCases(), modelFieldCases(), layoutFieldCases(),
                            problemFieldCases(), adviceFieldCases()})
    out.insert(out.end(), cases.begin(), cases.end());
  const FieldCase others[] = {
      {"layout_search.keep", Dense, "", "fast.keep = 3"},
      {"layout_search.seeds", Dense, "", "fast.seeds = [1, 2]"},
      {"layout_search.steps", Dense, "", "fast.steps = 7"},
      {"layout_search.draws", Dense, "", "fast.draws = 7"},
      {"layout_search.level", Dense, "", "fast.level = collective"},
      {"layout_search.vary", Dense, "",
       "text:   keep = 2 =>   vary { pod.nodes in [8, 16] }\n  keep = 2"},
      {"layout_search.worst_of", Dense, "",
       "text:   keep = 2 =>   worst_of { pod.nodes in [8, 16] }\n  keep = 2"},

      {"phase.layout", Dense, "", "train.phase[0].layout = other"},
      {"phase.tokens", Dense, "", "train.phase[0].tokens = 2Gtok"},
      {"phase.steps", Dense, "", "text: tokens = 1Gtok => steps = 77step"},
      {"phase.samples", List, "", "text: steps = 1000step => samples = 128_000sample"},
      {"phase.batch", Dense, "", "train.phase[0].batch = 128seq"},
      {"checkpoint.interval", Dense, "", "train.checkpoint.interval = 100step"},
      {"checkpoint.keep", Dense, "", "train.checkpoint.keep = 3"},
      {"checkpoint.mode", Dense, "", "train.checkpoint.mode = async"},
      {"checkpoint_mode.async.snapshot", Dense, "train.checkpoint.mode = async",
       "train.checkpoint.mode.snapshot = 5s"},
      {"run.phase", Dense, "", "train.phase[0].tokens = 3Gtok"},
      {"run.optimizer", Dense, "", "train.optimizer = adamw { beta1 = 0.5 }"},
      {"run.checkpoint", Dense, "", "train.checkpoint.interval = 200step"},
      {"checkpoint_mode.peers.copy", Dense, "train.checkpoint.mode = peers { copy = 1s }",
       "train.checkpoint.mode.copy = 5s"},
      {"checkpoint_mode.multi_level.node", Dense, tiers, "train.checkpoint.mode.node = 5s"},
      {"checkpoint_mode.multi_level.peers", Dense, tiers, "train.checkpoint.mode.peers = 5s"},
      {"checkpoint_mode.multi_level.every_peers", Dense, tiers,
       "train.checkpoint.mode.every_peers = 3"},
      {"checkpoint_mode.multi_level.every_storage", Dense, tiers,
       "train.checkpoint.mode.every_storage = 9"},
      {"phase.local_period", List, "plan.synchronization = local { period = 8 }",
       "train.phase[0].local_period = 2"},
      {"checkpoint_mode.incremental.share", Dense, increments, "train.checkpoint.mode.share = 0.5"},
      {"checkpoint_mode.incremental.every_full", Dense, increments,
       "train.checkpoint.mode.every_full = 9"},
      {"run.spare_nodes", Dense, "pod.failures.gpu = (1 / 900h) per gpu; pod.failures.repair = 1h",
       "train.spare_nodes = 2"},
      {"run.min_nodes", Dense, "pod.failures.gpu = (1 / 900h) per gpu; pod.failures.repair = 1h",
       "train.min_nodes = 4"},
      {"run.budget", Dense, "", "train.budget = 5usd"},
      {"kubernetes_job.trainjob.version", Kubernetes, "", "job.launcher.job.version = \"2.2\""},
      {"launcher.torchrun.rendezvous", Dense, "", "job.launcher.rendezvous = c10d"},
      {"launcher.torchrun.log_dir", Dense, "", "job.launcher.log_dir = \"logs\""},
      {"launcher.slurm.partition", Slurm, "", "job.launcher.partition = \"other\""},
      {"launcher.slurm.time", Slurm, "", "job.launcher.time = 2d"},
      {"launcher.slurm.account", Slurm, "", "job.launcher.account = \"llm\""},
      {"launcher.slurm.qos", Slurm, "", "job.launcher.qos = \"high\""},
      {"launcher.slurm.constraint", Slurm, "", "job.launcher.constraint = \"ib\""},
      {"launcher.slurm.reservation", Slurm, "", "job.launcher.reservation = \"week\""},
      {"launcher.slurm.gpu_type", Slurm, "", "job.launcher.gpu_type = \"h100\""},
      {"launcher.slurm.exclusive", Slurm, "", "job.launcher.exclusive = false"},
      {"launcher.slurm.output", Slurm, "", "job.launcher.output = \"out.txt\""},
      {"launcher.kubernetes.job", Kubernetes, "", "job.launcher.job = jobset"},
      {"launcher.kubernetes.namespace", Kubernetes, "", "job.launcher.namespace = \"llm\""},
      {"launcher.kubernetes.queue", Kubernetes, "", "job.launcher.queue = \"batch\""},
      {"launcher.kubernetes.gpu_resource", Kubernetes, "",
       "job.launcher.gpu_resource = \"amd.com/gpu\""},
      {"launcher.kubernetes.time", Kubernetes, "job.launcher.job = jobset",
       "job.launcher.time = 2d"},
      {"launcher.kubernetes.shared_memory", Kubernetes, "", "job.launcher.shared_memory = 64GiB"},
      {"launcher.kubernetes.host_network", Kubernetes, "", "job.launcher.host_network = true"},
      {"launcher.kubernetes.rdma", Kubernetes, "", "job.launcher.rdma.resource = \"rdma/hca\""},
      {"rdma.resource", Kubernetes, "", "job.launcher.rdma.resource = \"rdma/ib\""},
      {"rdma.count", Kubernetes, "job.launcher.rdma.resource = \"rdma/hca\"",
       "job.launcher.rdma.count = 8"},
      {"launcher.mpirun.hosts", Mpirun, "",
       "job.launcher.hosts = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]"},
      {"container.image", Kubernetes, "", "job.container.image = \"pytorch:25.05\""},
      {"launch.launcher", Slurm, "", "job.launcher.time = 3d"},
      {"launch.name", Slurm, "", "job.name = \"night\""},
      {"launch.container", Kubernetes, "", "job.container.image = \"pytorch:25.06\""},
      {"launch.mount", Kubernetes, "", "job.mount[\"/data\"] = \"/lustre/data\""},
      {"launch.env", Slurm, "", "job.env[\"NCCL_DEBUG\"] = \"WARN\""},
      {"launch.working_dir", Slurm, "", "job.working_dir = \"/work\""},
      {"launch.data_path", Slurm, "", "job.data_path = \"/data/text\""},
      {"launch.data_loader", Slurm, "", "job.data_loader.workers = 4"},
      {"data_loader.workers", Slurm, "job.data_loader.workers = 2", "job.data_loader.workers = 4"},
      {"data_loader.prefetch_factor", Slurm, "job.data_loader.workers = 2",
       "job.data_loader.prefetch_factor = 8"},
      {"launch.checkpoint_dir", Slurm, "", "job.checkpoint_dir = \"/ckpt\""},
      {"launch.program", Slurm, "", "job.program = [\"train.py\"]"},
      {"launch.arguments", Slurm, "", "job.arguments = [\"--verbose\"]"},
      {"launch.master_port", Slurm, "", "job.master_port = 30_000"},
      {"launch.cpus", Slurm, "", "job.cpus = 16"},
      {"launch.memory", Slurm, "", "job.memory = 64GiB"},
      {"launch.grace_period", Slurm, "job.checkpoint_dir = \"/ckpt\"", "job.grace_period = 10min"},
      {"launch.max_restarts", Slurm, "", "job.max_restarts = 2"},
      {"plot.x", Dense, "", "text: plot { x = pod.jitter.cv => plot { x = pod.nic.latency"},
      {"plot.y", Dense, "", "text: y = mfu => y = step_time"},
      {"plot.series", Dense, "", "text: y = mfu => y = mfu, series = pod.nic.latency"},
      {"study.layout", Dense, "",
       "text: study scale for train { => study scale for pod {\n  layout = plan"},
      {"study.vary", Dense, "", "text: [0.1, 0.2] => [0.1, 0.3]"},
      {"study.scaling", Dense, "", "scale.scaling = fixed_per_worker_batch"},
      {"study.seeds", Dense, drawn, "scale.seeds = [1, 2]"},
      {"study.sampling", Dense, "", "scale.sampling = zip"},
      {"study.steps", Dense, drawn, "scale.steps = 7"},
      {"study.draws", Dense, drawn, "scale.draws = 7"},
      {"study.target_half_width", Dense, severalSeeds, "scale.target_half_width = 1pct"},
      {"study.level", Dense, drawn, "scale.level = collective"},
      {"sampling.random.points", Dense, "scale.sampling = random { points = 2 }",
       "scale.sampling.points = 1"},
      {"sampling.random.seed", Dense, "scale.sampling = random { points = 2 }",
       "scale.sampling.seed = 2"},
      {"study.outputs", Dense, "", "scale.outputs = [step_time]"},
      {"study.plot", Dense, "", "text: y = mfu => y = tokens_per_second"},
  };
  out.insert(out.end(), std::begin(others), std::end(others));
  return out;
}
