//===- CandidateRunner.cpp - Compiles and executes the candidates of a search -----------------===//
#include "driver/search/CandidateRunner.h"
#include "backends/ChangedPlans.h"
#include "backends/Target.h"
#include "driver/study/Measures.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
#include "planner/Bound.h"
#include "support/diagnostics/Cost.h"
#include <cmath>
using namespace dpl;
using namespace dpl::search;
using planner::CandidateFate;
using planner::JudgedCandidate;
using planner::ScreenedCandidate;

namespace {
/// Limit on the compilations of a workspace. A workspace stores all texts, so a new one is made
/// after this number.
constexpr unsigned mostOfOneWorkspace = 256;

/// The rule of an error: "DPL0304 batch-not-divisible".
std::string ruleOf(const std::string& error) {
  const llvm::StringRef code = llvm::StringRef(error).split(':').first;
  for (const DiagInfo& row : allDiagnostics())
    if (code == row.code)
      return fmt::format("{} {}", row.code, row.name);
  return code.str();
}

/// The values of fields in one of their combinations, of which the last field varies fastest.
std::vector<std::string> valuesIn(const std::vector<ir::OpenField>& fields, std::uint64_t number) {
  std::vector<std::string> out(fields.size());
  for (std::size_t i = fields.size(); i-- > 0; number /= fields[i].size())
    out[i] = fields[i].at(number % fields[i].size());
  return out;
}

bool isWorse(const ir::Objective& objective, double value, double than) {
  return objective.maximize ? value < than : value > than;
}

bool isOf(const std::string& error, const DiagInfo& row) {
  return llvm::StringRef(error).split(':').first == row.code;
}

/// An operand of the last operation as an expression of its own.
ir::Assertion operandOf(const ir::Assertion& constraint, std::uint64_t operand) {
  ir::Assertion side;
  side.nodes.assign(constraint.nodes.begin(),
                    constraint.nodes.begin() + static_cast<std::ptrdiff_t>(operand) + 1);
  return side;
}

/// The limit of a constraint of isUpperLimit; 0 if it has no value.
double limitOf(const ir::Assertion& constraint) {
  const std::optional<ir::ResultValue> limit =
      ir::quantity(operandOf(constraint, constraint.nodes.back().operands.back()), ir::noResult);
  return limit ? limit->value : 0;
}

bool isBroken(const ir::Verdict& verdict) {
  return verdict.known && verdict.error.empty() && !verdict.holds;
}

/// Whether the figure of a constraint of isUpperLimit is above its limit by more than rounding.
/// This takes less time than the diagram of a verdict.
bool isClearlyAbove(const ir::Assertion& constraint, ir::FindResult results) {
  constexpr double clearly = 1 + 1e-9;
  const ir::AssertionNode& root = constraint.nodes.back();
  if (llvm::any_of(constraint.nodes, [](const auto& node) { return !node.scope.empty(); }))
    return false;
  const auto figure = results(constraint.nodes[root.operands.front()].path);
  const auto limit = ir::quantity(operandOf(constraint, root.operands.back()), ir::noResult);
  return figure && limit && figure->dimension == limit->dimension && limit->value > 0 &&
         figure->value > clearly * limit->value;
}

/// The relative difference of the two sides of a comparison; 1 if the assertion does not compare
/// two numbers.
double missOf(const ir::Assertion& constraint, ir::FindResult results) {
  if (constraint.nodes.empty())
    return 1;
  double sides[2] = {0, 0};
  const std::vector<std::uint64_t>& operands = constraint.nodes.back().operands;
  if (operands.size() != 2)
    return 1;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::optional<ir::ResultValue> value =
        ir::quantity(operandOf(constraint, operands[i]), results);
    if (!value || !value->name.empty())
      return 1;
    sides[i] = value->value;
  }
  const double larger = std::max(std::abs(sides[0]), std::abs(sides[1]));
  return larger > 0 ? std::abs(sides[0] - sides[1]) / larger : 0;
}
} // namespace

std::optional<ir::ResultValue> search::valueOf(const ir::Objective& objective,
                                               ir::FindResult results) {
  return ir::quantity({objective.source, "", objective.nodes, {}, "", {}}, results);
}

