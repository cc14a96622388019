//===- StepFigures.cpp - The figures of a plan with their derivation --------------------------===//
#include "passes/StepFigures.h"
#include "ir/CostModel.h"
#include "ir/Names.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::ir;

namespace {
double real(std::uint64_t n) { return static_cast<double>(n); }

class Figures {
public:
  Figures(Plan& plan, const StepTimes& times) : plan(plan), r(plan.results), times(times) {}

  void add() {
    inputs();
    model();
    memory();
    time();
    rates();
    traffic();
    money();
  }

private:
  void declared(const char* path, double value, const char* dimension, const char* note) {
    r.add({path, value, dimension, "", {}, Provenance::Declared, plan.file, note});
  }

  void inputs() {
    const Device& device = plan.cluster.device();
    const DataType type = plan.layout.precision.compute;
    declared("layout.batch", real(plan.layout.batch),
             plan.layout.batchUnit == BatchUnit::Samples ? "Samples" : "Sequences",
             "of one step, all replicas together");
    declared("layout.micro_batch", real(plan.layout.microBatch),
             plan.layout.batchUnit == BatchUnit::Samples ? "Samples" : "Sequences",
             "of one pass of one replica");
    if (!plan.model.isLayerList())
      declared("model.context", real(plan.model.context), "Tokens", "of one sequence");
    declared("cluster.devices", real(plan.cluster.devices()), "", "nodes × devices a node");
    r.add({"device.peak",
           real(device.peakOf(type)),
           "FlopRate",
           "",
           {},
           Provenance::Declared,
           device.name,
           std::string("dense, of ") + ir::name(type)});
    declared("device.memory_bandwidth", real(device.memoryBandwidth) / 8, "Bandwidth",
             "nominal, of the device memory");
    r.add({"device.sustained.matmul",
           bitsOf(type) <= 8 ? device.sustainedNarrow : device.sustainedMatmul,
           "",
           "",
           {},
           Provenance::Assumed,
           device.name,
           "share of the peak that large matrix products reach; smaller ones by their shape"});
    r.derived("micro_batches", real(plan.mesh.microBatches), "", "",
              {"layout.batch", "layout.micro_batch"},
              "of one replica and step: batch over replicas × micro_batch");
  }

  void model() {
    const Model& m = plan.model;
    r.derived(
        "model.parameters", totalParameters(m), "", "", {},
        "of the whole model, vocabulary unpadded, without prediction layers, as papers count them");
    r.derived("model.active_parameters", activeParameters(m), "", "", {},
              "those that one token passes");
    r.derived(
        "model.forward_flop", modelFlopPerToken(m), "Flop", "", {},
        "forward, of one token (sample); scores of causal attention counted in full (the PaLM and "
        "Megatron convention)");
    r.derived("model.flop_per_token", 3 * modelFlopPerToken(m), "Flop", "3 * forward_flop",
              {"model.forward_flop"},
              "forward and backward of one token (sample), nothing recomputed");
    if (m.isLayerList())
      r.derived("samples_per_step", real(plan.layout.batch), "Samples", "batch", {"layout.batch"});
    else
      r.derived("tokens_per_step", real(plan.layout.batch) * real(m.context), "Tokens",
                "batch * context", {"layout.batch", "model.context"});
  }

