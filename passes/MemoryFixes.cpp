//===- MemoryFixes.cpp - Changes of a plan and the memory that it would take ------------------===//
#include "passes/MemoryFixes.h"
#include "cost/memory/RankMemory.h"
#include "figures/StepTimes.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <functional>
#include <optional>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// A change of the layout and what the file would say.
struct Fix {
  std::string text;
  std::function<void(Plan&)> change;
};

/// The plan after changes, from the same passes; nothing where they fail.
std::optional<MemoryOutcome> outcomeOf(const Plan& plan, llvm::ArrayRef<const Fix*> fixes) {
  Plan changed = plan;
  MemoryOutcome out;
  out.changes = fixes.size();
  for (const Fix* fix : fixes) {
    fix->change(changed);
    out.text += (out.text.empty() ? "" : fix == fixes.back() ? " and " : ", ") + fix->text;
  }
  changed.mesh.microBatches =
      plan.mesh.microBatches * plan.layout.microBatch / changed.layout.microBatch;
  DiagnosticEngine silent;
  for (const auto& create :
       {createCheckLayoutPass, createPartitionLayersPass, createBuildGroupsPass,
        createEstimateComputePass, createLowerCollectivesPass, createSchedulePipelinePass})
    if (create()->run(changed, silent).failed())
      return std::nullopt;
  out.tightest = *tightest(memoryOf(changed));
  out.step = figures::stepTimes(changed).step;
  return out;
}

/// What fits before what does not: that by its step, of equal ones by its peak, this by its peak.
bool isBetter(const MemoryOutcome& a, const MemoryOutcome& b) {
  if (a.fits() != b.fits())
    return a.fits();
  if (a.fits() && a.step != b.step)
    return a.step < b.step;
  return a.tightest.headroom() > b.tightest.headroom();
}

/// Other numbers for `recompute.layers`, up to those of the largest chunk: the best of them.
std::optional<Fix> otherLayers(const Plan& plan) {
  std::uint64_t most = 1;
  for (const Chunk& chunk : plan.chunks)
    most = std::max(most, chunk.layers);
  std::optional<Fix> best;
  std::optional<MemoryOutcome> known;
  for (std::uint64_t layers = 1, last = 0; layers != last;
       last = layers, layers = std::min(2 * layers, most)) {
    if (layers == plan.layout.recompute.layers)
      continue;
    Fix fix{fmt::format("`recompute.layers = {}`", layers),
            [layers](Plan& p) { p.layout.recompute.layers = layers; }};
    std::optional<MemoryOutcome> out = outcomeOf(plan, {&fix});
    if (out && (!known || isBetter(*out, *known)))
      known = std::move(out), best = std::move(fix);
  }
  return best;
}

/// One change after another, each the best next, until it fits; what proves needless then is left
/// out. Nothing where the best next one helps no more.
std::optional<MemoryOutcome> together(const Plan& plan, llvm::ArrayRef<Fix> fixes) {
  std::vector<const Fix*> taken;
  std::optional<MemoryOutcome> known;
  while (!known || !known->fits()) {
    const Fix* next = nullptr;
    for (const Fix& fix : fixes) {
      taken.push_back(&fix);
      std::optional<MemoryOutcome> out = outcomeOf(plan, taken);
      taken.pop_back();
      if (out && (!known || isBetter(*out, *known)))
        known = std::move(out), next = &fix;
    }
    if (!next)
      return std::nullopt;
    taken.push_back(next);
  }
  for (std::size_t i = taken.size(); i-- > 0;) {
    std::vector<const Fix*> fewer = taken;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (std::optional<MemoryOutcome> out = outcomeOf(plan, fewer); out && out->fits())
      known = std::move(out), taken = std::move(fewer);
  }
  return known;
}

