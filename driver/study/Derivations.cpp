//===- Derivations.cpp - The figures from which the outputs of a study are computed -----------===//
#include "driver/study/Derivations.h"
#include "backends/report/WhyJson.h"
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <set>
using namespace dpl;
using namespace dpl::study;
using figures::Figure;
using figures::Figures;

namespace {
/// Limits of the points with figures, and of the figures of all of them.
constexpr std::size_t mostPoints = 48, mostFigures = 12'000;

/// The figures of one point, from its outputs down to what the file sets.
class PointFigures {
public:
  PointFigures(const Results& results, const StudyPoint& point, const Figures& figures)
      : results(results), point(point), figures(figures) {}

  Json take() {
    for (std::size_t i = 0; i < results.space.outputs.size(); ++i)
      if (!std::isnan(point.values[i]))
        addOutput(i);
    return std::move(out);
  }

private:
  void addOutput(std::size_t index) {
    const std::string& name = results.space.outputs[index];
    const ir::DerivedOutput* derived = results.space.derivedNamed(name);
    const Figure* figure = derived ? nullptr : figures.find(name);
    // A figure of a run can have the steps that simulated descents needed.
    if (figure && figure->value == point.values[index])
      return addFigure(*figure);
    const std::string path = derived ? name : ir::writtenPath(name);
    if (out.contains(path))
      return;
    Json one = quantity(point.values[index], results.dimensions[index]);
    one["provenance"] = derived ? "derived" : "simulated";
    if (derived)
      addExpression(derived->value, one);
    else
      addStatistic(name, one);
    out.append(path, std::move(one));
  }

  void addFigure(const Figure& figure) {
    if (!known.insert(&figure).second)
      return;
    out.append(ir::writtenPath(figure.path), report::figureJson(figures, figure));
    for (const Figure* input : figure.inputs)
      addFigure(*input);
  }

  /// Adds a figure to the inputs; false if there is no such figure.
  bool addInput(llvm::StringRef path, Json& of) {
    const Figure* figure = figures.find(path);
    if (!figure)
      return false;
    addFigure(*figure);
    of["inputs"].push_back(ir::writtenPath(figure->path));
    return true;
  }

  void addExpression(const ir::Assertion& value, Json& of) {
    of["formula"] = value.source;
    of["note"] = "expression of the study";
    std::set<llvm::StringRef> read;
    for (const ir::AssertionNode& node : value.nodes)
      if (!node.path.empty() && read.insert(node.path).second && !addInput(node.path, of))
        addUnkept(node.path, of);
  }

  /// An input that only the simulation had, and of which the results keep no value.
  void addUnkept(const std::string& name, Json& of) {
    if (!ir::drawnFigureNamed(name))
      return;
    const std::string path = ir::writtenPath(name);
    of["inputs"].push_back(path);
    if (out.contains(path) || llvm::is_contained(results.space.outputs, name))
      return;
    Json one{{"value", Json()}, {"unit", ""}, {"provenance", "simulated"}};
    addStatistic(name, one);
    out.append(path, std::move(one));
  }

  void addStatistic(const std::string& name, Json& of) {
    of["note"] = point.steps > 0 && !llvm::StringRef(name).startswith("run[")
                     ? fmt::format("from {} of the point", plural(point.steps, "simulated step"))
                     : "from simulated runs of the point";
    if (const std::optional<ir::DrawnFigure> drawn = ir::drawnFigureNamed(name))
      (void)addInput(drawn->run.empty() ? drawn->figure
                                        : fmt::format("run[{}].{}", drawn->run, drawn->figure),
                     of);
  }

  const Results& results;
  const StudyPoint& point;
  const Figures& figures;
  std::set<const Figure*> known;
  Json out = Json::object();
};

/// The rows whose points have figures, in order: those with the least and the largest value of the
/// first output that has one, and others at equal distances.
std::set<std::size_t> chosenRows(const Results& results) {
  const std::size_t all = results.points.size(), most = std::min(all, mostPoints);
  std::set<std::size_t> out;
  if (all == 0)
    return out;
  std::optional<std::size_t> low, high;
  for (std::size_t i = 0; i < all; ++i) {
    const double value =
        results.points[i].values.empty() ? std::nan("") : results.points[i].values.front();
    if (std::isnan(value))
      continue;
    if (!low || value < results.points[*low].values.front())
      low = i;
    if (!high || value > results.points[*high].values.front())
      high = i;
  }
  for (const std::optional<std::size_t>& row : {low, high})
    if (row)
      out.insert(*row);
  for (std::size_t i = 0; i < most; ++i)
    out.insert(i * all / most);
  return out;
}

/// The figures that differ from those of the first point; null where it has one more.
Json differing(const Json& from, const Json& figures) {
  llvm::StringMap<const Json*> before;
  for (const auto& [path, figure] : from.items())
    before[path] = &figure;
  Json out = Json::object();
  for (const auto& [path, figure] : figures.items()) {
    const auto at = before.find(path);
    if (at == before.end() || !(*at->second == figure))
      out.append(path, figure);
    if (at != before.end())
      before.erase(at);
  }
  for (const auto& [path, figure] : from.items())
    if (before.count(path) > 0)
      out.append(path, Json());
  return out;
}
} // namespace

Json study::derivationsOf(const StudyRequest& request, const Results& results) {
  PointRunner runner(request, results.space, results.scaling);
  Json out = Json::array(), first;
  std::size_t size = 0;
  for (const std::size_t row : chosenRows(results)) {
    const StudyPoint& point = results.points[row];
    if (!point.ran() || size >= mostFigures)
      continue;
    Json figures;
    runner.withPlan(point.number, [&](const ir::Plan& plan, const figures::FieldLocator& where) {
      figures = PointFigures(results, point, Figures(plan, where)).take();
    });
    if (figures.empty())
      continue;
    Json changed = first.is_null() ? figures : differing(first, figures);
    if (first.is_null())
      first = std::move(figures);
    size += changed.size();
    out.push_back({{"point", point.number},
                   {"name", validUtf8(placeOf(results, point))},
                   {"figures", std::move(changed)}});
  }
  return out;
}