  void memory() {
    std::string worst;
    std::uint64_t peak = 0;
    for (const RankMemory& m : plan.memory) {
      const std::string base = "memory.rank[" + std::to_string(m.rank) + "]";
      const auto part = [&](const char* name, std::uint64_t bytes, const char* note) {
        r.derived(base + "." + name, real(bytes), "Bytes", "", {}, note);
      };
      part("parameters", m.parameters, "weights in their own type, after every split");
      part("gradients", m.gradients, "in their own type, whole unless sharded");
      part("optimizer", m.optimizer, "master weights and moments, after sharding");
      part("activations", m.activations,
           "kept for the backward pass at the peak of the rank's own schedule");
      part("transient", m.transient, "recomputed layer, logits, gathered layers, message buffers");
      part("reserved", m.reserved, "what the device loses to context and collective buffers");
      r.derived(base + ".peak", real(m.peak()), "Bytes",
                "parameters + gradients + optimizer + activations + transient + reserved",
                {base + ".parameters", base + ".gradients", base + ".optimizer",
                 base + ".activations", base + ".transient", base + ".reserved"});
      if (m.peak() > peak || worst.empty()) {
        peak = m.peak();
        worst = base + ".peak";
      }
    }
    if (worst.empty())
      return;
    r.derived("memory.peak", real(peak), "Bytes", worst, {worst}, "on the worst pipeline rank");
    declared("memory.usable", real(plan.cluster.usableMemory()), "Bytes",
             "of the device, as its driver reports");
    r.derived("memory.headroom", real(plan.cluster.usableMemory()) - real(peak), "Bytes",
              "usable - memory.peak", {"memory.usable", "memory.peak"});
  }

  void time() {
    const std::string rank =
        "of pipeline rank " + std::to_string(times.rank) + ", which has the most to do";
    r.derived("time.compute", times.compute, "Duration", "",
              {"micro_batches", "device.peak", "device.sustained.matmul"},
              "forward and backward at roofline speed, each operator at its own shape, " + rank);
    r.derived("time.recompute", times.recompute, "Duration", "", {"micro_batches"},
              "the forward passes that are done again, " + rank);
    std::vector<std::string> parts;
    std::string sum;
    for (const auto& [axis, value] : times.exposedBy) {
      parts.push_back("time.exposed." + axis);
      sum += (sum.empty() ? "" : " + ") + axis;
      r.derived(parts.back(), value, "Duration", "", {},
                "communication along the axis with nothing to compute beside it, " + rank);
    }
    r.add({"time.exposed", times.exposed(), "Duration", sum, parts, Provenance::Derived, "", ""});
    r.derived("time.bubble", times.bubble, "Duration", "", {"micro_batches"},
              "waiting for other stages, from the execution of the operation lists, " + rank);
    r.derived("time.optimizer", times.optimizer, "Duration", "", {"device.memory_bandwidth"},
              "the update, bound by device memory");
    std::string step = "compute + recompute + time.exposed + bubble + optimizer";
    std::vector<std::string> inputs = {"time.compute", "time.recompute", "time.exposed",
                                       "time.bubble", "time.optimizer"};
    if (times.jitter > 0) {
      r.derived("time.jitter", times.jitter, "Duration", "", {},
                "barrier: the slowest of all devices, log-normal with the declared spread");
      step += " + jitter";
      inputs.emplace_back("time.jitter");
    }
    r.add({"step_time", times.step, "Duration", step, inputs, Provenance::Derived, "",
           "one optimizer update"});
    r.derived("bubble_fraction", times.bubbleFraction, "", "", {"micro_batches"},
              "idle device-time of the pipeline over its device-time");
    r.derived("stage_imbalance", times.imbalance, "", "", {}, "slowest stage over mean stage");
    r.derived("communication_share", times.exposed() / times.step, "", "time.exposed / step_time",
              {"time.exposed", "step_time"});
  }