std::vector<Fix> fixesFor(const Plan& plan) {
  std::vector<Fix> fixes;
  const auto propose = [&](std::string text, auto change) {
    fixes.push_back({fmt::format("`{}`", text), [change](Plan& p) { change(p.layout); }});
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
  const bool pipelined = plan.mesh.size(Axis::Pipeline) > 1;
  if (pipelined && l.runsAs() != ScheduleKind::OneForwardOneBackward)
    propose("schedule = 1f1b", [](Layout& c) {
      c.schedule = ScheduleKind::OneForwardOneBackward;
      c.chunks = 1, c.inFlight = 0, c.group = 0, c.listed = {};
    });
  if (pipelined && l.split != SplitKind::Balanced)
    propose("split = balanced",
            [](Layout& c) { c.split = SplitKind::Balanced, c.splitLayers.clear(); });
  const auto smaller = [&](std::uint64_t microBatch) {
    propose(fmt::format("micro_batch = {}{}", microBatch,
                        l.batchUnit == BatchUnit::Samples ? "sample" : "seq"),
            [microBatch](Layout& c) { c.microBatch = microBatch; });
  };
  if (l.microBatch > 1 && l.microBatch % 2 == 0)
    smaller(l.microBatch / 2);
  if (l.microBatch > 2)
    smaller(1);
  const Recompute& again = l.recompute;
  if (again.kind != RecomputeKind::None)
    propose(fmt::format("recompute.in_advance = {}", !again.inAdvance),
            [](Layout& c) { c.recompute.inAdvance = !c.recompute.inAdvance; });
  if (again.kind == RecomputeKind::Full)
    if (std::optional<Fix> other = otherLayers(plan))
      fixes.push_back(std::move(*other));
  if (again.kind != RecomputeKind::Full || again.method != RecomputeMethod::Uniform)
    propose("recompute = full", [](Layout& c) {
      c.recompute = {};
      c.recompute.kind = RecomputeKind::Full;
    });
  return fixes;
}

/// A quantity of a plan that may grow.
struct Growth {
  std::uint64_t now = 0, unit = 1, most = 0; ///< it is `now` and a multiple of `unit` more
  std::function<std::string(std::uint64_t)> text;
  std::function<void(Plan&, std::uint64_t)> set;
};

/// The largest value that fits. More never takes less, so that halving finds it; what the passes
/// refuse does not fit.
std::optional<MemoryOutcome> largest(const Plan& plan, const Growth& growth) {
  std::optional<MemoryOutcome> best;
  const auto fits = [&](std::uint64_t steps) {
    const std::uint64_t value = growth.now + steps * growth.unit;
    const Fix fix{fmt::format("`{}`", growth.text(value)), [&](Plan& p) { growth.set(p, value); }};
    std::optional<MemoryOutcome> out = outcomeOf(plan, {&fix});
    if (!out || !out->fits())
      return false;
    best = std::move(out);
    return true;
  };
  const std::uint64_t most = (growth.most - growth.now) / growth.unit;
  std::uint64_t in = 0, out = 1;
  while (out <= most && fits(out))
    in = out, out *= 2;
  out = std::min(out, most + 1);
  while (out - in > 1) {
    const std::uint64_t middle = in + (out - in) / 2;
    (fits(middle) ? in : out) = middle;
  }
  return best;
}

constexpr std::uint64_t mostTimes = 64; ///< how far a quantity is followed

/// Micro-batches that divide what a replica takes in a step, the largest that fits.
std::optional<MemoryOutcome> largestMicroBatch(const Plan& plan) {
  const std::uint64_t now = plan.layout.microBatch, all = now * plan.mesh.microBatches;
  std::optional<MemoryOutcome> best;
  for (std::uint64_t size = now + 1; size <= std::min(all, now * mostTimes); ++size) {
    if (all % size != 0)
      continue;
    const Fix fix{fmt::format("`micro_batch = {}{}`", size,
                              plan.layout.batchUnit == BatchUnit::Samples ? "sample" : "seq"),
                  [size](Plan& p) { p.layout.microBatch = size; }};
    std::optional<MemoryOutcome> out = outcomeOf(plan, {&fix});
    if (out && !out->fits())
      break;
    if (out)
      best = std::move(out);
  }
  return best;
}

Growth context(const Plan& plan) {
  const std::uint64_t now = plan.model.context;
  // Halves of a context rank's part, each divided by the tensor ranks.
  const std::uint64_t part = 2 * plan.mesh.size(Axis::Context) * plan.mesh.size(Axis::Tensor);
  return {now, ceilDiv(std::max<std::uint64_t>(1, now / 16), part) * part, now * mostTimes,
          [](std::uint64_t tokens) { return fmt::format("model.context = {}tok", tokens); },
          [](Plan& p, std::uint64_t tokens) { p.model.context = tokens; }};
}

/// The longest run of equal layers, a layer more for each chunk at a time.
Growth depth(const Plan& plan) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < plan.model.runs.size(); ++i)
    if (plan.model.runs[i].count > plan.model.runs[longest].count)
      longest = i;
  const std::uint64_t now = plan.model.layers(), run = plan.model.runs[longest].count;
  return {now, std::max<std::uint64_t>(1, plan.chunks.size()), now * mostTimes,
          [](std::uint64_t layers) { return fmt::format("model.layers = {}", layers); },
          [=](Plan& p, std::uint64_t layers) { p.model.runs[longest].count = run + layers - now; }};
}

