//===- Render.cpp - A diagnosis as text and JSON ----------------------------------------------===//
#include "backends/report/Format.h"
#include "backends/report/StepComponents.h"
#include "backends/report/TextTable.h"
#include "cost/step/Exposure.h"
#include "cost/step/StageWords.h"
#include "simulate/diagnosis/Diagnosis.h"
#include "support/Text.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::diagnosis;

namespace {
std::string time(double ps) { return report::duration(ps * 1e-12); }
std::string share(double of) {
  // Avoids a sign before a rounded zero.
  return report::percent(std::abs(of) < 0.0005 ? 0 : of);
}

/// The confidence interval of the savings; "-" if it is smaller than a rounding error.
std::string within(const StepComparison& saving) {
  if (!saving.halfWidth)
    return "?";
  return *saving.halfWidth >= 0.00005 ? report::percent(*saving.halfWidth) : "-";
}

const Saving* of(const Diagnosis& d, const Cause* cause) {
  for (const Saving& saving : d.savings)
    if (saving.cause == cause)
      return &saving;
  return nullptr;
}

/// The rank that is slow most often.
std::string slowestText(const MeasuredSteps& step) {
  const auto text = [](const std::string& who, double of) {
    return fmt::format("; {} is the slowest in {} of the steps", who, report::percent(of));
  };
  if (step.workers && step.workers->slowest)
    return text(fmt::format("worker {}", step.workers->slowest->index),
                step.workers->slowest->share);
  if (step.ranks && step.ranks->slowest)
    return text(fmt::format("device {} of pipeline rank {}", step.ranks->slowest->device,
                            step.ranks->slowest->pipelineRank),
                step.ranks->slowest->share);
  return "";
}

/// Such as "; `nic.bandwidth` of `node_pool["slow"]` (node 7) is 2GB/s, the best other value is
/// 50GB/s; …".
std::string slowPartText(const SlowPool& slow) {
  const std::string nodes = slow.nodes == 1 ? fmt::format("node {}", slow.firstNode)
                                            : fmt::format("nodes {} to {}", slow.firstNode,
                                                          slow.firstNode + slow.nodes - 1);
  return fmt::format(
      "; `{}` of {} ({}) is {}, the best other value is {}; this difference alone makes a step {} "
      "longer",
      slow.field, slow.pool, nodes, slow.value, slow.best, share(slow.costs));
}

/// The fields of the layout that affect the verdict, such as "; most of it along `expert`:
/// `kernels.token_dispatcher = deepep` decides it".
std::string fieldsText(const ir::Plan& plan, const Cause& verdict) {
  if (llvm::StringRef(verdict.key) == "launches")
    return "; " + report::fieldsOfLaunches(plan);
  if (verdict.kind != CauseKind::Communication)
    return "";
  const auto [axis, seconds] = cost::Exposure(plan).most();
  if (seconds <= 0)
    return "";
  const bool ofExperts = llvm::StringRef(axis) == "expert";
  return fmt::format("; most of it along `{}`{}", axis,
                     ofExperts ? ": " + cost::fieldsOfExpertCommunication(plan) : "");
}

std::string verdictText(const ir::Plan& plan, const Diagnosis& d) {
  if (d.failing)
    return fmt::format(
        "failure{}: where nothing fails and nothing is saved, run {} takes {} less{}",
        d.run->largest() ? fmt::format(", {}", d.run->largest()->words) : "", d.run->run,
        share(d.run->together.saved()), d.run->together.drawn ? "" : " in the long run");
  if (!d.verdict)
    return fmt::format("compute: no other single cause takes {} of a step",
                       report::percent(leastVerdict));
  const Saving& saving = *of(d, d.verdict);
  const std::string what =
      d.verdict->key == name(d.verdict->kind) ? "" : fmt::format(", {}", d.verdict->words);
  const std::string who = d.slowest ? slowPartText(*d.slowest)
                          : d.verdict->kind == CauseKind::Synchronisation
                              ? slowestText(d.step)
                              : fieldsText(plan, *d.verdict);
  return fmt::format("{}{}: where {}, a step takes {}, {} less{}", name(d.verdict->kind).str(),
                     what, d.verdict->removed, time(saving.step), share(saving.saved), who);
}

std::string runText(const RunLosses& run, unsigned width) {
  report::TextTable table({"without", "goodput", "long run", "drawn", "±"});
  const auto cell = [](const std::optional<double>& of) { return of ? share(*of) : "?"; };
  const auto row = [&](const char* words, const RunSaving& saving) {
    table.row({words, report::percent(saving.goodput), share(saving.inTheLongRun),
               cell(saving.drawn), cell(saving.halfWidth)});
  };
  for (const RunLoss& loss : run.losses)
    row(loss.words, loss);
  row("all of these", run.together);
  return fmt::format("run {}: goodput {} in the long run\n\n{}", run.run,
                     report::percent(run.goodput), table.render(width));
}

Json json(const RunLosses& run) {
  Json without = Json::object();
  const auto of = [](const RunSaving& saving) {
    return Json{{"goodput", saving.goodput},
                {"saved", saving.inTheLongRun},
                {"drawn", saving.drawn ? Json(*saving.drawn) : Json()},
                {"half_width", saving.halfWidth ? Json(*saving.halfWidth) : Json()}};
  };
  for (const RunLoss& loss : run.losses)
    without[loss.key] = of(loss);
  return {{"name", run.run},
          {"goodput", run.goodput},
          {"without", without},
          {"without_all", of(run.together)}};
}

/// Warnings about a change, in parentheses: little free memory, frameworks that refuse it.
std::string marksOf(const Saving& change) {
  std::string out;
  if (change.leavesFree)
    out = fmt::format("it leaves {} of memory free", share(*change.leavesFree));
  if (change.acceptedBy)
    out += (out.empty() ? "" : "; ") + acceptingTargetsText(*change.acceptedBy);
  return out.empty() ? "" : fmt::format(" ({})", out);
}

/// Changes with their numbers. A change is printed after its numbers, because it may be longer than
/// a line.
std::string changesText(const std::vector<Saving>& changes, unsigned width) {
  // Figures align right, so the last column has the same width in each line.
  report::TextTable table({"a step takes", "saves", "±"}, 0);
  for (const Saving& saving : changes)
    table.row({time(saving.step), share(saving.saved), within(saving)});
  table.dropDashes();
  llvm::SmallVector<llvm::StringRef, 4> lines;
  const std::string figures = table.render(width);
  llvm::StringRef(figures).rtrim().split(lines, '\n');
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += fmt::format("{}  {}\n", lines[i].str(),
                       i == 0 ? "with" : changes[i - 1].text + marksOf(changes[i - 1]));
  return flowList(out, width);
}

Json json(const SlowPool& slow) {
  return {{"node_pool", slow.name},
          {"field", slow.field},
          {"value", slow.value},
          {"best", slow.best},
          {"nodes", {slow.firstNode, slow.firstNode + slow.nodes - 1}},
          {"cost", slow.costs}};
}

Json json(const StepComparison& saving) {
  return {{"step_ps", std::llround(saving.step)},
          {"saved", saving.saved},
          {"half_width", saving.halfWidth ? Json(*saving.halfWidth) : Json()}};
}
} // namespace

