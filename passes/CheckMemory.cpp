//===- CheckMemory.cpp - Memory of each pipeline rank against the device ----------------------===//
#include "cost/CostModel.h"
#include "cost/memory/RankMemory.h"
#include "figures/StepTimes.h"
#include "passes/Passes.h"
#include "support/diagnostics/Cost.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::string gib(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1ULL << 30));
}

/// A change of the layout and what the file would say.
struct Fix {
  std::string text;
  std::function<void(Layout&)> change;
};

std::vector<Fix> fixesFor(const Plan& plan) {
  std::vector<Fix> fixes;
  const auto propose = [&](std::string text, auto change) {
    fixes.push_back({fmt::format("`{}`", text), change});
  };
  const Layout& l = plan.layout;
  const bool shards = plan.stateRanks() > 1;
  if (shards && l.shard.stage() == 0)
    propose("shard.optimizer = data", [](Layout& c) { c.shard.optimizer = ShardAxis::Data; });
  if (shards && l.shard.stage() < 3 && plan.mesh.size(Axis::Pipeline) == 1)
    propose("shard { parameters = data, gradients = data, optimizer = data }", [](Layout& c) {
      c.shard.parameters = c.shard.gradients = c.shard.optimizer = ShardAxis::Data;
    });
  if (plan.mesh.size(Axis::Tensor) > 1 && l.shard.sequence == ShardAxis::None)
    propose("shard.sequence = tensor", [](Layout& c) { c.shard.sequence = ShardAxis::Tensor; });
  if (l.schedule == ScheduleKind::GPipe)
    propose("schedule = 1f1b", [](Layout& c) { c.schedule = ScheduleKind::OneForwardOneBackward; });
  const auto smaller = [&](std::uint64_t microBatch) {
    propose(fmt::format("micro_batch = {}{}", microBatch,
                        l.batchUnit == BatchUnit::Samples ? "sample" : "seq"),
            [microBatch](Layout& c) { c.microBatch = microBatch; });
  };
  if (l.microBatch > 1 && l.microBatch % 2 == 0)
    smaller(l.microBatch / 2);
  if (l.microBatch > 2)
    smaller(1);
  if (l.recompute.kind != RecomputeKind::Full && !plan.model.isLayerList())
    propose("recompute = full", [](Layout& c) {
      c.recompute = {RecomputeKind::Full, {}, RecomputeMethod::Uniform, 1};
    });
  return fixes;
}

/// What a change comes to.
struct Outcome {
  std::string text; ///< of the fixes
  RankMemory tightest;
  double step = 0; ///< seconds
  bool fits() const { return tightest.headroom() >= 0; }
};

/// The plan after changes, from the same passes; nothing where they fail.
std::optional<Outcome> outcomeOf(const Plan& plan, llvm::ArrayRef<const Fix*> fixes) {
  Plan changed = plan;
  Outcome out;
  for (const Fix* fix : fixes) {
    fix->change(changed.layout);
    out.text += (out.text.empty() ? "" : " and ") + fix->text;
  }
  changed.mesh.microBatches =
      plan.mesh.microBatches * plan.layout.microBatch / changed.layout.microBatch;
  DiagnosticEngine silent;
  for (const auto& create :
       {createCheckLayoutPass, createPartitionLayersPass, createEstimateComputePass,
        createLowerCollectivesPass, createSchedulePipelinePass})
    if (create()->run(changed, silent).failed())
      return std::nullopt;
  out.tightest = *tightest(memoryOf(changed));
  out.step = figures::stepTimes(changed).step;
  return out;
}