/// Whether the plan may be worked out dozens of times: passes of a step, by the chunks of a rank
/// that are counted in each. A plan of 64 ranks with 16 chunks and 512 micro-batches may.
bool isQuick(const Plan& plan) {
  constexpr double most = 1 << 25;
  return real(plan.mesh.microBatches) * real(plan.placement.stages()) *
             real(plan.placement.chunks) <=
         most;
}
} // namespace

std::vector<MemoryOutcome> dpl::memoryFixes(const Plan& plan) {
  if (!isQuick(plan))
    return {};
  const RankMemory worst = *tightest(plan.memory);
  const auto least = static_cast<std::int64_t>(worst.peak() / 1000); // below it no text shows it
  std::vector<MemoryOutcome> outcomes;
  const auto add = [&](llvm::ArrayRef<const Fix*> tried, auto wanted) {
    if (std::optional<MemoryOutcome> out = outcomeOf(plan, tried); out && wanted(*out))
      outcomes.push_back(std::move(*out));
  };
  const std::vector<Fix> fixes = fixesFor(plan);
  for (const Fix& fix : fixes)
    add({&fix},
        [&](const MemoryOutcome& o) { return o.tightest.headroom() > worst.headroom() + least; });
  const auto noneFits = [&] {
    return llvm::none_of(outcomes, [](const MemoryOutcome& o) { return o.fits(); });
  };
  if (noneFits())
    for (std::size_t i = 0; i < fixes.size(); ++i)
      for (std::size_t j = i + 1; j < fixes.size(); ++j)
        add({&fixes[i], &fixes[j]}, [](const MemoryOutcome& o) { return o.fits(); });
  if (noneFits())
    if (std::optional<MemoryOutcome> out = together(plan, fixes))
      outcomes.push_back(std::move(*out));
  std::stable_sort(outcomes.begin(), outcomes.end(), isBetter);
  return outcomes;
}

std::vector<MemoryOutcome> dpl::largestThatFit(const Plan& plan) {
  if (!isQuick(plan))
    return {};
  std::vector<MemoryOutcome> all;
  const auto add = [&](std::optional<MemoryOutcome> out) {
    if (out)
      all.push_back(std::move(*out));
  };
  add(largestMicroBatch(plan));
  if (plan.model.isLayerList() || plan.layout.split == SplitKind::Listed)
    return all; // lists say the layers themselves
  add(largest(plan, context(plan)));
  add(largest(plan, depth(plan)));
  return all;
}
