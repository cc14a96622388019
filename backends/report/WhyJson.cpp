//===- WhyJson.cpp - The derivation of a figure and the timeline of a step as JSON
//-------------===//
#include "backends/report/WhyJson.h"
#include "cost/step/Timeline.h"
#include "ir/FigureNames.h"
#include "ir/Names.h"
#include "support/Json.h"
#include <set>
using namespace dpl;
using figures::Figure;
using figures::Figures;

namespace {
Json nodeOf(const Figures& figures, const Figure& figure, std::set<const Figure*>& shown) {
  Json out{{"path", ir::writtenPath(figure.path)}};
  out.update(quantity(figure.value, figure.dimension));
  out["provenance"] = figures::name(figure.provenance);
  if (!figure.source.empty())
    out["source"] = figure.source;
  if (!shown.insert(&figure).second) {
    out["repeated"] = true;
    return out;
  }
  if (const std::string formula = figures.formula(figure); !formula.empty())
    out["formula"] = formula;
  if (!figure.note.empty())
    out["note"] = figure.note;
  for (const Figure* input : figure.inputs)
    out["inputs"].push_back(nodeOf(figures, *input, shown));
  return out;
}
} // namespace

Json report::whyJson(const Figures& figures, const std::string& path) {
  std::set<const Figure*> shown;
  if (const Figure* figure = figures.find(path))
    return nodeOf(figures, *figure, shown);
  Json list;
  for (const Figure* figure : figures.all())
    if (llvm::StringRef(figure->path).startswith(path + ".") ||
        llvm::StringRef(figure->path).startswith(path + "["))
      list.push_back({{"path", ir::writtenPath(figure->path)},
                      {"value", quantity(figure->value, figure->dimension)["value"]},
                      {"unit", quantity(figure->value, figure->dimension)["unit"]}});
  return list;
}

Json report::timelineJson(const ir::Plan& plan) {
  Json ranks = Json::array();
  for (const ir::RankSchedule& rank : plan.schedule) {
    Json actions = Json::array();
    const cost::RankStepView drawn = cost::rankStepView(plan, rank.rank);
    const auto add = [&](const ir::RankSchedule& of, bool own) {
      for (std::size_t i = 0; i < of.actions.size(); ++i) {
        const ir::ScheduledAction& action = of.actions[i];
        const bool chunk = ir::isChunkAction(action.kind);
        actions.push_back({{"action", ir::name(action.kind)},
                           {"micro_batch", chunk ? Json(action.microBatch) : Json()},
                           {"chunk", chunk ? Json(action.chunk) : Json()},
                           {"begin_ps", of.start[i]},
                           {"end_ps", of.endOf(i)},
                           {"of_this_step", own}});
      }
    };
    add(drawn.neighbours, false), add(*drawn.schedule, true);
    ranks.push_back({{"rank", rank.rank}, {"actions", std::move(actions)}});
  }
  return {{"schema", "dplc.timeline.1"},
          {"layout", plan.layout.name},
          {"step_s", plan.step->step},
          {"ranks", std::move(ranks)}};
}
