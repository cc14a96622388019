//===- FigurePoints.cpp - The method `figures`: some figures at many points -------------------===//
#include "tools/dplc/serve/FigurePoints.h"
#include "driver/study/FiguresOfPoints.h"
#include "tools/dplc/FigureChoice.h"
#include "tools/dplc/Session.h"
#include <algorithm>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// What a request for figures says.
struct FigureRequest {
  std::string path;
  CompileOptions options;
  std::vector<std::string> figures;
  std::vector<std::vector<Override>> points;
};

/// Settings such as `{"pod.nodes": 64, "layout.schedule": "gpipe"}`; false for other values.
bool readPoint(const Json& point, std::vector<Override>& out) {
  if (!point.is_object())
    return false;
  for (const auto& [path, value] : point.items()) {
    if (value.is_structured() || value.is_null())
      return false;
    out.push_back({path, value.is_string() ? value.str() : value.dump(), "point", {}});
  }
  return true;
}

bool read(const Json& params, FigureRequest& out, std::string& mistake) {
  const auto wrong = [&](const char* text) {
    mistake = text;
    return false;
  };
  if (!params["file"].is_string() || params["file"].str().find('\0') != std::string::npos)
    return wrong("`file` is a .dpl file, or `-` for `text`");
  out.path = params["file"].str();
  if (out.path == "-" && !params.contains("text"))
    return wrong("`text` is needed in place of the file `-`");
  out.options.files = {out.path};
  if (const Json* layout = params.find("layout"); layout && !layout->is_null()) {
    if (!layout->is_string())
      return wrong("`layout` is the name of a layout");
    out.options.layout = layout->str();
  }
  const Json& figures = params["figures"];
  const auto isText = [](const Json& one) { return one.is_string(); };
  if (!figures.is_array() || figures.empty() ||
      !std::all_of(figures.begin(), figures.end(), isText))
    return wrong("`figures` is a list of figures such as step_time");
  for (const Json& one : figures)
    out.figures.push_back(one.str());
  const Json& points = params["points"];
  if (!points.is_array())
    return wrong("`points` is a list of objects such as {\"pod.nodes\": 64}");
  for (const Json& one : points)
    if (!readPoint(one, out.points.emplace_back()))
      return wrong("a point is an object of numbers, texts, true and false by path");
  return true;
}

void answerFigures(const FigureRequest& request, Answer& answer,
                   const Progress::Listener& progress) {
  Session session(request.options);
  session.answer = &answer;
  session.options.json = true;
  const auto work = [&] {
    if (!knowsFigures(session, request.figures) || !session.prepare())
      return;
    const std::unique_ptr<CompiledUnit> unit = session.compile(request.path);
    if (unit->file.failed() || session.diags.errors() > 0)
      return;
    const ir::Plan* plan = session.choose(*unit->file, Session::nameOf(request.path));
    if (!plan)
      return;
    study::FiguresOfPoints runner(Session::nameOf(request.path), plan->layout.name,
                                  request.figures);
    if (request.path == "-")
      runner.useText(session.sources.text(*unit->source()).str());
    Json points = Json::array();
    for (const std::vector<Override>& settings : request.points) {
      points.push_back(runner.at(settings));
      progress(points.size(), request.points.size(), "points", "");
    }
    session.out = textOf({{"schema", "dplc.figures.1"},
                          {"layout", plan->layout.name},
                          {"figures", request.figures},
                          {"units", runner.units()},
                          {"points", std::move(points)}});
  };
  work();
  (void)session.finish();
}
} // namespace

std::function<void(Answer&, const Progress::Listener&)> tool::figuresWork(const Json& params,
                                                                          std::string& mistake) {
  FigureRequest request;
  if (!read(params, request, mistake))
    return {};
  return [request = std::move(request)](Answer& answer, const Progress::Listener& progress) {
    answerFigures(request, answer, progress);
  };
}
