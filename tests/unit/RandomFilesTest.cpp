//===- RandomFilesTest.cpp - What is said of random files holds once it is done ---------------===//
//
// DPL_PROPERTY_PLANS=10000 tries as many files, DPL_SEED draws others; the default is a slice.
#include "tests/unit/RandomFiles.h"
#include "backends/Target.h"
#include "backends/report/Format.h"
#include "cost/memory/RankMemory.h"
#include "cost/step/StepTimes.h"
#include "figures/Bounds.h"
#include "ir/Arithmetic.h"
#include "passes/MemoryFixes.h"
#include "simulate/diagnosis/Diagnosis.h"
#include "simulate/plan/Simulation.h"
#include "simulate/plan/StepShape.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::test;

namespace {
/// What one file and the changes that are proposed of it come to, in one workspace.
class FileChecks {
public:
  explicit FileChecks(LayoutFile from) : file(std::move(from)) {}

  struct Counts {
    std::size_t plans = 0, fixes = 0, changes = 0, edits = 0, errors = 0;
  };

  /// `share`: of its peak that its devices have where changes of memory are asked for. A diagnosis
  /// executes some hundred steps.
  void run(double share, bool diagnosed, Counts& counts) {
    DiagnosticEngine diags;
    std::optional<ir::Plan> plan = compiled(file, diags);
    const bool isWhole = plan && complete(*plan, diags);
    havePlaces(diags, counts);
    if (!isWhole) {
      if (plan && !plan->memory.empty())
        fixesKeepTheirWord(*plan, counts);
      return;
    }
    ++counts.plans;
    EXPECT_EQ(figures::brokenBound(*plan), "") << file.text();
    editsAreTaken(diags, counts);
    printedMeshIsTheSame(*plan);
    if (diagnosed)
      changesKeepTheirWord(*plan, counts);
    for (ir::NodeType& c : limited.emplace(plan->cluster).nodeTypes)
      c.device.memory = static_cast<std::uint64_t>(
          share * static_cast<double>(ir::tightest(plan->memory)->peak()));
    DiagnosticEngine refused;
    plan = compiled(file, refused);
    if (!complete(*plan, refused) && !plan->memory.empty())
      fixesKeepTheirWord(*plan, counts);
    havePlaces(refused, counts);
  }

private:
  /// The plan of a file, with the memory of devices that is being tried.
  std::optional<ir::Plan> compiled(const LayoutFile& of, DiagnosticEngine& diags) {
    const std::string name = fmt::format("plan{}.dpl", ++compilations);
    workspace.overlay(name, of.text());
    const std::unique_ptr<CompiledUnit> unit = workspace.compile(name, diags);
    if (diags.errors() > 0 || unit->file.failed() || unit->file->plans.size() != 1)
      return std::nullopt;
    ir::Plan plan = std::move(unit->file->plans.front());
    if (limited)
      for (std::size_t i = 0; i < plan.cluster.nodeTypes.size(); ++i)
        plan.cluster.nodeTypes[i].device.memory = limited->nodeTypes.at(i).device.memory;
    return plan;
  }
  static bool complete(ir::Plan& plan, DiagnosticEngine& diags) {
    return Workspace::complete(plan, diags, withoutAdvice()).succeeded();
  }
  /// The plan of the file with changes, whether it fits or not; nothing where it is refused.
  std::optional<ir::Plan> changed(const std::vector<std::string>& changes) {
    DiagnosticEngine diags;
    std::optional<ir::Plan> plan = compiled(file.with(changes), diags);
    if (plan && (complete(*plan, diags) || !plan->memory.empty()))
      return plan;
    ADD_FAILURE() << "refused once pasted: " << diags.firstError();
    return std::nullopt;
  }

  void havePlaces(const DiagnosticEngine& diags, Counts& counts) {
    for (const Diagnostic& d : diags.diagnostics()) {
      counts.errors += d.info.severity == Severity::Error ? 1 : 0;
      EXPECT_TRUE(d.range.valid()) << file.text() << d.info.code << " has no place: " << d.message;
      EXPECT_STRNE(d.info.code, "DPL0901") << file.text() << d.message;
    }
  }

  /// Each edit of a warning or an error, made, gives a file that is understood.
  void editsAreTaken(const DiagnosticEngine& diags, Counts& counts) {
    for (const Diagnostic& d : diags.diagnostics()) {
      if (d.edits.empty())
        continue;
      ++counts.edits;
      std::string text = file.text();
      std::vector<Edit> edits = d.edits;
      llvm::sort(edits, [](const Edit& a, const Edit& b) { return a.range.begin > b.range.begin; });
      for (const Edit& edit : edits)
        text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.text);
      const std::string name = fmt::format("plan{}.dpl", ++compilations);
      workspace.overlay(name, text);
      DiagnosticEngine after;
      const std::unique_ptr<CompiledUnit> unit = workspace.compile(name, after);
      EXPECT_EQ(after.firstError(), "") << text << "after the edit of " << d.info.code;
    }
  }

