//===- PlantedWorkload.cpp - A workload with one cause of long steps in it --------------------===//
#include "tests/unit/PlantedWorkload.h"
#include <fmt/format.h>
#include <random>

using namespace dpl;

namespace {
class Draws {
public:
  explicit Draws(unsigned seed) : random(seed) {}
  std::uint64_t pick(std::initializer_list<std::uint64_t> of) {
    return of.begin()[random() % of.size()];
  }
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  }

private:
  std::mt19937 random; // its numbers are specified, those of distributions are not
};

/// Layers that state their times.
class Workload {
public:
  Workload(unsigned seed, std::string of) : draws(seed), cause(std::move(of)) {
    const bool alone = isOneOf({"ecmp_hashing", "link_jitter", "action_jitter"}) || ofDataRanks();
    stages = alone                                   ? 1
             : is("stage_imbalance") || is("bubble") ? draws.pick({2, 4})
                                                     : draws.pick({1, 2, 4});
    data = alone ? 4 : draws.pick({2, 4}), layers = draws.pick({1, 2});
    micros = stages == 1 ? draws.pick({4, 8, 16}) : (stages - 1) * draws.pick({12, 14});
    if (is("bubble"))
      micros = draws.pick({2, 3}) * stages / 2;
    if (is("action_jitter"))
      micros = 4, layers = 1;
    if (is("micro_batch_imbalance"))
      micros = stages = 4;
    forward = draws.between(0.005, 0.05); // of a layer and sample
    flop = isOneOf({"memory_bandwidth", "launches"}) ||
           (draws.pick({0, 1}) == 1 && !is("action_jitter"));
    step = 3 * forward * static_cast<double>(layers * (micros + stages - 1));
    const double ring = 2 * static_cast<double>(data - 1);
    if (is("latency"))
      latency = draws.between(0.2, 0.6) * step / ring;
    const double share = is("bandwidth")                            ? draws.between(0.25, 0.6)
                         : isOneOf({"ecmp_hashing", "link_jitter"}) ? draws.between(0.2, 0.3)
                                                                    : draws.between(0.005, 0.03);
    const double bytes = share * step * bandwidth * static_cast<double>(data) / ring;
    parameters = static_cast<std::uint64_t>(bytes / 4 / static_cast<double>(layers));
  }

  std::string text() {
    const std::string cluster = clusterText(), list = layersText();
    const std::string line =
        is("micro_batch_imbalance")
            ? fmt::format("  micro_batch_costs = [1, 1, {}, 1]\n", draws.pick({6, 8, 10}))
        : is("throttling") ? fmt::format("  throttling = fixed {{ delay = {:.6f}ms }}\n",
                                         1e3 * step * draws.between(0.25, 0.5))
                           : "";
    return fmt::format(R"(
import std.textbook
cluster machine from textbook.flat {{
  nodes = {}
  node.gpu.memory = 100TB
  nic {{ bandwidth = {:.0f}GB/s per nic, latency = {:.6f}ms }}
  collectives = closed_form {{ algorithm = ring }}
{}}}
model workload from layer_list {{
{}}}
layout plain for workload on machine {{
  mesh {{ pipeline = {}, data = rest }}
  batch = {}sample
  optimizer_time = 0s
  overlap.gradients = false
  precision {{ parameters = fp32, gradients = fp32, compute = fp32, master_weights = none }}
{}}}
{})",
                       stages * data, bandwidth / 1e9, latency * 1e3, cluster, list, stages,
                       micros * data, line, run);
  }

