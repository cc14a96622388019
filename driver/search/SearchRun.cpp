//===- SearchRun.cpp - Runs a `search` block --------------------------------------------------===//
#include "driver/search/SearchRun.h"
#include "backends/report/StepComponents.h"
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
#include "support/Text.h"
#include "support/diagnostics/Search.h"
using namespace dpl;
using namespace dpl::search;
using planner::CandidateFate;

namespace {
struct FateText {
  CandidateFate fate;
  const char* key;  ///< key in the certificate
  const char* text; ///< "12 are illegal"
};
constexpr FateText fates[planner::candidateFates] = {
    {CandidateFate::Condition, "excluded_by_fields", "are removed by a `require` on fields"},
    {CandidateFate::Illegal, "illegal", "are illegal"},
    {CandidateFate::MemoryBound, "excluded_by_memory_bound",
     "do not fit by a lower bound of their memory"},
    {CandidateFate::RequireBound, "excluded_by_require_bound",
     "break a `require` by a lower bound of its figure"},
    {CandidateFate::StepBound, "excluded_by_step_bound",
     "are slower than the last rank by a lower bound of their step"},
    {CandidateFate::TooLarge, "too_large", "do not fit"},
    {CandidateFate::Refused, "refused", "are refused by the program that trains them"},
    {CandidateFate::Required, "excluded_by_figures", "are removed by a `require` on figures"},
    {CandidateFate::Unranked, "without_objective", "have no value of an objective"},
    {CandidateFate::Ranked, "ranked", "were executed and ranked"},
};

bool minimizesStep(const ir::Space& space) {
  const ir::Objective& first = space.objectives.front();
  return !first.maximize && first.nodes.size() == 1 &&
         first.nodes.front().operation == ir::Operation::Result &&
         first.nodes.front().path == "step_time";
}

/// The step, what is used, what is needed, the figures of the objectives, and their expressions.
std::vector<std::string> columnsOf(const RunOptions& options, const ir::Space& space) {
  if (!options.figures.empty())
    return options.figures;
  std::vector<std::string> out = {"step_time", "mfu", "memory.peak"};
  for (const ir::Objective& objective : space.objectives)
    for (const ir::AssertionNode& node : objective.nodes)
      if (node.operation == ir::Operation::Result && ir::figureNamed(node.path) &&
          !llvm::is_contained(out, node.path))
        out.push_back(node.path);
  for (const ir::Objective& objective : space.objectives)
    if (objective.nodes.size() > 1)
      out.push_back(objective.source);
  return out;
}

/// The objective with this expression as its text; null for the path of a figure.
const ir::Objective* expressionOf(const ir::Space& space, const std::string& column) {
  for (const ir::Objective& objective : space.objectives)
    if (objective.nodes.size() > 1 && objective.source == column)
      return &objective;
  return nullptr;
}

/// A search whose objective is of drawn steps or runs, which it does not draw.
LogicalResult checkObjectives(const ir::Space& space, SourceRange at, DiagnosticEngine& diags) {
  for (const ir::Objective& objective : space.objectives)
    for (const ir::AssertionNode& node : objective.nodes)
      if (node.operation == ir::Operation::Result && ir::drawnFigureNamed(node.path))
        return diags.report<diag::ObjectiveWithoutValue>(at, space.name, objective.source)
            .help("it is of drawn steps or runs, and a search executes one step; a `study` draws");
  return LogicalResult::success();
}

/// Also sets the dimensions of the columns with expressions.
report::RankedLayout layoutOf(report::SearchTable& table, std::uint64_t candidate,
                              CandidateRunner& runner) {
  report::RankedLayout out;
  out.candidate = candidate;
  out.values = runner.valuesOf(candidate);
  const std::optional<ir::Plan> plan = runner.planOf(candidate);
  const figures::Figures figures(*plan);
  const auto find = [&](const std::string& path) { return figures.result(path); };
  for (std::size_t f = 0; f < table.figures.size(); ++f) {
    const ir::Objective* objective = expressionOf(*plan->search(), table.figures[f]);
    if (!objective) {
      out.figures.push_back(figures.value(ir::pathWritten(table.figures[f])));
      continue;
    }
    const std::optional<ir::ResultValue> value =
        ir::quantity({objective->source, "", objective->nodes, {}, "", {}}, find);
    out.figures.push_back(value ? std::optional(value->value) : std::nullopt);
    if (value)
      table.dimensions[f] = value->dimension;
  }
  if (const std::vector<report::StepLoss> lost = report::losses(*plan, figures); !lost.empty())
    out.limit = lost.front().reason, out.limitShare = lost.front().share;
  return out;
}

void addCertificate(const planner::CandidateSearchResult& found, report::SearchTable& table) {
  for (const FateText& fate : fates) {
    report::CertificateRow row{fate.key, fate.text, 0, {}};
    for (const auto& [key, count] : found.counts)
      if (key.first == fate.fate)
        row.count += count, row.rules.emplace_back(key.second, count);
    // The most frequent reason is first.
    llvm::stable_sort(row.rules, [](const auto& a, const auto& b) { return a.second > b.second; });
    if (fate.fate >= CandidateFate::TooLarge)
      table.executed += row.count;
    table.certificate.push_back(std::move(row));
  }
  table.leastExcluded = found.leastExcluded;
}

std::string valuesText(const ir::Space& space, const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out += fmt::format("{}{} = {}", i == 0 ? "" : ", ", space.open[i].path, values[i]);
  return out.empty() ? "the only candidate" : out;
}

/// The constraint with this text; null if there is none.
const ir::Assertion* constraintOf(const ir::Space& space, const std::string& source) {
  for (const ir::Assertion& constraint : space.constraints)
    if (constraint.source == source)
      return &constraint;
  return nullptr;
}

/// The sentence on the nearest candidate and its excess.
std::string howItMisses(const planner::MissedCandidate& nearest, CandidateRunner& runner) {
  const std::optional<ir::Plan> plan = runner.planOf(nearest.candidate);
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

/// Reports one error for a search that ranks no layout, at the `require` that excludes most, or at
/// the search.
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
  // No candidate that fits and fulfils the conditions has a value of the objective.
  if (found.count(CandidateFate::Unranked) > 0) {
    const bool nearest = found.nearest && found.nearest->fate == CandidateFate::Unranked;
    (void)diags
        .report<diag::ObjectiveWithoutValue>(
            at, space.name, nearest ? found.nearest->rule : space.objectives.front().source)
        .help("`dplc report` of a layout lists the figures that it has");
    return;
  }
  const std::string decides =
      found.nearest && found.nearest->fate == CandidateFate::Required ? found.nearest->rule
      : !found.nearest && most && !most->rules.empty()                ? most->rules.front().first
                                                                      : "";
  const ir::Assertion* constraint = constraintOf(space, decides);
  auto d = diags.report<diag::NothingFound>(
      constraint && constraint->range.valid() ? constraint->range : at, space.name,
      plural(space.candidates(), "candidate"), why);
  if (found.nearest)
    std::move(d).note<diag::NearestCandidate>(
        {}, valuesText(space, runner.valuesOf(found.nearest->candidate)),
        howItMisses(*found.nearest, runner));
  else if (most && !most->rules.empty() && !most->rules.front().first.empty())
    std::move(d).help(
        fmt::format("{} of them by {}", most->rules.front().second, most->rules.front().first));
}
} // namespace

