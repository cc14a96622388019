//===- PlanCheck.cpp - Checks that a plan that was read is consistent -------------------------===//
#include "cost/step/PlanCheck.h"
#include "cost/compute/ChunkEstimate.h"
#include "cost/execution/Proof.h"
#include "cost/execution/RankSchedules.h"
#include "cost/execution/Step.h"
#include "cost/legality/Legality.h"
#include "cost/memory/RankMemory.h"
#include "cost/programs/MergedActions.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Compares a rank of the plan with the executed step, operation by operation.
class RankComparison {
public:
  RankComparison(const RankSchedule& rank, const StepExecution& step) : rank(rank), step(step) {}

  std::string whatDiffers() const {
    const llvm::ArrayRef<EpilogueOperation> epilogue = step.epilogue(rank.rank);
    const std::size_t all = rank.actions.size();
    std::size_t passes = 0;
    for (; passes < all && isChunkAction(rank.actions[passes].kind); ++passes) {
      const std::uint64_t start = step.start(rank.rank, passes), end = step.end(rank.rank, passes);
      if (rank.start[passes] != start || rank.endOf(passes) != end)
        return other(passes, start, end);
    }
    if (all - passes != epilogue.size())
      return fmt::format("rank {} has {} operations after its passes, the step {}", rank.rank,
                         all - passes, epilogue.size());
    for (std::size_t i = 0; i < epilogue.size(); ++i) {
      const ScheduledAction& op = rank.actions[passes + i];
      const EpilogueOperation& executed = epilogue[i];
      const std::uint64_t end = executed.start + executed.duration;
      if (op != executed.action)
        return fmt::format("rank {} runs {} where the step has {}", rank.rank, name(op.kind),
                           name(executed.action.kind));
      if (rank.start[passes + i] != executed.start || rank.endOf(passes + i) != end)
        return other(passes + i, executed.start, end);
    }
    if (rank.sending != step.sending(rank.rank))
      return fmt::format("rank {} waits {} ps for what it sends, its messages take {}", rank.rank,
                         rank.sending, step.sending(rank.rank));
    return {};
  }

private:
  std::string other(std::size_t i, std::uint64_t start, std::uint64_t end) const {
    return fmt::format("operation {} of rank {}, {}, runs from {} to {} ps, its bodies give {} to "
                       "{}",
                       i, rank.rank, name(rank.actions[i].kind), rank.start[i], rank.endOf(i),
                       start, end);
  }
  const RankSchedule& rank;
  const StepExecution& step;
};

std::string pairedWithout(const Plan& plan) {
  if (scheduleInfo(plan.layout.schedule).pairs)
    return {};
  for (const RankSchedule& rank : plan.schedule)
    for (const ScheduledAction& op : rank.actions)
      if (op.kind == ActionKind::PairedForward)
        return fmt::format("rank {} runs {} of micro-batch {}, chunk {}, which `{}` does not have",
                           rank.rank, name(op.kind), op.microBatch, op.chunk,
                           name(plan.layout.schedule));
  return {};
}

std::string otherPairs(const Plan& plan) {
  if (plan.chunkPrograms.empty())
    return {};
  const bool merged =
      stageProgramOf(plan, plan.chunkPrograms.front(), ActionKind::PairedForward).has_value();
  if (merged == mergesPairs(plan))
    return {};
  return merged ? "passes of pairs are merged, which the layout does not ask for"
                : "passes of pairs are not merged, as the layout asks for";
}

std::string nothingInAdvance(const Plan& plan) {
  return legal::recomputes(plan.model, plan.layout.recompute)
             ? ""
             : fmt::format("recomputation in advance of `{}`, which brings nothing back",
                           name(plan.layout.recompute.kind));
}

