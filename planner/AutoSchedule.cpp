//===- AutoSchedule.cpp - `schedule = auto`: the fastest schedule that fits -------------------===//
#include "planner/AutoSchedule.h"
#include "cost/legality/Legality.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "passes/TakeDevices.h"
#include "passes/Words.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "planner/Trial.h"
#include "support/diagnostics/Layout.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::planner;
using ir::CandidateOutcome;
using ir::ScheduleCandidate;
using ir::ScheduleKind;

namespace {

/// Limits on ranks × micro-batches: steps longer than `longStep` try fewer schedules, and those
/// longer than `longestStep` none, so that the search needs only seconds.
constexpr std::uint64_t longStep = 8192, longestStep = 65'536;

/// Numbers of chunks for schedules with any number of them, and limits of micro-batches in eighths
/// of the ranks.
struct SearchSteps {
  std::vector<std::uint64_t> chunks, eighths;
};
SearchSteps stepsOf(std::uint64_t passes) {
  if (passes > longStep)
    return {{2, 4, 8}, {8, 16}};
  return {{2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
}

void write(const ScheduleCandidate& row, ir::Layout& layout) {
  layout.schedule = row.schedule, layout.chunks = row.chunks, layout.inFlight = row.inFlight;
}

/// Whether a rule of legality is about the schedule or the layers of its stages.
bool isOfSchedule(cost::LegalityRule rule) {
  using enum cost::LegalityRule;
  return rule == Actions || rule == SchedulePipeline || rule == ScheduleRanks ||
         rule == ScheduleMicroBatches || rule == Layers || rule == Slots || rule == ListLength ||
         rule == ListChunks;
}

class ScheduleSearch {
public:
  /// Relies on: the mesh is resolved.
  ScheduleSearch(const ir::Plan& plan, const SupportsSchedule& runs)
      : plan(plan), runs(runs), candidate(candidateOf(plan)),
        rows(scheduleSpace(candidate.pipeline, plan.mesh.microBatches)) {}

  /// Evaluates all candidates. False on an error that does not come from the schedule; passes
  /// report it.
  bool weigh() {
    for (ScheduleCandidate& row : rows) {
      ir::Plan with = plan;
      write(row, with.layout);
      const cost::LegalityInputs facts(with.model, with.cluster, with.layout);
      const cost::LegalityRule broken = facts.fixed != cost::LegalityRule::None
                                            ? facts.fixed
                                            : cost::brokenRule(facts, candidate);
      if (broken != cost::LegalityRule::None && !isOfSchedule(broken))
        return false;
      if (broken != cost::LegalityRule::None)
        row.outcome = CandidateOutcome::Illegal, row.reason = refusalOf(with);
      else if (candidate.pipeline > 1 && runs && !runs(with.layout))
        row.outcome = CandidateOutcome::Refused;
      else
        execute(row, std::move(with));
    }
    return true;
  }

  /// The fastest schedule that needs at most `share` of the memory; ties go to less memory.
  const ScheduleCandidate* fastest(double share) {
    std::vector<ScheduleCandidate*> fitting;
    for (ScheduleCandidate& row : rows)
      if (row.executed() && shareOf(row) <= share && row.outcome != CandidateOutcome::BreaksAssert)
        fitting.push_back(&row);
    std::stable_sort(fitting.begin(), fitting.end(),
                     [](const ScheduleCandidate* a, const ScheduleCandidate* b) {
                       return std::tie(a->step, a->peak) < std::tie(b->step, b->peak);
                     });
    for (ScheduleCandidate* row : fitting) {
      if (!passesAssertions(*row, share))
        continue;
      row->outcome = CandidateOutcome::Chosen;
      judgeOthers(share);
      return row;
    }
    return nullptr;
  }

  std::vector<ScheduleCandidate> release() { return std::move(rows); }

  LogicalResult nothingFits(DiagnosticEngine& diags) {
    const auto count = [&](auto is) {
      return static_cast<std::uint64_t>(std::count_if(rows.begin(), rows.end(), is));
    };
    const std::uint64_t executed = count([](const auto& row) { return row.executed(); });
    const std::uint64_t refused =
        count([](const auto& row) { return row.outcome == CandidateOutcome::Refused; });
    auto error = diags.report<diag::NoScheduleFits>(plan.layout.rangeOf("schedule"),
                                                    plural(candidate.pipeline, "pipeline rank"));
    if (executed == 0)
      return std::move(error).label(
          fmt::format("{} supports none of the {} that are legal", plan.framework.text(), refused));
    const ScheduleCandidate& nearest = nearestRow();
    return std::move(error)
        .label(plural(executed, "schedule") + " executed")
        .note<diag::BestCandidate>(SourceRange{}, nearest.text(),
                                   nearest.reason.empty() ? errorOf(nearest) : nearest.reason);
  }

  bool anyLegal() const {
    return llvm::any_of(rows,
                        [](const auto& row) { return row.outcome != CandidateOutcome::Illegal; });
  }

private:
  static double shareOf(const ScheduleCandidate& row) {
    return ir::real(row.peak) / ir::real(row.usable);
  }

  void execute(ScheduleCandidate& row, ir::Plan with) {
    const Estimate estimate = Estimator(with, MeshOf::Layout).exact(candidate);
    if (!estimate.runs) {
      row.outcome = CandidateOutcome::Illegal, row.reason = firstErrorOf(with);
      return;
    }
    row.step = estimate.step, row.mostInFlight = estimate.mostInFlight;
    row.peak = estimate.peak, row.usable = estimate.usable;
    if (estimate.share > 1)
      row.outcome = CandidateOutcome::NoMemory;
  }

  /// The message of check-layout for a pipeline shape that is not legal.
  static std::string refusalOf(ir::Plan& with) {
    DiagnosticEngine silent;
    (void)createCheckLayoutPass()->run(with, silent);
    return silent.diagnostics().empty() ? "" : silent.diagnostics().front().message;
  }

  std::string errorOf(const ScheduleCandidate& row) const {
    ir::Plan with = plan;
    write(row, with.layout);
    return firstErrorOf(with);
  }

  /// Whether the passes accept a candidate whose estimate fits, and the candidate needs at most
  /// `share` of the memory, counting the allocator's free blocks, which an estimate omits.
  bool passesAssertions(ScheduleCandidate& row, double share) const {
    if (!mayBeRefused(plan))
      return true;
    ir::Plan with = plan;
    write(row, with.layout);
    row.reason = firstErrorOf(with);
    const ir::RankMemory* least = ir::tightest(with.memory);
    if (least && ir::real(least->peak()) > share * ir::real(least->usable)) {
      row.peak = least->peak(), row.usable = least->usable;
      if (least->headroom() < 0)
        row.outcome = CandidateOutcome::NoMemory;
      return false;
    }
    if (!row.reason.empty())
      row.outcome = CandidateOutcome::BreaksAssert;
    return row.reason.empty();
  }

  void judgeOthers(double share) {
    for (ScheduleCandidate& row : rows)
      if (row.executed() && row.outcome == CandidateOutcome::Slower && shareOf(row) > share)
        row.outcome = CandidateOutcome::NoHeadroom;
  }

  /// The fastest candidate that fits and breaks an assertion; without one, the candidate with the
  /// least memory.
  const ScheduleCandidate& nearestRow() const {
    const auto further = [](const ScheduleCandidate& a, const ScheduleCandidate& b) {
      const auto rank = [](const ScheduleCandidate& row) {
        const bool fits = row.outcome == CandidateOutcome::BreaksAssert;
        return std::tuple(!row.executed(), !fits, fits ? row.step : row.peak);
      };
      return rank(a) < rank(b);
    };
    return *std::min_element(rows.begin(), rows.end(), further);
  }

  const ir::Plan& plan;
  const SupportsSchedule& runs;
  const cost::LayoutCandidate candidate;
  std::vector<ScheduleCandidate> rows;
};

} // namespace

bool dpl::planner::searchesSchedule(std::uint64_t ranks, std::uint64_t microBatches) {
  return ranks > 1 && ranks * microBatches <= longestStep;
}

std::vector<ScheduleCandidate> dpl::planner::scheduleSpace(std::uint64_t ranks,
                                                           std::uint64_t microBatches) {
  const SearchSteps steps = stepsOf(ranks * microBatches);
  std::vector<ScheduleCandidate> rows;
  for (std::size_t i = 0; i < ir::scheduleCount; ++i) {
    ScheduleCandidate row;
    row.schedule = static_cast<ScheduleKind>(i), row.chunks = ir::chunksOf(row.schedule);
    const auto limited = [&](std::uint64_t limit) {
      if (limit > row.inFlight)
        row.inFlight = limit, rows.push_back(row);
    };
    // Custom schedules are excluded, and schedules without a flush, because training with stale
    // weights is different.
    if (row.schedule == ScheduleKind::Listed || !cost::scheduleInfo(row.schedule).flushed())
      continue;
    if (row.schedule == ScheduleKind::ZeroBubbleAutomatic) {
      for (const std::uint64_t eighths : steps.eighths)
        limited(std::min(microBatches, (eighths * ranks + 7) / 8));
      limited(microBatches);
    } else if (row.chunks > 0) {
      rows.push_back(row);
    } else {
      for (const std::uint64_t chunks : steps.chunks)
        row.chunks = chunks, rows.push_back(row);
    }
  }
  return rows;
}

LogicalResult dpl::planner::chooseSchedule(ir::Plan& plan, DiagnosticEngine& diags,
                                           const SupportsSchedule& runs) {
  const ir::Layout& layout = plan.layout;
  if (!layout.scheduleAutomatic)
    return LogicalResult::success();
  if (takeDevices(plan, diags).failed())
    return LogicalResult::failure();
  // The passes report errors that do not depend on the schedule.
  ir::Plan resolved = plan;
  DiagnosticEngine silent;
  if (createResolveMeshPass()->run(resolved, silent).failed() || resolved.mesh.microBatches == 0)
    return LogicalResult::success();
  const std::uint64_t ranks = resolved.mesh.size(ir::Axis::Pipeline),
                      passes = resolved.mesh.microBatches * ranks;
  // The best mesh that was found has no pipeline.
  if (layout.mesh.automatic && !searchesSchedule(ranks, resolved.mesh.microBatches))
    return LogicalResult::success();
  if (passes > longestStep)
    return diags.report<diag::TooManyPasses>(layout.rangeOf("schedule"), passes, longestStep)
        .label("`schedule = auto` executes all of them for each schedule");
  ScheduleSearch choice(resolved, runs);
  if (!choice.weigh() || !choice.anyLegal())
    return LogicalResult::success();
  for (const double share : {1 - plan.lint.headroom, 1.0})
    if (const ScheduleCandidate* found = choice.fastest(share)) {
      write(*found, plan.layout);
      plan.scheduleCandidates = choice.release();
      return LogicalResult::success();
    }
  return choice.nothingFits(diags);
}