FailureOr<report::SearchTable> search::run(const ir::Plan& plan, const NamedBlock& block,
                                           const RunOptions& options, DiagnosticEngine& diags) {
  report::SearchTable table;
  table.file = plan.file, table.model = plan.model.name, table.cluster = plan.cluster.name;
  table.space = *plan.search();
  const std::uint64_t candidates = table.space.candidates();
  if (candidates > mostCandidates)
    return diags
        .report<diag::TooManyCandidates>(
            block.range, block.name,
            candidates == UINT64_MAX ? "2^64 or more" : std::to_string(candidates), mostCandidates)
        .help("fewer values of a field, or a field that is fixed, make the space smaller");
  if (checkObjectives(table.space, block.range, diags).failed())
    return LogicalResult::failure();
  table.keep = options.keep > 0 ? options.keep : table.space.keep;
  table.figures = columnsOf(options, table.space);
  for (const std::string& path : table.figures) {
    const ir::FigureRow* row = ir::figureNamed(ir::pathWritten(path));
    table.dimensions.push_back(row ? ir::dimensionOf(*row) : Dimension{});
  }
  planner::CandidateSearchOptions how;
  how.candidates = candidates, how.keep = table.keep, how.threads = std::max(1U, options.threads);
  for (const ir::Objective& objective : table.space.objectives)
    how.maximize.push_back(objective.maximize);
  how.byStep = minimizesStep(table.space);
  how.progress = options.progress;
  CandidateRunner runner(options.request, table.space, how.threads);
  const planner::CandidateSearchResult found = planner::searchCandidates(how, runner);
  addCertificate(found, table);
  for (const planner::RankedCandidate& ranked : found.ranked)
    table.layouts.push_back(layoutOf(table, ranked.candidate, runner));
  if (table.layouts.empty())
    reportNothing(found, table, runner, block.range, diags);
  return table;
}
