//===- SearchRun.cpp - Runs a `search` block --------------------------------------------------===//
#include "driver/search/SearchRun.h"
#include "backends/report/StepComponents.h"
#include "cost/legality/Legality.h"
#include "driver/search/Combinations.h"
#include "driver/search/ShardFiles.h"
#include "driver/study/Measures.h"
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
#include "support/Text.h"
#include "support/diagnostics/Search.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <chrono>
#include <thread>
using namespace dpl;
using namespace dpl::search;
using planner::CandidateFate;

namespace {
struct FateText {
  CandidateFate fate;
  const char* key;  ///< key of the outcome in the certificate
  const char* one;  ///< words after the number 1: "is illegal"
  const char* many; ///< words after other numbers: "are illegal"
  std::string text(std::uint64_t count) const { return count == 1 ? one : many; }
};
constexpr FateText fates[planner::candidateFates] = {
    {CandidateFate::Condition, "excluded_by_fields", "is excluded by a `require` on fields",
     "are excluded by a `require` on fields"},
    {CandidateFate::Illegal, "illegal", "is illegal", "are illegal"},
    {CandidateFate::MemoryBound, "excluded_by_memory_bound",
     "does not fit, by a lower bound of its memory", "do not fit, by lower bounds of their memory"},
    {CandidateFate::RequireBound, "excluded_by_require_bound",
     "violates a `require`, by a lower bound of the figure",
     "violate a `require`, by lower bounds of the figure"},
    {CandidateFate::StepBound, "excluded_by_step_bound",
     "is slower than the last ranked layout, by a lower bound of its step time",
     "are slower than the last ranked layout, by lower bounds of their step time"},
    {CandidateFate::Unsearched, "not_searched", "was not searched", "were not searched"},
    {CandidateFate::TooLarge, "too_large", "does not fit", "do not fit"},
    {CandidateFate::Refused, "refused", "is refused by the framework",
     "are refused by the framework"},
    {CandidateFate::Required, "excluded_by_figures", "is excluded by a `require` on figures",
     "are excluded by a `require` on figures"},
    {CandidateFate::Unranked, "without_objective", "has no value for an objective",
     "have no value for an objective"},
    {CandidateFate::Slower, "executed_and_slower",
     "was executed and is slower than the last ranked layout",
     "were executed and are slower than the last ranked layout"},
    {CandidateFate::Ranked, "ranked", "was executed and ranked", "were executed and ranked"},
};

/// The words for candidates that a lower bound of the step excludes from a front.
constexpr FateText worseThanFront = {
    CandidateFate::StepBound, "excluded_by_step_bound",
    "is worse than a layout of the front in each objective, by lower bounds",
    "are worse than a layout of the front in each objective, by lower bounds"};

planner::ObjectiveBound boundOf(const ir::Objective& objective) {
  const bool figure = !objective.maximize && objective.nodes.size() == 1 &&
                      objective.nodes.front().operation == ir::Operation::Result;
  return !figure                                         ? planner::ObjectiveBound::None
         : objective.nodes.front().path == "step_time"   ? planner::ObjectiveBound::Step
         : objective.nodes.front().path == "memory.peak" ? planner::ObjectiveBound::Memory
                                                         : planner::ObjectiveBound::None;
}

/// The columns: the figures of the options if there are any; otherwise step time, MFU, peak memory,
/// the figures that objectives read, and the expressions of objectives.
std::vector<std::string> columnsOf(const RunOptions& options, const ir::Space& space) {
  if (!options.figures.empty())
    return options.figures;
  std::vector<std::string> out = {"step_time", "mfu", "memory.peak"};
  for (const ir::Objective& objective : space.objectives)
    for (const ir::AssertionNode& node : objective.nodes)
      if (node.operation == ir::Operation::Result &&
          (ir::figureNamed(node.path) || ir::drawnFigureNamed(node.path)) &&
          !llvm::is_contained(out, node.path))
        out.push_back(node.path);
  for (const ir::Objective& objective : space.objectives)
    if (objective.nodes.size() > 1)
      out.push_back(objective.source);
  return out;
}

/// The objective whose text is the name of a column; null if the column is a figure.
const ir::Objective* expressionOf(const ir::Space& space, const std::string& column) {
  for (const ir::Objective& objective : space.objectives)
    if (objective.nodes.size() > 1 && objective.source == column)
      return &objective;
  return nullptr;
}

/// The objective that is this figure alone, or the expression in this column; none otherwise.
std::optional<std::size_t> objectiveIn(const ir::Space& space, const std::string& column) {
  for (std::size_t i = 0; i < space.objectives.size(); ++i) {
    const ir::Objective& objective = space.objectives[i];
    if (objective.nodes.size() == 1 ? objective.nodes.front().path == ir::pathWritten(column)
                                    : objective.source == column)
      return i;
  }
  return std::nullopt;
}

/// Also sets the dimensions of the columns with expressions.
report::RankedLayout layoutOf(report::SearchTable& table, const planner::RankedCandidate& ranked,
                              CandidateRunner& runner) {
  report::RankedLayout out;
  out.candidate = ranked.candidate, out.objectives = ranked.objectives;
  out.values = runner.valuesOf(ranked.candidate);
  CandidateRunner::RunPlan run = runner.planOf(ranked.candidate);
  const std::optional<ir::Plan>& plan = run.plan;
  out.worst = std::move(run.worst);
  const figures::Figures figures(*plan);
  study::Measures measures(*plan, table.space, 1);
  const auto find = [&](const std::string& path) { return measures.result(path); };
  for (std::size_t f = 0; f < table.figures.size(); ++f) {
    const ir::Objective* objective = expressionOf(*plan->search(), table.figures[f]);
    const std::optional<ir::ResultValue> value =
        objective ? valueOf(*objective, find) : measures.result(ir::pathWritten(table.figures[f]));
    out.figures.push_back(value ? std::optional(value->value) : std::nullopt);
    if (value)
      table.dimensions[f] = value->dimension;
    // Another combination of `worst_of` may be the worst for another objective.
    if (const std::optional<std::size_t> o = objectiveIn(table.space, table.figures[f]);
        o && !table.space.worstOf.empty())
      out.figures.back() = ranked.objectives[*o];
  }
  if (const std::vector<report::StepLoss> lost = report::losses(*plan, figures); !lost.empty())
    out.limit = lost.front().reason, out.limitShare = lost.front().share;
  return out;
}

void addCertificate(const planner::CandidateSearchResult& found, report::SearchTable& table) {
  for (const FateText& fate : fates) {
    report::CertificateRow row{fate.key, "", 0, {}};
    for (const auto& [key, count] : found.counts)
      if (key.first == fate.fate)
        row.count += count, row.rules.emplace_back(key.second, count);
    if (fate.fate == CandidateFate::Unsearched && row.count == 0)
      continue; // only a search that was stopped has this row
    const bool byFront = table.space.pareto && fate.fate == CandidateFate::StepBound;
    row.text = (byFront ? worseThanFront : fate).text(row.count);
    // The most frequent reason is first.
    llvm::stable_sort(row.rules, [](const auto& a, const auto& b) { return a.second > b.second; });
    if (fate.fate >= CandidateFate::TooLarge)
      table.executed += row.count;
    table.certificate.push_back(std::move(row));
  }
  if (!table.space.pareto) // only without a front one bound excludes candidates
    table.leastExcluded = found.leastExcluded;
  table.unsearched = found.count(CandidateFate::Unsearched);
  table.leastUnsearched = found.leastUnsearched;
}

std::string valuesText(const ir::Space& space, const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out += fmt::format("{}{} = {}", i == 0 ? "" : ", ", space.open[i].path, values[i]);
  return out.empty() ? "the only candidate" : out;
}

/// The `require` with this text; null if there is none.
const ir::Assertion* constraintOf(const ir::Space& space, const std::string& source) {
  for (const ir::Assertion& constraint : space.constraints)
    if (constraint.source == source)
      return &constraint;
  return nullptr;
}

/// A sentence about the candidate that comes nearest, and by how much it misses the condition.
std::string howItMisses(const planner::MissedCandidate& nearest, CandidateRunner& runner) {
  const std::optional<ir::Plan> plan = runner.planOf(nearest.candidate).plan;
  if (!plan)
    return "";
  const figures::Figures figures(*plan, {}, figures::Depth::Values);
  if (nearest.fate == CandidateFate::Required) {
    const ir::Assertion* constraint = constraintOf(*plan->search(), nearest.rule);
    return constraint ? ir::evaluate(*constraint,
                                     [&](const std::string& path) { return figures.result(path); })
                            .diagram
                      : "";
  }
  const ir::RankMemory* worst = ir::tightest(plan->memory);
  return nearest.fate == CandidateFate::TooLarge && worst
             ? fmt::format("it needs {:.2f} % more memory than a device has", 100 * nearest.miss)
             : nearest.rule;
}

/// The reasons for which most candidates are excluded, at most three: "2 of them because of
/// mesh.tensor < 2, 1 because of DPL0303 rest-does-not-divide".
std::string reasonsIn(const std::vector<report::CertificateRow>& certificate) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const report::CertificateRow& row : certificate)
    for (const auto& [rule, count] : row.rules)
      if (!rule.empty() && count > 0)
        all.emplace_back(rule, count);
  llvm::stable_sort(all, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [rule, count] : llvm::makeArrayRef(all).take_front(most))
    out += fmt::format("{}{} {}because of {}", out.empty() ? "" : ", ", count,
                       out.empty() ? "of them " : "", rule);
  return out;
}

