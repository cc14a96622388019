//===- WhyJson.cpp - The derivation of figures as JSON ----------------------------------------===//
#include "backends/report/WhyJson.h"
#include "ir/FigureNames.h"
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

Json report::figureJson(const Figures& figures, const Figure& figure) {
  Json one = quantity(figure.value, figure.dimension);
  one["provenance"] = figures::name(figure.provenance);
  if (const std::string formula = figures.formula(figure); !formula.empty())
    one["formula"] = formula;
  for (const Figure* input : figure.inputs)
    one["inputs"].push_back(ir::writtenPath(input->path));
  if (!figure.source.empty())
    one["source"] = figure.source;
  if (!figure.note.empty())
    one["note"] = figure.note;
  return one;
}

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
