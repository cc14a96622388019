//===- Trial.cpp - The passes on one candidate, without messages ------------------------------===//
#include "planner/Trial.h"
#include "cost/legality/Legality.h"
#include "cost/memory/OutsideTensors.h"
#include "ir/Arithmetic.h"
#include "planner/EstimateTables.h"
#include "planner/MeshSpace.h"
#include "planner/OpenChoices.h"
#include "support/diagnostics/Assertions.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::planner;
using cost::LayoutCandidate;

bool dpl::planner::mayBeRefused(const ir::Plan& plan) {
  const ir::Layout& l = plan.layout;
  return !plan.assertions.empty() || cost::hasFixedSegments(plan) || !l.dataRanks.empty() ||
         !l.compression.empty() || l.offloads();
}

std::string dpl::planner::firstErrorOf(ir::Plan& plan) {
  DiagnosticEngine silent;
  (void)runPipeline(plan, silent, withoutAdvice());
  for (const Diagnostic& d : silent.diagnostics())
    if (d.info.severity == Severity::Error) {
      std::string said = d.message;
      for (const Diagnostic& note : d.notes)
        if (llvm::StringRef(note.info.code) == diag::AssertionValues::info.code)
          said += ", " + note.message;
      return said;
    }
  return "";
}

Trial::Trial(const ir::Plan& from) : plan(from), experts(cost::hasExperts(from.model)) {}

std::string Trial::errorOfFitting(const LayoutCandidate& candidate) {
  share = 0;
  if (!mayBeRefused(plan))
    return "";
  std::string said = errorOf(candidate);
  for (const ir::RankMemory& rank : plan.memory)
    share = std::max(share, ir::real(rank.peak()) / ir::real(rank.usable));
  return said;
}

void Trial::choose(const OpenChoice& choice) { choice.write(plan.layout); }

std::set<std::string> Trial::refusalsOf(const LayoutCandidate& candidate,
                                        const PlanRefusals& refusals) {
  writeCandidate(candidate, plan.layout, experts);
  DiagnosticEngine silent;
  // Every candidate has this error, so the chosen layout reports it.
  if (runThrough(plan, silent, "build-groups").failed())
    return {};
  if (!plan.splitChoice.empty())
    counted += countedActions(plan, plan.splitChoice.front().executed);
  return refusals(plan);
}

bool Trial::isAccepted(const LayoutCandidate& candidate, const TrainerRefusals& program) {
  if (!program.refusals)
    return true;
  const std::set<std::string> found = refusalsOf(candidate, program.refusals);
  return std::includes(program.ignored.begin(), program.ignored.end(), found.begin(), found.end());
}

std::string Trial::errorOf(const LayoutCandidate& candidate) {
  constexpr std::uint64_t stepsOfAPipeline = 4; // for schedule, deadlock check, times, warnings
  writeCandidate(candidate, plan.layout, experts);
  std::string said = firstErrorOf(plan);
  counted += countedActions(
      plan, stepsOfAPipeline + (plan.splitChoice.empty() ? 0 : plan.splitChoice.front().executed));
  return said;
}
