//===- FiguresOfPoints.cpp - Some figures of a layout with other settings ---------------------===//
#include "driver/study/FiguresOfPoints.h"
#include "backends/ChangedPlans.h"
#include "backends/Target.h"
#include "driver/study/PointRunner.h"
#include "figures/Figures.h"
#include "ir/FigureNames.h"
using namespace dpl;
using namespace dpl::study;

FiguresOfPoints::FiguresOfPoints(std::string path, std::string layout,
                                 const std::vector<std::string>& figures)
    : path(std::move(path)), layout(std::move(layout)), unitOf(figures.size()) {
  for (const std::string& figure : figures)
    this->figures.push_back(ir::pathWritten(figure));
}

Json FiguresOfPoints::at(const std::vector<Override>& settings) {
  if (!workspace || ++compiled == mostOfOneWorkspace) {
    workspace = std::make_unique<Workspace>();
    compiled = 0;
    if (text)
      workspace->overlay(path, *text);
  }
  Json values = Json::array();
  DiagnosticEngine diags;
  const std::unique_ptr<CompiledUnit> unit = workspace->compilePoint(path, diags, settings, layout);
  ir::Plan* plan = unit->file.failed() ? nullptr : planOfLayout(*unit->file, layout);
  const bool good =
      plan && checkRelease(*plan, diags).succeeded() &&
      Workspace::complete(*plan, diags, withoutAdvice(), runsOf(*plan), refusalsOf(*plan))
          .succeeded();
  // A plan that does not fit has its figures all the same.
  const bool known = plan && !plan->memory.empty();
  std::optional<figures::Figures> computed;
  if (known)
    computed.emplace(*plan, figures::FieldLocator(), figures::Depth::Values);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const figures::Figure* figure = computed ? computed->find(figures[i]) : nullptr;
    const Json amount = figure ? quantity(figure->value, figure->dimension) : Json();
    values.push_back(amount["value"]);
    if (amount.contains("unit"))
      unitOf[i] = amount["unit"].str();
  }
  Json out{{"values", std::move(values)}};
  if (!good)
    out["refused"] = diags.firstError();
  else if (std::string refused = whyRefused(*plan); !refused.empty())
    out["refused"] = std::move(refused);
  return out;
}

Json FiguresOfPoints::units() const {
  Json out = Json::array();
  for (const std::optional<std::string>& unit : unitOf)
    out.push_back(unit ? Json(*unit) : Json());
  return out;
}