bool search::isUpperLimit(const ir::Assertion& constraint) {
  if (constraint.nodes.empty())
    return false;
  const ir::AssertionNode& root = constraint.nodes.back();
  if (root.operation != ir::Operation::Less && root.operation != ir::Operation::LessEqual)
    return false;
  const ir::AssertionNode& figure = constraint.nodes[root.operands.front()];
  const auto results = llvm::count_if(constraint.nodes, [](const ir::AssertionNode& node) {
    return node.operation == ir::Operation::Result;
  });
  return results == 1 && figure.operation == ir::Operation::Result &&
         (figure.path == "memory.peak" || figure.path == "step_time");
}

std::vector<double> search::upperLimits(const ir::Space& space) {
  std::vector<double> out;
  for (const ir::Assertion& constraint : space.constraints)
    if (isUpperLimit(constraint))
      out.push_back(limitOf(constraint));
  return out;
}

ScreenedCandidate search::brokenByBound(const ir::Space& space, const planner::PlanBound& bound) {
  const auto find = [&](const std::string& path) -> std::optional<ir::ResultValue> {
    const double value = path == "memory.peak" ? bound.memory : bound.step;
    return ir::ResultValue{planner::boundRounding * value, ir::dimensionOf(*ir::figureNamed(path))};
  };
  for (const ir::Assertion& constraint : space.constraints)
    if (isUpperLimit(constraint)) {
      if (isClearlyAbove(constraint, find) || isBroken(ir::evaluate(constraint, find)))
        return {CandidateFate::RequireBound, constraint.source, 0, missOf(constraint, find)};
    }
  return {};
}

UpperLimits::UpperLimits(const ir::Space& from) : space(from) {
  for (const ir::Assertion& constraint : space.constraints)
    if (isUpperLimit(constraint)) {
      const std::uint64_t figure = constraint.nodes.back().operands.front();
      double& limit = constraint.nodes[figure].path == "memory.peak" ? memory : step;
      limit = std::min(limit, limitOf(constraint));
      any = true;
    }
}

ScreenedCandidate UpperLimits::brokenBy(const planner::PlanBound& bound) const {
  constexpr double clearly = 1 - 1e-9; // values near a limit are compared as in the file
  if (bound.memory < clearly * memory && bound.step < clearly * step)
    return {};
  return brokenByBound(space, bound);
}

CandidateRunner::CandidateRunner(const SearchRequest& request, const ir::Space& space,
                                 unsigned workers)
    : request(request), space(space), compilers(workers) {
  if (!space.worstOf.empty())
    chooseBase();
}

void CandidateRunner::chooseBase() {
  double slowest = 0;
  for (std::uint64_t setting = 0; setting < space.settings(); ++setting) {
    DiagnosticEngine diags;
    std::optional<ir::Plan> plan = compile(0, setting, 0, diags);
    if (!plan || plan->layout.mesh.automatic || plan->layout.scheduleAutomatic ||
        runThrough(*plan, diags, "partition-layers").failed())
      continue;
    if (const double step = planner::boundOf(*plan).step; step > slowest)
      slowest = step, base = setting;
  }
}

std::vector<std::string> CandidateRunner::valuesOf(std::uint64_t candidate) const {
  return valuesIn(space.open, candidate);
}

std::string CandidateRunner::brokenByValues(std::uint64_t candidate) const {
  std::vector<std::string> values;
  const auto find = [&](const std::string& path) -> std::optional<ir::ResultValue> {
    for (std::size_t i = 0; i < space.open.size(); ++i)
      if (const auto value = valueAt(space.open[i], path, values[i]))
        return value;
    return std::nullopt;
  };
  for (const ir::Assertion& constraint : space.constraints) {
    if (constraint.nodes.empty() || readsFigures(space, constraint))
      continue;
    if (values.empty())
      values = valuesOf(candidate);
    if (isBroken(ir::evaluate(constraint, find)))
      return constraint.source;
  }
  return "";
}

