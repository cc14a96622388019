//===- CheckMemory.cpp - Memory of each pipeline rank against the device ----------------------===//
#include "cost/CostModel.h"
#include "cost/memory/RankMemory.h"
#include "passes/Passes.h"
#include "support/diagnostics/Cost.h"
#include <algorithm>
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
  Layout layout;
};

std::vector<Fix> fixesFor(const Plan& plan) {
  std::vector<Fix> fixes;
  const auto propose = [&](std::string text, auto change) {
    Fix fix{std::move(text), plan.layout};
    change(fix.layout);
    fixes.push_back(std::move(fix));
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
  if (l.microBatch > 1 && l.microBatch % 2 == 0)
    propose(fmt::format("micro_batch = {}{}", l.microBatch / 2,
                        l.batchUnit == BatchUnit::Samples ? "sample" : "seq"),
            [](Layout& c) { c.microBatch /= 2; });
  if (l.recompute.kind != RecomputeKind::Full && !plan.model.isLayerList())
    propose("recompute = full", [](Layout& c) {
      c.recompute = {RecomputeKind::Full, {}, RecomputeMethod::Uniform, 1};
    });
  return fixes;
}

/// The tightest rank of a plan after a change, from the same passes; nothing where they fail.
std::optional<RankMemory> tightestWith(const Plan& plan, const Layout& layout) {
  Plan changed = plan;
  changed.mesh.microBatches = plan.mesh.microBatches * plan.layout.microBatch / layout.microBatch;
  changed.layout = layout;
  DiagnosticEngine silent;
  for (const auto& create : {createPartitionLayersPass, createEstimateComputePass,
                             createLowerCollectivesPass, createSchedulePipelinePass})
    if (create()->run(changed, silent).failed())
      return std::nullopt;
  return *tightest(memoryOf(changed));
}

/// "shard.optimizer = data takes it to 61.0 GiB, which fits; …", the largest gain first.
std::string adviceFor(const Plan& plan, const RankMemory& worst) {
  std::vector<std::pair<std::int64_t, std::string>> gains;
  for (const Fix& fix : fixesFor(plan))
    if (const auto after = tightestWith(plan, fix.layout);
        after && after->headroom() > worst.headroom())
      gains.emplace_back(-after->headroom(),
                         fmt::format("`{}` takes it to {}{}", fix.text, gib(after->peak()),
                                     after->headroom() >= 0 ? ", which fits" : ""));
  std::stable_sort(gains.begin(), gains.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [after, line] : gains)
    text += (text.empty() ? "" : "; ") + line;
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