  void rates() {
    const bool list = plan.model.isLayerList();
    const double items = real(plan.layout.batch) * (list ? 1 : real(plan.model.context));
    const std::string per = list ? "samples_per_step" : "tokens_per_step";
    const std::string rate = list ? "samples_per_second" : "tokens_per_second";
    const std::string attention = list ? "" : ", causal attention counted in full";
    const double devices = real(plan.cluster.devices());
    const double perSecond =
        r.derived(rate, items / times.step, list ? "SampleRate" : "TokenRate", per + " / step_time",
                  {per, "step_time"}, "of the whole cluster");
    r.derived(rate + "_per_device", perSecond / devices, list ? "SampleRate" : "TokenRate",
              rate + " / devices", {rate, "cluster.devices"});
    const double flop = 3 * modelFlopPerToken(plan.model) * items;
    double useful = 0, again = 0;
    for (const ChunkCost& c : plan.costs) {
      useful += c.forwardFlop + c.backwardFlop;
      again += c.recomputeFlop;
    }
    const double peak = real(plan.cluster.device().peakOf(plan.layout.precision.compute));
    r.derived("time.ideal", flop / (devices * peak), "Duration",
              "flop_per_token * " + per + " / (devices * device.peak)",
              {"model.flop_per_token", per, "cluster.devices", "device.peak"},
              "model FLOP at the peak of every device");
    r.derived("recomputed_share", useful > 0 ? again / useful : 0, "", "", {},
              "FLOP that are done again over those of the model");
    r.derived("flop_rate.model", flop / (times.step * devices), "FlopRate",
              "flop_per_token * " + per + " / (step_time * devices)",
              {"model.flop_per_token", per, "step_time", "cluster.devices"}, "a device");
    r.derived("flop_rate.hardware",
              flop / (times.step * devices) * (1 + (useful > 0 ? again / useful : 0)), "FlopRate",
              "flop_rate.model * (1 + recomputed_share)", {"flop_rate.model", "recomputed_share"},
              "a device, recomputation counted");
    r.derived("mfu", flop / (times.step * devices * peak), "", "flop_rate.model / device.peak",
              {"flop_rate.model", "device.peak"}, "model FLOP, nothing recomputed" + attention);
    r.derived("hfu", flop / (times.step * devices * peak) * (1 + (useful > 0 ? again / useful : 0)),
              "", "flop_rate.hardware / device.peak", {"flop_rate.hardware", "device.peak"},
              "FLOP that are executed, recomputation counted" + attention);
  }

  void traffic() {
    for (std::size_t l = 0; l < plan.cluster.levels.size(); ++l) {
      double bytes = 0;
      for (const Collective& c : plan.collectives)
        if (c.rank == times.rank && l < c.bytesPerLevel.size())
          bytes += real(c.bytesPerLevel[l]) * real(c.count);
      r.derived(std::string("traffic.") + ir::name(plan.cluster.levels[l].level), bytes, "Bytes",
                "", {}, "sent by one device over the links of the level in a step");
    }
  }

  void money() {
    const Cluster& c = plan.cluster;
    const double devices = real(c.devices());
    const std::string per = plan.model.isLayerList() ? "samples_per_step" : "tokens_per_step";
    const double items =
        real(plan.layout.batch) * (plan.model.isLayerList() ? 1 : real(plan.model.context));
    if (c.pricePerGpuHour > 0) {
      declared("cluster.price", c.pricePerGpuHour / 3600, "PriceRate", "a device");
      const double cost = r.derived(
          "cost.per_step", devices * c.pricePerGpuHour / 3600 * times.step, "Money",
          "devices * price * step_time", {"cluster.devices", "cluster.price", "step_time"});
      r.derived("cost.per_token", cost / items, "Money", "per_step / " + per,
                {"cost.per_step", per});
    }
    const Device& device = c.device();
    if (device.busyPower > 0) {
      const double busy = times.compute + times.recompute, idle = std::max(0.0, times.step - busy);
      const double idlePower = device.idlePower > 0 ? device.idlePower : device.busyPower;
      declared("device.power.busy", device.busyPower, "Power", "");
      declared("device.power.idle", idlePower, "Power", "the busy power where none is given");
      r.derived(
          "energy.per_step", devices * (device.busyPower * busy + idlePower * idle), "Energy",
          "devices * (busy * (compute + recompute) + idle * (step_time - compute - recompute))",
          {"cluster.devices", "device.power.busy", "device.power.idle", "time.compute",
           "time.recompute", "step_time"});
    }
  }

  Plan& plan;
  Results& r;
  const StepTimes& times;
};
} // namespace

void dpl::addFigures(Plan& plan, const StepTimes& times) { Figures(plan, times).add(); }