std::optional<ir::Plan> CandidateRunner::compile(std::uint64_t candidate, std::uint64_t setting,
                                                 unsigned worker, DiagnosticEngine& diags) {
  Compiler& of = compilers[worker];
  ++of.all;
  if (!of.workspace || ++of.compiled == mostOfOneWorkspace) {
    of.workspace = std::make_unique<Workspace>();
    of.compiled = 0;
    if (request.text)
      of.workspace->overlay(request.path, *request.text);
  }
  const std::vector<std::string> values = valuesOf(candidate);
  std::vector<Override> settings = request.base;
  for (std::size_t i = 0; i < values.size(); ++i)
    settings.push_back({space.open[i].otherBlock
                            ? space.open[i].path
                            : fmt::format("{}.{}", space.name, space.open[i].path),
                        values[i],
                        "search",
                        {}});
  const std::vector<std::string> worst = valuesIn(space.worstOf, setting);
  for (std::size_t i = 0; i < worst.size(); ++i)
    settings.push_back({space.worstOf[i].path, worst[i], "search", {}});
  settings.insert(settings.end(), request.overrides.begin(), request.overrides.end());
  const std::unique_ptr<CompiledUnit> unit =
      of.workspace->compilePoint(request.path, diags, std::move(settings), request.search);
  if (unit->file.failed())
    return std::nullopt;
  for (ir::Plan& plan : unit->file->searched)
    if (plan.layout.name == request.search) {
      // The command line may have added objectives to those of the file.
      for (ir::Space& own : plan.spaces)
        if (own.kind == ir::SpaceKind::Search)
          own.objectives.insert(own.objectives.end(),
                                space.objectives.begin() +
                                    static_cast<std::ptrdiff_t>(own.objectives.size()),
                                space.objectives.end());
      return std::move(plan);
    }
  for (ir::Plan& plan : unit->file->plans)
    if (plan.layout.name == request.search) { // the layout is an ordinary one, for which a search
                                              // is made
      plan.spaces.push_back(space);
      llvm::erase_if(plan.spaces.back().constraints, [&](const ir::Assertion& constraint) {
        return !readsFigures(space, constraint);
      });
      return std::move(plan);
    }
  return std::nullopt;
}

ScreenedCandidate CandidateRunner::screen(std::uint64_t candidate, unsigned worker) {
  if (std::string broken = brokenByValues(candidate); !broken.empty())
    return {CandidateFate::Condition, std::move(broken)};
  DiagnosticEngine diags;
  std::optional<ir::Plan> plan = compile(candidate, base, worker, diags);
  if (!plan)
    return {CandidateFate::Illegal, ruleOf(diags.firstError())};
  for (const ir::Assertion& constraint : plan->search()->constraints)
    if (!readsFigures(space, constraint)) {
      const ir::Verdict verdict = ir::evaluate(constraint, ir::noResult);
      if (!verdict.holds || !verdict.known || !verdict.error.empty())
        return {CandidateFate::Condition, constraint.source};
    }
  if (plan->layout.mesh.automatic || plan->layout.scheduleAutomatic)
    return {}; // other searches need no bound
  if (runThrough(*plan, diags, "partition-layers").failed())
    return {CandidateFate::Illegal, ruleOf(diags.firstError())};
  const planner::PlanBound bound = planner::boundOf(*plan);
  if (bound.excess > 0)
    return {CandidateFate::MemoryBound, "", 0, bound.excess};
  ScreenedCandidate out = brokenByBound(*plan->search(), bound);
  out.step = bound.step, out.memory = bound.memory;
  return out;
}

JudgedCandidate CandidateRunner::judge(std::uint64_t candidate, unsigned worker) {
  JudgedCandidate out = judgeWith(candidate, base, worker);
  for (std::uint64_t i = 1; i < space.settings() && out.fate == CandidateFate::Ranked; ++i) {
    JudgedCandidate other = judgeWith(candidate, settingAt(i), worker);
    if (other.fate != CandidateFate::Ranked)
      return other;
    for (std::size_t o = 0; o < out.objectives.size(); ++o)
      if (isWorse(space.objectives[o], other.objectives[o], out.objectives[o]))
        out.objectives[o] = other.objectives[o];
  }
  return out;
}

