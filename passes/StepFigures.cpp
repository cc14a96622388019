//===- StepFigures.cpp - The figures of a plan with their derivation --------------------------===//
#include "passes/StepFigures.h"
#include "cost/CostModel.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "passes/FigureFormula.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
class Figures {
public:
  Figures(Plan& plan, const StepTimes& times) : plan(plan), r(plan.results), times(times) {}

  void add() {
    inputs();
    addStageFigures(plan);
    model();
    addMemoryFigures(plan);
    time();
    rates();
    money();
  }

private:
  void declared(const char* path, double value, const char* dimension, const char* note) {
    r.add({path, value, dimension, "", {}, Provenance::Declared, plan.file, note});
  }

  void inputs() {
    const Device& device = plan.cluster.device();
    const DataType type = plan.layout.precision.compute;
    const bool samples = plan.layout.batchUnit == BatchUnit::Samples;
    const std::string step = samples ? "samples_per_step" : "sequences_per_step";
    const std::string pass = samples ? "samples_per_pass" : "sequences_per_pass";
    declared(step.c_str(), real(plan.layout.batch), samples ? "Samples" : "Sequences",
             "of one step, all replicas together");
    declared(pass.c_str(), real(plan.layout.microBatch), samples ? "Samples" : "Sequences",
             "of one pass of one replica");
    if (!plan.model.isLayerList())
      declared("model.context", real(plan.model.context), "Tokens", "of one sequence");
    declared("cluster.devices", real(plan.cluster.devices()), "", "nodes × devices a node");
    peak = addPeakFigures(plan);
    declared("device.memory_bandwidth", real(slowestMemory(plan, times.rank).memoryBandwidth) / 8,
             "Bandwidth", "nominal, of the device memory");
    r.add({"device.sustained.matmul",
           bitsOf(type) <= 8 ? device.sustainedNarrow : device.sustainedMatmul,
           "",
           "",
           {},
           Provenance::Assumed,
           device.name,
           "share of the peak that large matrix products reach; smaller ones by their shape"});
    FigureFormula replicas;
    for (const MeshAxis& axis : plan.mesh.axes) {
      r.add({axisPath(axis.axis),
             real(axis.size),
             "",
             "",
             {},
             plan.mesh.found ? Provenance::Derived : Provenance::Declared,
             plan.mesh.found ? "" : plan.file,
             plan.mesh.found ? "found by `mesh = auto`" : ""});
      if ((axis.axis == Axis::Replica || axis.axis == Axis::Data) && axis.size > 1)
        replicas.text += " * " + replicas.use(axisPath(axis.axis));
    }
    for (const MeshAxis& axis : plan.mesh.expertAxes)
      if (axis.axis == Axis::ExpertData || axis.axis == Axis::Expert ||
          axis.axis == Axis::ExpertTensor)
        declared(axisPath(axis.axis).c_str(), real(axis.size), "", "of the expert grid");
    replicas.text = step + " / (" + pass + replicas.text + ")";
    replicas.inputs.insert(replicas.inputs.begin(), {step, pass});
    addFigure(r, "micro_batches", real(plan.mesh.microBatches), "", std::move(replicas),
              "of one replica and step");
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
    if (!m.isLayerList())
      r.derived("tokens_per_step", real(plan.layout.batch) * real(m.context), "Tokens",
                "sequences_per_step * context", {"sequences_per_step", "model.context"});
  }

  /// What executing the schedule gave, of which no formula is known.
  void simulated(const char* path, double value, const char* note) {
    addFigure(r, path, value, "Duration", {}, note, Provenance::Simulated);
  }