/// One fix each, those that gain; where none of them fits, two at once that do.
std::vector<Outcome> outcomesFor(const Plan& plan, const RankMemory& worst) {
  std::vector<Outcome> outcomes;
  const auto add = [&](llvm::ArrayRef<const Fix*> tried, auto wanted) {
    if (std::optional<Outcome> out = outcomeOf(plan, tried); out && wanted(*out))
      outcomes.push_back(std::move(*out));
  };
  const std::vector<Fix> fixes = fixesFor(plan);
  for (const Fix& fix : fixes)
    add({&fix}, [&](const Outcome& o) { return o.tightest.headroom() > worst.headroom(); });
  if (llvm::none_of(outcomes, [](const Outcome& o) { return o.fits(); }))
    for (std::size_t i = 0; i < fixes.size(); ++i)
      for (std::size_t j = i + 1; j < fixes.size(); ++j)
        add({&fixes[i], &fixes[j]}, [](const Outcome& o) { return o.fits(); });
  // What fits by its step, what does not by its peak.
  std::stable_sort(outcomes.begin(), outcomes.end(), [](const Outcome& a, const Outcome& b) {
    if (a.fits() != b.fits())
      return a.fits();
    return a.fits() ? a.step < b.step : a.tightest.headroom() > b.tightest.headroom();
  });
  return outcomes;
}

/// ", which fits, in 33 % more time": of a step that took so many seconds.
std::string priceOf(const Outcome& outcome, double before) {
  const double more = 100 * (outcome.step / before - 1);
  const std::string time = std::abs(more) < 0.5 ? "the same time"
                                                : fmt::format("{:.0f} % {} time", std::abs(more),
                                                              more > 0 ? "more" : "less");
  return fmt::format(", which fits, in {}", time);
}

/// "`recompute = full` takes it to 61.0 GiB, which fits, in 33 % more time; …"
std::string adviceFor(const Plan& plan, const RankMemory& worst) {
  constexpr std::size_t most = 3;
  std::vector<Outcome> outcomes = outcomesFor(plan, worst);
  outcomes.resize(std::min(outcomes.size(), most));
  const double before = figures::stepTimes(plan).step;
  std::string text;
  for (const Outcome& o : outcomes)
    text += fmt::format("{}{} {} it to {}{}", text.empty() ? "" : "; ", o.text,
                        llvm::StringRef(o.text).contains(" and ") ? "take" : "takes",
                        gib(o.tightest.peak()), o.fits() ? priceOf(o, before) : "");
  return text.empty() ? "more devices along `tensor` or `pipeline` divide the model further" : text;
}

LogicalResult checkMemory(const Plan& plan, DiagnosticEngine& diags) {
  const RankMemory* worst = tightest(plan.memory);
  if (!worst)
    return LogicalResult::success();
  const std::uint64_t peak = worst->peak(), usable = worst->usable;
  if (peak > usable) {
    std::vector<std::pair<std::uint64_t, const char*>> parts = {
        {worst->parameters, "parameters"},
        {worst->gradients, "gradients"},
        {worst->optimizer, "optimizer state"},
        {worst->buffers, "buffers"},
        {worst->reserved, "reserved"}};
    if (worst->update > worst->activations + worst->transient)
      parts.emplace_back(worst->update, "copies of the optimizer's step");
    else
      parts.insert(parts.end(),
                   {{worst->activations, "activations"}, {worst->transient, "transients"}});
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string breakdown;
    for (const auto& [bytes, what] : parts)
      if (bytes > 0)
        breakdown += fmt::format("{}{} {}", breakdown.empty() ? "" : " + ", gib(bytes), what);
    return diags
        .report<diag::OutOfMemory>(plan.layout.rangeOf("mesh"), worst->rank, gib(peak), gib(usable))
        .label(std::move(breakdown))
        .help(adviceFor(plan, *worst));
  }
  const double free = 1 - static_cast<double>(peak) / static_cast<double>(usable);
  if (free < plan.lint.headroom)
    (void)diags
        .report<diag::LittleHeadroom>(plan.layout.rangeOf("mesh"), worst->rank, gib(usable - peak),
                                      gib(usable), fmt::format("{:g} %", 100 * plan.lint.headroom),
                                      plan.lint.origin)
        .label(fmt::format("peak {}", gib(peak)));
  return LogicalResult::success();
}

class CheckMemory final : public Pass {
public:
  llvm::StringRef name() const override { return "check-memory"; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    plan.memory = memoryOf(plan);
    return checkMemory(plan, diags);
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createCheckMemoryPass() { return std::make_unique<CheckMemory>(); }
