//===- LowerRun.cpp - Lowers a run ------------------------------------------------------------===//
#include "frontend/sema/Lower.h"
#include "frontend/sema/Lowering.h"
#include "frontend/sema/Object.h"
#include "support/diagnostics/Schema.h"

using namespace dpl;
using namespace dpl::sema;

const ast::BlockDecl* sema::layoutOf(const ObjectFields& phase, const ObjectFields& run) {
  const Object* used = phase.has("layout") ? phase.object("layout").raw() : run.raw()->forObject();
  return used ? used->decl : nullptr;
}

namespace {

constexpr std::uint64_t mostPeriod = 1'000'000; ///< local steps, as in a layout

class RunLowering {
public:
  RunLowering(Lowering& to, const ObjectFields& run, const ast::BlockDecl* layout)
      : to(to), run(run), layout(layout) {}

  LogicalResult lower() {
    out.name = run.name().str();
    checkpoint();
    optimizer();
    phases();
    if (run.has("budget"))
      out.budget = run.real("budget");
    to.locate("run." + out.name + ".budget", run, "budget");
    if (run.isSet("spare_nodes"))
      out.spares = to.bounded(run.count("spare_nodes"), mostDevices, "spare_nodes",
                              run.range("spare_nodes"));
    if (run.has("min_nodes"))
      out.least =
          to.bounded(run.count("min_nodes"), mostDevices, "min_nodes", run.range("min_nodes"));
    for (const char* field : {"spare_nodes", "min_nodes", "checkpoint"})
      to.locate("run." + out.name + "." + field, run, field);
    if (run.failed() || to.failed)
      return LogicalResult::failure();
    to.plan.runs.push_back(std::move(out));
    return LogicalResult::success();
  }

private:
  void checkpoint() {
    if (!run.has("checkpoint"))
      return;
    const ObjectFields from = run.object("checkpoint");
    out.checkpoint.every = from.whole("interval");
    out.checkpoint.keep = from.count("keep");
    out.checkpoint.mode = choice(from, "mode", ir::CheckpointMode::Blocking);
    if (out.checkpoint.mode == ir::CheckpointMode::Async)
      out.checkpoint.snapshot = from.object("mode").picoseconds("snapshot");
    if (out.checkpoint.mode == ir::CheckpointMode::Peers)
      out.checkpoint.snapshot = from.object("mode").picoseconds("copy");
    if (out.checkpoint.mode == ir::CheckpointMode::Incremental) {
      const ObjectFields mode = from.object("mode");
      out.checkpoint.incremental = {{mode.real("share"), mode.count("every_full")}};
    }
    if (out.checkpoint.mode == ir::CheckpointMode::Tiers) {
      const ObjectFields mode = from.object("mode");
      out.checkpoint.tiers = {{mode.picoseconds("node"), mode.picoseconds("peers"),
                               mode.count("every_peers"), mode.count("every_storage")}};
    }
  }

  /// Reads the optimizer. It must be of the same kind as the layout's, on which memory depends.
  void optimizer() {
    const ir::Layout& planned = to.plan.layout;
    out.optimizer = planned.optimizerSettings;
    if (!run.isSet("optimizer"))
      return;
    const ir::OptimizerKind kind = choice(run, "optimizer", planned.optimizer);
    if (kind != planned.optimizer) {
      to.failed = true;
      to.diags
          .report<diag::OptimizerOfRun>(run.range("optimizer"), out.name, ir::name(kind),
                                        planned.name, ir::name(planned.optimizer))
          .help(fmt::format("write `optimizer = {}` in the layout too: its memory depends on it",
                            ir::name(kind)));
      return;
    }
    lowerOptimizer(to, run, kind, true, out.optimizer);
  }

  /// Reads the phases that use this layout, and the number of steps of the run at the end of each.
  void phases() {
    std::optional<std::uint64_t> done = 0;
    for (const ObjectFields::FieldsRun& phase : run.runs("phase")) {
      const bool own = layoutOf(phase.fields, run) == layout;
      const std::uint64_t batch = own ? batchOf(phase.fields) : 0;
      // Models that are lists of layers have samples in place of tokens.
      const bool samples = phase.fields.has("samples");
      const std::uint64_t perStep =
          own ? batch * (samples ? 1 : to.plan.model.context) : sizeOfBatch(phase.fields, samples);
      if (own && phase.fields.has("batch"))
        to.locate(fmt::format("run.{}.phase[{}].batch", out.name, phase.first), phase.fields,
                  "batch");
      const std::optional<std::uint64_t> period = own ? periodOf(phase) : std::nullopt;
      const bool counted = phase.fields.has("steps");
      const char* length = samples ? "samples" : "tokens";
      if (phase.fields.has("problem")) {
        problem(phase, own, batch, period);
        done.reset();
        continue;
      }
      if (const bool fed = to.plan.model.context == 0; own && !counted && samples != fed) {
        to.failed = true;
        to.diags.report<diag::PhaseWithoutSteps>(phase.fields.range(length), phase.first, length,
                                                 to.plan.layout.name, fed ? "samples" : "tokens");
        return;
      }
      const std::uint64_t steps = counted        ? phase.fields.whole("steps")
                                  : perStep == 0 ? 0
                                                 : ir::ceilDiv(phase.fields.whole(length), perStep);
      const std::uint64_t tokens = counted   ? steps * perStep
                                   : samples ? 0
                                             : phase.fields.whole("tokens");
      for (std::uint64_t i = 0; i < phase.count; ++i) {
        if (steps == 0)
          done.reset();
        if (done)
          *done += steps;
        if (own)
          out.phases.push_back({phase.first + i, tokens, steps, batch, done.value_or(0)}),
              out.phases.back().period = period;
      }
    }
  }