std::string diagnosis::renderText(const ir::Plan& plan, const Diagnosis& d, unsigned width) {
  std::string text = fmt::format("why a step of {} takes {}\n{}\n", plan.layout.name,
                                 time(d.step.mean()), listRow("", verdictText(plan, d), 2, width));
  report::TextTable table({"without", "a step takes", "saves", "±"});
  const auto row = [&](const std::string& what, const Saving& saving) {
    table.row({what, time(saving.step), share(saving.saved), within(saving)});
  };
  for (const Saving& saving : d.savings)
    row((saving.cause->isComponent ? "  " : "") + saving.text, saving);
  row("all of these", d.together);
  table.dropDashes();
  text += table.render(width);
  report::TextTable between({"together", "save", "interaction"});
  for (const Interaction& pair : d.between)
    if (std::abs(pair.beyond) >= 0.001)
      between.row({fmt::format("{}, {}", pair.first->words, pair.second->words), share(pair.saved),
                   share(pair.beyond)});
  if (!between.empty())
    text += "\n" + between.render(width);
  if (!d.barriers.empty())
    text += "\n" + renderText(d.barriers, width);
  if (d.run)
    text += "\n" + runText(*d.run, width);
  text += fmt::format("\n  {} of the layout tried", plural(d.tried, "legal change"));
  text += d.changes.empty() ? ", none helps\n" : "\n\n" + changesText(d.changes, width);
  if (!d.learning.empty())
    text += "\n" +
            listRow("", "these changes also change convergence, which is not simulated", 2, width) +
            "\n" + changesText(d.learning, width);
  return text;
}

Json diagnosis::renderJson(const Diagnosis& d) {
  Json without = Json::object(), between = Json::array();
  for (const Saving& saving : d.savings)
    without[saving.cause->key] = json(saving);
  for (const Interaction& pair : d.between)
    between.push_back({{"causes", {pair.first->key, pair.second->key}},
                       {"saved", pair.saved},
                       {"interaction", pair.beyond}});
  const auto listOf = [](const std::vector<Saving>& changes) {
    Json list = Json::array();
    for (const Saving& saving : changes) {
      list.push_back(json(saving));
      list.back()["with"] = saving.text;
      list.back()["headroom"] = saving.leavesFree ? Json(*saving.leavesFree) : Json();
      list.back()["accepted_by"] = saving.acceptedBy ? Json(*saving.acceptedBy) : Json();
    }
    return list;
  };
  const RunLoss* loss = d.failing ? d.run->largest() : nullptr;
  return {{"verdict",
           {{"kind", name(d.kind()).str()},
            {"cause", d.verdict ? Json(d.verdict->key)
                      : loss    ? Json(loss->key)
                                : Json()},
            {"saved", d.failing   ? d.run->together.saved()
                      : d.verdict ? of(d, d.verdict)->saved
                                  : 0.0},
            {"slowest", d.slowest ? json(*d.slowest) : Json()}}},
          {"without", without},
          {"without_all", json(d.together)},
          {"interactions", between},
          {"barriers", renderJson(d.barriers)},
          {"run", d.run ? json(*d.run) : Json()},
          {"changes_tried", d.tried},
          {"changes", listOf(d.changes)},
          {"convergence_changes", listOf(d.learning)}};
}