  void printedMeshIsTheSame(const ir::Plan& plan) {
    SCOPED_TRACE(file.text() + report::meshLines(plan).front());
    if (const std::optional<ir::Plan> same = changed(report::meshLines(plan))) {
      EXPECT_EQ(cost::stepTimes(*same).step, cost::stepTimes(plan).step);
      EXPECT_EQ(ir::tightest(same->memory)->peak(), ir::tightest(plan.memory)->peak());
    }
  }

  void isLegal(const ir::Plan& plan, const ir::Plan& was) {
    const AcceptsPlan takes = acceptsOf(was);
    EXPECT_TRUE(!takes || takes(plan)) << plan.framework.name << " refuses it";
  }

  /// Those of a plan that does not fit.
  void fixesKeepTheirWord(const ir::Plan& plan, Counts& counts) {
    if (ir::tightest(plan.memory)->headroom() >= 0)
      return;
    const AcceptsPlan takes = acceptsOf(plan);
    for (const MemoryOutcome& out : memoryFixes(plan, takes).found) {
      SCOPED_TRACE(file.text() + out.text);
      ++counts.fixes;
      const std::optional<ir::Plan> after = changed(quoted(out.text));
      if (!after)
        continue;
      EXPECT_EQ(ir::tightest(after->memory)->peak(), out.tightest.peak());
      EXPECT_EQ(cost::stepTimes(*after).step, out.step);
      EXPECT_LT(out.tightest.peak(), ir::tightest(plan.memory)->peak());
      isLegal(*after, plan);
      EXPECT_TRUE(!out.host || out.host->fits());
    }
  }

  /// Those that a diagnosis of a plan proposes.
  void changesKeepTheirWord(const ir::Plan& plan, Counts& counts) {
    constexpr double mostSegments = 5e3; // of a step that is executed for each change
    if (!diagnosis::whyNotDiagnosed(plan, {}).empty() || !plan.steady.empty() ||
        simulation::StepShape(plan, simulation::Detail::Folded).segments() > mostSegments)
      return;
    const diagnosis::Diagnosis found = diagnosis::diagnose(plan, {}, diagnosis::trainerOf(plan));
    for (const diagnosis::Saving& saving : found.changes) {
      SCOPED_TRACE(file.text() + saving.text);
      ++counts.changes;
      EXPECT_GT(saving.saved, 0.005);
      const std::optional<ir::Plan> after = changed({saving.text});
      if (!after)
        continue;
      simulation::SimulationRequest request;
      request.links = false;
      EXPECT_DOUBLE_EQ(
          diagnosis::measured(*after, request, simulation::stepsByWorkers(*after)).mean(),
          saving.step);
      isLegal(*after, plan);
      const double free = ir::real(ir::tightest(after->memory)->headroom()) /
                          ir::real(ir::tightest(after->memory)->usable);
      EXPECT_GE(free, 0);
      EXPECT_EQ(saving.leavesFree.has_value(), free < plan.lint.headroom) << free;
    }
  }

  LayoutFile file;
  Workspace workspace;
  std::optional<ir::Cluster> limited; ///< devices as they are while little memory is tried
  std::size_t compilations = 0;
};
} // namespace

TEST(RandomFiles, AreSaidWhatHoldsOnceItIsPasted) {
  const std::uint64_t files = numberOf("DPL_PROPERTY_PLANS", 40, 500);
  RandomFiles random(static_cast<unsigned>(numberOf("DPL_SEED", 1)));
  FileChecks::Counts counts;
  for (std::uint64_t i = 0; i < files; ++i) {
    constexpr double shares[] = {0.97, 0.66, 0.34};
    FileChecks checks(random.file());
    checks.run(shares[random.below(3)], random.below(4) == 0, counts);
  }
  std::printf("%llu files: %zu plans, %zu fixes of memory, %zu changes, %zu edits, %zu errors\n",
              static_cast<unsigned long long>(files), counts.plans, counts.fixes, counts.changes,
              counts.edits, counts.errors);
  EXPECT_GT(counts.plans * 3, files);
  EXPECT_GT(counts.fixes * 3, files);
  EXPECT_GT(counts.changes * 25, files);
}