  /// Reads a phase that lasts until its problem is solved; it must be the only one of its run.
  void problem(const ObjectFields::FieldsRun& phase, bool own, std::uint64_t batch,
               std::optional<std::uint64_t> period) {
    if (own)
      to.locate("run." + out.name + ".problem", phase.fields, "problem");
    if (run.runs("phase").size() > 1 || phase.count > 1) {
      to.failed = true;
      to.diags.report<diag::ProblemOfRun>(phase.fields.range("problem"), phase.first, out.name,
                                          "needs a run without other phases");
    } else if (own) {
      ir::RunPhase lowered{phase.first, 0, 0, batch, 0};
      lowered.period = period;
      lowerProblem(to, run, out.optimizer, phase.fields, lowered);
      out.phases.push_back(std::move(lowered));
    }
  }

  /// The phase's own steps between two averages, which only a layout with local steps may have.
  std::optional<std::uint64_t> periodOf(const ObjectFields::FieldsRun& phase) {
    if (!phase.fields.has("local_period"))
      return std::nullopt;
    const ir::Layout& planned = to.plan.layout;
    if (planned.dataRanks.empty() ||
        planned.dataRanks.front().synchronization != ir::SynchronizationKind::Local) {
      to.failed = true;
      to.diags.report<diag::PeriodOfPhase>(phase.fields.range("local_period"), phase.first,
                                           out.name, planned.name);
    }
    return to.bounded(phase.fields.count("local_period"), mostPeriod, "local_period",
                      phase.fields.range("local_period"));
  }

  /// The batch of a phase with another layout; 0 if it has another unit than the phase.
  static std::uint64_t sizeOfBatch(const ObjectFields& phase, bool samples) {
    const Dimension unit = samples ? Dimension{.sample = 1} : Dimension{.token = 1};
    const bool counted = phase.has("batch") && phase.number("batch").dimension == unit;
    return counted ? phase.whole("batch") : 0;
  }

  std::uint64_t batchOf(const ObjectFields& phase) {
    const ir::Layout& planned = to.plan.layout;
    if (!phase.has("batch"))
      return planned.batch;
    const Number n = phase.number("batch");
    const auto context = static_cast<std::int64_t>(to.plan.model.context);
    if (planned.batchUnit == ir::BatchUnitKind::Sequences && n.dimension == Dimension{.token = 1}) {
      const std::optional<Rational> whole = Rational::divide(n.value, Rational(context));
      if (!whole || !whole->isInteger()) {
        to.failed = true;
        to.diags.report<diag::NotWholeSequences>(
            phase.range("batch"), n.str(), fmt::format("{:.2f}", whole ? whole->toDouble() : 0),
            fmt::format("{}tok", to.plan.model.context));
        return 1;
      }
    }
    return lowerBatch(to, phase, "batch", planned.batchUnit);
  }

  Lowering& to;
  const ObjectFields& run;
  const ast::BlockDecl* layout;
  ir::Run out;
};

} // namespace

LogicalResult sema::lowerRun(const ObjectFields& run, const Object& layout,
                             const SourceManager& sources, DiagnosticEngine& diags,
                             ir::Plan& plan) {
  Lowering to{sources, diags, plan};
  return RunLowering(to, run, layout.decl).lower();
}

std::vector<Object*> sema::layoutsOf(const ObjectFields& run) {
  std::vector<Object*> out;
  const auto add = [&](Object* layout) {
    const auto same = [&](const Object* o) { return o->decl == layout->decl; };
    if (layout && layout->decl && std::none_of(out.begin(), out.end(), same))
      out.push_back(layout);
  };
  const std::vector<ObjectFields::FieldsRun> phases = run.runs("phase");
  for (const ObjectFields::FieldsRun& phase : phases)
    add(phase.fields.has("layout") ? phase.fields.object("layout").raw() : run.raw()->forObject());
  if (phases.empty())
    add(run.raw()->forObject());
  return out;
}
