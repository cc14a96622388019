//===- LowerSchedule.cpp - Lowers the schedule and the costs of micro-batches -----------------===//
#include "frontend/sema/Lowering.h"
#include "ir/ListedActions.h"
#include "ir/MicroBatchCosts.h"
#include "support/diagnostics/Layout.h"

using namespace dpl;
using namespace dpl::sema;

namespace {

class ScheduleLowering {
public:
  ScheduleLowering(Lowering& to, const ObjectFields& fields)
      : to(to), fields(fields), layout(to.plan.layout) {}

  void schedule() {
    layout.scheduleAutomatic = fields.isAuto("schedule");
    if (layout.scheduleAutomatic)
      return;
    layout.schedule = choice(fields, "schedule", ir::ScheduleKind::OneForwardOneBackward);
    layout.chunks = ir::chunksOf(layout.schedule);
    const bool limited = layout.schedule == ir::ScheduleKind::ZeroBubbleAutomatic;
    if (layout.chunks > 0 && !limited)
      return;
    const ObjectFields chosen = fields.object("schedule");
    const auto count = [&](const char* field, std::uint64_t most) {
      const std::string path = std::string("schedule.") + field;
      to.locate(path, chosen, field);
      return to.bounded(chosen.count(field), most, path.c_str(), chosen.range(field));
    };
    if (limited)
      layout.inFlight = count("in_flight", mostLayers);
    else
      layout.chunks = count("chunks", mostLayers);
    if (layout.schedule == ir::ScheduleKind::Interleaved && chosen.isSet("micro_batch_group"))
      layout.group = count("micro_batch_group", mostSequences);
    if (layout.schedule == ir::ScheduleKind::Listed)
      customSchedule(chosen);
  }

  void microBatchCosts() {
    if (!fields.has("micro_batch_costs"))
      return;
    const Value written = fields.value("micro_batch_costs");
    if (!written.is(Value::ValueKind::List))
      return;
    const SourceRange all = fields.range("micro_batch_costs");
    const auto refused = [&](SourceRange at, const std::string& found, const char* needed) {
      to.failed = true;
      (void)to.diags.report<diag::MicroBatchCost>(at.valid() ? at : all, found).label(needed);
    };
    if (written.list.empty())
      return refused(all, "an empty list",
                     "needed one cost per micro-batch, or a divisor of their number");
    std::vector<Rational> costs;
    for (const Value& v : written.list) {
      costs.push_back(v.number.value);
      if (costs.back().isZero() || costs.back().isNegative())
        return refused(v.range, costs.back().str(), "costs must be above 0");
    }
    if (auto whole = ir::wholeRatio(costs))
      layout.microBatchCosts = std::move(*whole);
    else
      refused(all, "too fine a ratio", "needed a ratio of whole numbers up to 1000000000");
  }

private:
  void customSchedule(const ObjectFields& chosen) {
    to.locate("schedule.actions", chosen, "actions");
    ir::CustomSchedule& out = layout.customSchedule;
    out.placement = choice(chosen, "placement", ir::PlacementKind::Looped);
    const Value written = chosen.value("actions");
    if (!written.is(Value::ValueKind::List) || layout.chunks == 0)
      return;
    for (const Value& list : written.list) {
      if (const SourceRange text = textOf(list); text.valid())
        layout.ranges[ir::rangeOfRankSchedule(out.ranks.size())] = text;
      out.ranks.push_back(list.text.str());
    }
    out.microBatches = ir::microBatchesOf(out);
    for (const ir::ScheduleProblem& problem :
         ir::problemsOf(out, layout.chunks, layout.recompute.inAdvance))
      reportListed(problem, written.list[problem.rank]);
  }
  void reportListed(const ir::ScheduleProblem& problem, const Value& list) {
    to.failed = true;
    const SourceRange at = placeIn(list, problem.at);
    using enum ir::ScheduleProblem::ScheduleProblemKind;
    switch (problem.kind) {
    case NoAction:
      (void)to.diags.report<diag::ListedNoOperation>(at, problem.what, problem.rank)
          .help(layout.chunks == 1
                    ? "`F0`, `B0`, `I0`, `W0` and `R0` are the actions of micro-batch 0"
                    : fmt::format("`{0}F0`, `{0}B0`, `{0}I0`, `{0}W0` and `{0}R0` are the "
                                  "actions of micro-batch 0 on stage {0}",
                                  problem.stage));
      break;
    case OtherRank:
      (void)to.diags.report<diag::ListedOtherRank>(
          at, problem.what, problem.rank, problem.stage,
          problem.owner ? "rank " + std::to_string(*problem.owner) : "no rank");
      break;
    case Twice:
      (void)to.diags.report<diag::ListedAgain>(at, problem.what, problem.other)
          .note<diag::FieldGivenHere>(placeIn(list, *problem.earlier), problem.other, "given");
      break;
    case NotRequested:
      (void)to.diags.report<diag::ListedRecomputation>(at, problem.what)
          .help(layout.recompute.kind == ir::RecomputeKind::None
                    ? "write `recompute = full { in_advance = true }`"
                    : "write `in_advance = true` in `recompute`");
      break;
    case TooEarly:
      (void)to.diags.report<diag::ListedTooEarly>(at, problem.what, problem.other, problem.rank);
      break;
    case Missing:
      (void)to.diags.report<diag::ListedMissing>(at, problem.rank, problem.what)
          .label(problem.other.empty()
                     ? fmt::format("each action is needed once for the micro-batches 0 to {}",
                                   problem.microBatches - 1)
                     : fmt::format("`{}` means that there are {} micro-batches", problem.other,
                                   problem.microBatches));
      break;
    }
  }
  /// The place of the list between its quotes; invalid if the list is not written out in the file.
  SourceRange textOf(const Value& list) const {
    const SourceRange all = list.range;
    const llvm::StringRef text = to.sources.text(all);
    if (text.size() != list.text.size() + 2 || text.drop_front().drop_back() != list.text)
      return {};
    return {all.file, all.begin + 1, all.end - 1};
  }
  SourceRange placeIn(const Value& list, ir::ScheduleTextRange part) const {
    const SourceRange text = textOf(list);
    if (part.end == 0 || !text.valid())
      return list.range;
    return {text.file, text.begin + part.begin, text.begin + part.end};
  }

  Lowering& to;
  const ObjectFields& fields;
  ir::Layout& layout;
};

} // namespace

void sema::lowerSchedule(Lowering& to, const ObjectFields& layout) {
  ScheduleLowering lowering(to, layout);
  lowering.microBatchCosts();
  lowering.schedule();
}
