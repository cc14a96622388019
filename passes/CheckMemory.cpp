//===- CheckMemory.cpp - Checks the memory of each pipeline rank ------------------------------===//
#include "cost/memory/RankMemory.h"
#include "cost/step/StepTimes.h"
#include "passes/CheckHostMemory.h"
#include "passes/IdleFields.h"
#include "passes/MemoryFixes.h"
#include "passes/Passes.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// A text with the effect of a change on a plan with a step of `before` seconds: ", which fits with
/// 0.4 % free, in 33 % more time".
std::string priceOf(const MemoryOutcome& outcome, const Plan& plan, double before) {
  return fmt::format(", which fits{}, in {}", freeWords(plan, outcome.free()),
                     timeOverStep(outcome.step, before));
}

/// A text with the changes that help: "`recompute = full` takes it to 61.0 GiB, which fits, in 33 %
/// more time; …". Changes that are not enough are named only if no change is.
std::string adviceFor(const Plan& plan, const AcceptsPlan& takes) {
  constexpr std::size_t most = 3;
  auto [outcomes, all] = memoryFixes(plan, takes);
  const bool enough = !outcomes.empty() && outcomes.front().fits();
  const auto isShort = [](const MemoryOutcome& o) { return !o.fits(); };
  if (enough)
    llvm::erase_if(outcomes, isShort);
  outcomes.resize(std::min(outcomes.size(), most));
  const double before = cost::stepTimes(plan).step;
  const std::uint64_t usable = tightest(plan.memory)->usable;
  std::string text;
  for (const MemoryOutcome& o : outcomes) {
    // With a change another rank may have the least free memory, on devices with other memory.
    const RankMemory& rank = o.tightest;
    const std::string peak = rank.usable == usable
                                 ? gib(rank.peak())
                                 : fmt::format("{} of {} on pipeline rank {}", gib(rank.peak()),
                                               gib(rank.usable), rank.rank);
    text += fmt::format(
        "{}{} {} it to {}{}{}", text.empty() ? "" : "; ", o.text, o.changes > 1 ? "take" : "takes",
        peak, o.fits() ? priceOf(o, plan, before) : "",
        o.host ? fmt::format(" and {} of a node's host memory", gib(o.host->needed)) : "");
  }
  if (!enough)
    text = (text.empty() ? "" : "no change that was tried fits: " + text + "; ") +
           "more devices along `tensor` or `pipeline` divide the model further";
  return text + (all ? "" : "; some changes were not tried, because a step has too many actions");
}

void checkOffloadedLayers(const Plan& plan, DiagnosticEngine& diags) {
  const std::uint64_t layers = plan.layout.offloadSettings().layers;
  std::uint64_t most = 0;
  for (const Chunk& chunk : plan.chunks)
    most = std::max(most, chunk.layers);
  if (layers > most)
    (void)diags.report<diag::OffloadedLayers>(plan.layout.rangeOf("offload.activations"), layers,
                                              most);
}

LogicalResult checkMemory(const Plan& plan, const PipelineOptions& options,
                          DiagnosticEngine& diags) {
  const RankMemory* worst = tightest(plan.memory);
  if (!worst)
    return LogicalResult::success();
  const std::uint64_t peak = worst->peak(), usable = worst->usable;
  if (peak > usable) {
    const std::uint64_t blocks = freeBlockBytes(plan, *worst);
    std::vector<std::pair<std::uint64_t, const char*>> parts = {
        {worst->parameters, "parameters"},     {worst->gradients, "gradients"},
        {worst->optimizer, "optimizer state"}, {worst->buffers, "buffers"},
        {worst->reserved - blocks, "runtime"}, {blocks, "free blocks of the allocator"}};
    if (worst->update > worst->activations + worst->temporary)
      parts.emplace_back(worst->update, "copies during the optimizer step");
    else
      parts.insert(parts.end(),
                   {{worst->activations, "activations"}, {worst->temporary, "temporary memory"}});
    auto refused = diags
                       .report<diag::OutOfMemory>(plan.layout.rangeOf("mesh"), worst->rank,
                                                  gib(peak), gib(usable))
                       .label(breakdownOf(std::move(parts)));
    return options.advise ? std::move(refused).help(adviceFor(plan, options.accepts))
                          : std::move(refused);
  }
  const double free = 1 - static_cast<double>(peak) / static_cast<double>(usable);
  if (free < plan.lint.headroom)
    (void)diags
        .report<diag::LittleHeadroom>(plan.layout.rangeOf("mesh"), worst->rank, gib(usable - peak),
                                      gib(usable), fmt::format("{:g} %", 100 * plan.lint.headroom),
                                      plan.lint.originOf("headroom"))
        .label(fmt::format("peak {}", gib(peak)));
  return LogicalResult::success();
}

class CheckMemory final : public Pass {
public:
  llvm::StringRef name() const override { return "check-memory"; }
  void configure(const PipelineOptions& said) override { options = said; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    plan.memory = memoryOf(plan);
    checkOffloadedLayers(plan, diags);
    checkIdleFields(plan, diags);
    const bool fits = checkMemory(plan, options, diags).succeeded();
    return checkHostMemory(plan, options, diags).succeeded() && fits ? LogicalResult::success()
                                                                     : LogicalResult::failure();
  }

private:
  PipelineOptions options;
};
} // namespace

std::unique_ptr<Pass> dpl::createCheckMemoryPass() { return std::make_unique<CheckMemory>(); }
