//===- MemoryFigures.cpp - The memory of a device with its derivation -------------------------===//
#include "cost/CostModel.h"
#include "cost/memory/RankMemory.h"
#include "ir/Arithmetic.h"
#include "passes/FigureFormula.h"
#include "passes/StepFigures.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
class MemoryFigures {
public:
  explicit MemoryFigures(Plan& plan) : plan(plan), r(plan.results) {}

  void add() {
    if (plan.memory.empty())
      return;
    elementSizes();
    messages();
    for (const RankMemory& m : plan.memory)
      rank(m);
    const RankMemory* worst = tightest(plan.memory);
    const std::string path = fmt::format("memory.rank[{}].peak", worst->rank);
    r.derived("memory.peak", real(worst->peak()), "Bytes", path, {path},
              "on the worst pipeline rank");
    const double usable = real(worst->usable);
    r.add({"memory.usable",
           usable,
           "Bytes",
           "",
           {},
           Provenance::Declared,
           plan.file,
           "of the device, as its driver reports"});
    r.derived("memory.headroom", usable - real(worst->peak()), "Bytes",
              "memory.usable - memory.peak", {"memory.usable", "memory.peak"});
  }

private:
  void declared(const std::string& path, double value, const char* dimension, const char* note) {
    r.add({path, value, dimension, "", {}, Provenance::Declared, plan.file, note});
  }

  /// Bytes of what is held for each parameter.
  void elementSizes() {
    const Precision& p = plan.layout.precision;
    const auto bytes = [](DataType t) { return real(bitsOf(t)) / 8; };
    declared("element.parameters", bytes(p.parameters), "Bytes", "an element");
    declared("element.gradients", bytes(p.gradients), "Bytes", "an element");
    declared("element.moments", bytes(p.moments), "Bytes", "an element");
    const double moments = plan.layout.optimizer == OptimizerKind::Sgd ? 1 : 2;
    FigureFormula state;
    if (p.hasMaster) {
      declared("element.master", bytes(p.master), "Bytes", "an element");
      state.plus("element.master");
    }
    state.plus("element.moments", moments);
    addFigure(r, "element.optimizer",
              (p.hasMaster ? bytes(p.master) : 0) + moments * bytes(p.moments), "Bytes",
              std::move(state), "what the optimizer holds of a parameter");
  }

  /// Buffers that do not depend on the rank.
  void messages() {
    const MessageBytes buffers = messageBytes(plan);
    const Division d = divisionOf(plan);
    const double residual = residualBytes(plan.model, d);
    FigureFormula sum;
    if (buffers.pipeline > 0) {
      FigureFormula f;
      f.text = "sequences_per_pass * model.context * model.hidden * element.activations";
      f.inputs = {"sequences_per_pass", "model.context", "model.hidden", "element.activations"};
      declared("model.hidden", real(plan.model.hidden), "", "width of the residual stream");
      declared("element.activations", activationBytes(d.compute), "Bytes",
               "an element of the residual stream");
      f.over("mesh.context", real(d.context));
      f.over("mesh.tensor", d.residualSplit());
      addFigure(r, "memory.residual", residual, "Bytes", std::move(f),
                "the residual stream of one micro-batch on one device");
      sum.plus("memory.residual", 4);
    }
    if (buffers.experts > 0) {
      addFigure(r, "memory.exchange", buffers.experts, "Bytes", {},
                "copies of tokens that a device sends to experts and receives for its own");
      sum.plus("memory.exchange");
    }
    if (!sum.text.empty())
      addFigure(r, "memory.messages", buffers.pipeline + buffers.experts, "Bytes", std::move(sum),
                "buffers: of the pipeline one message each way and twice, of experts one exchange");
  }

  void rank(const RankMemory& m) {
    const std::string base = fmt::format("memory.rank[{}].", m.rank);
    elements(m, base);
    const Shard& s = plan.layout.shard;
    state(base, "parameters", real(m.parameters), s.stage() >= 3,
          "weights in their own type, after every split");
    state(base, "gradients", real(m.gradients), s.stage() >= 2,
          "in their own type, whole unless sharded");
    state(base, "optimizer", real(m.optimizer), s.stage() >= 1,
          "master weights and moments, after sharding");
    activations(m, base);
    transient(m, base);
    const char* reserved = "what the device loses to context and collective buffers";
    if (m.reserved == plan.memory.front().reserved) {
      declared("device.reserved", real(m.reserved), "Bytes", reserved);
      r.derived(base + "reserved", real(m.reserved), "Bytes", "device.reserved",
                {"device.reserved"});
    } else {
      declared(base + "reserved", real(m.reserved), "Bytes", reserved);
    }
    r.derived(base + "peak", real(m.peak()), "Bytes",
              "parameters + gradients + optimizer + activations + transient + reserved",
              {base + "parameters", base + "gradients", base + "optimizer", base + "activations",
               base + "transient", base + "reserved"});
  }

