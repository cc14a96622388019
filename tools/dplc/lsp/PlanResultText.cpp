//===- PlanResultText.cpp - The result of a plan between two processes ------------------------===//
#include "tools/dplc/lsp/PlanResult.h"
#include "tools/dplc/lsp/Positions.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
Json asJson(SourceRange range) { return Json::array({range.file, range.begin, range.end}); }

SourceRange rangeOf(const Json& json) {
  return {json[0].get<std::uint32_t>(), json[1].get<std::uint32_t>(), json[2].get<std::uint32_t>()};
}

Json asJson(const Diagnostic& d) {
  Json notes = Json::array(), edits = Json::array();
  for (const Diagnostic& note : d.notes)
    notes.push_back(asJson(note));
  for (const Edit& edit : d.edits)
    edits.push_back({{"at", asJson(edit.range)}, {"text", edit.text}});
  return {{"code", d.info.code},   {"severity", static_cast<int>(d.info.severity)},
          {"at", asJson(d.range)}, {"message", d.message},
          {"label", d.label},      {"help", d.help},
          {"notes", notes},        {"edits", edits}};
}

Diagnostic diagnosticOf(const Json& json) {
  Diagnostic d;
  const std::string& code = json["code"].str();
  const llvm::ArrayRef<DiagInfo> all = allDiagnostics();
  d.info = *llvm::find_if(all, [&](const DiagInfo& row) { return code == row.code; });
  d.info.severity = static_cast<Severity>(json["severity"].get<int>());
  d.range = rangeOf(json["at"]), d.message = json["message"].str();
  d.label = json["label"].str(), d.help = json["help"].str();
  for (const Json& note : json["notes"])
    d.notes.push_back(diagnosticOf(note));
  for (const Json& edit : json["edits"])
    d.edits.push_back({rangeOf(edit["at"]), edit["text"].str()});
  return d;
}

Json asJson(const std::vector<Diagnostic>& list) {
  Json out = Json::array();
  for (const Diagnostic& one : list)
    out.push_back(asJson(one));
  return out;
}

std::vector<Diagnostic> listOf(const Json& json) {
  std::vector<Diagnostic> out;
  for (const Json& one : json)
    out.push_back(diagnosticOf(one));
  return out;
}

Json asJson(const RunShare& share) {
  return {{"run", share.run},
          {"layout", share.layout},
          {"steps", share.steps},
          {"time", share.timed ? Json(share.time) : Json()},
          {"device_time", share.deviceTime},
          {"cost", share.priced ? Json(share.cost) : Json()},
          {"budget", share.budget ? Json(*share.budget) : Json()},
          {"at", asJson(share.atBudget)}};
}

RunShare shareOf(const Json& json) {
  RunShare share;
  share.run = json["run"].str(), share.layout = json["layout"].str();
  const auto number = [&](const char* key) {
    return json[key].is_number() ? json[key].get<double>() : 0;
  };
  share.steps = number("steps"), share.time = number("time");
  share.deviceTime = number("device_time"), share.cost = number("cost");
  share.timed = json["time"].is_number(), share.priced = json["cost"].is_number();
  if (json["budget"].is_number())
    share.budget = number("budget");
  share.atBudget = rangeOf(json["at"]);
  return share;
}
} // namespace

Json tool::asJson(const PlanResult& result) {
  Json phases = Json::array(), shares = Json::array(), chosen = Json::array();
  for (const std::vector<Diagnostic>& phase : result.phases)
    phases.push_back(::asJson(phase));
  for (const RunShare& share : result.shares)
    shares.push_back(::asJson(share));
  for (const ChosenValue& value : result.chosen)
    chosen.push_back({{"at", ::asJson(value.at)}, {"value", value.value}});
  Json summary;
  if (const auto& s = result.summary)
    summary = {{"step", s->step}, {"mfu", s->mfu}, {"memory", s->memory}};
  return {{"phases", phases},
          {"open", ::asJson(result.openPhase)},
          {"judged", result.judged},
          {"actions", result.actions},
          {"actions_of_runs", result.actionsOfRuns},
          {"shares", shares},
          {"summary", summary},
          {"chosen", chosen},
          {"figures", result.figures}};
}

PlanResult tool::planResultOf(const Json& json) {
  PlanResult out;
  for (const Json& phase : json["phases"])
    out.phases.push_back(listOf(phase));
  out.openPhase = listOf(json["open"]);
  out.judged = json["judged"].get<bool>();
  out.actions = json["actions"].get<std::uint64_t>();
  out.actionsOfRuns = json["actions_of_runs"].get<std::uint64_t>();
  for (const Json& share : json["shares"])
    out.shares.push_back(shareOf(share));
  if (const Json& s = json["summary"]; s.is_object())
    out.summary = {s["step"].get<double>(), s["mfu"].get<double>(), s["memory"].get<double>()};
  for (const auto& [path, value] : json["figures"].items())
    if (value.is_number())
      out.figures.emplace(path, value.get<double>());
  for (const Json& value : json["chosen"])
    out.chosen.push_back({rangeOf(value["at"]), value["value"].str()});
  return out;
}