/// Reports one error if no layout is ranked. It is placed at the `require` that excludes the
/// nearest candidate or all candidates, or at the search.
void reportNothing(const planner::CandidateSearchResult& found, const report::SearchTable& table,
                   CandidateRunner& runner, SourceRange at, DiagnosticEngine& diags) {
  const ir::Space& space = table.space;
  std::string why;
  const report::CertificateRow* most = nullptr;
  for (const report::CertificateRow& row : table.certificate)
    if (row.count > 0) {
      why += fmt::format("{}{} {}", why.empty() ? "" : ", ", row.count, row.text);
      if (!most || row.count > most->count)
        most = &row;
    }
  // Candidates fit and meet the conditions, but none has a value of the objective.
  if (found.count(CandidateFate::Unranked) > 0) {
    const bool nearest = found.nearest && found.nearest->fate == CandidateFate::Unranked;
    (void)diags
        .report<diag::ObjectiveWithoutValue>(
            at, space.name, nearest ? found.nearest->rule : space.objectives.front().source)
        .help("`dplc report` of a layout lists its figures");
    return;
  }
  // One condition alone is to blame if it is the nearest candidate's, or excludes all candidates.
  const bool alone =
      !found.nearest && most && most->rules.size() == 1 && most->count == space.candidates();
  const std::string decides = found.nearest && found.nearest->fate == CandidateFate::Required
                                  ? found.nearest->rule
                              : alone ? most->rules.front().first
                                      : "";
  const ir::Assertion* constraint = constraintOf(space, decides);
  auto d = diags.report<diag::NothingFound>(
      constraint && constraint->range.valid() ? constraint->range : at, space.name,
      plural(space.candidates(), "candidate"), why);
  if (found.nearest)
    std::move(d).note<diag::NearestCandidate>(
        {}, valuesText(space, runner.valuesOf(found.nearest->candidate)),
        howItMisses(*found.nearest, runner));
  else if (const std::string reasons = reasonsIn(table.certificate); !reasons.empty())
    std::move(d).help(reasons);
}