  /// Sums over the chunks of the rank; with an expert grid experts are counted apart, because they
  /// are sharded over other devices.
  void elements(const RankMemory& m, const std::string& base) {
    FigureFormula all, experts;
    double allValue = 0, expertValue = 0;
    const bool grid = !plan.mesh.expertAxes.empty();
    for (const ChunkCost& c : plan.costs) {
      if (c.rank != m.rank)
        continue;
      const std::string stage = stagePath(plan.layout.chunks, c.rank, c.chunk);
      allValue += real(c.parameters + c.expertParameters);
      expertValue += real(c.expertParameters);
      if (c.parameters + c.expertParameters > 0)
        all.plus(stage + ".parameters");
      if (c.expertParameters > 0)
        experts.plus(stage + ".expert_parameters");
    }
    hasExperts = grid && expertValue > 0;
    if (hasExperts) {
      addFigure(r, base + "expert_elements", expertValue, "", std::move(experts),
                "parameters of routed experts on a device");
      all.text += " - " + all.use(base + "expert_elements");
    }
    addFigure(r, base + "elements", allValue - (hasExperts ? expertValue : 0), "", std::move(all),
              hasExperts ? "parameters on a device, without routed experts"
                         : "parameters on a device");
  }

  /// elements × bytes an element, over the devices that share them.
  void state(const std::string& base, const char* name, double value, bool sharded,
             const char* note) {
    FigureFormula f;
    f.plus(base + "elements");
    if (sharded)
      shareOver(f, {Axis::Data, Axis::Context});
    if (hasExperts) {
      f.plus(base + "expert_elements");
      if (sharded)
        shareOver(f, {Axis::ExpertData});
      f.parentheses();
    }
    f.times(std::string("element.") + name);
    addFigure(r, base + name, value, "Bytes", std::move(f), note);
  }
  void shareOver(FigureFormula& f, std::initializer_list<Axis> axes) {
    for (const Axis axis : axes)
      f.over(axisPath(axis), real(plan.mesh.size(axis)));
  }

  void activations(const RankMemory& m, const std::string& base) {
    // Of one forward, one backward and one chunk a rank the count has a closed form.
    const std::uint64_t p = plan.mesh.size(Axis::Pipeline), micro = plan.mesh.microBatches;
    const auto closed = static_cast<double>(std::min(p - std::min(p, m.rank), micro));
    FigureFormula held;
    if (plan.layout.schedule == ScheduleKind::OneForwardOneBackward && plan.layout.chunks == 1 &&
        m.inFlight == closed) {
      held.text = m.rank == 0 ? "min(mesh.pipeline, micro_batches)"
                              : fmt::format("min(mesh.pipeline - {}, micro_batches)", m.rank);
      held.inputs = {"mesh.pipeline", "micro_batches"};
    }
    const bool simulated = held.text.empty();
    addFigure(r, base + "held", m.inFlight, "", std::move(held),
              "micro-batches whose activations are there at the peak of the rank's own schedule",
              simulated ? Provenance::Simulated : Provenance::Derived);
    FigureFormula kept;
    for (const ChunkCost& c : plan.costs)
      if (c.rank == m.rank && c.activationBytes > 0)
        kept.plus(stagePath(plan.layout.chunks, c.rank, c.chunk) + ".kept");
    if (!kept.text.empty()) {
      kept.parentheses();
      kept.times(base + "held");
    }
    addFigure(r, base + "activations", real(m.activations), "Bytes", std::move(kept),
              "kept for the backward pass at the peak of the rank's own schedule");
  }

  void transient(const RankMemory& m, const std::string& base) {
    const double gathered = gatheredBytes(plan, m.rank);
    const MessageBytes buffers = messageBytes(plan);
    const double exchanged = buffers.pipeline + buffers.experts;
    FigureFormula sum;
    if (const double working = real(m.transient) - gathered - exchanged; working > 1) {
      addFigure(r, base + "working", working, "Bytes", {},
                "of the chunk that runs at the peak: its recomputed layer, logits, the gradient of "
                "its largest activation");
      sum.plus(base + "working");
    }
    if (gathered > 0) {
      addFigure(r, base + "gathered", gathered, "Bytes", {},
                "whole layers that exist only while they are used: gathered parameters, gradients "
                "before they are scattered");
      sum.plus(base + "gathered");
    }
    if (exchanged > 0)
      sum.plus("memory.messages");
    addFigure(r, base + "transient", real(m.transient), "Bytes", std::move(sum),
              "recomputed layer, logits, gathered layers, message buffers");
  }

  Plan& plan;
  Results& r;
  bool hasExperts = false; ///< of the rank at hand, in a grid of their own
};
} // namespace

void dpl::addMemoryFigures(Plan& plan) { MemoryFigures(plan).add(); }