/// The times of a step without a flush are defined only for the order of the layout's schedule.
std::string otherOrder(const Plan& plan) {
  if (scheduleInfo(plan.layout.schedule).flushed())
    return {};
  if (plan.layout.recompute.inAdvance)
    return fmt::format("`{}` has no recomputation in advance", name(plan.layout.schedule));
  const PerRankSchedules lists = perRankSchedules(pipelineOf(plan));
  for (const RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < lists[rank.rank].size(); ++i) {
      const ScheduledAction &said = rank.actions[i], &needed = lists[rank.rank][i];
      if (said.kind != needed.kind || said.microBatch != needed.microBatch)
        return fmt::format("operation {} of rank {} is {} of micro-batch {}, `{}` has {} of {}", i,
                           rank.rank, name(said.kind), said.microBatch, name(plan.layout.schedule),
                           name(needed.kind), needed.microBatch);
    }
  return {};
}

std::string otherTimes(const Plan& plan) {
  if (plan.chunkPrograms.empty())
    return {};
  StepExecution step(plan);
  step.run();
  if (const std::uint64_t said = plan.steady.empty() ? 0 : plan.steady.front().period;
      said != step.period())
    return fmt::format("steps begin {} ps after one another, their bodies give {}", said,
                       step.period());
  for (const RankSchedule& rank : plan.schedule)
    if (std::string differs = RankComparison(rank, step).whatDiffers(); !differs.empty())
      return differs;
  return {};
}

/// The fields of a record as texts, by name.
struct RecordNumbers {
  template <class T> void operator()(const char* field, const T& value) {
    all.emplace_back(field, fmt::format("{}", value));
  }
  template <class T> void operator()(const char* field, const std::vector<T>& records) {
    (*this)(field, records.size()); // a difference in number comes before any in content
    for (T record : records)
      record.fields(*this);
  }
  std::vector<std::pair<const char*, std::string>> all;
};

/// "temporary = 7, its order gives 5" for the first field in which two records differ; empty if
/// they are equal.
template <class T> std::string otherNumber(T said, T needed, const char* from) {
  RecordNumbers ofSaid, ofNeeded;
  said.fields(ofSaid), needed.fields(ofNeeded);
  for (std::size_t i = 0; i < ofSaid.all.size(); ++i)
    if (const auto& [field, value] = ofSaid.all[i]; value != ofNeeded.all[i].second)
      return fmt::format("{} = {}, {} {}", field, value, from, ofNeeded.all[i].second);
  return {};
}

std::string otherCosts(const Plan& plan) {
  if (plan.costs.empty())
    return {};
  const ChunkEstimate estimate(plan);
  for (std::size_t i = 0; i < plan.costs.size(); ++i)
    if (std::string differs =
            otherNumber(plan.costs[i], estimate.of(plan.chunks[i]), "its layers give");
        !differs.empty())
      return fmt::format("chunk {} of rank {} has {}", plan.chunks[i].chunk, plan.chunks[i].rank,
                         differs);
  return {};
}

std::string otherMemory(const Plan& plan) {
  if (plan.memory.empty())
    return {};
  const std::vector<RankMemory> held = memoryOf(plan);
  if (held.size() != plan.memory.size())
    return fmt::format("memory of {} ranks, needed {}", plan.memory.size(), held.size());
  for (std::size_t i = 0; i < held.size(); ++i)
    if (std::string differs = otherNumber(plan.memory[i], held[i], "its order gives");
        !differs.empty())
      return fmt::format("memory of rank {} has {}", held[i].rank, differs);
  return {};
}
} // namespace

std::vector<std::string> dpl::cost::whatIsUnsound(const Plan& plan) {
  std::vector<std::string> broken = verify(plan);
  if (!broken.empty() || plan.schedule.empty())
    return broken;
  for (const auto& check : {pairedWithout, otherPairs, nothingInAdvance, whatBreaks, otherOrder,
                            otherCosts, otherTimes, otherMemory})
    if (std::string wrong = check(plan); !wrong.empty())
      return {std::move(wrong)};
  return {};
}
