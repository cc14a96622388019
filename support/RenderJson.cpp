//===- RenderJson.cpp - Diagnostics as one JSON object per line, and as SARIF -----------------===//
#include "support/Json.h"
#include "support/Utf8.h"
#include "support/diagnostics/Files.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
using namespace dpl;

namespace {
/// The text as valid UTF-8: names and messages may contain any bytes of the user's file, but JSON
/// may not.
std::string clean(llvm::StringRef text) { return validUtf8(text); }

Json rangeOf(const SourceManager& sources, SourceRange r) {
  const std::uint32_t skipped = sources.skipped(r.file);
  const LineColumn begin = sources.at(r.file, r.begin), end = sources.at(r.file, r.end);
  return Json{{"file", clean(sources.name(r.file))},
              {"begin", r.begin + skipped},
              {"end", r.end + skipped},
              {"start", {{"line", begin.line}, {"column", begin.column}}},
              {"stop", {{"line", end.line}, {"column", end.column}}}};
}

Json object(const SourceManager& sources, const Diagnostic& d) {
  Json j{{"code", d.info.code},
         {"name", d.info.name},
         {"severity", name(d.info.severity)},
         {"message", clean(d.message)}};
  j["range"] = d.range.valid() ? rangeOf(sources, d.range) : Json(nullptr);
  if (d.info.severity == Severity::Note)
    return j;
  j["label"] = clean(d.label);
  j["notes"] = Json::array();
  for (const Diagnostic& note : d.notes)
    j["notes"].push_back(object(sources, note));
  j["help"] = clean(d.help);
  j["fixes"] = Json::array();
  for (const Edit& edit : d.edits)
    j["fixes"].push_back({{"range", rangeOf(sources, edit.range)}, {"text", clean(edit.text)}});
  return j;
}

/// A relative path as a URI reference: only unreserved characters and `/` are not escaped.
std::string uri(llvm::StringRef path) {
  std::string text;
  for (const char c : path)
    if (llvm::isAlnum(c) || llvm::StringRef("-._~/").contains(c))
      text += c;
    else
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return text;
}

Json region(const SourceManager& sources, SourceRange r) {
  const LineColumn begin = sources.at(r.file, r.begin), end = sources.at(r.file, r.end);
  return Json{{"startLine", begin.line},
              {"startColumn", begin.column},
              {"endLine", end.line},
              {"endColumn", end.column}};
}

Json physical(const SourceManager& sources, SourceRange r) {
  return Json{{"artifactLocation", {{"uri", uri(sources.name(r.file))}}},
              {"region", region(sources, r)}};
}

Json sarifResult(const SourceManager& sources, const Diagnostic& d, std::size_t rule) {
  const std::string text = d.message + (d.label.empty() ? "" : ": " + d.label);
  Json result{{"ruleId", d.info.code},
              {"ruleIndex", rule},
              {"level", name(d.info.severity)},
              {"message", {{"text", clean(text)}}}};
  result["locations"] = Json::array();
  if (d.range.valid())
    result["locations"].push_back({{"physicalLocation", physical(sources, d.range)}});
  Json related = Json::array();
  for (const Diagnostic& note : d.notes) {
    Json place{{"id", related.size() + 1}, {"message", {{"text", clean(note.message)}}}};
    if (note.range.valid())
      place["physicalLocation"] = physical(sources, note.range);
    related.push_back(std::move(place));
  }
  if (!related.empty())
    result["relatedLocations"] = std::move(related);
  if (!d.edits.empty()) {
    Json changes = Json::array();
    for (const Edit& edit : d.edits)
      changes.push_back(
          {{"artifactLocation", {{"uri", uri(sources.name(edit.range.file))}}},
           {"replacements", Json::array({{{"deletedRegion", region(sources, edit.range)},
                                          {"insertedContent", {{"text", clean(edit.text)}}}}})}});
    result["fixes"] = Json::array(
        {{{"description", {{"text", clean(d.help)}}}, {"artifactChanges", std::move(changes)}}});
  }
  return result;
}
} // namespace

std::vector<Json> dpl::diagnosticsAsJson(const DiagnosticEngine& engine,
                                         const SourceManager& sources) {
  std::vector<Json> out;
  for (const Diagnostic& d : engine.diagnostics())
    out.push_back(object(sources, d));
  if (engine.heldBack() > 0) {
    const DiagInfo info = diag::HeldBack::info;
    out.push_back({{"code", info.code},
                   {"name", info.name},
                   {"severity", "note"},
                   {"message", diag::HeldBack::format(engine.heldBack())},
                   {"range", nullptr}});
  }
  return out;
}

std::string dpl::renderJson(const DiagnosticEngine& engine, const SourceManager& sources) {
  std::string out;
  for (const Json& value : diagnosticsAsJson(engine, sources))
    out += value.dump() + "\n";
  return out;
}

std::string dpl::renderSarif(const DiagnosticEngine& engine, const SourceManager& sources,
                             llvm::StringRef version, const ExplainPage& page) {
  Json rules = Json::array();
  std::vector<llvm::StringRef> ruleIds; // the rules that occur, in the order of the table
  for (const DiagInfo& row : allDiagnostics()) {
    bool used = false;
    for (const Diagnostic& d : engine.diagnostics())
      used |= llvm::StringRef(d.info.code) == row.code;
    if (!used)
      continue;
    ruleIds.push_back(row.code);
    const std::string text = clean(page(row.code));
    rules.push_back({{"id", row.code},
                     {"name", row.name},
                     {"shortDescription", {{"text", row.name}}},
                     {"fullDescription", {{"text", text.empty() ? row.name : text}}},
                     {"help", {{"text", text.empty() ? row.name : text}, {"markdown", text}}},
                     {"defaultConfiguration", {{"level", name(row.severity)}}}});
  }
  Json results = Json::array();
  for (const Diagnostic& d : engine.diagnostics()) {
    const auto rule = std::find(ruleIds.begin(), ruleIds.end(), d.info.code);
    results.push_back(sarifResult(sources, d, static_cast<std::size_t>(rule - ruleIds.begin())));
  }
  Json run{{"tool", {{"driver", {{"name", "dplc"}, {"version", version.str()}, {"rules", rules}}}}},
           {"columnKind", "unicodeCodePoints"},
           {"results", std::move(results)}};
  return Json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"version", "2.1.0"},
              {"runs", Json::array({std::move(run)})}}
             .dump(2) +
         "\n";
}