  void time() {
    const std::string rank =
        "of pipeline rank " + std::to_string(times.rank) + ", which has the most to do";
    FigureFormula compute, recompute;
    for (const ChunkCost& c : plan.costs) {
      if (c.rank != times.rank)
        continue;
      const std::string stage = stagePath(plan.layout.chunks, c.rank, c.chunk);
      if (c.forward > 0)
        compute.plus(stage + ".forward");
      if (c.backwardInput + c.backwardWeight > 0)
        compute.plus(stage + ".backward");
      if (c.recompute > 0)
        recompute.plus(stage + ".recompute");
    }
    for (FigureFormula* sum : {&compute, &recompute})
      if (!sum->text.empty()) {
        sum->parentheses();
        sum->times("micro_batches");
      }
    addFigure(r, "time.compute", times.compute, "Duration", std::move(compute),
              "forward and backward at roofline speed, each operator at its own shape, " + rank);
    addFigure(r, "time.recompute", times.recompute, "Duration", std::move(recompute),
              "the forward passes that are done again, " + rank);
    addTrafficFigures(plan, times);
    simulated("time.schedule", times.schedule,
              "end of the last operation of any pipeline rank, when the operation lists are "
              "executed");
    r.derived("time.bubble", times.bubble, "Duration",
              "max(0, time.schedule - time.compute - time.recompute - time.exposed - "
              "time.optimizer)",
              {"time.schedule", "time.compute", "time.recompute", "time.exposed", "time.optimizer"},
              "waiting for other stages, " + rank);
    optimizer();
    std::string step = "compute + recompute + time.exposed + bubble + optimizer";
    std::vector<std::string> inputs = {"time.compute", "time.recompute", "time.exposed",
                                       "time.bubble", "time.optimizer"};
    if (times.jitter > 0) {
      declared("cluster.jitter.cv", plan.cluster.jitterCv, "",
               "spread of the time of one device over its mean");
      r.derived("jitter.amplification", times.amplification, "", "",
                {"cluster.jitter.cv", "cluster.devices"},
                "the slowest of all devices over the mean, log-normal; an integral that is taken "
                "numerically");
      r.derived(
          "time.jitter", times.jitter, "Duration", "time.schedule * (jitter.amplification - 1)",
          {"time.schedule", "jitter.amplification"}, "barrier: waiting for the slowest device");
      step += " + jitter";
      inputs.emplace_back("time.jitter");
    }
    r.add({"step_time", times.step, "Duration", step, inputs, Provenance::Derived, "",
           "one optimizer update"});
    simulated("time.busy", times.busy,
              "passes of all pipeline ranks together, communication "
              "inside them included");
    simulated("time.busiest", times.busiest, ("the same " + rank).c_str());
    simulated("time.flush", times.flush, "end of the last pass of any pipeline rank");
    const bool passes = times.flush > 0 && times.busy > 0;
    r.derived("bubble_fraction", times.bubbleFraction, "",
              passes ? "1 - time.busy / (mesh.pipeline * time.flush)" : "",
              {"time.busy", "mesh.pipeline", "time.flush"},
              "idle device-time of the pipeline over its device-time");
    r.derived("stage_imbalance", times.imbalance, "",
              passes ? "time.busiest * mesh.pipeline / time.busy" : "",
              {"time.busiest", "mesh.pipeline", "time.busy"}, "slowest stage over mean stage");
    r.derived("communication_share", times.exposed() / times.step, "", "time.exposed / step_time",
              {"time.exposed", "step_time"});
  }

  /// The update: bytes of state that a device touches, at the sustained bandwidth of its memory.
  void optimizer() {
    const Device& device = slowestMemory(plan, times.rank);
    const std::string base = fmt::format("memory.rank[{}].", times.rank);
    r.derived("element.update",
              2 * r.find("element.gradients")->value + 2 * r.find("element.optimizer")->value +
                  r.find("element.parameters")->value,
              "Bytes", "2 * element.gradients + 2 * element.optimizer + element.parameters",
              {"element.gradients", "element.optimizer", "element.parameters"},
              "touched by the update of one parameter: gradient read and cleared, state read and "
              "written, the new parameter written");
    r.add({"device.sustained.memory",
           device.sustainedMemory * device.speed,
           "",
           "",
           {},
           Provenance::Assumed,
           device.name,
           "share of the nominal memory bandwidth that is reached, of the slowest device"});
    FigureFormula f;
    f.plus(base + "optimizer");
    f.text += " / " + f.use("element.optimizer");
    f.times("element.update");
    f.text += " / (" + f.use("device.memory_bandwidth") + " * ";
    f.text += f.use("device.sustained.memory") + ")";
    addFigure(r, "time.optimizer", times.optimizer, "Duration", std::move(f),
              "the update, bound by device memory");
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
    r.derived("time.ideal", flop / (devices * peak), "Duration",
              "flop_per_token * " + per + " / (devices * device.peak)",
              {"model.flop_per_token", per, "cluster.devices", "device.peak"},
              "model FLOP at the peak of every device");
    r.derived("flop.useful", useful, "Flop", "", {},
              "forward and backward of all stages, one micro-batch, a device of each");
    r.derived("flop.again", again, "Flop", "", {}, "of the same, what is done again");
    r.derived("recomputed_share", useful > 0 ? again / useful : 0, "",
              useful > 0 ? "flop.again / flop.useful" : "", {"flop.again", "flop.useful"},
              "FLOP that are done again over those of the model");
    if (times.compute > 0)
      r.derived("peak_share", flop / (devices * peak) / times.compute, "",
                "time.ideal / time.compute", {"time.ideal", "time.compute"},
                "of the peak that kernels and stages reach");
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
      const bool list = plan.model.isLayerList();
      r.derived(list ? "cost.per_sample" : "cost.per_token", cost / items,
                list ? "SamplePrice" : "TokenPrice", "per_step / " + per, {"cost.per_step", per});
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
  double peak = 0; ///< FLOP/s of one device, the mean of all
};
} // namespace

void dpl::addFigures(Plan& plan, const StepTimes& times) { Figures(plan, times).add(); }

std::string dpl::axisPath(Axis axis) {
  if (axis == Axis::ExpertData || axis == Axis::Expert || axis == Axis::ExpertTensor)
    return std::string("mesh.experts.") + (axis == Axis::ExpertData     ? "data"
                                           : axis == Axis::ExpertTensor ? "tensor"
                                                                        : "expert");
  return std::string("mesh.") + name(axis);
}
