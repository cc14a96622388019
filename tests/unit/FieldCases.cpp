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
constexpr const char* onBus =
    "pod.coupling.bus = shared_bus { bandwidth = 60GB/s, computing = 15GB/s, flows = 3 }";
constexpr const char* tiers =
    "pod.failures.leaf = (1 / 900h) per leaf; pod.storage.write = 10GB/s; "
    "train.checkpoint.mode = tiers { node = 1s, peers = 2s, every_storage = 4 }";
constexpr const char* rest = R"(search layout fast from plan {
  keep = 2
  minimize step_time
}
study scale for train {
  vary { pod.jitter.cv in [0.1, 0.2] }
  outputs = [mfu]
  plot { x = pod.jitter.cv, y = mfu }
}
)";
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
  std::vector<FieldCase> out = modelFieldCases();
  const FieldCase others[] = {
      {"sustained.matmul", Dense, "", "chip.sustained.matmul = 0.5"},
      {"sustained.narrow", Dense, "plan.precision.compute = fp8", "chip.sustained.narrow = 0.3"},
      {"sustained.attention", Dense, "", "chip.sustained.attention = 0.2"},
      {"sustained.memory", Dense, "", "chip.sustained.memory = 0.5"},
      {"sustained.saturation", Dense, "", "chip.sustained.saturation = 500"},
      {"sustained.contention", Dense, "", "chip.sustained.contention = 0.3"},
      {"power.busy", Dense, "", "chip.power.busy = 300W"},
      {"power.idle", Dense, "", "chip.power.idle = 30W"},
      {"device.memory", Dense, "", "chip.memory = 60GiB"},
      {"device.memory_bandwidth", Dense, "", "chip.memory_bandwidth = 2TB/s"},
      {"device.peak", Dense, "", "chip.peak[bf16] = 500TFLOPS"},
      {"device.sustained", Dense, "", "chip.sustained.matmul = 0.4"},
      {"device.launch", Dense, "", "chip.launch = 500us"},
      {"device.reserved", Dense, "", "chip.reserved = 4GiB"},
      {"device.workspace", Dense, "", "chip.workspace = 1GiB"},
      {"device.host", Dense,
       "plan.offload.optimizer = 0.5; chip.host.link = 10GB/s; chip.host.memory = 40GB/s",
       "chip.host.link = 20GB/s"},
      {"host_memory.link", Dense,
       "plan.offload.optimizer = 0.5; chip.host.link = 10GB/s; chip.host.memory = 40GB/s",
       "chip.host.link = 20GB/s"},
      {"host_memory.memory", Dense,
       "plan.offload.optimizer = 0.5; chip.host.link = 10GB/s; chip.host.memory = 40GB/s",
       "chip.host.memory = 20GB/s"},
      {"device.speed", Dense, "", "chip.speed = 0.5"},
      {"device.power", Dense, "", "chip.power.busy = 400W"},
      {"node.gpus", Dense, "", "pod.node.gpus = 8; plan.mesh.data = 8"},
      {"node.gpu", Dense, "", "pod.node.gpu.speed = 0.5"},
      {"node.cpus", Slurm, "", "pod.node.cpus = 64"},
      {"node.memory", Slurm, "", "pod.node.memory = 512GB"},
      {"link.bandwidth", Dense, "", "pod.network.bandwidth = 100Gbps per gpu"},
      {"link.latency", Dense, "", "pod.network.latency = 100us"},
      {"link.efficiency", Dense, "", "pod.network.efficiency = 0.5"},
      {"domain.nodes", Dense, "", "pod.domain.nodes = 2"},
      {"domain.in_switch", Dense, "plan.micro_batch = 4seq", "pod.domain.in_switch = 1.0"},
      {"domain.peer_links", Dense, "", "pod.domain.peer_links = 7"},
      {"collectives.nccl.call", Dense, "", "pod.collectives = nccl { call = 100us }"},
      {"collectives.nccl.in_step", Dense, "plan.overlap.gradients = false",
       "pod.collectives = nccl { in_step = 0.9 }"},
      {"collectives.closed_form.algorithm", Dense, "pod.collectives = closed_form",
       "pod.collectives.algorithm = halving_doubling"},
      {"collectives.nccl.rings", Dense, "", "pod.collectives = nccl { rings = scattered }"},
      {"affinity.ports", Dense,
       "pod.affinity { ports = [0, 1, 2, 3], bandwidth = 10GB/s per node }",
       "pod.affinity.ports = [1, 0, 2, 3]"},
      {"affinity.bandwidth", Dense,
       "pod.affinity { ports = [1, 0, 2, 3], bandwidth = 10GB/s per node }",
       "pod.affinity.bandwidth = 5GB/s per node"},
      {"cluster.affinity", Dense, "",
       "pod.affinity { ports = [1, 0, 2, 3], bandwidth = 10GB/s per node }"},
      {"cluster.collectives", Dense, "", "pod.collectives = closed_form"},
      {"nic.count", Dense, "", "pod.nic.count = 0.5 per gpu"},
      {"nic.bandwidth", Dense, "", "pod.nic.bandwidth = 200Gbps per nic"},
      {"nic.latency", Dense, "", "pod.nic.latency = 100us"},
      {"tier.nodes", Dense, "", "pod.leaf.nodes = 4"},
      {"tier.oversubscription", Dense, "", "pod.leaf.oversubscription = 4"},
      {"site.nodes", Sites, "", "pod.site.nodes = 2"},
      {"site.bandwidth", Sites, "", "pod.site.bandwidth = 50Gbps per site"},
      {"site.latency", Sites, "", "pod.site.latency = 20ms"},
      {"site.efficiency", Sites, "", "pod.site.efficiency = 0.5"},
      {"part.nodes", Parts, "", "pod.part[\"old\"].nodes = 2"},
      {"part.node", Parts, "", "pod.part[\"old\"].node.gpu.speed = 0.5"},
      {"part.nic", Parts, "", "pod.part[\"old\"].nic.bandwidth = 100Gbps per nic"},
      {"part.price", Parts, "", "pod.part[\"old\"].price = 1usd/h per gpu"},
      {"jitter.lognormal.cv", Dense, "", "pod.jitter.cv = 0.2"},
      {"jitter.lognormal.node", Dense, "", "pod.jitter.node = 0.5"},
      {"jitter.gamma.cv", Dense, "", "pod.jitter = gamma { cv = 0.2 }"},
      {"jitter.exponential.cv", Dense, "", "pod.jitter = exponential { cv = 0.2 }"},
      {"jitter.pareto.shape", Dense, "", "pod.jitter = pareto { shape = 5.0 }"},
      {"jitter.lognormal.lasts", List, "", "pod.jitter.lasts = 10step"},
      {"jitter.rare.share", Dense, "pod.jitter = rare { share = 0.1, slowdown = 2 }",
       "pod.jitter.share = 0.2"},
      {"jitter.rare.slowdown", Dense, "pod.jitter = rare { share = 0.1, slowdown = 2 }",
       "pod.jitter.slowdown = 3"},
      {"jitter.rare.cv", Dense, "pod.jitter = rare { share = 0.1, slowdown = 2 }",
       "pod.jitter.cv = 0.1"},
      {"jitter.measured.times", Dense, "pod.jitter = measured { times = [1, 2] }",
       "pod.jitter.times = [1, 3]"},
      {"jitter.measured.lasts", List, "pod.jitter = measured { times = [1, 2] }",
       "pod.jitter.lasts = 10step"},
      {"coupling.factor", List, "pod.coupling.factor = 1.5", "pod.coupling.factor = 2"},
      {"coupling.among", List, "pod.coupling.factor = 1.5", "pod.coupling.among = leaf"},
      {"cluster.coupling", List, "", "pod.coupling.factor = 1.5"},
      {"coupling.bus", List, "",
       "pod.coupling.bus = shared_bus { bandwidth = 60GB/s, computing = 15GB/s, flows = 3 }"},
      {"shared_bus.bandwidth", List, onBus, "pod.coupling.bus.bandwidth = 90GB/s"},
      {"shared_bus.computing", List, onBus, "pod.coupling.bus.computing = 12GB/s"},
      {"shared_bus.flows", List, onBus, "pod.coupling.bus.flows = 6"},
      {"synchrony.local.period", List, "plan.synchrony = local { period = 2 }",
       "plan.synchrony.period = 4"},
      {"synchrony.backup.workers", List, "plan.synchrony = backup { workers = 1 }",
       "plan.synchrony.workers = 2"},
      {"synchrony.bounded.steps", List, "plan.synchrony = bounded { steps = 1 }",
       "plan.synchrony.steps = 4"},
      {"layout.synchrony", List, "plan.synchrony = asynchronous", "plan.synchrony = detached"},
      {"layout.servers", List, "", "plan.servers { count = 2 }"},
      {"servers.count", List, "plan.servers { count = 2 }", "plan.servers.count = 4"},
      {"servers.duplex", List, "plan.servers { count = 2 }", "plan.servers.duplex = false"},
      {"servers.pieces", List, "plan.servers { count = 2 }", "plan.servers.pieces = 8"},
      {"servers.hottest", List, "plan.servers { count = 2 }", "plan.servers.hottest = 0.75"},
      {"servers.density", List, "plan.servers { count = 2 }", "plan.servers.density = 0.1"},
      {"layout.shares", List, "plan.synchrony = asynchronous; plan.batch = 256sample",
       "plan.shares = adaptive"},
      {"layout.pacing", List, "pod.coupling.factor = 1.5", "plan.pacing = fixed { delay = 5ms }"},
      {"pacing.fixed.delay", List, "pod.coupling.factor = 1.5; plan.pacing = fixed { delay = 5ms }",
       "plan.pacing.delay = 1ms"},
      {"pacing.feedback.change", List,
       "pod.coupling.factor = 1.5; plan.pacing = feedback { change = 5ms }",
       "plan.pacing.change = 1ms"},
      {"failures.link", Dense, "",
       "text:   nodes = 8 =>   failures { link = (1 / 9h) per nic }\n  nodes = 8"},
      {"failures.leaf", Dense, "",
       "text:   nodes = 8 =>   failures { leaf = (1 / 9h) per leaf }\n  nodes = 8"},
      {"failures.storage", Dense, "",
       "text:   nodes = 8 =>   failures { storage = 1 / 9h }\n  nodes = 8"},
      {"failures.detection", Dense, "",
       "text:   nodes = 8 =>   failures { gpu = (1 / 9h) per gpu, detection = 1h }\n  nodes = 8"},
      {"failures.repair", Dense, "",
       "text:   nodes = 8 =>   failures { gpu = (1 / 900h) per gpu, repair = 1h }\n  nodes = 8"},
      {"failures.slow", Dense, "",
       "text:   nodes = 8 =>   failures { slow { rate = (1 / 900h) per gpu, slowdown = 2, "
       "detection = 1h } }\n  nodes = 8"},
      {"slow_device.rate", Dense,
       "pod.failures.slow.slowdown = 2; pod.failures.slow.detection = "
       "1h; pod.failures.slow.rate = (1 / 900h) per gpu",
       "pod.failures.slow.rate = (1 / 90h) per gpu"},
      {"slow_device.slowdown", Dense,
       "pod.failures.slow.slowdown = 2; pod.failures.slow.detection = "
       "1h; pod.failures.slow.rate = (1 / 900h) per gpu",
       "pod.failures.slow.slowdown = 3"},
      {"slow_device.detection", Dense,
       "pod.failures.slow.slowdown = 2; pod.failures.slow.detection = "
       "1h; pod.failures.slow.rate = (1 / 900h) per gpu",
       "pod.failures.slow.detection = 2h"},
      {"failures.gpu", Dense, "",
       "text:   nodes = 8 =>   failures { gpu = (1 / 9h) per gpu }\n  nodes = 8"},
      {"failures.restart", Dense, "",
       "text:   nodes = 8 =>   failures { gpu = (1 / 8h) per gpu, restart = 1h }\n  nodes = 8"},
      {"failures.nic", Dense, "",
       "text:   nodes = 8 =>   failures { gpu = (1 / 9h) per gpu, nic = (1 / 9h) per nic }\n  "
       "nodes = 8"},
      {"failures.node", Dense, "",
       "text:   nodes = 8 =>   failures { gpu = (1 / 9h) per gpu, node = (1 / 9h) per node }\n  "
       "nodes = 8"},
      {"storage.write", Dense, "", "text:   nodes = 8 =>   storage { write = 1GB/s }\n  nodes = 8"},
      {"storage.read", Dense, "",
       "text:   nodes = 8 =>   storage { write = 1GB/s, read = 2GB/s }\n  nodes = 8"},
      {"spine.oversubscription", Dense, "", "pod.spine.oversubscription = 4"},
      {"cluster.nodes", Dense, "", "pod.nodes = 16; plan.mesh.data = 8"},
      {"cluster.node", Dense, "", "pod.node.gpu.speed = 0.7"},
      {"cluster.domain", Dense, "", "pod.domain.bandwidth = 100GB/s per gpu"},
      {"cluster.nic", Dense, "", "pod.nic.latency = 1ms"},
      {"cluster.network", Dense, "", "pod.network.efficiency = 0.3"},
      {"cluster.spine", Dense, "", "pod.spine.oversubscription = 2"},
      {"cluster.leaf", Dense, "", "pod.leaf.oversubscription = 3"},
      {"cluster.pod", Dense, "", "pod.pod.oversubscription = 3"},
      {"cluster.site", Sites, "", "pod.site.latency = 50ms"},
      {"cluster.part", Parts, "", "pod.part[\"old\"].nodes = 1"},
      {"cluster.jitter", Dense, "", "pod.jitter = none"},
      {"cluster.failures", Dense, "",
       "text:   nodes = 8 =>   failures { gpu = (1 / 8h) per gpu }\n  nodes = 8"},
      {"cluster.storage", Dense, "",
       "text:   nodes = 8 =>   storage { write = 3GB/s }\n  nodes = 8"},
      {"cluster.price", Dense, "", "pod.price = 3usd/h per gpu"},
      {"cluster.energy", Dense, "", "pod.energy = 0.1usd/kWh"},

      {"expert_mesh.data", Experts, "", "plan.mesh.experts.data = 2; plan.mesh.experts.expert = 8"},
      {"expert_mesh.expert", Experts, "",
       "plan.mesh.experts.expert = 2; plan.mesh.experts.data = 8"},
      {"expert_mesh.tensor", Experts, "",
       "plan.mesh.experts.tensor = 2; plan.mesh.experts.data = 2"},
      {"mesh.replica", Dense, "",
       "text: pipeline = 2, data = 4 => replica = 2, pipeline = 2, data = 2"},
      {"mesh.pipeline", Dense, "", "plan.mesh.pipeline = 4; plan.mesh.data = 2"},
      {"mesh.data", Dense, "", "plan.mesh.data = 8; plan.mesh.tensor = 2"},
      {"mesh.context", Dense, "", "text: data = 4, tensor => data = 2, context = 2, tensor"},
      {"mesh.tensor", Dense, "", "plan.mesh.tensor = 2; plan.mesh.data = 8"},
      {"mesh.experts", Experts, "", "plan.mesh.experts.expert = 8; plan.mesh.experts.data = 2"},
      {"schedule.interleaved_1f1b.chunks", Dense, "plan.schedule = interleaved_1f1b { chunks = 2 }",
       "plan.schedule.chunks = 4"},
      {"schedule.looped_bfs.chunks", Dense, "plan.schedule = looped_bfs { chunks = 2 }",
       "plan.schedule.chunks = 4"},
      {"schedule.interleaved_zb.chunks", Dense, "plan.schedule = interleaved_zb { chunks = 2 }",
       "plan.schedule.chunks = 4"},
      {"schedule.zb_auto.in_flight", Dense, "plan.schedule = zb_auto { in_flight = 1 }",
       "plan.schedule.in_flight = 4"},
      {"schedule.interleaved_1f1b.group", Dense,
       "plan.batch = 32seq; plan.split = balanced; plan.schedule = interleaved_1f1b { chunks = 2 }",
       "plan.schedule.group = 4"},
      {"schedule.listed.ranks", Dense,
       "plan.batch = 8seq; plan.schedule = listed { ranks = [\"F0 F1 B0 B1\", \"F0 B0 F1 B1\"] }",
       "plan.schedule.ranks = [\"F0 B0 F1 B1\", \"F0 B0 F1 B1\"]"},
      {"schedule.listed.chunks", Dense,
       "plan.batch = 8seq; plan.schedule = listed { ranks = [\"0F0 0F1 0B0 0B1\", \"1F0 1B0 1F1 "
       "1B1\"] }",
       "plan.schedule.chunks = 2; plan.schedule.ranks = [\"0F0 0F1 2F0 2F1 2B0 2B1 0B0 0B1\", "
       "\"1F0 1F1 3F0 3F1 3B0 3B1 1B0 1B1\"]"},
      {"schedule.listed.placement", Dense,
       "plan.batch = 8seq; plan.schedule = listed { chunks = 2, ranks = [\"0F0 0F1 2F0 2F1 2B0 2B1 "
       "0B0 0B1\", \"1F0 1F1 3F0 3F1 3B0 3B1 1B0 1B1\"] }",
       "plan.schedule.placement = v_shaped; plan.schedule.ranks = [\"0F0 0F1 3F0 3F1 3B0 3B1 0B0 "
       "0B1\", \"1F0 1F1 2F0 2F1 2B0 2B1 1B0 1B1\"]"},
      {"recompute.selective.modules", Dense, "plan.recompute = selective",
       "plan.recompute.modules = [mlp]"},
      {"recompute.full.method", Dense, "plan.recompute = full { layers = 2 }",
       "plan.recompute.method = block"},
      {"recompute.selective.in_advance", Dense, "plan.recompute = selective",
       "plan.recompute.in_advance = true"},
      {"recompute.full.in_advance", Dense, "plan.recompute = full",
       "plan.recompute.in_advance = true"},
      {"recompute.full.layers", Dense, "plan.recompute = full", "plan.recompute.layers = 2"},
      {"shard.parameters", Dense, "plan.shard.gradients = data", "plan.shard.parameters = data"},
      {"shard.gradients", Dense, "", "plan.shard.gradients = data"},
      {"shard.optimizer", Dense, "", "plan.shard.optimizer = none"},
      {"shard.sequence", Dense, "", "plan.shard.sequence = tensor"},
      {"shard.messages", Dense, "", "plan.shard.messages = tensor"},
      {"shard.reshard", Dense, "plan.shard.gradients = data; plan.shard.parameters = data",
       "plan.shard.reshard = false"},
      {"module_precision.compute", Dense, "", "plan.precision.module[\"head\"].compute = fp32"},
      {"precision.recipe", Dense, "plan.precision.compute = fp8",
       "plan.precision.recipe = blockwise"},
      {"precision.compute", Dense, "", "plan.precision.compute = fp16"},
      {"precision.parameters", Dense, "", "plan.precision.parameters = fp32"},
      {"precision.gradients", Dense, "", "plan.precision.gradients = bf16"},
      {"precision.accumulation", Dense, "", "plan.precision.accumulation = bf16"},
      {"precision.reduce", Dense, "", "plan.precision.reduce = bf16"},
      {"precision.master", Dense, "", "plan.precision.master = none"},
      {"precision.moments", Dense, "", "plan.precision.moments = bf16"},
      {"precision.module", Dense, "", "plan.precision.module[\"head\"].compute = fp16"},
      {"optimizer.adamw.beta1", Dense, "", "plan.optimizer.beta1 = 0.8"},
      {"optimizer.adamw.beta2", Dense, "", "plan.optimizer.beta2 = 0.99"},
      {"optimizer.adamw.weight_decay", Dense, "", "plan.optimizer.weight_decay = 0.2"},
      {"optimizer.adamw.lr", Dense, "", "plan.optimizer.lr = constant { value = 1e-4 }"},
      {"optimizer.adam.beta1", Dense, "plan.optimizer = adam", "plan.optimizer.beta1 = 0.8"},
      {"optimizer.adam.beta2", Dense, "plan.optimizer = adam", "plan.optimizer.beta2 = 0.99"},
      {"optimizer.adam.lr", Dense, "plan.optimizer = adam",
       "plan.optimizer.lr = constant { value = 1e-4 }"},
      {"optimizer.sgd.momentum", Dense, "plan.optimizer = sgd", "plan.optimizer.momentum = 0.5"},
      {"optimizer.sgd.lr", Dense, "plan.optimizer = sgd",
       "plan.optimizer.lr = constant { value = 1e-4 }"},
      {"learning_rate.constant.value", Dense, "plan.optimizer.lr = constant { value = 1e-4 }",
       "plan.optimizer.lr.value = 2e-4"},
      {"learning_rate.constant.warmup", Dense, "plan.optimizer.lr = constant { value = 1e-4 }",
       "plan.optimizer.lr.warmup = 100step"},
      {"learning_rate.cosine.peak", Dense, "plan.optimizer.lr = cosine { peak = 1e-4 }",
       "plan.optimizer.lr.peak = 2e-4"},
      {"learning_rate.cosine.end", Dense, "plan.optimizer.lr = cosine { peak = 1e-4 }",
       "plan.optimizer.lr.end = 1e-5"},
      {"learning_rate.cosine.warmup", Dense, "plan.optimizer.lr = cosine { peak = 1e-4 }",
       "plan.optimizer.lr.warmup = 100step"},
      {"learning_rate.linear.peak", Dense, "plan.optimizer.lr = linear { peak = 1e-4 }",
       "plan.optimizer.lr.peak = 2e-4"},
      {"learning_rate.linear.end", Dense, "plan.optimizer.lr = linear { peak = 1e-4 }",
       "plan.optimizer.lr.end = 1e-5"},
      {"learning_rate.linear.warmup", Dense, "plan.optimizer.lr = linear { peak = 1e-4 }",
       "plan.optimizer.lr.warmup = 100step"},
      {"overlap.gradients", Dense, "", "plan.overlap.gradients = false"},
      {"overlap.parameters", Dense, "", "plan.overlap.parameters = false"},
      {"overlap.pipeline", Dense, "", "plan.overlap.pipeline = false"},
      {"overlap.tensor", Dense, "", "plan.overlap.tensor = true"},
      {"overlap.experts", Experts, "", "plan.overlap.experts = true"},
      {"split.stages.layers", Dense, "", "plan.split = [5, 3]"},
      {"framework.megatron.version", Dense, "plan.framework = megatron",
       "plan.framework.version = \"0.16\""},
      {"framework.deepspeed.version", Dense, "plan.framework = deepspeed",
       "plan.framework.version = \"0.17\""},
      {"framework.accelerate.version", Dense, "plan.framework = accelerate",
       "plan.framework.version = \"0.1\""},
      {"framework.torchtitan.version", Dense, "plan.framework = torchtitan",
       "plan.framework.version = \"0.2\""},
      {"framework.nanotron.version", Dense,
       "plan.framework = nanotron; plan.shard.sequence = tensor",
       "plan.framework.version = \"2024.12\""},
      {"framework.pytorch.version", Dense, "plan.framework = pytorch",
       "plan.framework.version = \"0.1\""},
      {"layout.framework", Dense, "", "plan.framework = megatron"},
      {"layout.devices", Dense, "", "plan.devices = 16; plan.mesh.data = 2"},
      {"layout.mesh", Dense, "", "plan.mesh.data = 2; plan.mesh.tensor = 8"},
      {"layout.batch", Dense, "", "plan.batch = 128seq"},
      {"layout.micro_batch", Dense, "", "plan.micro_batch = 4seq"},
      {"layout.micro_batch_costs", Dense, "", "plan.micro_batch_costs = [1, 3]"},
      {"layout.schedule", Dense, "", "plan.schedule = gpipe"},
      {"layout.split", Dense, "", "plan.split = by_flop"},
      {"layout.embedding_slots", Dense, "llm.layers = 7", "plan.embedding_slots = 1"},
      {"layout.head_slots", Dense, "llm.layers = 7", "plan.head_slots = 1"},
      {"layout.recompute", Dense, "", "plan.recompute = full"},
      {"layout.shard", Dense, "", "plan.shard.sequence = tensor"},
      {"layout.precision", Dense, "", "plan.precision.compute = fp8"},
      {"layout.optimizer", Dense, "", "plan.optimizer = sgd"},
      {"layout.update", Dense, "", "plan.update = 1s"},
      {"layout.post_validation", Dense, "plan.mesh.pipeline = 2", "plan.post_validation = true"},
      {"layout.overlap", Dense, "", "plan.overlap.gradients = false"},
      {"layout.vocab_multiple", Dense, "", "plan.vocab_multiple = 8192"},
      {"layout.fused_attention", Dense, "", "plan.fused_attention = false"},
      {"layout.kernels", Dense, "", "plan.kernels.norm = separate"},
      {"kernels.norm", Dense, "", "plan.kernels.norm = separate"},
      {"kernels.rotary", Dense, "", "plan.kernels.rotary = separate"},
      {"kernels.activation", Dense, "", "plan.kernels.activation = separate"},
      {"kernels.loss", Dense, "", "plan.kernels.loss = eager"},
      {"kernels.permutation", Experts, "", "plan.kernels.permutation = fused"},
      {"kernels.router", Experts, "", "plan.kernels.router = fused"},
      {"kernels.dispatch", Experts, "", "plan.kernels.dispatch = hybridep"},
      {"kernels.experts", Experts, "", "plan.kernels.experts = grouped"},
      {"dispatch.deepep.fp8", Experts, "", "plan.kernels.dispatch = deepep { fp8 = true }"},
      {"kernels.transposed", Dense, "plan.micro_batch = 2seq", "plan.kernels.transposed = true"},
      {"layout.buffers", Dense, "plan.shard.optimizer = none", "plan.buffers.buckets = bf16"},
      {"buffers.buckets", Dense, "plan.shard.optimizer = none", "plan.buffers.buckets = bf16"},
      {"buffers.pass_gradients", Dense, "", "plan.buffers.pass_gradients = fp32"},
      {"buffers.gathered", Dense, "plan.shard.sequence = tensor", "plan.buffers.gathered = 2"},
      {"buffers.keep_gathered", Dense, "plan.shard.sequence = tensor",
       "plan.buffers.keep_gathered = true"},
      {"buffers.flat_update", Dense, "plan.shard.optimizer = data",
       "plan.buffers.flat_update = true"},
      {"buffers.whole_gradients", Dense,
       "plan.mesh.pipeline = 2; plan.shard { gradients = data, optimizer = data }",
       "plan.buffers.whole_gradients = fp32"},
      {"buffers.keep_ends", Dense, "plan.shard.gradients = data; plan.shard.parameters = data",
       "plan.buffers.keep_ends = true"},
      {"buffers.update_gradients", Dense,
       "llm.context = 64tok; plan.precision.gradients = bf16; plan.shard.gradients = data",
       "plan.buffers.update_gradients = fp32"},
      {"buffers.keep_messages", Dense, "", "plan.buffers.keep_messages = true"},
      {"buffers.expandable_segments", Dense,
       "plan.framework = megatron; chip.memory = 12GiB; plan.micro_batch = 16seq",
       "plan.buffers.expandable_segments = true"},
      {"layout.offload", Dense, "chip.host.link = 10GB/s; chip.host.memory = 40GB/s",
       "plan.offload.activations = 1"},
      {"offload.activations", Dense, "chip.host.link = 10GB/s; chip.host.memory = 40GB/s",
       "plan.offload.activations = 1"},
      {"offload.optimizer", Dense, "chip.host.link = 10GB/s; chip.host.memory = 40GB/s",
       "plan.offload.optimizer = 0.5"},
      {"compression.top_k.density", List, "plan.compression = top_k { density = 0.01 }",
       "plan.compression.density = 0.02"},
      {"compression.top_k.feedback", List, "plan.compression = top_k { density = 0.01 }",
       "plan.compression.feedback = false"},
      {"compression.top_k.coding", List, "plan.compression = top_k { density = 0.01 }",
       "plan.compression.coding = 1GB/s"},
      {"compression.random_k.density", List, "plan.compression = random_k { density = 0.01 }",
       "plan.compression.density = 0.02"},
      {"compression.random_k.feedback", List, "plan.compression = random_k { density = 0.01 }",
       "plan.compression.feedback = false"},
      {"compression.random_k.coding", List, "plan.compression = random_k { density = 0.01 }",
       "plan.compression.coding = 1GB/s"},
      {"compression.quantised.bits", List, "plan.compression = quantised",
       "plan.compression.bits = 4"},
      {"compression.quantised.block", List, "plan.compression = quantised",
       "plan.compression.block = 64"},
      {"compression.quantised.feedback", List, "plan.compression = quantised",
       "plan.compression.feedback = true"},
      {"compression.quantised.coding", List, "plan.compression = quantised",
       "plan.compression.coding = 1GB/s"},
      {"compression.low_rank.rank", Dense,
       "plan.shard.optimizer = none; plan.compression = low_rank", "plan.compression.rank = 8"},
      {"compression.low_rank.feedback", Dense,
       "plan.shard.optimizer = none; plan.compression = low_rank",
       "plan.compression.feedback = false"},
      {"compression.low_rank.coding", Dense,
       "plan.shard.optimizer = none; plan.compression = low_rank",
       "plan.compression.coding = 1GB/s"},
      {"layout.compression", List, "", "plan.compression = quantised"},
      {"layout.calls", Dense, "", "plan.calls.checks = 100ms"},
      {"calls.checks", Dense, "", "plan.calls.checks = 100ms"},
      {"calls.owners", Dense, "plan.shard.optimizer = data", "plan.calls.owners = true"},
      {"calls.keys", Dense, "plan.mesh.data = 2; plan.mesh.context = 2", "plan.calls.keys = heads"},
      {"key_exchange.gathered.repeated", Dense, "plan.mesh.data = 2; plan.mesh.context = 2",
       "plan.calls.keys = gathered { repeated = true }"},
      {"key_exchange.gathered.compiled", Dense, "plan.mesh.data = 2; plan.mesh.context = 2",
       "plan.calls.keys = gathered { compiled = true }"},
      {"calls.stacked", Dense, "plan.shard.sequence = tensor; plan.overlap.tensor = true",
       "plan.calls.stacked = true"},
      {"layout.early_stop", Dense, "plan.recompute = full", "plan.early_stop = true"},
      {"layout.gradient_bucket", Dense, "", "plan.gradient_bucket = 2MiB"},
      {"layout.launch_blocking", Dense, "", "plan.launch_blocking = true"},
      {"layout.graphs", Dense, "", "plan.graphs = true"},
      {"layout.notes", Dense, "", "plan.notes = \"a second try\""},
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
      {"plot.x", Dense, "",
       "text: plot { x = pod.jitter.cv => plot { x = pod.jitter.cv, series = pod.jitter.cv"},
      {"plot.y", Dense, "", "text: y = mfu => y = step_time"},
      {"plot.series", Dense, "", "text: y = mfu => y = mfu, series = pod.jitter.cv"},
      {"study.vary", Dense, "", "text: [0.1, 0.2] => [0.1, 0.3]"},
      {"study.hold", Dense, "", "scale.hold = fixed_per_worker_batch"},
      {"study.seeds", Dense, "", "scale.seeds = [1, 2]"},
      {"study.sampling", Dense, "", "scale.sampling = zip"},
      {"study.steps", Dense, "", "scale.steps = 7"},
      {"study.until", Dense, "", "scale.until = 1pct"},
      {"study.level", Dense, "", "scale.level = collective"},
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
