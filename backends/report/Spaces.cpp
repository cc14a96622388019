//===- Spaces.cpp - Open fields of searches and studies, and runs, as text and JSON -----------===//
#include "backends/report/Report.h"
#include "ir/Names.h"
#include "support/Json.h"
#include "support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace dpl;

namespace {
constexpr std::size_t shownValues = 8, shownBytes = 120;

/// A value, of which only the beginning is shown if it is very long.
std::string shown(llvm::StringRef value) {
  std::size_t end = std::min(value.size(), shownBytes);
  while (end < value.size() && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80)
    --end;
  return value.take_front(end).str() + (end < value.size() ? "…" : "");
}

std::string valuesOf(const ir::OpenField& field) {
  if (field.range)
    return fmt::format("{}..{}", field.at(0), field.at(field.size() - 1));
  std::string out = "[";
  for (std::size_t i = 0; i < std::min(field.values.size(), shownValues); ++i)
    out += (i == 0 ? "" : ", ") + shown(field.values[i]);
  const std::size_t more = field.values.size() - std::min(field.values.size(), shownValues);
  return out + (more > 0 ? fmt::format(", and {} more]", more) : "]");
}

Json openJson(const ir::OpenField& field) {
  Json out = {{"path", field.path}, {"candidates", field.size()}};
  if (field.range)
    out["first"] = field.at(0), out["last"] = field.at(field.size() - 1);
  else
    out["values"] = field.values;
  return out;
}
} // namespace

std::string report::spaceLines(const ir::Space& space, unsigned width) {
  const bool search = space.kind == ir::SpaceKind::Search;
  const std::uint64_t count = search ? space.candidates() : space.points();
  std::string out = count == UINT64_MAX
                        ? "  2^64 candidates and more\n"
                        : fmt::format("  {} {}{}\n", count, search ? "candidate" : "point",
                                      count == 1 ? "" : "s");
  if (space.sampling.kind != ir::SamplingKind::Grid)
    out.insert(out.size() - 1, fmt::format(" ({})", ir::name(space.sampling.kind)));
  const auto line = [&](const std::string& text) { out += listRow("", text, 4, width); };
  for (const ir::OpenField& field : space.open)
    line(fmt::format("{} in {}", field.path, valuesOf(field)));
  for (const ir::Assertion& constraint : space.constraints)
    line(fmt::format("{} {}", search ? "require" : "assert", constraint.source));
  std::vector<std::string> front; // objectives of a Pareto front
  for (const ir::Objective& objective : space.objectives)
    if (space.pareto)
      front.push_back(objective.source);
    else
      line(fmt::format("{} {}", objective.maximize ? "maximize" : "minimize", objective.source));
  if (!front.empty())
    line(fmt::format("{} pareto({})", space.objectives.front().maximize ? "maximize" : "minimize",
                     llvm::join(front, ", ")));
  const std::size_t seeds = space.seeds.size();
  line(search ? fmt::format("keep {}", space.keep)
              : fmt::format("{} of {} seed{}, {}", llvm::join(space.outputs, ", "), seeds,
                            seeds == 1 ? "" : "s", ir::name(space.hold)));
  return out;
}

Json report::spaceJson(const ir::Space& space) {
  Json out = {{"name", space.name}, {"kind", ir::name(space.kind)}};
  const std::uint64_t count = space.candidates();
  out["candidates"] = count == UINT64_MAX ? Json(nullptr) : Json(count);
  out["open"] = Json::array();
  for (const ir::OpenField& field : space.open)
    out["open"].push_back(openJson(field));
  out["constraints"] = Json::array();
  for (const ir::Assertion& constraint : space.constraints)
    out["constraints"].push_back(
        {{"expression", constraint.source}, {"reason", constraint.reason}});
  if (space.kind == ir::SpaceKind::Search) {
    out["pareto"] = space.pareto;
    out["objectives"] = Json::array();
    for (const ir::Objective& objective : space.objectives)
      out["objectives"].push_back({{"expression", objective.source},
                                   {"direction", objective.maximize ? "maximize" : "minimize"}});
    out["keep"] = space.keep;
    return out;
  }
  out["run"] = space.run.empty() ? Json(nullptr) : Json(space.run);
  out["sampling"] = {{"kind", ir::name(space.sampling.kind)}};
  if (space.sampling.kind == ir::SamplingKind::Random)
    out["sampling"]["points"] = space.sampling.points,
    out["sampling"]["seed"] = space.sampling.seed;
  out["scaling"] = ir::name(space.hold);
  out["seeds"] = space.seeds;
  out["steps"] = space.steps;
  out["target_half_width"] = space.until > 0 ? Json(space.until) : Json(nullptr);
  out["level"] = ir::name(space.level);
  out["outputs"] = space.outputs;
  out["derived"] = Json::object();
  for (const ir::DerivedOutput& derived : space.derived)
    out["derived"][derived.name] = derived.value.source;
  out["plot"] =
      space.plot.x.empty() ? Json(nullptr) : Json{{"x", space.plot.x}, {"y", space.plot.y}};
  if (!space.plot.series.empty())
    out["plot"]["series"] = space.plot.series;
  return out;
}

Json report::runJson(const ir::Run& run) {
  Json out = {{"name", run.name}, {"phases", Json::array()}};
  for (const ir::RunPhase& phase : run.phases)
    out["phases"].push_back({{"index", phase.index},
                             {"tokens", phase.tokens},
                             {"steps", run.problem() || run.numbers() ? Json() : Json(phase.steps)},
                             {"batch", phase.batch},
                             {"last_step", phase.lastStep}});
  if (run.checkpoint.every > 0)
    out["checkpoint"] = {{"interval_steps", run.checkpoint.every},
                         {"keep", run.checkpoint.keep},
                         {"mode", ir::name(run.checkpoint.mode)}};
  if (run.budget)
    out["budget_usd"] = *run.budget;
  return out;
}