JudgedCandidate CandidateRunner::judgeWith(std::uint64_t candidate, std::uint64_t setting,
                                           unsigned worker) {
  JudgedCandidate out;
  const auto refuse = [&](CandidateFate fate, std::string rule, double miss = 0) {
    out.fate = fate, out.rule = std::move(rule), out.miss = miss;
    return out;
  };
  DiagnosticEngine diags;
  std::optional<ir::Plan> plan = compile(candidate, setting, worker, diags);
  if (!plan || checkRelease(*plan, diags).failed())
    return refuse(CandidateFate::Illegal, ruleOf(diags.firstError()));
  if (Workspace::complete(*plan, diags, withoutAdvice(), runsOf(*plan), refusalsOf(*plan))
          .failed()) {
    const std::string error = diags.firstError();
    const bool large =
        isOf(error, diag::OutOfMemory::info) || isOf(error, diag::HostOutOfMemory::info);
    const ir::RankMemory* worst = ir::tightest(plan->memory);
    const double miss = worst ? ir::real(worst->peak()) / ir::real(worst->usable) - 1 : 1;
    return refuse(large ? CandidateFate::TooLarge : CandidateFate::Illegal, ruleOf(error), miss);
  }
  if (const std::string why = whyRefused(*plan); !why.empty())
    return refuse(CandidateFate::Refused, plan->framework.name);
  if (request.wanted && !request.wanted(*plan))
    return refuse(CandidateFate::Refused, "");
  // Threads do not change drawn values; the candidates use them.
  study::Measures measures(*plan, space, 1);
  const auto find = [&](const std::string& path) { return measures.result(path); };
  for (const ir::Assertion& constraint : plan->search()->constraints) {
    const ir::Verdict verdict = ir::evaluate(constraint, find);
    if (!verdict.holds || !verdict.known || !verdict.error.empty())
      return refuse(CandidateFate::Required, constraint.source, missOf(constraint, find));
  }
  for (const ir::Objective& objective : plan->search()->objectives) {
    const std::optional<ir::ResultValue> value = search::valueOf(objective, find);
    if (!value || std::isnan(value->value))
      return refuse(CandidateFate::Unranked, objective.source, 1);
    out.objectives.push_back(value->value);
  }
  if (space.worstOf.empty())
    keep(candidate, out.objectives.front(), std::move(*plan));
  return out;
}

void CandidateRunner::keep(std::uint64_t candidate, double objective, ir::Plan&& plan) {
  constexpr std::size_t most = 16; // plans of large layouts have some ten megabytes
  const double order = space.objectives.front().maximize ? -objective : objective;
  const std::lock_guard<std::mutex> alone(keeping);
  kept.insert_or_assign({order, candidate}, std::move(plan));
  if (kept.size() > std::min<std::size_t>(most, std::max<std::uint64_t>(1, space.keep)))
    kept.erase(std::prev(kept.end()));
}

std::uint64_t CandidateRunner::compilations() const {
  std::uint64_t out = 0;
  for (const Compiler& of : compilers)
    out += of.all;
  return out;
}

CompiledCandidate CandidateRunner::compiled(std::uint64_t candidate, unsigned worker) {
  CompiledCandidate out;
  DiagnosticEngine diags;
  out.plan = compile(candidate, base, worker, diags);
  if (!out.plan)
    out.rule = ruleOf(diags.firstError());
  out.reads = compilers[worker].workspace->readsOfPoint();
  return out;
}

CandidateRunner::RunPlan CandidateRunner::planOf(std::uint64_t candidate) {
  for (auto& [key, plan] : kept)
    if (key.second == candidate)
      return {plan, {}};
  std::uint64_t at = base;
  if (!space.worstOf.empty()) {
    std::optional<double> worst;
    for (std::uint64_t i = 0; i < space.settings(); ++i) {
      const JudgedCandidate judged = judgeWith(candidate, settingAt(i), 0);
      if (judged.fate != CandidateFate::Ranked) {
        at = settingAt(i);
        break;
      }
      const double value = judged.objectives.front();
      if (!worst || isWorse(space.objectives.front(), value, *worst))
        worst = value, at = settingAt(i);
    }
  }
  DiagnosticEngine diags;
  RunPlan out{compile(candidate, at, 0, diags), valuesIn(space.worstOf, at)};
  if (out.plan)
    (void)Workspace::complete(*out.plan, diags, withoutAdvice(), runsOf(*out.plan),
                              refusalsOf(*out.plan));
  return out;
}