/// A hash of everything on which the part of a shard depends: the texts of all files and settings,
/// the objectives and figures of the command line, and the version of the compiler.
ShardHeader headerOf(const ir::Space& space, const RunOptions& options,
                     const SourceManager& sources) {
  std::string all = fmt::format("{} {} {} {}", DPL_VERSION, space.name, options.keep, space.pareto);
  for (std::uint32_t file = 1; file <= sources.files(); ++file)
    all += fmt::format("\n{}", sources.text(file));
  return {space.name, fmt::format("{:016x}", llvm::xxHash64(all)), space.candidates()};
}

LogicalResult checkSize(const ir::Space& space, const NamedBlock& block, const RunOptions& options,
                        DiagnosticEngine& diags) {
  const std::uint64_t candidates = llvm::SaturatingMultiply(space.candidates(), space.settings());
  const std::uint64_t most = options.request.ofLayout ? mostOfLayout : mostCandidates;
  if (candidates <= most)
    return LogicalResult::success();
  return diags
      .report<diag::TooManyCandidates>(
          block.range, block.name,
          candidates == UINT64_MAX ? "2^64 or more" : std::to_string(candidates), most)
      .help("fewer values of a field, or a fixed field, make the space smaller");
}

planner::CandidateSearchOptions engineOptions(const ir::Space& space, const RunOptions& options) {
  planner::CandidateSearchOptions out;
  out.candidates = space.candidates();
  out.keep = options.keep > 0 ? options.keep : space.keep;
  out.threads = std::max(1U, options.threads);
  for (const ir::Objective& objective : space.objectives)
    out.maximize.push_back(objective.maximize), out.bounds.push_back(boundOf(objective));
  out.byStep = out.bounds.front() == planner::ObjectiveBound::Step;
  out.pareto = space.pareto;
  out.shard = options.shard, out.shards = options.shards;
  out.progress = options.progress, out.stop = options.stop;
  return out;
}
} // namespace