private:
  std::string clusterText() {
    const std::uint64_t nodes = stages * data;
    std::string out;
    // Formatted, as GCC at -O2 takes a text that is appended to an empty one to reach out of it.
    const auto add = [&](const std::string& line) { out += fmt::format("  {}\n", line); };
    const double cv = is("jitter")         ? draws.between(0.3, 0.5)
                      : is("interference") ? draws.between(0.1, 0.15)
                                           : 0.01 * static_cast<double>(draws.pick({0, 1}));
    if (cv > 0)
      add(fmt::format("jitter = lognormal {{ cv = {:.3f} }}", cv));
    if (is("slow_nodes")) {
      const double speed = draws.between(0.4, 0.8);
      if (draws.pick({0, 1}) == 1)
        add(fmt::format("node_pool[\"slow\"] {{ nodes = 1, node.gpu.speed = {:.3f} }}", speed));
      else
        add(fmt::format("node.gpu.speed = {:.3f}\n  node_pool[\"fast\"] {{ nodes = {}, "
                        "node.gpu.speed = 1.0 }}",
                        speed, nodes - 1));
    }
    if (is("contention"))
      add(fmt::format("spine.oversubscription = {}", draws.pick({24, 32, 48})));
    if (is("data_loading"))
      add(fmt::format("data_loading {{ sample_time = {:.6f}ms }}",
                      1e3 * step * draws.between(1.2, 2) * static_cast<double>(stages) /
                          static_cast<double>(micros)));
    if (is("message_delay"))
      add(fmt::format("message_delay {{ mean = {:.6f}ms }}",
                      1e3 * step * draws.between(0.2, 0.5) / (2 * static_cast<double>(data - 1))));
    if (is("launches"))
      add(fmt::format("node.gpu.launch_overhead = {:.6f}ms", 1e3 * forward * draws.between(2, 4)));
    // Parameters and outputs that are read and written take longer than the FLOP.
    if (is("memory_bandwidth"))
      add(fmt::format("node.gpu.memory_bandwidth = {:.3f}GB/s",
                      4 * (static_cast<double>(parameters) + 2e6) /
                          (forward * draws.between(1.5, 3)) / 1e9));
    // Links that are thinner than a port, of which a ring takes one and spraying all.
    if (is("ecmp_hashing"))
      add(fmt::format("leaf {{ nodes = {}, uplinks = {} }}", nodes / 2,
                      nodes / 2 * draws.pick({4, 5})));
    if (is("link_jitter"))
      add(fmt::format("link_jitter {{ jitter = lognormal {{ cv = {:.3f} }} }}",
                      draws.between(1.2, 1.6)));
    if (ofDataRanks())
      add(fmt::format("leaf {{ nodes = {} }}\n  interference {{ slowdown = {:.3f}, level = leaf }}",
                      nodes, is("throttling") ? 1.0 : draws.between(5, 8)));
    // The run loses a percent where nothing is planted.
    const bool fails = is("failure");
    if (fails || cause.empty()) {
      const double hours = fails ? draws.between(1, 3) : draws.between(50, 100);
      add(fmt::format("failures {{ gpu = (1 / {:.3f}h) per gpu, restart = 30min }}\n"
                      "  storage {{ write = 1PB/s }}",
                      hours * static_cast<double>(nodes)));
      run = fmt::format("run train for plain {{\n  phase[0] {{ steps = {:.0f}step }}\n"
                        "  checkpoint {{ interval = {:.0f}step }}\n}}\n",
                        20 * 3600 / step, 300 / step + 1);
    }
    return out;
  }

  std::string layersText() {
    std::string list;
    const std::uint64_t slow = draws.pick({0, 1, 2, 3}) % stages;
    const double slower = is("stage_imbalance") ? draws.between(1.5, 2.5) : 1;
    const std::string jitter =
        is("action_jitter")
            ? fmt::format(", jitter = lognormal {{ cv = {:.3f} }}", draws.between(1.4, 1.8))
            : "";
    for (std::uint64_t i = 0; i < stages * layers; ++i) {
      const double time = forward * (i / layers == slow ? slower : 1);
      list += fmt::format("  layer[{0}] {{ name = \"l{0}\", parameters = {1}, ", i, parameters);
      list += flop ? fmt::format("forward = {:.6f}TFLOP, output = 1_000_000 }}\n", time * 1e3)
                   : fmt::format("time {{ forward = {:.6f}ms, backward = {:.6f}ms{} }}, "
                                 "message = 1000B }}\n",
                                 time * 1e3, 2 * time * 1e3, jitter);
    }
    return list;
  }

  bool is(const char* key) const { return cause == key; }
  bool isOneOf(std::initializer_list<const char*> keys) const {
    for (const char* key : keys)
      if (is(key))
        return true;
    return false;
  }
  bool ofDataRanks() const { return isOneOf({"interference", "throttling"}); }

  Draws draws;
  std::string cause, run;
  std::uint64_t stages = 1, data = 4, layers = 1, micros = 4, parameters = 0;
  double forward = 0, step = 0, latency = 1e-7, bandwidth = 100e9;
  bool flop = false;
};

/// Ranks that exchange in every layer, on far nodes or with unequal experts.
std::string transformer(unsigned seed, bool far) {
  Draws draws(seed);
  return fmt::format(R"(
import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{
  nodes = {}
  node.gpu.memory = 10TB
}}
model some from models.{} {{ {} }}
layout plain for some on pod {{
  batch = {}seq
  cuda_graphs = true
  mesh {{ {} }}
  shard {{ parameters = data, optimizer = data, gradients = data }}
}}
)",
                     draws.pick({2, 4}), far ? "llama3_8b" : "mixtral_8x7b",
                     far ? "" : fmt::format("ffn.imbalance = {:.3f}", draws.between(3, 4)),
                     draws.pick({64, 128, 256}),
                     far ? "tensor = 8, data = rest" : "data = rest, experts { expert = 8 }");
}
} // namespace

std::string test::plantedWorkload(unsigned seed, const std::string& cause) {
  if (cause == "locality" || cause == "expert_imbalance")
    return transformer(seed, cause == "locality");
  return Workload(seed, cause).text();
}

bool test::isOfMessages(const std::string& cause) {
  return cause == "ecmp_hashing" || cause == "link_jitter";
}