FailureOr<std::uint64_t> search::runShard(const ir::Plan& plan, const NamedBlock& block,
                                          const RunOptions& options, const SourceManager& sources,
                                          DiagnosticEngine& diags) {
  const ir::Space& space = *plan.search();
  if (checkSize(space, block, options, diags).failed())
    return LogicalResult::failure();
  const ShardHeader header = headerOf(space, options, sources);
  std::optional<planner::SearchedPart> part =
      partIn(options.folder, header, options.shard, options.shards);
  if (!part) {
    planner::CandidateSearchOptions how = engineOptions(space, options);
    CandidateRunner runner(options.request, space, how.threads);
    const std::unique_ptr<planner::LayoutSearch> ordered = orderedCandidates(space, runner, how);
    how.ordered = ordered.get();
    part = planner::searchPart(how, runner);
    if (writePart(options.folder, header, options.shard, options.shards, *part, diags).failed())
      return LogicalResult::failure();
  }
  return static_cast<std::uint64_t>(
      llvm::count_if(part->executed, [](const planner::ExecutedCandidate& one) {
        return one.judged.fate >= CandidateFate::TooLarge;
      }));
}

LogicalResult search::waitForShards(const ir::Plan& plan, const RunOptions& options,
                                    const SourceManager& sources, std::uint64_t seconds,
                                    DiagnosticEngine& diags) {
  using Clock = std::chrono::steady_clock;
  const ShardHeader header = headerOf(*plan.search(), options, sources);
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    const std::string missing = missingShards(options.folder, header, options.shards);
    if (missing.empty())
      return LogicalResult::success();
    if (Clock::now() >= end)
      return diags
          .report<diag::ShardsLate>({}, options.folder, missing, options.shards, header.search,
                                    seconds)
          .help("the same command searches only the missing shards again; `--wait` sets the limit");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

FailureOr<report::SearchTable> search::run(const ir::Plan& plan, const NamedBlock& block,
                                           const RunOptions& options, const SourceManager& sources,
                                           DiagnosticEngine& diags) {
  report::SearchTable table;
  table.file = plan.file, table.model = plan.model.name, table.cluster = plan.cluster.name;
  table.space = *plan.search(), table.ofLayout = options.request.ofLayout;
  table.openMesh = table.ofLayout && plan.layout.mesh.automatic;
  table.expertGrid = cost::hasExperts(plan.model);
  if (checkSize(table.space, block, options, diags).failed())
    return LogicalResult::failure();
  planner::CandidateSearchOptions how = engineOptions(table.space, options);
  table.keep = how.keep;
  table.figures = columnsOf(options, table.space);
  for (const std::string& path : table.figures) {
    const std::string figure = ir::pathWritten(path);
    const ir::FigureRow* row = ir::figureNamed(figure);
    table.dimensions.push_back(row ? ir::dimensionOf(*row) : ir::dimensionOfDrawn(figure));
  }
  CandidateRunner runner(options.request, table.space, how.threads);
  std::vector<planner::SearchedPart> parts;
  if (options.merge.empty()) {
    const std::unique_ptr<planner::LayoutSearch> ordered =
        orderedCandidates(table.space, runner, how);
    how.ordered = ordered.get();
    parts.push_back(planner::searchPart(how, runner));
    how.ordered = nullptr;
  } else {
    FailureOr<std::vector<planner::SearchedPart>> read =
        readParts(options.merge, headerOf(table.space, options, sources), diags);
    if (read.failed())
      return LogicalResult::failure();
    parts = std::move(*read);
  }
  const planner::CandidateSearchResult found = planner::resultOf(how, parts);
  addCertificate(found, table);
  // All layouts of a front are listed, unless the command line limits their number.
  const std::uint64_t listed = how.pareto && options.keep == 0 ? UINT64_MAX : table.keep;
  for (const planner::RankedCandidate& ranked : found.ranked)
    if (table.layouts.size() < listed)
      table.layouts.push_back(layoutOf(table, ranked, runner));
  if (table.layouts.empty() && table.unsearched == 0)
    reportNothing(found, table, runner, block.range, diags);
  return table;
}
